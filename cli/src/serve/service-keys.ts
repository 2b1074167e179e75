import { ConfigError } from '@svc/core'
import { readRegularFile } from '@svc/core/config'
import { toKeys } from '@svc/server'

const MOST_BYTES = 1 << 20

/**
 * The keys of the server: those of `SERVICE_API_KEY`, or of the file that `SERVICE_API_KEY_FILE` names, which can be
 * replaced while the server runs.
 *
 * @returns none where neither is set
 * @throws ConfigError `config_invalid` for both, and for a file that cannot be read or holds no key
 */
export function readServiceKeys(env: Readonly<Record<string, string | undefined>>): string[] {
  const { SERVICE_API_KEY: text = '', SERVICE_API_KEY_FILE: file = '' } = env
  if (file === '') return toKeys(text)
  if (text !== '')
    throw new ConfigError('config_invalid', 'SERVICE_API_KEY and SERVICE_API_KEY_FILE are both set: take one away')
  const keys = toKeys(contentOf(file))
  if (keys.length === 0) throw new ConfigError('config_invalid', `SERVICE_API_KEY_FILE: ${file} holds no key`)
  return keys
}

function contentOf(file: string): string {
  const read = readRegularFile(file, MOST_BYTES)
  if ('bytes' in read) return read.bytes.toString('utf8')
  throw new ConfigError('config_invalid', `SERVICE_API_KEY_FILE: ${file} ${read.problem}`, { cause: read.cause })
}
