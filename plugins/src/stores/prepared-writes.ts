import { type Commit, isTerminalEvent, type NewEvent, type RunRow, type StepRow, type Store } from '@svc/core'
import { toKey } from './keys.ts'
import { type RecordText, toRecord } from './run-record.ts'
import { requestOf } from './run-row.ts'
import { type PreparedRecord, prepareRecord } from './tables/records.ts'

export type Idempotency = NonNullable<Parameters<Store['create']>[2]>

/** A new run as it was when it was asked for: its objects may change afterwards. */
export interface PreparedRun {
  row: RunRow
  request: string
  record: RecordText
}

/**
 * @param steps of a run that has ended elsewhere
 * @param toKept what is written of its request
 * @throws TypeError for what JSON cannot hold
 */
export const prepareRun = (
  row: RunRow,
  events: readonly NewEvent[],
  steps: readonly StepRow[] = [],
  toKept: (request: Readonly<Record<string, unknown>>) => object = (request) => request,
): PreparedRun => ({
  row,
  request: JSON.stringify(toKept(requestOf(row))),
  record: toRecord(events, steps, row.id),
})

/** A commit as it was when it was asked for. */
export interface PreparedCommit {
  write: Commit
  record: RecordText
  approvals: { id: string; status: string; body: string }[]
  /** In the order of `write.records`. */
  records: PreparedRecord[]
  /** Changed fields of the row as JSON; undefined for a field that was taken away. */
  fields: [string, string | undefined][]
  /** Which of the events has the row's result in it. */
  resultAt: number | undefined
}

/** @throws TypeError for what JSON cannot hold */
export function prepareCommit(runId: string, write: Commit): PreparedCommit {
  const { events = [], steps = [], approvals = [], records = [], run = {} } = write
  const resultAt =
    run.result === undefined
      ? -1
      : events.findIndex((event) => isTerminalEvent(event) && event.data.result === run.result)
  const { status: _, lastSeq: __, version: ___, format: ____, ...changed } = run
  if (resultAt !== -1) delete changed.result
  return {
    write,
    record: toRecord(events, steps, runId),
    // One that is asked and answered in one commit, as after a crash, is written once.
    approvals: [...new Map(approvals.map((approval) => [approval.id, approval])).values()].map((approval) => ({
      id: toKey(approval.id),
      status: approval.status,
      body: JSON.stringify(approval),
    })),
    records: records.map(prepareRecord),
    fields: Object.entries(changed).map(([name, value]) => [name, JSON.stringify(value)]),
    resultAt: resultAt === -1 ? undefined : resultAt,
  }
}
