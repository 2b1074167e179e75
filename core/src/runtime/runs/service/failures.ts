import { CapacityError, type SvcError } from '../../../errors.ts'

/** Most failures that are kept: each ends with its run's next life. */
const MOST = 1000

/**
 * Runs that this process had to release without an end, because their store failed or the runtime was closed: those who
 * wait for one here get the reason, and the store says how it goes on.
 */
export class Failures {
  readonly #errors = new Map<string, SvcError>()
  readonly #watchers = new Map<string, Set<() => void>>()

  #isClosed = false

  get(runId: string): SvcError | undefined {
    return this.#errors.get(runId)
  }

  set(runId: string, error: SvcError): void {
    this.#errors.set(runId, error)
    if (this.#errors.size > MOST) this.#errors.delete(this.#errors.keys().next().value ?? '')
    for (const watcher of [...(this.#watchers.get(runId) ?? [])]) watcher()
  }

  /** The runtime is closed: nobody here waits for a run any more, not even for one that was never begun. */
  close(): void {
    this.#isClosed = true
    for (const watchers of [...this.#watchers.values()]) for (const watcher of [...watchers]) watcher()
  }

  /** Why a run that has not ended does not end here. */
  ofUnfinished(runId: string): SvcError | undefined {
    return this.get(runId) ?? (this.#isClosed ? closedDuring(runId) : undefined)
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

export const closedDuring = (runId: string): SvcError =>
  new CapacityError('shutting_down', `the runtime was closed while run ${runId} was unfinished`)
