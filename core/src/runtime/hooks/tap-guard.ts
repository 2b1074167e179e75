import { SvcError } from '../../errors.ts'
import type { Deadlines } from '../../support/timers/deadlines.ts'

/** How long a tap may still tidy up after its run was stopped. */
const GRACE_MS = { cancelled: 60, limited: 2_000 }

/** Bounds the taps of one run: each settles by its time-out, and all soon after the run is stopped. */
export class TapGuard {
  readonly #deadlines: Deadlines
  /** Made with the first tap that takes time. */
  #open: Set<(reason: unknown) => void> | undefined
  #stopped: { reason: unknown } | undefined

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines
  }

  /**
   * Settles as the work does, or rejects when its time is up or the run was stopped.
   *
   * @param timeoutMs infinite: no time-out
   */
  bound<T>(work: PromiseLike<T>, timeoutMs: number, timeout: () => Error): Promise<T> {
    this.#open ??= new Set()
    const open = this.#open
    return new Promise((resolve, reject) => {
      const off = this.#deadlines.add(timeoutMs, () => {
        open.delete(reject)
        reject(timeout())
      })
      open.add(reject)
      const settle = (): void => {
        off()
        open.delete(reject)
      }
      work.then(
        (value) => {
          settle()
          resolve(value)
        },
        (thrown) => {
          settle()
          reject(thrown)
        },
      )
      if (this.#stopped !== undefined) this.#rejectSoon(this.#stopped.reason)
    })
  }

  /** The run was stopped: taps at work have a moment left. */
  stop(reason: unknown): void {
    this.#stopped = { reason }
    if (this.#open !== undefined && this.#open.size > 0) this.#rejectSoon(reason)
  }

  #rejectSoon(reason: unknown): void {
    const isLimited = SvcError.isInstance(reason) && reason.code !== 'cancelled'
    this.#deadlines.add(isLimited ? GRACE_MS.limited : GRACE_MS.cancelled, () => {
      for (const reject of this.#open ?? []) reject(reason)
      this.#open?.clear()
    })
  }
}
