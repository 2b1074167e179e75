const DAY_MS = 86_400_000
/** Runs that are removed in one transaction. */
const BATCH = 20

/** Removes runs that ended long ago: when a store is opened, and then daily. */
export class Retention {
  readonly #removeOld: (mostRuns: number, ageMs: number) => number | Promise<number>
  readonly #retainDays: number | undefined
  readonly #timer: NodeJS.Timeout
  #isStopped = false

  /**
   * @param removeOld removes some of the runs that ended before so many milliseconds; answers how many it has removed
   * @param retainDays default for ever
   */
  constructor(
    removeOld: (mostRuns: number, ageMs: number) => number | Promise<number>,
    retainDays: number | undefined,
  ) {
    this.#removeOld = removeOld
    this.#retainDays = retainDays
    this.#timer = setInterval(() => this.#begin(), DAY_MS)
    this.#timer.unref()
    this.#begin()
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#timer)
  }

  #begin(): void {
    if (this.#retainDays !== undefined) this.#run(this.#retainDays * DAY_MS).catch(() => {}) // the next day tries again
  }

  /** One batch after the other, with other writes in between. */
  async #run(ageMs: number): Promise<void> {
    let removed = BATCH
    while (removed === BATCH && !this.#isStopped) removed = await this.#removeOld(BATCH, ageMs)
  }
}
