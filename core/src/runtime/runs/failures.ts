import type { SvcError } from '../../errors.ts'

/** Most failures that are kept: each ends with its run's next life. */
const MOST = 1000

/**
 * Runs that this process had to release without an end, because their store failed or the runtime was closed: those who
 * wait for one here get the reason, and the store says how it goes on.
 */
export class Failures {
  readonly #errors = new Map<string, SvcError>()
  readonly #watchers = new Map<string, Set<() => void>>()

  get(runId: string): SvcError | undefined {
    return this.#errors.get(runId)
  }

  set(runId: string, error: SvcError): void {
    this.#errors.set(runId, error)
    if (this.#errors.size > MOST) this.#errors.delete(this.#errors.keys().next().value ?? '')
    for (const watcher of [...(this.#watchers.get(runId) ?? [])]) watcher()
  }

  clear(runId: string): void {
    this.#errors.delete(runId)
  }

  watch(runId: string, watcher: () => void): () => void {
    const own = this.#watchers.get(runId) ?? new Set()
    this.#watchers.set(runId, own.add(watcher))
    return () => {
      own.delete(watcher)
      if (own.size === 0) this.#watchers.delete(runId)
    }
  }
}
