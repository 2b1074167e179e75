import { ConfigError } from '@svc/core'
import { readRegularFile } from '@svc/core/config'
import { type Keys, toKeys, watchKeysFile, weaknessOf } from '@svc/server'

const MOST_BYTES = 1 << 20

type Variables = Readonly<Record<string, string | undefined>>

/** A key without the name of who holds it. */
export const keyOf = (entry: ReturnType<Keys>[number]): string =>
  typeof entry === 'string' ? (entry.split(/\s+/).at(-1) ?? entry) : entry.key

/** The keys of a server that runs. */
export interface ServiceKeys {
  keys: Keys
  /** Reads those of the owner again; those of the keys file are read whenever it changes. @throws as `readOwnerKeys` */
  reload(): void
}

/**
 * The keys of the owner, and those of the file that `SERVICE_API_KEYS_FILE` names.
 *
 * @param warn says what is wrong with keys that are used all the same, without showing them
 * @throws ConfigError `config_invalid` for keys that cannot be used
 */
export function readServiceKeys(env: Variables, warn: (message: string) => void): ServiceKeys {
  const { SERVICE_API_KEYS_FILE: file = '' } = env
  const scoped =
    file === ''
      ? () => []
      : watchKeysFile(file, (thrown) => warn(`the keys stay as they were: ${(thrown as Error).message}`))
  const read = (): string[] => {
    const keys = readOwnerKeys(env)
    for (const entry of keys) {
      const weakness = weaknessOf(keyOf(entry))
      if (weakness !== undefined) warn(`a key of SERVICE_API_KEY can be guessed: it ${weakness}`)
    }
    return keys
  }
  let owners = read()
  return {
    keys: () => [...owners, ...scoped()],
    reload() {
      owners = read()
    },
  }
}

/**
 * The keys of the server: those of `SERVICE_API_KEY`, or of the file that `SERVICE_API_KEY_FILE` names, which can be
 * replaced while the server runs.
 *
 * @returns none where neither is set
 * @throws ConfigError `config_invalid` for both, and for a file that cannot be read or holds no key
 */
export function readOwnerKeys(env: Variables): string[] {
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
