import type { NewEvent, RunEvent } from '../log/event.ts'
import type { Lease, StepRow } from '../log/journal.ts'
import type { Commit } from './commit.ts'
import type { Holder } from './leases.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { RunRow } from './run-row.ts'

/** What was said and done in runs. */
export interface RunLog {
  /**
   * Writes the run's row, its first events and the idempotency record at once; answers the earlier run where the key
   * is known.
   *
   * @param steps of a run that has ended elsewhere; a store that does not keep them takes no imported runs
   * @param holder who works on it from the beginning: its lease is the first, and there is no need to claim it. A store may
   *   leave that to `claim`, or begin it by `dispatch`, and answers no lease then
   * @throws SvcError `idempotency_mismatch` when the key was used with another body
   */
  create(
    run: RunRow,
    events: readonly NewEvent[],
    idempotency?: { scope: string; key: string; bodyHash: string; expiresAt: number },
    steps?: readonly StepRow[],
    holder?: Holder,
  ): MaybePromise<{ run: RunRow; replayed: boolean; lease?: Lease }>
  /**
   * The only way to change a run. One that ends it gives its lease back.
   *
   * @returns the events with their numbers
   * @throws CapacityError `lease_lost` for a stale epoch; nothing is written then
   */
  commit(lease: Lease, write: Commit): MaybePromise<readonly RunEvent[]>
  /** The recorded steps of a run; outcomes are values of their own, not shared with anybody. */
  steps(runId: string): MaybePromise<StepRow[]>
  readonly events: {
    /**
     * @param query.upToDamage true: of a damaged log, what stands before the damage, instead of the error. Default false
     * @throws RunError `log_corrupt` where the log is damaged after `after`
     */
    list(
      runId: string,
      query?: { after?: number; limit?: number; types?: readonly RunEvent['type'][]; upToDamage?: boolean },
    ): MaybePromise<readonly RunEvent[]>
  }
}
