/** As long as a call of a client's tool waits. */
const LONGEST_MS = 3_600_000

/** Runs whose client was asked something and has no request open: when it does not come back, they end. */
export class Unanswered {
  readonly #runs = new Map<string, { timer: NodeJS.Timeout; cancel: () => void }>()

  /** @param cancel ends the run */
  hold(runId: string, cancel: () => void): void {
    this.release(runId)
    const timer = setTimeout(() => {
      this.#runs.delete(runId)
      cancel()
    }, LONGEST_MS)
    timer.unref()
    this.#runs.set(runId, { timer, cancel })
  }

  /** The client has come back. */
  release(runId: string): void {
    clearTimeout(this.#runs.get(runId)?.timer)
    this.#runs.delete(runId)
  }

  /** The client is gone: its runs end. */
  cancelAll(): void {
    for (const [runId, { cancel }] of [...this.#runs]) {
      this.release(runId)
      cancel()
    }
  }
}
