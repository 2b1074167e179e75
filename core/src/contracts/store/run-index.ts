import type { Page } from '../page.ts'
import type { CostFigure, CostGroup, CostPeriod } from '../run/figures/run-costs.ts'
import type { RunSummary } from '../run/figures/run-summary.ts'
import type { RunStatus } from '../words.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { RunFilters, RunQuery } from './run-query.ts'
import type { RunRow } from './run-row.ts'

/** A run that has ended, and what the store keeps of it. */
export interface StoredRun {
  id: string
  /** Milliseconds since the epoch, by the store's clock. */
  endedAt: number
  /** Of its request, its log and its approvals, and its share of payloads that several runs refer to. */
  bytes: number
}

/** Which ended runs are meant. */
export interface StoredQuery {
  limit: number
  /** Only those that ended before this one, or as it did under a lower id. Default all. */
  after?: Pick<StoredRun, 'id' | 'endedAt'>
  status?: RunStatus
  /** Only runs of this folder, and those that are of none. */
  space?: string
}

/** Which figures of costs are added up. */
export interface StoredCostQuery extends Pick<RunFilters, 'createdAfter' | 'createdBefore' | 'space' | 'owner'> {
  per: CostPeriod
  by: CostGroup
  utcOffsetMinutes: number
  /** Figures at most. */
  limit: number
}

/** Runs as they are found and listed. */
export interface RunIndex {
  readonly runs: {
    get(id: string): MaybePromise<RunRow | undefined>
    list(query?: RunQuery): MaybePromise<Page<RunRow>>
    /** What is true of the runs that fit. Without it they are listed, page by page. */
    summarize?(filters: RunFilters): MaybePromise<RunSummary>
    /** What runs took, in the order of time, then of names. Without it runs are listed, page by page. */
    costs?(query: StoredCostQuery): MaybePromise<CostFigure[]>
    /** Runs that have ended and that nobody holds, what ended last first. Without it a store removes nothing by itself. */
    ended?(query: StoredQuery): MaybePromise<StoredRun[]>
    /** Removes the run and all that belongs to it: steps, events, approvals, commands, idempotency record, payloads. */
    delete(id: string): MaybePromise<void>
    /** As `delete`, of many; what nobody can read any more may take disk space until `reclaim` is called. Without it each is deleted. */
    deleteMany?(ids: readonly string[]): MaybePromise<void>
    /** Gives back a piece of the disk space of runs that are gone. True: there is more. */
    reclaim?(): MaybePromise<boolean>
  }
}
