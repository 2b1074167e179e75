import { holdersOf, type Keys } from '../http/request/authenticate.ts'
import type { SignIn } from '../sign-in/sign-in.ts'

/** How often it is looked whether keys were taken away. */
const KEYS_MS = 1_000

/** Tells when a key is good no more, or gives less or other than it did, also where nobody asks for anything. */
export class GoodKeys {
  readonly #keys: Keys
  readonly #signIn: () => SignIn | undefined
  readonly #onLook: (kept: ReadonlySet<string>) => void
  readonly #watching: NodeJS.Timeout
  #known: ReadonlyMap<string, string> = new Map()

  /** @param onLook receives those who may go on with what they have open */
  constructor(keys: Keys, signIn: () => SignIn | undefined, onLook: (kept: ReadonlySet<string>) => void) {
    this.#keys = keys
    this.#signIn = signIn
    this.#onLook = onLook
    // Those of the start are known before a request asks.
    this.look()
    this.#watching = setInterval(() => {
      try {
        this.look()
      } catch {
        // The next request gets the error.
      }
    }, KEYS_MS)
    this.#watching.unref()
  }

  look(): void {
    const now = new Map([...holdersOf(this.#keys()), ...(this.#signIn()?.holders() ?? [])])
    const kept = [...now].filter(([holder, rights]) => (this.#known.get(holder) ?? rights) === rights)
    this.#onLook(new Set(kept.map(([holder]) => holder)))
    this.#known = now
  }

  stop(): void {
    clearInterval(this.#watching)
  }
}
