import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { AuthError } from '@svc/core'
import { ANONYMOUS, type Identity, LOCAL_KEY, type Scope } from '../../keys/caller.ts'

/** A key for some things alone. */
export interface ScopedKey {
  readonly name: string
  readonly key: string
  readonly scopes: readonly Scope[]
}

/**
 * The keys that are good now: texts are those of the owner, each alone or after the name of who holds it; empty: none is needed. Asked
 * for each request, so that keys change without a restart.
 */
export type Keys = () => readonly (string | ScopedKey)[]
type Key = ReturnType<Keys>[number]

/** The keys of `SERVICE_API_KEY`, separated by commas, or of a file, on lines of their own: `<key>` or `<name> <key>`. */
export const toKeys = (text: string | undefined): string[] =>
  (text ?? '')
    .split(/[,\n]/)
    .map((key) => key.trim())
    .filter((key) => key !== '')

/**
 * Keys that do not run out. Where there were some and none is left, the last ones stay good: a key file that was emptied
 * does not open the server to everybody.
 *
 * @param onNone called when that begins
 */
export function keepLast(keys: Keys, onNone: () => void): Keys {
  let last: ReturnType<Keys> = []
  let isKept = false
  return () => {
    const now = keys()
    const wasKept = isKept
    isKept = now.length === 0 && last.length > 0
    if (!isKept) last = now
    else if (!wasKept) onNone()
    return last
  }
}

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest()

/** Digests of keys by key, so that each is taken once. */
const digests = new Map<string, Buffer>()

function knownDigest(key: string): Buffer {
  let digest = digests.get(key)
  if (digest === undefined) {
    if (digests.size > 1_000) digests.clear()
    digest = digestOf(key)
    digests.set(key, digest)
  }
  return digest
}

/** Who asks where no key is needed, with the key of this machine or without: a client learns it from one request to the next. */
const ANYONE = 'anyone'

/** Who sends no key where none is set. */
export const NOBODY: Identity = { caller: ANONYMOUS, holder: ANYONE, owner: '', reach: {} }

/** The name whose keys use the memory that everything outside the server uses. */
const SHARED = 'shared'

/** The name of who holds a key, or the empty text, and the key. */
function partsOf(entry: Key): readonly [name: string, key: string] {
  if (typeof entry !== 'string') return [entry.name, entry.key]
  const [, name = '', key = entry] = /^([\w.-]{1,64})[ \t]+(\S+)$/.exec(entry) ?? []
  return [name, key]
}

/** The keys without the names of their holders. */
export const withoutNames = (keys: readonly Key[]): string[] => keys.map((entry) => partsOf(entry)[1])

/**
 * Says who asks, by the key that came with the request. Where no key is set, that is anybody who sends none, and who sends the
 * key of this machine.
 *
 * @throws AuthError `unauthenticated` for no key where one is set, for a wrong one, and for more than one
 */
export function authenticate(message: IncomingMessage, keys: Keys, localKeys: () => readonly string[]): Identity {
  const good = keys()
  const isLocal = good.length === 0
  const { authorization, 'x-api-key': plain } = message.headersDistinct
  if (isLocal && authorization === undefined && plain === undefined) return NOBODY
  const given = keyIn(message)
  if (given === undefined) {
    throw new AuthError('unauthenticated', 'send the key as "Authorization: Bearer <key>" or "x-api-key: <key>"')
  }
  const digest = digestOf(given)
  // Every key is compared, so that the time says nothing of which one is near.
  const [held] = (isLocal ? localKeys() : good).filter((entry) =>
    timingSafeEqual(knownDigest(partsOf(entry)[1]), digest),
  )
  if (held === undefined) {
    const cure = isLocal ? `: it takes ${LOCAL_KEY}, or none` : ''
    throw new AuthError('unauthenticated', `the key is not one of this server${cure}`)
  }
  if (isLocal) return { caller: { name: 'local', scopes: ['admin'] }, holder: ANYONE, owner: '', reach: {} }
  const [holder, [name]] = [nameOf(digest), partsOf(held)]
  const owner = name === SHARED ? '' : name === '' ? `key ${holder}` : `name ${name}`
  if (typeof held === 'string') return { caller: { name: 'owner', scopes: ['admin'] }, holder, owner, reach: {} }
  const { scopes } = held
  return { caller: { name, scopes }, holder, owner, reach: scopes.includes('admin') ? {} : { owner } }
}

/** A name of a key that gives nothing of it away. */
const nameOf = (digest: Buffer): string => digest.toString('hex', 0, 8)

/** Who may ask with these keys, each with all that their key gives them. */
export const holdersOf = (keys: readonly Key[]): ReadonlyMap<string, string> =>
  new Map(
    keys.length === 0 ? [[ANYONE, '']] : keys.map((entry) => [nameOf(knownDigest(partsOf(entry)[1])), toRights(entry)]),
  )

const toRights = (entry: Key): string =>
  JSON.stringify([partsOf(entry)[0], typeof entry === 'string' ? 'owner' : [...entry.scopes].sort()])

/** The one key of a request. */
function keyIn({ headersDistinct }: IncomingMessage): string | undefined {
  const bearers = headersDistinct.authorization ?? []
  const plain = headersDistinct['x-api-key'] ?? []
  if (bearers.length + plain.length !== 1) return undefined
  const [bearer] = bearers
  if (bearer === undefined) return plain[0]
  return /^bearer +([\x21-\x7e]+)$/i.exec(bearer)?.[1]
}
