import { hash } from 'node:crypto'
import { isTerminalEvent, type RunEvent, type RunRow, type StepRow, SvcError } from '@svc/core'
import { checked, corrupt, newerFormat } from '../../damage.ts'
import { fromKey, toKey } from '../../keys.ts'
import {
  type EventQuery,
  eventsOf,
  type LogRecord,
  type ReadRecord,
  selectEvents,
  selectSteps,
} from '../../run-record.ts'
import { FORMAT, RESULT_SEQ, toRunRow, unreadableRow } from '../../run-row.ts'
import type { Database } from '../database.ts'
import type { Row } from '../load-pg.ts'
import { unpack } from './packed-json.ts'
import { type RunWriter, toWriter } from './run-writer.ts'

/** Rows of a log that are read at once. */
const CHUNK = 256

/** Of `runs AS r`. */
const COLUMNS = `r.seq, r.rank, r.id, r.format, r.status, r.mode, r.thread, r.created_at, r.version, r.last_seq, r.epoch, r.log_end,
  r.texts, r.mark, r.state AS body, r.crc`

/** What selects rows of runs so that they can be read. */
export const SELECT_RUNS = `SELECT ${COLUMNS}, q.body AS request, q.crc AS request_crc
  FROM runs AS r LEFT JOIN run_requests AS q ON q.run = r.seq`

/** Long strings of runs by `<run>:<number>`. */
class Texts {
  readonly #found = new Map<string, Row>()

  /** Reads the strings that packed texts of runs refer to. */
  async load(db: Database, packed: readonly (readonly [run: number, text: unknown])[]): Promise<void> {
    const runs: number[] = []
    const numbers: number[] = []
    for (const [run, text] of packed) {
      if (typeof text !== 'string') continue
      unpack(text, (number) => {
        runs.push(run)
        numbers.push(number)
        return ''
      })
    }
    if (runs.length === 0) return
    const found = await db.query({
      name: 'svc-texts',
      text: `SELECT t.run, t.number, t.crc, t.body, t.payload, p.bytes
        FROM unnest($1::bigint[], $2::integer[]) AS i(run, number)
        JOIN run_texts AS t ON t.run = i.run AND t.number = i.number AND t.run BETWEEN $3 AND $4
        LEFT JOIN run_payloads AS p ON p.id = t.payload`,
      values: [runs, numbers, ...boundsOf(runs)],
    })
    for (const row of found) this.#found.set(`${row.run}:${row.number}`, row)
  }

  /** @throws RunError `log_corrupt` */
  read(run: number, runId: string, packed: string): string {
    return unpack(packed, (number) => {
      const what = `its text ${number}`
      const row = this.#found.get(`${run}:${number}`) ?? {}
      const body = checked(row, runId, what)
      if (row.payload === null) return body
      if (!Buffer.isBuffer(row.bytes) || hash('sha256', row.bytes) !== row.payload) throw corrupt(runId, what)
      return row.bytes.toString()
    })
  }
}

