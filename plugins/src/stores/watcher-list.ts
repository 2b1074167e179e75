import type { RunChange, RunRow, Store } from '@svc/core'

export type Watcher = Parameters<Store['watch']>[1]

/** Who wants to hear of changes of one run, or with `*` of any. */
export class WatcherList {
  readonly #watchers = new Map<string, Set<Watcher>>()

  /** Whether somebody waits for one run: it may be in another process that it comes to its end, so this one has to stay. */
  get keepsAlive(): boolean {
    return this.#watchers.size > (this.#watchers.has('*') ? 1 : 0)
  }

  get size(): number {
    return this.#watchers.size
  }

  has(runId: string): boolean {
    return this.#watchers.has(runId)
  }

  /** Runs that are watched, `*` aside. */
  runIds(): string[] {
    return [...this.#watchers.keys()].filter((runId) => runId !== '*')
  }

  /**
   * @param onLast called when nobody watches the run any more
   * @returns how to stop watching
   */
  add(runId: string, watcher: Watcher, onLast: () => void): () => void {
    const own = this.#watchers.get(runId) ?? new Set()
    this.#watchers.set(runId, own.add(watcher))
    return () => {
      own.delete(watcher)
      if (own.size > 0 || this.#watchers.get(runId) !== own) return
      this.#watchers.delete(runId)
      onLast()
    }
  }

  /** @param names whose watchers hear of it */
  tell(runId: string, change: RunChange, names: readonly string[] = [runId, '*'], status?: RunRow['status']): void {
    for (const name of names) {
      for (const watcher of [...(this.#watchers.get(name) ?? [])]) {
        try {
          watcher(runId, change, status)
        } catch (thrown) {
          process.emitWarning(`watching run ${runId}: ${String(thrown)}`, 'SvcWarning')
        }
      }
    }
  }
}
