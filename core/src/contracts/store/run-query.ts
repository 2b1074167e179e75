import type { ListQuery } from '../page.ts'
import type { RunFilter } from '../run/run.ts'

/** Which runs are meant. */
export interface RunFilters extends RunFilter {
  threadId?: string
  /** Runs that have, or asked for, the agent profile or agent of this id. */
  agent?: string
  /** ISO times: from, and up to but not including. */
  createdAfter?: string
  createdBefore?: string
  /** Part of the task, or of the first 20,000 characters of the answer, any case. */
  q?: string
  /** Runs that used, or asked for, this model, as `provider/model`. */
  model?: string
  tag?: string
  /** Only runs of this folder, or what stands for it: see `Run.space`; and those that are of none. */
  space?: string
  /** Only runs of this owner: see `RunRow.owner`. */
  owner?: string
  /** Only runs that have not ended and that no living process holds. */
  left?: boolean
  /** Only queued runs that ought to have begun by now: see `RunRow.startBy`. */
  late?: boolean
}

/** Which runs to list. */
export interface RunQuery extends RunFilters, ListQuery {}
