/** The last so many numbers, kept in order of size: median and quantiles in constant time. */
export class SortedWindow {
  readonly #size: number
  readonly #arrived: number[] = []
  readonly #sorted: number[] = []

  constructor(size: number) {
    this.#size = size
  }

  get count(): number {
    return this.#sorted.length
  }

  push(value: number): void {
    if (this.#arrived.length >= this.#size) {
      const oldest = this.#arrived.shift()
      if (oldest !== undefined) this.#sorted.splice(this.#sorted.indexOf(oldest), 1)
    }
    this.#arrived.push(value)
    const at = this.#sorted.findIndex((other) => other > value)
    this.#sorted.splice(at === -1 ? this.#sorted.length : at, 0, value)
  }

  /** The value below which this share of the numbers lies; 0 when there is none. */
  quantile(share: number): number {
    return this.#sorted[Math.min(this.#sorted.length - 1, Math.floor(share * this.#sorted.length))] ?? 0
  }

  /** Median of the distances from the median. */
  get deviation(): number {
    const median = this.quantile(0.5)
    const distances = this.#sorted.map((value) => Math.abs(value - median)).sort((a, b) => a - b)
    return distances[Math.floor(distances.length / 2)] ?? 0
  }
}
