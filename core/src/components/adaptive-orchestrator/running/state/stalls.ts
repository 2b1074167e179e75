/** Stalls at which the rest of a plan is made again. */
const MOST = 3

/**
 * Counts how a run gets stuck: one up for every step without progress or sign of a loop, one down, not below zero, for
 * every step that made progress. At three the rest of the plan is worth making again.
 *
 * @see Fourney et al., Magentic-One, 2024 (arXiv 2411.04468): the outer loop's stall counter
 */
export class StallCounter {
  #count = 0
  readonly #seen = new Set<string>()

  progress(): void {
    this.#count = Math.max(0, this.#count - 1)
  }

  /** @param sign what it was seen by; the same sign counts once. Default: counts always */
  stall(sign?: string): void {
    if (sign !== undefined && this.#seen.has(sign)) return
    if (sign !== undefined) this.#seen.add(sign)
    this.#count++
  }

  get isStuck(): boolean {
    return this.#count >= MOST
  }
}
