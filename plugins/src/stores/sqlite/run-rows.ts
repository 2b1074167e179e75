import { hash } from 'node:crypto'
import { isTerminalEvent, type RunRow, SvcError } from '@svc/core'
import { checked, newerFormat } from '../damage.ts'
import { fromKey, toBytes, toKey } from '../keys.ts'
import { toLong } from '../long-request.ts'
import { FORMAT, toRunRow, unreadableRow } from '../run-row.ts'
import { guarded } from './body.ts'
import type { SqlValue } from './file/load-libsql.ts'
import { CHECKED_COLUMNS, checkedState } from './file/row-checksum.ts'
import { bytesOf, type Row, type Sqlite } from './file/sqlite.ts'
import type { RunLog } from './run-log.ts'

/** What selects rows of runs so that they can be read. */
export const SELECT_RUNS = `SELECT r.seq, r.rank, r.epoch, ${CHECKED_COLUMNS}, ${bytesOf('q.body', 'request')}, q.crc AS request_crc
  FROM runs AS r LEFT JOIN run_requests AS q ON q.run = r.seq`

/** What is kept of a run `r`, in bytes. */
export const STORED_BYTES = `octet_length(r.state)
  + coalesce((SELECT octet_length(words) + octet_length(body) FROM run_requests WHERE run = r.seq), 0)
  + coalesce((SELECT sum(octet_length(body)) FROM run_log WHERE run = r.seq), 0)
  + coalesce((SELECT sum(octet_length(body)) FROM run_approvals WHERE run = r.seq), 0)
  + coalesce((SELECT sum(octet_length(p.bytes) / (SELECT count(*) FROM run_payload_uses WHERE payload = p.id))
      FROM run_payload_uses AS u JOIN run_payloads AS p ON p.id = u.payload WHERE u.run = r.seq), 0)`

/** Reads rows of runs. */
export class RunRows {
  readonly #db: Sqlite
  readonly #log: RunLog

  constructor(db: Sqlite, log: RunLog) {
    this.#db = db
    this.#log = log
  }

  /** The row of a run in the table; undefined where there is none. */
  find(id: string): Row | undefined {
    return guarded(id, () => this.#db.get(`${SELECT_RUNS} WHERE r.id = ?`, [toKey(id)]))
  }

  /** @throws SvcError `store_unavailable` for a run of a newer svc */
  numberOf(id: string): number | undefined {
    const found = guarded(id, () => this.#db.get('SELECT seq, format FROM runs WHERE id = ?', [toKey(id)]))
    if (found === undefined) return undefined
    if (Number(found.format) > FORMAT) throw newerFormat(id, found.format)
    return Number(found.seq)
  }

  /** Rows of the runs that fit conditions on `runs AS r`. */
  select(conditions: string, values: readonly SqlValue[]): Row[] {
    return this.#db.all(`${SELECT_RUNS} WHERE ${conditions}`, values)
  }

  /**
   * @param found what `find` found
   * @throws RunError `log_corrupt`; SvcError `store_unavailable` for a run of a newer svc
   */
  read(found: Row, runId = fromKey(found.id)): RunRow {
    if (Number(found.format) > FORMAT) throw newerFormat(runId, found.format)
    return guarded(runId, () => {
      const asked = JSON.parse(checked({ body: found.request, crc: found.request_crc }, runId, 'its request'))
      const state = JSON.parse(checkedState(found, runId))
      const whole = toLong(asked, runId, (ref) => this.payload(ref))
      return toRunRow(found, whole, state, (seq) => this.#resultAt(Number(found.seq), runId, seq))
    })
  }

  /** A large value; one that is damaged is not there. @param ref its SHA-256 */
  payload(ref: string): Uint8Array | undefined {
    const bytes = toBytes(this.#db.get('SELECT bytes FROM run_payloads WHERE id = ?', [toKey(ref)])?.bytes)
    return bytes === undefined || hash('sha256', bytes) !== ref ? undefined : bytes
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
    const event = this.#log.eventAt(run, runId, seq)
    return event !== undefined && isTerminalEvent(event) ? event.data.result : undefined
  }
}
