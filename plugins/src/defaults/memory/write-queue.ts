/** Work that nobody waits for now: done one after the other, at the latest when somebody needs its effect. */
export class WriteQueue {
  readonly #waiting: (() => Promise<void>)[] = []
  readonly #failures: unknown[] = []
  #last: Promise<void> = Promise.resolve()

  add(work: () => Promise<void>): void {
    this.#waiting.push(work)
  }

  /** Does what waits. Never rejects: see `takeFailures`. */
  flush(): Promise<void> {
    if (this.#waiting.length === 0) return this.#last
    const batch = this.#waiting.splice(0)
    this.#last = this.#last.then(async () => {
      for (const work of batch) await work().catch((thrown: unknown) => this.#failures.push(thrown))
    })
    return this.#last
  }

  /** What failed, once each. */
  takeFailures(): unknown[] {
    return this.#failures.splice(0)
  }
}
