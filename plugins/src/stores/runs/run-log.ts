import type { NewEvent, RunEvent, StepRow, Store } from '@svc/core'
import { bytesOf, type Row, type Sqlite } from '../sqlite.ts'
import { corrupt, guarded, isCorrupt } from './columns.ts'
import { unpack } from './packed-json.ts'
import type { PayloadTable } from './payload-table.ts'
import { fromBody } from './record-body.ts'
import { rangeOf } from './row-number.ts'
import { TextReader } from './text-table.ts'

/** Rows that are read at once. */
const CHUNK = 256

export type EventQuery = NonNullable<Parameters<Store['events']['list']>[1]>

/** What one commit says, as its row in the log keeps it. */
export interface LogRecord {
  /** Number of its first event; in the embedded store, whose rows have no column for it. */
  n?: number
  e?: Omit<RunEvent, 'v' | 'seq' | 'runId'>[]
  s?: StepRow[]
  /** The version of the run's row, and what has changed of it since it was written; absent where it was written with this. */
  h?: [version: number, later: Record<string, unknown>]
}

/** An event as the log keeps it: its number, its run and the version of its envelope stand elsewhere. */
export function eventJson(event: NewEvent, runId: string): string {
  // Field by field: a copy without the three costs more than all of the JSON.
  let json = ''
  for (const name in event) {
    if (name === 'v' || name === 'seq' || (name === 'runId' && event.runId === runId)) continue
    const field = JSON.stringify(event[name as keyof NewEvent])
    if (field !== undefined) json += `${json === '' ? '{' : ','}"${name}":${field}`
  }
  return `${json}}`
}

/**
 * The body of a log row.
 *
 * @param more its other fields, as JSON
 */
export function recordJson(events: readonly string[], steps: readonly string[], more: readonly string[] = []): string {
  const parts = [...more]
  if (events.length > 0) parts.push(`"e":[${events.join()}]`)
  if (steps.length > 0) parts.push(`"s":[${steps.join()}]`)
  return `{${parts.join()}}`
}

export const eventsIn = ({ e = [] }: LogRecord): number => e.length

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

  /** @throws RunError `log_corrupt`, unless what stands before the damage is asked for */
  events(
    run: number,
    runId: string,
    { after = 0, limit = Number.POSITIVE_INFINITY, types, upToDamage = false }: EventQuery,
  ): RunEvent[] {
    const found: RunEvent[] = []
    try {
      for (const record of this.#read(run, runId, after)) {
        for (const event of eventsOf(record, (record.n ?? 1) + eventsIn(record) - 1, runId)) {
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

  /** @throws RunError `log_corrupt` */
  steps(run: number, runId: string): StepRow[] {
    const steps = new Map<string, StepRow>()
    for (const record of this.#read(run, runId, 0)) {
      for (const step of record.s ?? []) steps.set(step.key, step)
    }
    return [...steps.values()]
  }

  /**
   * Records in order, from the one that holds the event after this number, or an earlier one. Where a page of the table is
   * damaged some may be missing, and no checksum says so: their numbers do.
   */
  *#read(run: number, runId: string, after: number): Generator<LogRecord> {
    const texts = new TextReader(this.#db, this.#payloads, run, runId)
    const [first, end] = rangeOf(run)
    // Read first: what is logged meanwhile comes on top.
    const known = guarded(runId, () => this.#db.get('SELECT log_end FROM runs WHERE seq = ?', [run]))?.log_end
    // The number of a record is never below that of its first event, and the next has one above that of its last.
    let from = first + 1
    if (after > 0) {
      const holding = 'SELECT max(id) AS id FROM run_log WHERE id > ? AND id <= ?'
      from = Number(guarded(runId, () => this.#db.get(holding, [first, first + after + 1]))?.id ?? from)
    }
    let reached: number | undefined
    for (;;) {
      const rows = guarded(runId, () =>
        this.#db.all(
          `SELECT id, crc, last_seq, typeof(body) AS type, ${bytesOf('body')} FROM run_log
           WHERE id >= ? AND id <= ? ORDER BY id LIMIT ${CHUNK}`,
          [from, end],
        ),
      )
      for (const row of rows) {
        const record = toRecord(row, runId, texts)
        const length = Math.max(1, eventsIn(record))
        // One of the earlier form has the number of its last event.
        const begin = Number(row.id) - first - (row.last_seq === null ? 0 : length - 1)
        const next = reached === undefined ? (after === 0 ? 1 : begin) : reached + 1
        // What is missing before the event that is asked for, nobody asks for.
        if (begin !== next && (record.n ?? 1) > after + 1) throw corrupt(runId, 'its log')
        reached = begin + length - 1
        yield record
      }
      if (rows.length < CHUNK) break
      from = Number(rows.at(-1)?.id) + 1
    }
    if ((reached ?? 0) < Number(known ?? 0)) throw corrupt(runId, 'its log')
  }
}

const toRecord = (row: Row, runId: string, texts: TextReader): LogRecord =>
  guarded(runId, () => {
    const record = JSON.parse(texts.unpack(fromBody(row, runId))) as LogRecord
    // Of the earlier form: its row has the number of its last event.
    if (typeof row.last_seq === 'number') record.n ??= row.last_seq - eventsIn(record) + 1
    return record
  })

/**
 * A record with its long strings left out.
 *
 * @throws RunError `log_corrupt`
 */
export const toOutline = (row: Row, runId: string): LogRecord =>
  guarded(runId, () => JSON.parse(unpack(fromBody(row, runId), () => '')) as LogRecord)
