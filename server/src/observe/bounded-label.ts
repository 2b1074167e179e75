const MOST_VALUES = 100
const LONGEST = 100

/** Values of one label that came first; names come from outside, and every further one is counted as `other`. */
export class BoundedLabel {
  readonly #values = new Set<string>()

  of(value: string): string {
    const short = value.slice(0, LONGEST)
    if (this.#values.has(short)) return short
    if (this.#values.size >= MOST_VALUES) return 'other'
    this.#values.add(short)
    return short
  }
}
