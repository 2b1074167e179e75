import type { IncomingMessage } from 'node:http'

/** Says that a page of another name below ours cannot have set it: browsers take it from its own host alone, over TLS. */
const HOST_PREFIX = '__Host-'
/** Browsers keep no longer ones. */
const MOST_BYTES = 4_096

/** A cookie of the server: no script reads it, and no page of another site sends it along with what changes something. */
export class Cookie {
  readonly #name: string
  readonly #rules: string

  /** @param isSecure whether people reach the server over TLS */
  constructor(name: string, isSecure: boolean) {
    this.#name = `${isSecure ? HOST_PREFIX : ''}${name}`
    this.#rules = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  }

  /** Its value in a request; undefined where it is not there. One that comes twice is none. */
  read({ headers }: IncomingMessage): string | undefined {
    const begin = `${this.#name}=`
    const found = (headers.cookie ?? '').split(/; */).filter((pair) => pair.startsWith(begin))
    return found.length === 1 ? found[0]?.slice(begin.length, begin.length + MOST_BYTES) : undefined
  }

  /** The header that sets it. @param seconds how long it is kept; 0 takes it away */
  write(value: string, seconds: number): string {
    return `${this.#name}=${value}; Max-Age=${Math.ceil(seconds)}${this.#rules}`
  }

  readonly none = (): string => this.write('', 0)
}
