import type { NewEvent } from '../log/event.ts'
import type { StepRow } from '../log/journal.ts'
import type { Approval } from '../run/approval.ts'
import type { RunRow } from './run-row.ts'

/** A record that a run leaves, as `put` of `Records.records` takes it. */
export interface NewRecord {
  kind: string
  space: string
  id: string
  value: unknown
  /** What `put` would have answered, set by the store; not where its database's own answer was lost. */
  seq?: number
}

/** What one commit writes, all or nothing. */
export interface Commit {
  /** Steps begun or done; a row replaces the one of the same key. */
  steps?: readonly StepRow[]
  /** Numbered by the store, gap-free. The store owns the objects from then on. */
  events?: readonly NewEvent[]
  /** Changed fields of the run's row; `undefined` takes a field away. */
  run?: { [K in keyof RunRow]?: RunRow[K] | undefined }
  approvals?: readonly Approval[]
  /** Ids of commands that were observed. */
  taken?: readonly string[]
  /** Put as by `Records.records`, and counted there. */
  records?: readonly NewRecord[]
}
