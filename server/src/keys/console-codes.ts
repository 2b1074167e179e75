import { createHash, randomBytes } from 'node:crypto'

/** How long a code can be used. */
const CODE_MS = 3_600_000
/** Codes that are good at once; the oldest goes first. */
const MOST_CODES = 16

/** Codes that are exchanged once for the key of this machine: each opens the console for one tab. */
export class ConsoleCodes {
  /** By digest, with the time from which on it is good no more. */
  readonly #codes = new Map<string, number>()

  make(): string {
    const code = randomBytes(16).toString('base64url')
    this.#codes.set(digestOf(code), performance.now() + CODE_MS)
    if (this.#codes.size > MOST_CODES) this.#codes.delete(this.#codes.keys().next().value as string)
    return code
  }

  /** Whether a code is good; from then on it is not. */
  take(code: string): boolean {
    const digest = digestOf(code)
    const until = this.#codes.get(digest)
    this.#codes.delete(digest)
    return until !== undefined && performance.now() < until
  }
}

const digestOf = (code: string): string => createHash('sha256').update(code).digest('hex')
