type Builtins = {
  crypto: typeof import('node:crypto')
  fs: typeof import('node:fs')
  path: typeof import('node:path')
}

const FILE = 'server.key'
const MOST_BYTES = 256
const KEY = /^[\w-]{43}$/
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const CHALLENGE = /SvcLocalKey file="([^"]{1,8192})", proof="([0-9a-f]{64})"/

/**
 * The key of a server of this machine that has no others, read from its data folder once it asks for one. A file is read that is
 * this person's alone, and its key is sent to who has proved to know it already.
 */
export class LocalKey {
  /** Where requests go: once there is a key, to whose address the proof was for, as a name may lead elsewhere next time. */
  base: string
  readonly #port: number
  #drawn: string | undefined
  #key: string | undefined

  private constructor(base: string, port: number) {
    this.base = base
    this.#port = port
  }

  /** @returns undefined for a server elsewhere, and where there are no files, as in a browser */
  static of(base: string): LocalKey | undefined {
    const { protocol, hostname, port } = new URL(base)
    if (!LOOPBACK.test(hostname) || builtin('fs') === undefined) return undefined
    return new LocalKey(base, Number(port) || (protocol === 'https:' ? 443 : 80))
  }

  /** Headers of each request. */
  get headers(): Record<string, string> {
    this.#drawn ??= builtin('crypto')?.randomBytes(16).toString('hex') ?? ''
    return { 'svc-challenge': this.#drawn, ...(this.#key !== undefined && { authorization: `Bearer ${this.#key}` }) }
  }

  /**
   * @param challenge the `WWW-Authenticate` of a 401
   * @param tried the headers that were refused
   * @returns whether there is a key to ask with once more
   */
  learn(challenge: string | null, tried: LocalKey['headers']): boolean {
    this.#key = this.#find(challenge ?? '')
    return this.#key !== undefined && this.headers.authorization !== tried.authorization
  }

  #find(challenge: string): string | undefined {
    const [, file = '', proof = ''] = CHALLENGE.exec(challenge) ?? []
    const key = file === '' ? undefined : readKey(decodeURIComponent(file))
    const { createHmac, timingSafeEqual } = builtin('crypto') ?? {}
    if (key === undefined || createHmac === undefined || timingSafeEqual === undefined) return undefined
    const { hostname } = new URL(this.base)
    const address = (hostname === 'localhost' ? ['127.0.0.1', '[::1]'] : [hostname]).find((each) => {
      const text = `${this.#drawn} ${each.replace(/[[\]]/g, '')} ${this.#port}`
      return timingSafeEqual(createHmac('sha256', key).update(text).digest(), Buffer.from(proof, 'hex'))
    })
    if (address === undefined) return undefined
    this.base = this.base.replace(/\/\/localhost/i, `//${address}`)
    return key
  }
}

/** The key in a file of that name that nobody else can read or write. */
function readKey(file: string): string | undefined {
  const [fs, path] = [builtin('fs'), builtin('path')]
  if (fs === undefined || path === undefined || !path.isAbsolute(file) || path.basename(file) !== FILE) return undefined
  try {
    const found = fs.lstatSync(file)
    const isOwn = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0)
    if (!found.isFile() || !isOwn || found.size > MOST_BYTES) return undefined
    const key = fs.readFileSync(file, 'utf8').trim()
    return KEY.test(key) ? key : undefined
  } catch {
    return undefined
  }
}

/** A part of Node, where this is Node: a bundle for a browser has none of them. */
function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  return globalThis.process?.getBuiltinModule?.(name) as Builtins[Name] | undefined
}
