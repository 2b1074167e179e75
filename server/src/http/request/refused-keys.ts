import type { Runtime } from '@svc/core'

const WINDOW_MS = 60_000
/** Addresses that are counted by themselves; the others are counted together. */
const MOST_ADDRESSES = 1_000
const OTHERS = 'other addresses'

/**
 * Writes down keys that were refused: the first of an address at once, those of the minute after it together, so that nobody
 * fills the log by guessing.
 */
export class RefusedKeys {
  readonly #runtime: Runtime
  readonly #counts = new Map<string, number>()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  add(address: string): void {
    const who = this.#counts.has(address) || this.#counts.size < MOST_ADDRESSES ? address : OTHERS
    const count = this.#counts.get(who)
    this.#counts.set(who, (count ?? -1) + 1)
    if (count !== undefined) return
    this.#write(who, 1)
    setTimeout(() => this.#end(who), WINDOW_MS).unref()
  }

  /** Writes what was only counted. */
  flush(): void {
    for (const who of this.#counts.keys()) this.#end(who)
  }

  #end(who: string): void {
    const more = this.#counts.get(who) ?? 0
    this.#counts.delete(who)
    if (more > 0) this.#write(who, more)
  }

  #write(who: string, count: number): void {
    try {
      // A refused request decides nothing, so it is refused as ever where this cannot be written.
      this.#runtime.as?.({ who: 'unknown', from: `http ${who}` }).audit?.('key.refused', { count })
    } catch (thrown) {
      process.emitWarning(`${count} refused keys of ${who} were not written down: ${thrown}`, 'SvcWarning')
    }
  }
}
