import { isTerminalEvent, type RunRow, SvcError } from '@svc/core'
import type { SqlValue } from '../load-libsql.ts'
import type { Row, Sqlite } from '../sqlite.ts'
import { checked, fromKey, guarded, newerFormat, toKey } from './columns.ts'
import type { PayloadTable } from './payload-table.ts'
import type { RunLog } from './run-log.ts'
import { TextReader } from './text-table.ts'

/** The journal's format that this svc writes. */
export const FORMAT = 1

/** Fields that stand in columns, and not in a body. */
const IN_COLUMNS = ['id', 'format', 'status', 'mode', 'version', 'lastSeq', 'createdAt', 'threadId'] as const

/** What a state says beside fields of the row; no field of a row has such a name. */
export const GONE = '-gone'
export const RESULT_SEQ = '-result'

/** Of `runs AS r`. */
export const COLUMNS = `r.seq, r.id, r.format, r.status, r.mode, r.thread, r.created_at, r.version, r.last_seq, r.epoch, r.log_end,
  r.texts, r.state AS body, r.crc`

/** What of a new run's row is never written again. */
export function requestOf(row: RunRow): Record<string, unknown> {
  const request: Record<string, unknown> = { ...row }
  for (const field of IN_COLUMNS) delete request[field]
  if (request.task === row.create.task) delete request.task
  // What has to be told apart from the column, which only a lookup reads.
  if (row.threadId !== undefined) request.threadId = row.threadId
  return request
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
    return guarded(id, () => this.#db.get(`SELECT ${COLUMNS} FROM runs AS r WHERE r.id = ?`, [toKey(id)]))
  }

  /** Where the runs are that fit conditions on `runs AS r`. */
  select(conditions: string, values: readonly SqlValue[]): Row[] {
    return this.#db.all(`SELECT ${COLUMNS} FROM runs AS r WHERE ${conditions}`, values)
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
      const request = this.#db.get('SELECT body, crc FROM run_requests WHERE run = ?', [run]) ?? {}
      const asked = JSON.parse(texts.unpack(checked(request, runId, 'its request')))
      const {
        [GONE]: gone = [],
        [RESULT_SEQ]: resultSeq,
        ...changed
      } = JSON.parse(texts.unpack(checked(found, runId, 'its row')))
      const { task = asked.create?.task, ...rest } = asked
      const row = {
        id: runId,
        status: found.status,
        mode: found.mode,
        task,
        ...rest,
        version: Number(found.version),
        createdAt: found.created_at,
        lastSeq: Number(found.last_seq),
        format: found.format,
        ...changed,
      }
      for (const field of gone) delete row[field]
      if (resultSeq !== undefined) row.result = this.#resultAt(run, runId, resultSeq)
      return row as RunRow
    })
  }

  /** As `read`, with what is left of a run that cannot be read, so that a list shows it and it can be removed. */
  readForList(found: Row): RunRow {
    const runId = fromKey(found.id)
    try {
      return this.read(found, runId)
    } catch (thrown) {
      if (!SvcError.isInstance(thrown)) throw thrown
      return {
        id: runId,
        status: 'failed',
        mode: found.mode,
        task: '',
        recoveries: 0,
        version: Number(found.version),
        createdAt: found.created_at,
        lastSeq: Number(found.last_seq),
        agents: [],
        usage: { inputTokens: 0, outputTokens: 0, estimated: true, modelCalls: 0 },
        costUsd: null,
        error: thrown.toInfo(),
        links: {},
        format: 1,
        create: { task: '' },
        configHash: '',
      } as RunRow
    }
  }

  /** The result stands in the last event; the row only says so. */
  #resultAt(run: number, runId: string, seq: number): unknown {
    const [event] = this.#log.events(run, runId, { after: seq - 1, limit: 1 })
    return event !== undefined && isTerminalEvent(event) ? event.data.result : undefined
  }
}
