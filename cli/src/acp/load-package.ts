import { ConfigError } from '@svc/core'

export type AcpPackage = typeof import('@agentclientprotocol/sdk')

const NAME = '@agentclientprotocol/sdk'

/**
 * Loads the package that speaks the protocol.
 *
 * @throws ConfigError `plugin_load_failed` naming what to install
 */
export async function loadPackage(): Promise<AcpPackage> {
  try {
    return await import('@agentclientprotocol/sdk')
  } catch (thrown) {
    const { code, message = String(thrown) } = thrown as { code?: unknown; message?: string }
    const isAbsent = code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${NAME}'`)
    const finding = isAbsent ? 'is not installed' : `cannot be loaded (${message.split('\n')[0]})`
    throw new ConfigError(
      'plugin_load_failed',
      `svc acp needs the package ${NAME}, which ${finding}. Fix: npm install ${NAME}, where svc is installed`,
      { cause: thrown },
    )
  }
}
