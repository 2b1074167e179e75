import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { AuthError } from '@svc/core'
import { ANONYMOUS, type Identity, LOCAL_KEY, type Scope } from '../../keys/caller.ts'
import type { SignIn } from '../../sign-in/sign-in.ts'

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

/** What says who asks. */
export interface Credentials {
  keys: Keys
  /** The key of this machine, as clients read it, and others that are good for it. */
  localKeys: () => readonly [string, ...string[]]
  /** Absent where people do not sign in. */
  signIn: SignIn | undefined
}

/** Whether who sends nothing is anybody, and not refused. */
export const isOpenToAll = ({ keys, signIn }: Credentials): boolean => keys().length === 0 && signIn === undefined

/**
 * Says who asks, by the key or the token that came with the request, else by who has signed in with the browser. Where no key is
 * set, the key of this machine is good; and where nobody signs in either, who sends nothing is anybody.
 *
 * @throws AuthError `unauthenticated` for nothing that is good where something is needed, and for more than one key;
 *   CapacityError `sign_in_unavailable` for a token whose provider cannot be asked
 */
export async function authenticate(message: IncomingMessage, credentials: Credentials): Promise<Identity> {
  const { keys, localKeys, signIn } = credentials
  const good = keys()
  const isLocal = good.length === 0
  if (!hasSentKey(message)) {
    const person = await signIn?.ofBrowser(message)
    if (person !== undefined) return person
    if (isOpenToAll(credentials)) return NOBODY
  }
  const given = keyIn(message)
  if (given === undefined) {
    const other = signIn === undefined ? '' : `, or a token of ${signIn.issuer} as "Authorization: Bearer <token>"`
    throw new AuthError(
      'unauthenticated',
      `send the key as "Authorization: Bearer <key>" or "x-api-key: <key>"${other}`,
    )
  }
  const digest = digestOf(given)
  // Every key is compared, so that the time says nothing of which one is near.
  const [held] = (isLocal ? localKeys() : good).filter((entry) =>
    timingSafeEqual(knownDigest(partsOf(entry)[1]), digest),
  )
  if (held === undefined) {
    const person = await signIn?.ofToken(given)
    if (person !== undefined) return person
    const cure = isOpenToAll(credentials) ? `: it takes ${LOCAL_KEY}, or none` : ''
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

/** Whether a request has a key or a token, good or not. */
export const hasSentKey = ({ headers }: IncomingMessage): boolean =>
  headers.authorization !== undefined || headers['x-api-key'] !== undefined

/** The one key of a request. */
function keyIn({ headersDistinct }: IncomingMessage): string | undefined {
  const bearers = headersDistinct.authorization ?? []
  const plain = headersDistinct['x-api-key'] ?? []
  if (bearers.length + plain.length !== 1) return undefined
  const [bearer] = bearers
  if (bearer === undefined) return plain[0]
  return /^bearer +([\x21-\x7e]+)$/i.exec(bearer)?.[1]
}
