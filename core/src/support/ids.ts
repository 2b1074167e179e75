/** Loaded at first use: an import of `@svc/core` alone needs none of it. */
let loaded: typeof import('node:crypto') | undefined
function crypto(): typeof import('node:crypto') {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** Characters of the random part: 80 bits, five each. */
const TAIL = 16
/** Random bytes are drawn for many ids at once: each draw costs more than an id. */
const pool = new Uint8Array(64 * TAIL)
let drawn = pool.length

/** A ULID: 48 bits of time and 80 random bits in Crockford's base 32, 26 characters. */
export function ulid(timeMs: number, random: Uint8Array = fresh()): string {
  let id = ''
  for (let rest = Math.floor(timeMs), i = 0; i < 10; i++, rest = Math.floor(rest / 32)) {
    id = ALPHABET.charAt(rest % 32) + id
  }
  for (let i = 0; i < TAIL; i++) id += ALPHABET.charAt((random[i] ?? 0) & 31)
  return id
}

/** When something got its id, in milliseconds since the epoch: a ULID behind a prefix. */
export const timeOfId = (id: string): number =>
  [...id.slice(id.indexOf('_') + 1).slice(0, 10)].reduce((time, sign) => time * 32 + ALPHABET.indexOf(sign), 0)

function fresh(): Uint8Array {
  if (drawn === pool.length) {
    crypto().randomFillSync(pool)
    drawn = 0
  }
  drawn += TAIL
  return pool.subarray(drawn - TAIL, drawn)
}

/** A new id of a thing that is kept, such as `run_01J…`. */
export const createId = (prefix: string, timeMs: number): string => `${prefix}_${ulid(timeMs)}`

/** Hexadecimal digits that depend on nothing but the parts. */
export function digest(...parts: readonly (string | number)[]): string {
  return crypto().hash('sha256', parts.join('\u0000'))
}

/** The SHA-256 of bytes, in hexadecimal digits. */
export const digestBytes = (bytes: Uint8Array): string => crypto().hash('sha256', bytes)

/** A SHA-256 that is taken piece by piece. */
export const startDigest = (): import('node:crypto').Hash => crypto().createHash('sha256')

/**
 * Hexadecimal digits that depend on nothing but the parts, at a tenth of the cost of `digest`: names within a run, and of
 * runs, that nobody gains by forging. Not for keys that guard anything.
 *
 * Four lanes of multiply-and-xor (Fowler, Noll, Vo), each finished as in MurmurHash3 (Appleby, 2011).
 *
 * @param digits at most 32
 */
export function nameOf(digits: number, ...parts: readonly (string | number)[]): string {
  const text = parts.length === 1 ? String(parts[0]) : parts.join('\u0000')
  let a = 0x811c9dc5
  let b = 0x9e3779b9
  let c = 0x85ebca6b
  let d = 0xc2b2ae35
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x85ebca6b) + (a >>> 7)
    c = Math.imul(c ^ code, 0xcc9e2d51) + (b >>> 11)
    d = Math.imul(d ^ code, 0x1b873593) + (c >>> 13)
  }
  const hex = hexOf(a ^ d) + hexOf(b ^ a) + hexOf(c ^ b) + hexOf(d ^ text.length)
  return hex.slice(0, digits)
}

function hexOf(lane: number): string {
  let mixed = lane ^ (lane >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  mixed ^= mixed >>> 16
  return byteOf(mixed >>> 24) + byteOf(mixed >>> 16) + byteOf(mixed >>> 8) + byteOf(mixed)
}

const BYTES: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const byteOf = (bits: number): string => BYTES[bits & 255] as string

/**
 * Random numbers in [0, 1) that depend on nothing but a seed, so that a replay draws the same.
 *
 * @see Steele et al., Fast Splittable Pseudorandom Number Generators, 2014 (the finalizer of SplitMix32)
 */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 0x1_0000_0000
  }
}

/** The random number in [0, 1) of one key: parallel agents draw theirs whatever the order in which they come. */
export const randomOf = (seed: number, key: string): number =>
  createRandom(Number.parseInt(digest(seed, key).slice(0, 8), 16))()

/** The ULID of one key: the same whenever it is asked for. */
export const ulidOf = (timeMs: number, ...parts: readonly (string | number)[]): string =>
  ulid(timeMs, Buffer.from(digest(...parts), 'hex'))

/** Ids that depend on nothing but a seed and how many were made before. */
export function createIdSource(seed: number, timeMs: () => number): (prefix: string) => string {
  let made = 0
  return (prefix) => `${prefix}_${ulid(timeMs(), Buffer.from(digest(seed, prefix, ++made), 'hex'))}`
}
