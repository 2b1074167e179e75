import type { NewEvent, RunEvent, StepRow } from '@svc/core'
import { bytesOf, type Row, type Sqlite } from '../sqlite.ts'
import { corrupt, guarded } from './columns.ts'
import type { PayloadTable } from './payload-table.ts'
import { fromBody } from './record-body.ts'
import { rangeOf } from './row-number.ts'
import { TextReader } from './text-table.ts'

/** Rows that are read at once. */
const CHUNK = 256

/** What one commit says, as its row in the log keeps it. */
export interface LogRecord {
  e?: Omit<RunEvent, 'v' | 'seq' | 'runId'>[]
  s?: StepRow[]
}

/** An event as the log keeps it: its number, its run and the version of its envelope stand elsewhere. */
export function eventJson(event: NewEvent, runId: string): string {
  const { v: _v, seq: _seq, runId: own, ...rest } = event
  return JSON.stringify(own === runId ? rest : { ...rest, runId: own })
}

/** The body of a log row. */
export function recordJson(events: readonly string[], steps: readonly string[]): string {
  const parts = []
  if (events.length > 0) parts.push(`"e":[${events.join()}]`)
  if (steps.length > 0) parts.push(`"s":[${steps.join()}]`)
  return `{${parts.join()}}`
}

/** @param last number of the record's last event */
export const eventsOf = ({ e = [] }: LogRecord, last: number, runId: string): RunEvent[] =>
  e.map((event, index) => ({ v: 1, seq: last - e.length + 1 + index, runId, ...event }) as RunEvent)

/** Reads the logs of runs: a row for each commit. */
export class RunLog {
  readonly #db: Sqlite
  readonly #payloads: PayloadTable

  constructor(db: Sqlite, payloads: PayloadTable) {
    this.#db = db
    this.#payloads = payloads
  }

  /** @throws RunError `log_corrupt` */
  events(
    run: number,
    runId: string,
    {
      after = 0,
      limit = Number.POSITIVE_INFINITY,
      types,
    }: { after?: number; limit?: number; types?: readonly string[] },
  ): RunEvent[] {
    const found: RunEvent[] = []
    for (const { last, record } of this.#read(run, runId, after)) {
      for (const event of eventsOf(record, last, runId)) {
        if ((event.seq ?? 0) <= after || (types !== undefined && !types.includes(event.type))) continue
        found.push(event)
        if (found.length >= limit) return found
      }
    }
    return found
  }

  /** @throws RunError `log_corrupt` */
  steps(run: number, runId: string): StepRow[] {
    const steps = new Map<string, StepRow>()
    for (const { record } of this.#read(run, runId, 0)) {
      for (const step of record.s ?? []) steps.set(step.key, step)
    }
    return [...steps.values()]
  }

  /**
   * Rows in order, from the one with the event after `after`. Where a page of the table is damaged some may be missing,
   * and no checksum says so: the numbers of the events do.
   */
  *#read(run: number, runId: string, after: number): Generator<{ last: number; record: LogRecord }> {
    const texts = new TextReader(this.#db, this.#payloads, run, runId)
    const [first, end] = rangeOf(run)
    // Read first: what is logged meanwhile comes on top.
    const newest = guarded(runId, () => this.#db.get('SELECT last_seq FROM runs WHERE seq = ?', [run]))?.last_seq
    let reached = after
    // A row's own number is never below that of its last event.
    let from = first + after
    for (;;) {
      const rows = guarded(runId, () =>
        this.#db.all(
          `SELECT id, last_seq, crc, typeof(body) AS type, ${bytesOf('body')} FROM run_log
           WHERE id > ? AND id <= ? AND last_seq > ? ORDER BY id LIMIT ${CHUNK}`,
          [from, end, after],
        ),
      )
      for (const row of rows) {
        const last = Number(row.last_seq)
        const record = toRecord(row, runId, texts)
        if (last - (record.e?.length ?? 0) > reached) throw corrupt(runId, 'its log')
        reached = last
        yield { last, record }
      }
      if (rows.length < CHUNK) break
      from = Number(rows.at(-1)?.id)
    }
    if (reached < Number(newest ?? 0)) throw corrupt(runId, 'its log')
  }
}

const toRecord = (row: Row, runId: string, texts: TextReader): LogRecord =>
  guarded(runId, () => JSON.parse(texts.unpack(fromBody(row, runId))) as LogRecord)
