import { hash } from 'node:crypto'
import { type Sqlite, toBytes } from '../sqlite.ts'

/** Large values by their SHA-256, with the runs that refer to them. */
export class PayloadTable {
  readonly #db: Sqlite

  constructor(db: Sqlite) {
    this.#db = db
  }

  /** Inside a transaction. */
  put(run: number, id: string, bytes: Buffer): void {
    this.#db.run('INSERT INTO run_payloads (id, bytes) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', [id, bytes])
    this.#db.run('INSERT INTO run_payload_uses (payload, run) VALUES (?, ?) ON CONFLICT DO NOTHING', [id, run])
  }

  /** Undefined also for one that is damaged. */
  get(id: string): Uint8Array | undefined {
    const row = this.#db.get('SELECT bytes FROM run_payloads WHERE id = ?', [id])
    const bytes = toBytes(row?.bytes)
    return bytes === undefined || hash('sha256', bytes) !== id ? undefined : bytes
  }

  /** Takes a run's references away, and what nobody else refers to; inside a transaction. */
  drop(run: number): void {
    this.#db.run(
      `DELETE FROM run_payloads WHERE id IN (
         SELECT payload FROM run_payload_uses AS own WHERE own.run = ? AND NOT EXISTS (
           SELECT 1 FROM run_payload_uses AS other WHERE other.payload = own.payload AND other.run <> own.run))`,
      [run],
    )
    this.#db.run('DELETE FROM run_payload_uses WHERE run = ?', [run])
  }
}
