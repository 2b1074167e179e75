const MOST_VALUES = 100
const LONGEST = 100

/** Values of one label that came first; names come from outside, and every further one is counted as `other`. */
export class BoundedLabel {
  readonly #values = new Set<string>()
  readonly #most: number

  constructor(most = MOST_VALUES) {
    this.#most = most
  }

  of(value: string): string {
    const short = value.slice(0, LONGEST)
    if (this.#values.has(short)) return short
    if (this.#values.size >= this.#most) return 'other'
    this.#values.add(short)
    return short
  }
}
