import type { RunEvent } from '../log/event.ts'
import type { Lease } from '../log/journal.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { RunRow } from './run-row.ts'

/** Who takes a lease, and for how long. */
export interface Holder {
  owner: string
  ttlMs: number
  /**
   * A store that leases a run as it is made may call this before it has written it: what is committed under the lease from then
   * on is written after the run, or not at all, and may leave in the same transaction.
   */
  begin?(lease: Lease): void
}

/** A run, and the right to change it. */
export interface ClaimedRun {
  run: RunRow
  lease: Lease
  /** Its log, where that is known. */
  events?: readonly RunEvent[]
}

/** Which process may change which run, and until when. */
export interface Leases {
  /**
   * Leases queued runs, and unfinished runs whose lease has run out, each with a new epoch: the highest priority first,
   * of equal ones the oldest. Of one thread only the oldest unfinished run is offered.
   *
   * @param options.only this run and no other, also where an older one of its thread is unfinished
   */
  claim(
    owner: string,
    options: { limit: number; ttlMs: number; only?: string; accepts?: (run: RunRow) => boolean },
  ): MaybePromise<ClaimedRun[]>
  /** Answers the leases that are still held, with their new ends. A store that cannot be reached throws. */
  renew(leases: readonly Lease[], ttlMs: number): MaybePromise<Lease[]>
  release(lease: Lease): MaybePromise<void>
}
