import { type Commit, isTerminalEvent } from '@svc/core'
import { toKey } from './columns.ts'
import { eventJson } from './run-log.ts'

/** A commit as it was when it was asked for: its objects may change afterwards. */
export interface PreparedCommit {
  write: Commit
  events: string[]
  steps: string[]
  approvals: { id: string; status: string; body: string }[]
  /** Changed fields of the row as JSON; undefined for a field that was taken away. */
  fields: [string, string | undefined][]
  /** Which of the events has the row's result in it. */
  resultAt: number | undefined
}

/** @throws TypeError for what JSON cannot hold */
export function prepareCommit(runId: string, write: Commit): PreparedCommit {
  const { events = [], steps = [], approvals = [], run } = write
  const resultAt =
    run?.result === undefined
      ? -1
      : events.findIndex((event) => isTerminalEvent(event) && event.data.result === run.result)
  const fields: [string, string | undefined][] = []
  for (const [name, value] of Object.entries(run ?? {})) {
    if (name === 'status' || name === 'lastSeq' || name === 'version') continue
    if (name === 'result' && resultAt !== -1) continue
    fields.push([name, JSON.stringify(value)])
  }
  return {
    write,
    events: events.map((event) => eventJson(event, runId)),
    steps: steps.map((step) => JSON.stringify(step)),
    approvals: approvals.map((approval) => ({
      id: toKey(approval.id),
      status: approval.status,
      body: JSON.stringify(approval),
    })),
    fields,
    resultAt: resultAt === -1 ? undefined : resultAt,
  }
}
