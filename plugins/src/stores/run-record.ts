import type { NewEvent, RunEvent, StepRow, Store } from '@svc/core'

export type EventQuery = NonNullable<Parameters<Store['events']['list']>[1]>

/** What one commit says, as its row in the log keeps it. */
export interface LogRecord {
  e?: Omit<RunEvent, 'v' | 'seq' | 'runId'>[]
  s?: StepRow[]
}

/** An event as the log keeps it: its number, its run and the version of its envelope stand elsewhere. */
export function eventJson({ v: _, seq: __, runId, ...event }: NewEvent, ofRun: string): string {
  return JSON.stringify(runId === ofRun ? event : { runId, ...event })
}

/** The body of a log row. */
export const recordJson = (events: readonly string[], steps: readonly string[]): string =>
  `{${[...(events.length > 0 ? [`"e":[${events}]`] : []), ...(steps.length > 0 ? [`"s":[${steps}]`] : [])]}}`

/** @param last number of the record's last event */
export const eventsOf = ({ e = [] }: LogRecord, last: number, runId: string): RunEvent[] =>
  e.map((event, index) => ({ v: 1, seq: last - e.length + 1 + index, runId, ...event }) as RunEvent)
