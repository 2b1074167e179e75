import { isTerminalEvent, isWithin, type Measured, type RunFilters, type RunRow, SvcError } from '@svc/core'
import type { SqlValue } from '../load-libsql.ts'
import { bytesOf, type Row, type Sqlite, textOf } from '../sqlite.ts'
import { checked, fromKey, guarded, newerFormat, toKey } from './columns.ts'
import type { PayloadTable } from './payload-table.ts'
import { isBounded, measuredOf } from './run-figures.ts'
import { HEAD_COLUMNS, headOf, RUNS } from './run-head.ts'
import type { RunLog } from './run-log.ts'
import { TextReader } from './text-table.ts'

/** The journal's format that this svc writes. */
export const FORMAT = 1

/** Fields that stand in columns, and not in a body. */
const IN_COLUMNS = ['id', 'format', 'status', 'mode', 'version', 'lastSeq', 'createdAt', 'threadId'] as const

/** What a state says beside fields of the row; no field of a row has such a name. */
export const GONE = '-gone'
export const RESULT_SEQ = '-result'

/** Of `RUNS`. */
export const COLUMNS = `r.seq, r.rank, ${bytesOf('r.id', 'id')}, r.format, ${bytesOf('r.status', 'status')}, ${bytesOf('r.mode', 'mode')},
  ${bytesOf('r.created_at', 'created_at')}, r.epoch, ${bytesOf('r.state', 'body')}, r.crc, ${HEAD_COLUMNS}`

/** Lowest first is the order in which runs are offered. */
export const rankOf = ({ create: { priority = 0 } }: RunRow): number => -priority

/** Where a run stands in that order: its rank, then its number. */
export type Place = readonly [rank: number, seq: number]

/** Before all others. */
export const FIRST: Place = [-1_000, 0]

export const placeOf = (row: Row | undefined): Place => [Number(row?.rank), Number(row?.seq)]

/** What of a new run's row is never written again. */
export function requestOf(row: RunRow): Record<string, unknown> {
  const request: Record<string, unknown> = { ...row }
  for (const field of IN_COLUMNS) delete request[field]
  if (request.task === row.create.task) delete request.task
  // The column holds a key, which only a lookup reads.
  if (row.threadId !== undefined) request.threadId = row.threadId
  return request
}

/** A run's row, put together from its columns, what it was asked for, and what has changed since. */
export function toRunRow(
  found: Row,
  asked: Record<string, unknown>,
  state: Record<string, unknown>,
  resultAt: (seq: number) => unknown,
): RunRow {
  const { [GONE]: gone = [], [RESULT_SEQ]: resultSeq, ...changed } = state
  const { task = (asked.create as RunRow['create'] | undefined)?.task, ...rest } = asked
  const row: Record<string, unknown> = {
    id: fromKey(found.id),
    status: textOf(found.status),
    mode: textOf(found.mode),
    task,
    ...rest,
    version: Number(found.version),
    createdAt: textOf(found.created_at),
    lastSeq: Number(found.last_seq),
    format: found.format,
    ...changed,
  }
  for (const field of gone as string[]) delete row[field]
  if (resultSeq !== undefined) row.result = resultAt(Number(resultSeq))
  return row as unknown as RunRow
}

/** What is left of a run that cannot be read, so that a list shows it and it can be removed. */
export function unreadableRow(found: Row, error: SvcError): RunRow {
  return {
    id: fromKey(found.id),
    status: 'failed',
    mode: textOf(found.mode) as RunRow['mode'],
    task: '',
    recoveries: 0,
    version: Number(found.version),
    createdAt: textOf(found.created_at),
    lastSeq: Number(found.last_seq),
    agents: [],
    usage: { inputTokens: 0, outputTokens: 0, estimated: true, modelCalls: 0 },
    costUsd: null,
    error: error.toInfo(),
    links: {},
    format: 1,
    create: { task: '' },
    configHash: '',
  }
}

/** Reads rows of runs. */
export class RunRows {
  readonly #db: Sqlite
  readonly #payloads: PayloadTable
  readonly #log: RunLog

  constructor(db: Sqlite, payloads: PayloadTable, log: RunLog) {
    this.#db = db
    this.#payloads = payloads
    this.#log = log
  }

  /** Where a run is; undefined where there is none. */
  find(id: string): Row | undefined {
    return guarded(id, () => this.#db.get(`SELECT ${COLUMNS} FROM ${RUNS} WHERE r.id = ?`, [toKey(id)]))
  }

  /** Where the runs are that fit conditions on `runs AS r`. */
  select(conditions: string, values: readonly SqlValue[]): Row[] {
    return this.#db.all(`SELECT ${COLUMNS} FROM ${RUNS} WHERE ${conditions}`, values)
  }

  /** Numbers of the runs that have not ended and are within the bounds of a query. */
  within(filters: RunFilters): number[] {
    if (!isBounded(filters)) return []
    return this.select('r.ended_at IS NULL', [])
      .filter((found) => isWithin(this.measured(found), filters))
      .map(({ seq }) => Number(seq))
  }

  /** What of a run that has not ended can be measured, as `read` would say it. */
  measured(found: Row): Measured & { status: RunRow['status'] } {
    const status = textOf(found.status) as RunRow['status']
    try {
      return { ...measuredOf(found.body), ...headOf(found, fromKey(found.id)).later, status }
    } catch {
      return { status }
    }
  }

  /**
   * The row of a run.
   *
   * @param found what `find` found
   * @throws RunError `log_corrupt`; SvcError `store_unavailable` for a run of a newer svc
   */
  read(found: Row, runId = fromKey(found.id)): RunRow {
    if (Number(found.format) > FORMAT) throw newerFormat(runId, found.format)
    const run = Number(found.seq)
    const texts = new TextReader(this.#db, this.#payloads, run, runId)
    return guarded(runId, () => {
      const request = this.#db.get(`SELECT ${bytesOf('body')}, crc FROM run_requests WHERE run = ?`, [run]) ?? {}
      const asked = JSON.parse(texts.unpack(checked(request, runId, 'its request')))
      const state = JSON.parse(texts.unpack(checked(found, runId, 'its row')))
      const { version, lastSeq, later } = headOf(found, runId)
      const now = { ...found, version, last_seq: lastSeq }
      return toRunRow(now, asked, { ...state, ...later }, (seq) => this.#resultAt(run, runId, seq))
    })
  }

  /** As `read`, with what is left of a run that cannot be read. */
  readForList(found: Row): RunRow {
    const runId = fromKey(found.id)
    try {
      return this.read(found, runId)
    } catch (thrown) {
      if (!SvcError.isInstance(thrown)) throw thrown
      return unreadableRow(found, thrown)
    }
  }

  /** The result stands in the last event; the row only says so. */
  #resultAt(run: number, runId: string, seq: number): unknown {
    const [event] = this.#log.events(run, runId, { after: seq - 1, limit: 1 })
    return event !== undefined && isTerminalEvent(event) ? event.data.result : undefined
  }
}
