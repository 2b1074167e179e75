/** How many events are remembered as evidence. */
const EVIDENCE = 64

/** How often the last items of a sequence repeat, for every period up to a bound, in constant time per item. */
export class CycleCounter<T> {
  readonly #isSame: (a: T, b: T) => boolean
  readonly #period: number
  /** The last items, one for each period. */
  readonly #items: T[] = []
  /** Per period: how many of the last items equal the one a period earlier. */
  readonly #equal: number[]
  readonly #seqs: number[] = []
  #length = 0

  constructor(maxPeriod: number, isSame: (a: T, b: T) => boolean) {
    this.#period = maxPeriod
    this.#isSame = isSame
    this.#equal = new Array<number>(maxPeriod).fill(0)
  }

  /**
   * Takes the next item.
   *
   * @param seq number of the event that brought it
   * @returns the shortest period that now repeats at least twice, and how often it does
   */
  push(item: T, seq: number): { period: number; times: number } | undefined {
    let shortest = 0
    for (let period = 1; period <= this.#period; period++) {
      const earlier = this.#length - period
      const isSame = earlier >= 0 && this.#isSame(this.#items[earlier % this.#period] as T, item)
      const equal = isSame ? (this.#equal[period - 1] ?? 0) + 1 : 0
      this.#equal[period - 1] = equal
      if (shortest === 0 && equal >= period) shortest = period
    }
    this.#items[this.#length % this.#period] = item
    this.#seqs[this.#length % EVIDENCE] = seq
    this.#length++
    if (shortest === 0) return undefined
    return { period: shortest, times: Math.floor((this.#equal[shortest - 1] ?? 0) / shortest) + 1 }
  }

  /** Numbers of the last events, oldest first. */
  recent(count: number): number[] {
    const shown = Math.min(count, this.#length, EVIDENCE)
    return Array.from({ length: shown }, (_, index) => this.#seqs[(this.#length - shown + index) % EVIDENCE] ?? 0)
  }
}
