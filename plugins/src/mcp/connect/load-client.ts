import { ConfigError } from '@svc/core'

/** The vendor's package, which is optional: it is loaded with the first server that is used. */
export type ClientPackage = typeof import('@modelcontextprotocol/client')

/** @throws ConfigError `config_invalid` naming what to install */
export async function loadClientPackage(): Promise<ClientPackage> {
  try {
    return await import('@modelcontextprotocol/client')
  } catch (thrown) {
    const message =
      'MCP servers need the package @modelcontextprotocol/client (^2.4.0), which cannot be loaded. Fix: npm install @modelcontextprotocol/client@2'
    throw new ConfigError('config_invalid', message, { cause: thrown })
  }
}
