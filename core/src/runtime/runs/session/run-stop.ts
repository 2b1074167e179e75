import { setMaxListeners } from 'node:events'
import { CancelledError } from '../../../errors.ts'

/** Whether, and why, a run was stopped; the first reason stands. */
export class RunStop {
  #controller: AbortController | undefined
  #stopped: { reason: unknown } | undefined
  readonly #handlers = new Set<(reason: unknown) => void>()
  readonly #onStopped: (reason: unknown) => void

  /** @param onStopped called once everybody else has heard of it */
  constructor(onStopped: (reason: unknown) => void) {
    this.#onStopped = onStopped
  }

  /** Made when somebody asks for it: a run that calls nothing needs none. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      // Every call in flight may listen. Node 20 takes a signal with the limit 0 for none, and undici asks for it.
      setMaxListeners(Number.POSITIVE_INFINITY, this.#controller.signal)
      if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason)
    }
    return this.#controller.signal
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined
  }

  get reason(): unknown {
    return this.#stopped?.reason
  }

  throwIfStopped(): void {
    if (this.#stopped !== undefined) throw this.#stopped.reason
  }

  /** Ends the run's calls and taps. @returns false when the run was stopped before */
  stop(reason: unknown): boolean {
    if (this.#stopped !== undefined) return false
    // As a signal has it: without a reason there is one all the same.
    this.#stopped = { reason: reason ?? new CancelledError('cancelled', 'the run was stopped') }
    this.#controller?.abort(this.#stopped.reason)
    for (const handler of [...this.#handlers]) handler(this.#stopped.reason)
    this.#onStopped(this.#stopped.reason)
    return true
  }

  /**
   * Calls back when the run is stopped; at once when it was stopped before.
   *
   * @returns how to take it back
   */
  onStop(handler: (reason: unknown) => void): () => void {
    if (this.#stopped !== undefined) {
      handler(this.#stopped.reason)
      return () => {}
    }
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }
}
