const WINDOW = 64

/** How often the last things of a sequence repeat, for every period up to a bound, in constant time per thing. */
export class CycleCounter {
  readonly #names: string[] = []
  readonly #refs: string[] = []
  /** Per period: how many of the last things equal the one a period earlier. */
  readonly #runs: number[]
  #length = 0

  constructor(maxPeriod: number) {
    this.#runs = new Array<number>(Math.min(maxPeriod, WINDOW / 2)).fill(0)
  }

  /**
   * Takes the next thing.
   *
   * @returns the shortest period that now repeats at least twice, and how often it does
   */
  push(name: string, ref: string): { period: number; times: number } | undefined {
    this.#runs.forEach((run, index) => {
      const earlier = this.#length - 1 - index
      this.#runs[index] = earlier >= 0 && this.#names[earlier % WINDOW] === name ? run + 1 : 0
    })
    this.#names[this.#length % WINDOW] = name
    this.#refs[this.#length % WINDOW] = ref
    this.#length++
    for (const [index, run] of this.#runs.entries()) {
      const period = index + 1
      const times = Math.floor(run / period) + 1
      if (times > 1) return { period, times }
    }
    return undefined
  }

  /** References of the last things, oldest first. */
  recent(count: number): string[] {
    const shown = Math.min(count, this.#length, WINDOW)
    return Array.from({ length: shown }, (_, index) => this.#refs[(this.#length - shown + index) % WINDOW] ?? '')
  }
}
