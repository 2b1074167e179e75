import type { RunEvent, StepRow } from '@svc/core'
import { corrupt } from '../damage.ts'
import { type EventQuery, eventsOf, type LogRecord, type ReadRecord, selectEvents, selectSteps } from '../run-record.ts'
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
  events(run: number, runId: string, query: EventQuery): Promise<RunEvent[]> {
    return selectEvents(this.#read(run, runId, query.after ?? 0), runId, query)
  }

  /** The event of a number. @throws RunError `log_corrupt` */
  eventAt(run: number, runId: string, seq: number): RunEvent | undefined {
    for (const { record, last } of this.#read(run, runId, seq - 1))
      return eventsOf(record, last, runId).find((event) => event.seq === seq)
    return undefined
  }

  /** @throws RunError `log_corrupt` */
  steps(run: number, runId: string): Promise<StepRow[]> {
    return selectSteps(this.#read(run, runId, 0))
  }

  /**
   * Records in order, from the one that holds the event after this number. Where a page of the table is damaged some may
   * be missing, and no checksum says so: their numbers do, and how many the run's row has counted.
   */
  *#read(run: number, runId: string, after: number): Generator<ReadRecord> {
    // Read first: what is logged meanwhile comes on top.
    const counted = guarded(runId, () => this.#db.get('SELECT records, last_seq FROM runs WHERE seq = ?', [run]))
    let number = after === 0 ? 0 : undefined
    let reached = after
    for (let from = [after, after === 0 ? 0 : NONE_AFTER]; ; ) {
      // What a record is comes from its row: where the index is damaged, that may be another one than it says.
      const rows = guarded(runId, () =>
        this.#db.all(
          `SELECT own.run, own.number, own.last_seq, own.crc, typeof(own.body) AS type, ${bytesOf('own.body', 'body')}
           FROM run_log AS found INDEXED BY run_log_by_run CROSS JOIN run_log AS own ON own.rowid = found.rowid
           WHERE found.run = ? AND (found.last_seq, found.number) > (?, ?)
           ORDER BY found.last_seq, found.number LIMIT ${CHUNK}`,
          [run, ...from],
        ),
      )
      for (const row of rows) {
        const last = Number(row.last_seq)
        const record = guarded(runId, () => JSON.parse(fromBody(row, runId)) as LogRecord)
        const before = last - (record.e?.length ?? 0)
        const isNext = number === undefined ? before <= after : row.number === number + 1 && before === reached
        if (!isNext || row.run !== run) throw corrupt(runId, 'its log')
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
