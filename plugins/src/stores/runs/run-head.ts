import { bytesOf, type Row } from '../sqlite.ts'
import { ROWS_OF_A_RUN } from './row-number.ts'
import { eventsIn, toOutline } from './run-log.ts'

/** A longer head is not repeated in every record: the run's row is written instead. So none has a long string. */
export const MOST_HEAD = 256

/** How far a run has got. */
export interface Head {
  version: number
  lastSeq: number
  /** Where its log ends: the next record has the number after it. */
  logEnd: number
  /** Fields of the row that have changed since it was written. */
  later: Record<string, unknown>
}

/** Number of the newest record of a run `r`; null where there is none. */
export const NEWEST = `(SELECT max(id) FROM run_log WHERE id > r.seq * ${ROWS_OF_A_RUN} AND id < (r.seq + 1) * ${ROWS_OF_A_RUN})`

/** Rows of runs, those at work with their newest record. */
export const RUNS = `runs AS r LEFT JOIN run_log AS l ON r.ended_at IS NULL AND l.id = ${NEWEST}`

/** Of `RUNS`: what `headOf` reads. */
export const HEAD_COLUMNS = `r.version, r.last_seq, r.log_end, l.id AS newest, l.crc AS newest_crc, typeof(l.body) AS newest_type, ${bytesOf('l.body', 'newest_body')}`

/**
 * What the run's row says of this, or its newest record where that was written later.
 *
 * @throws RunError `log_corrupt`
 */
export function headOf(found: Row, runId: string): Head {
  const { newest, newest_crc: crc, newest_type: type, newest_body: body } = found
  const own = Number(newest ?? 0) % ROWS_OF_A_RUN
  if (own > Number(found.log_end)) {
    const record = toOutline({ crc, body, type }, runId)
    const { n = 1, h: [version, later] = [0, {}] } = record
    const count = eventsIn(record)
    return { version, lastSeq: n + count - 1, logEnd: own + Math.max(1, count) - 1, later }
  }
  return { version: Number(found.version), lastSeq: Number(found.last_seq), logEnd: Number(found.log_end), later: {} }
}
