import type { NewEvent, RunEvent, StepRow, Store } from '@svc/core'
import { isCorrupt } from './damage.ts'

export type EventQuery = NonNullable<Parameters<Store['events']['list']>[1]>

/** What one commit says, as its row in the log keeps it. */
export interface LogRecord {
  e?: Omit<RunEvent, 'v' | 'seq' | 'runId'>[]
  s?: StepRow[]
}

/** What is to be one row of the log. */
export interface RecordText {
  body: string
  /** How many are in it; a record of nothing is not written. */
  events: number
  steps: number
}

/** The body of a log row. @throws TypeError for what JSON cannot hold */
export const toRecord = (events: readonly NewEvent[], steps: readonly StepRow[], runId: string): RecordText => ({
  body: JSON.stringify({
    ...(events.length > 0 && { e: events.map((event) => toLogged(event, runId)) }),
    ...(steps.length > 0 && { s: steps }),
  }),
  events: events.length,
  steps: steps.length,
})

/** An event as the log keeps it: its number, its run and the version of its envelope stand elsewhere. */
const toLogged = ({ v: _, seq: __, runId, ...event }: NewEvent, ofRun: string): object =>
  runId === ofRun ? event : { runId, ...event }

/** @param last number of the record's last event */
export const eventsOf = ({ e = [] }: LogRecord, last: number, runId: string): RunEvent[] =>
  e.map((event, index) => ({ v: 1, seq: last - e.length + 1 + index, runId, ...event }) as RunEvent)

/** A record with the number of its last event. */
export interface ReadRecord {
  record: LogRecord
  last: number
}

type Records = Iterable<ReadRecord> | AsyncIterable<ReadRecord>

/**
 * The events of a log that a query asks for.
 *
 * @param records in order, from the one that holds the event after `after`
 * @throws RunError `log_corrupt`, unless what stands before the damage is asked for
 */
export async function selectEvents(
  records: Records,
  runId: string,
  { after = 0, limit = Number.POSITIVE_INFINITY, types, upToDamage = false }: EventQuery,
): Promise<RunEvent[]> {
  const found: RunEvent[] = []
  try {
    for await (const { record, last } of records) {
      for (const event of eventsOf(record, last, runId)) {
        if ((event.seq ?? 0) <= after || (types !== undefined && !types.includes(event.type))) continue
        found.push(event)
        if (found.length >= limit) return found
      }
    }
  } catch (thrown) {
    if (!upToDamage || !isCorrupt(thrown)) throw thrown
  }
  return found
}

/** The steps of a log, each as its newest record has it. @throws RunError `log_corrupt` */
export async function selectSteps(records: Records): Promise<StepRow[]> {
  const steps = new Map<string, StepRow>()
  for await (const { record } of records) for (const step of record.s ?? []) steps.set(step.key, step)
  return [...steps.values()]
}
