/** How long a call waits for one that came before it and may not come this time. */
const PATIENCE_MS = 50

/** Lets calls that are waiting begin and end in the order in which they did when they were recorded. */
export class Turns {
  readonly #places: ReadonlyMap<string, number>
  readonly #waiting = new Map<number, () => void>()
  #next = 0
  #timer: NodeJS.Timeout | undefined

  /** @param order names of what happened; the first of equal ones counts */
  constructor(order: readonly string[]) {
    this.#places = new Map([...new Set(order)].map((name, place) => [name, place]))
  }

  /** Resolves in turn; soon where the calls before do not come. */
  wait(name: string): Promise<void> {
    const place = this.#places.get(name)
    if (place === undefined || place < this.#next) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.set(place, resolve)
      this.#look()
    })
  }

  #look(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.size === 0) return
    if (this.#waiting.has(this.#next)) this.#release(this.#next)
    else this.#timer = setTimeout(() => this.#release(Math.min(...this.#waiting.keys())), PATIENCE_MS)
  }

  /** What follows from it happens before the next. */
  #release(place: number): void {
    this.#waiting.get(place)?.()
    this.#waiting.delete(place)
    this.#next = Math.max(this.#next, place + 1)
    setImmediate(() => this.#look())
  }
}