/** Reads what is recorded of runs. */
export class RunReader {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** The row of a run in the table; undefined where there is none. */
  async find(id: string): Promise<Row | undefined> {
    const [row] = await this.#db.query({
      name: 'svc-find',
      text: `${SELECT_RUNS} WHERE r.id = $1`,
      values: [toKey(id)],
    })
    return row
  }

  /**
   * What a commit to the run needs to know.
   *
   * @throws RunError `log_corrupt`
   */
  async writerOf(found: Row): Promise<RunWriter> {
    const runId = fromKey(found.id)
    const run = Number(found.seq)
    const body = checked(found, runId, 'its row')
    const texts = new Texts()
    await texts.load(this.#db, [[run, body]])
    const known =
      Number(found.texts) === 0
        ? []
        : await this.#db.query({
            name: 'svc-known',
            text: 'SELECT number, crc, body, payload FROM run_texts WHERE run = $1',
            values: [run],
          })
    return toWriter(found, runId, texts.read(run, runId, body), known)
  }

  /**
   * Rows of runs, each the run or why it cannot be read.
   *
   * @param found what `SELECT_RUNS` found
   */
  async readAll(found: readonly Row[]): Promise<(RunRow | SvcError)[]> {
    const texts = new Texts()
    await texts.load(
      this.#db,
      found.flatMap(({ seq, body, request }) => [[Number(seq), body] as const, [Number(seq), request] as const]),
    )
    const parsed = found.map((row) => attempt(() => parse(row, texts)))
    const results = await this.#results(
      parsed.flatMap((each, index) =>
        each instanceof SvcError || each.state[RESULT_SEQ] === undefined
          ? []
          : [[Number(found[index]?.seq), Number(each.state[RESULT_SEQ])] as const],
      ),
    )
    return found.map((row, index) => {
      const each = parsed[index]
      if (each === undefined || each instanceof SvcError) return each ?? corrupt(fromKey(row.id), 'its row')
      return attempt(() =>
        toRunRow(row, each.asked, each.state, (seq) => {
          const event = results(row, seq)
          return event !== undefined && isTerminalEvent(event) ? event.data.result : undefined
        }),
      )
    })
  }

  /** @throws RunError `log_corrupt`; SvcError `store_unavailable` for a run of a newer svc */
  async read(found: Row): Promise<RunRow> {
    const [run] = await this.readAll([found])
    if (run === undefined || run instanceof SvcError) throw run
    return run
  }

  /** As `readAll`, with what is left of a run that cannot be read. */
  async readForList(found: readonly Row[]): Promise<RunRow[]> {
    const runs = await this.readAll(found)
    return runs.map((run, index) => (run instanceof SvcError ? unreadableRow(found[index] ?? {}, run) : run))
  }

  /**
   * @throws RunError `log_corrupt`, unless what stands before the damage is asked for; SvcError `store_unavailable` for a
   *   run of a newer svc
   */
  events(runId: string, query: EventQuery): Promise<RunEvent[]> {
    const { after = 0 } = query
    // The end of a record's log is never below the number of its last event.
    return selectEvents(this.#records(runId, 'l.last_seq > $3', after, after), runId, query)
  }

  /** @throws RunError `log_corrupt`; SvcError `store_unavailable` for a run of a newer svc */
  steps(runId: string): Promise<StepRow[]> {
    return selectSteps(this.#records(runId, 'l.has_steps = $3', 0, true))
  }

  async *#records(runId: string, condition: string, from: number, value: number | boolean): AsyncGenerator<ReadRecord> {
    for (let after = from; ; ) {
      const rows = await this.#db.query({
        name: `svc-log:${condition}`,
        text: `SELECT r.format, l.run, l.log_end, l.last_seq, l.crc, l.body FROM runs AS r JOIN run_log AS l ON l.run = r.seq
          WHERE r.id = $1 AND l.log_end > $2 AND ${condition} ORDER BY l.log_end LIMIT ${CHUNK}`,
        values: [toKey(runId), after, value],
      })
      const texts = new Texts()
      await texts.load(
        this.#db,
        rows.map(({ run, body }) => [Number(run), body]),
      )
      for (const row of rows) {
        if (Number(row.format) > FORMAT) throw newerFormat(runId, row.format)
        yield { last: Number(row.last_seq), record: toRecord(row, runId, texts) }
      }
      if (rows.length < CHUNK) return
      after = Number(rows.at(-1)?.log_end)
    }
  }

  /** The events that hold results, by the numbers of their runs and their own. */
  async #results(
    wanted: readonly (readonly [run: number, seq: number])[],
  ): Promise<(row: Row, seq: number) => RunEvent | undefined> {
    if (wanted.length === 0) return () => undefined
    const runs = wanted.map(([run]) => run)
    const rows = await this.#db.query({
      name: 'svc-results',
      text: `SELECT l.run, l.last_seq, l.crc, l.body FROM unnest($1::bigint[], $2::integer[]) AS i(run, seq)
        CROSS JOIN LATERAL (SELECT * FROM run_log WHERE run = i.run AND run BETWEEN $3 AND $4
          AND log_end >= i.seq AND last_seq >= i.seq ORDER BY log_end LIMIT 1) AS l`,
      values: [runs, wanted.map(([, seq]) => seq), ...boundsOf(runs)],
    })
    const texts = new Texts()
    await texts.load(
      this.#db,
      rows.map(({ run, body }) => [Number(run), body]),
    )
    const byRun = new Map(rows.map((row) => [row.run, row]))
    return ({ seq: run, id }, seq) => {
      const row = byRun.get(run)
      if (row === undefined) return undefined
      const runId = fromKey(id)
      return eventsOf(toRecord(row, runId, texts), Number(row.last_seq), runId).find((event) => event.seq === seq)
    }
  }
}

/** The lowest and the highest number: with them the database looks in no partition of another month. */
const boundsOf = (runs: readonly number[]): number[] => [Math.min(...runs), Math.max(...runs)]

function parse(row: Row, texts: Texts): { asked: Record<string, unknown>; state: Record<string, unknown> } {
  const runId = fromKey(row.id)
  if (Number(row.format) > FORMAT) throw newerFormat(runId, row.format)
  const run = Number(row.seq)
  const request = { body: row.request, crc: row.request_crc }
  return {
    asked: JSON.parse(texts.read(run, runId, checked(request, runId, 'its request'))),
    state: JSON.parse(texts.read(run, runId, checked(row, runId, 'its row'))),
  }
}

function toRecord(row: Row, runId: string, texts: Texts): LogRecord {
  try {
    return JSON.parse(texts.read(Number(row.run), runId, checked(row, runId, 'its log'))) as LogRecord
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw corrupt(runId, 'a record', thrown)
    throw thrown
  }
}

function attempt<T>(work: () => T): T | SvcError {
  try {
    return work()
  } catch (thrown) {
    if (SvcError.isInstance(thrown)) return thrown
    throw thrown
  }
}
