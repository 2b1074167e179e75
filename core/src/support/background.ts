import { toSvcError } from '../errors.ts'

/** Work that nobody waits for: a failure is reported and ends nothing, and the runtime waits for all of it when it closes. */
export class Background {
  readonly #open = new Set<Promise<void>>()
  readonly #repeated = new Set<string>()
  readonly #failing = new Set<string>()

  /** @param what names the work in the report of its failure */
  run(what: string, work: () => Promise<void>): void {
    this.track(what, work())
  }

  /**
   * The same for work that comes again and again: left out while it is still at work, as more of it would only stand in its way. Of
   * failures in a row the first is reported.
   */
  repeat(what: string, work: () => Promise<void>): void {
    if (this.#repeated.has(what)) return
    this.#repeated.add(what)
    const once = async (): Promise<void> => {
      try {
        await work()
        this.#failing.delete(what)
      } catch (thrown) {
        if (!this.#failing.has(what)) report(what, thrown)
        this.#failing.add(what)
      } finally {
        this.#repeated.delete(what)
      }
    }
    this.run(what, once)
  }

  /** The same for work that has begun. */
  track(what: string, work: Promise<void>): void {
    const settled: Promise<void> = work
      .catch((thrown: unknown) => report(what, thrown))
      .finally(() => this.#open.delete(settled))
    this.#open.add(settled)
  }

  /** Resolves when everything begun so far, and what that began, is over. */
  async settle(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open)
  }
}

/** The same promise, which may be forgotten: that it fails then does not end the process. */
export function forgettable<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/** Tells the person who runs the process that something failed which no run can report. */
export function report(what: string, thrown: unknown): void {
  process.emitWarning(`${what}: ${toSvcError(thrown).message}`, 'SvcWarning')
}
