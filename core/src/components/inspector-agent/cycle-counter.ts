/** How often the last items of a sequence repeat, for every period up to a bound. */
export class CycleCounter {
  /** The last items, one for each period. */
  readonly #items: string[] = []
  /** Per period: how many of the last items equal the one a period earlier. */
  readonly #equal: number[]

  constructor(maxPeriod: number) {
    this.#equal = new Array<number>(maxPeriod).fill(0)
  }

  /** @returns the shortest period that now repeats at least twice, and how often it does */
  push(item: string): { period: number; times: number } | undefined {
    const equal = this.#equal.map((count, index) => (this.#items.at(-index - 1) === item ? count + 1 : 0))
    equal.forEach((count, index) => {
      this.#equal[index] = count
    })
    this.#items.push(item)
    if (this.#items.length > equal.length) this.#items.shift()
    const shortest = equal.findIndex((count, index) => count > index)
    if (shortest === -1) return undefined
    const period = shortest + 1
    return { period, times: Math.floor((equal[shortest] ?? 0) / period) + 1 }
  }
}
