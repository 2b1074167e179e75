import type { Page } from '../page.ts'
import type { RunSummary } from '../run/run-summary.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { RunFilters, RunQuery } from './run-query.ts'
import type { RunRow } from './run-row.ts'

/** Runs as they are found and listed. */
export interface RunIndex {
  readonly runs: {
    get(id: string): MaybePromise<RunRow | undefined>
    list(query?: RunQuery): MaybePromise<Page<RunRow>>
    /** What is true of the runs that fit. Without it they are listed, page by page. */
    summarize?(filters: RunFilters): MaybePromise<RunSummary>
    /** Removes the run and all that belongs to it: steps, events, approvals, commands, idempotency record, payloads. */
    delete(id: string): MaybePromise<void>
  }
}
