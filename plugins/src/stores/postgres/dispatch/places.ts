/** How many runs a worker works on at once. */
export class Places {
  readonly limit: number
  #taken = 0
  readonly #waiting = new Set<() => void>()

  constructor(limit: number) {
    this.limit = limit
  }

  get taken(): number {
    return this.#taken
  }

  /**
   * Takes a place, those who have waited longest first.
   *
   * @param ms how long to wait for one
   * @returns false where none was free
   */
  take(ms: number): Promise<boolean> {
    if (this.#taken < this.limit) {
      this.#taken++
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const handOver = (): void => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(handOver)
        resolve(false)
      }, ms)
      this.#waiting.add(handOver)
    })
  }

  giveBack(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#taken--
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
