import { statSync } from 'node:fs'
import { ConfigError, parse } from '@svc/core'
import { readRegularFile } from '@svc/core/config'
import * as Type from 'typebox'
import type { ScopedKey } from '../http/request/authenticate.ts'
import { weaknessOf } from './weak-key.ts'

const MOST_BYTES = 1 << 20
/** Names that say who asks where no key of the file does, and the memory of everything outside the server. */
const TAKEN = ['owner', 'local', 'anonymous', 'shared']

const KeysFile = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        {
          name: Type.String({ pattern: '^[\\w.-]{1,64}$' }),
          key: Type.String({ pattern: '^[!-~]+$', maxLength: 1024 }),
          scopes: Type.Array(Type.Enum(['submit', 'approve', 'admin']), { minItems: 1 }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 1_000 },
    ),
  },
  { additionalProperties: false },
)

/**
 * Reads the file that `SERVICE_API_KEYS_FILE` names.
 *
 * @throws ConfigError `config_invalid` with the place of what is wrong, and never with a key
 */
export function readKeysFile(file: string): ScopedKey[] {
  const wrong = (what: string, cause?: unknown): ConfigError =>
    new ConfigError('config_invalid', `SERVICE_API_KEYS_FILE: ${file} ${what}`, { cause })
  const stats = statSync(file, { throwIfNoEntry: false })
  const others = process.platform === 'win32' ? 0 : (stats?.mode ?? 0) & 0o077
  if (others !== 0) {
    const user = process.geteuid?.()
    throw wrong(`is open: others than user ${user} can read or change it: chown ${user} and chmod 600 it`)
  }
  const read = readRegularFile(file, MOST_BYTES)
  if (!('bytes' in read)) throw wrong(read.problem, read.cause)
  let value: unknown
  try {
    value = JSON.parse(read.bytes.toString('utf8'))
  } catch {
    // What the parser says would show a part of the file.
    throw wrong('is not JSON')
  }
  let keys: ScopedKey[]
  try {
    keys = parse(KeysFile, value, 'keys').keys
  } catch (thrown) {
    throw wrong(`does not fit: ${(thrown as Error).message}`, thrown)
  }
  for (const [index, { name, key }] of keys.entries()) {
    const before = keys.slice(0, index)
    const weakness = weaknessOf(key)
    if (TAKEN.includes(name)) throw wrong(`/keys/${index}/name must not be "${name}", which svc uses itself`)
    if (before.some((other) => other.name === name)) throw wrong(`/keys/${index}/name "${name}" is there twice`)
    if (before.some((other) => other.key === key)) throw wrong(`/keys/${index}/key of "${name}" is there twice`)
    if (weakness !== undefined) throw wrong(`/keys/${index}/key of "${name}" ${weakness}`)
  }
  return keys
}

/**
 * The keys of the file as it is now. Where a new version of it cannot be used, those of the one before stay good.
 *
 * @param onProblem called once for each version that cannot be used
 * @throws ConfigError as `readKeysFile`, for the file as it is at the start
 */
export function watchKeysFile(file: string, onProblem: (thrown: unknown) => void): () => readonly ScopedKey[] {
  let seen = stateOf(file)
  let keys = readKeysFile(file)
  return () => {
    const now = stateOf(file)
    if (now === seen) return keys
    seen = now
    try {
      keys = readKeysFile(file)
    } catch (thrown) {
      onProblem(thrown)
    }
    return keys
  }
}

/** Differs from one version of a file to the next. */
export function stateOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats === undefined ? 'nothing' : [stats.dev, stats.ino, stats.mtimeNs, stats.ctimeNs, stats.size].join(' ')
}
