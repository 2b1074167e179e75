import type { RunEvent, StepRow } from '@svc/core'
import { corrupt, isCorrupt } from '../damage.ts'
import { type EventQuery, eventsOf, type LogRecord } from '../run-record.ts'
import { fromBody, guarded } from './body.ts'
import { bytesOf, type Sqlite } from './file/sqlite.ts'

/** Rows that are read at once. */
const CHUNK = 256
/** No record of a run has such a number. */
const NONE_AFTER = 2 ** 31

/** Reads the logs of runs: a row for each commit. */
export class RunLog {
  readonly #db: Sqlite

  constructor(db: Sqlite) {
    this.#db = db
  }

  /** @throws RunError `log_corrupt`, unless what stands before the damage is asked for */
  events(
    run: number,
    runId: string,
    { after = 0, limit = Number.POSITIVE_INFINITY, types, upToDamage = false }: EventQuery,
  ): RunEvent[] {
    const found: RunEvent[] = []
    try {
      for (const { record, last } of this.#read(run, runId, after)) {
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

  /** @throws RunError `log_corrupt` */
  steps(run: number, runId: string): StepRow[] {
    const steps = new Map<string, StepRow>()
    for (const { record } of this.#read(run, runId, 0)) {
      for (const step of record.s ?? []) steps.set(step.key, step)
    }
    return [...steps.values()]
  }

  /**
   * Records in order, from the one that holds the event after this number. Where a page of the table is damaged some may
   * be missing, and no checksum says so: their numbers do, and how many the run's row has counted.
   */
  *#read(run: number, runId: string, after: number): Generator<{ record: LogRecord; last: number }> {
    // Read first: what is logged meanwhile comes on top.
    const counted = guarded(runId, () => this.#db.get('SELECT records, last_seq FROM runs WHERE seq = ?', [run]))
    let number = after === 0 ? 0 : undefined
    let reached = after
    for (let from = [after, after === 0 ? 0 : NONE_AFTER]; ; ) {
      const rows = guarded(runId, () =>
        this.#db.all(
          `SELECT number, last_seq, crc, typeof(body) AS type, ${bytesOf('body')} FROM run_log
           WHERE run = ? AND (last_seq, number) > (?, ?) ORDER BY last_seq, number LIMIT ${CHUNK}`,
          [run, ...from],
        ),
      )
      for (const row of rows) {
        const last = Number(row.last_seq)
        const record = guarded(runId, () => JSON.parse(fromBody(row, runId)) as LogRecord)
        const before = last - (record.e?.length ?? 0)
        const isNext = number === undefined ? before <= after : row.number === number + 1 && before === reached
        if (!isNext) throw corrupt(runId, 'its log')
        yield { record, last }
        number = Number(row.number)
        reached = last
      }
      if (rows.length < CHUNK) break
      from = [reached, number ?? 0]
    }
    const { records, last_seq } = counted ?? {}
    if (reached < Number(last_seq) || (number !== undefined && number < Number(records)))
      throw corrupt(runId, 'its log')
  }
}
