import { crc32 } from 'node:zlib'
import type { ListQuery, Page, SharedCollection } from '@svc/core'
import { SvcError } from '@svc/core'
import { fromKey, toKey } from '../keys.ts'
import { toPage } from '../run-filters.ts'
import { seal } from '../seal.ts'
import type { Database } from './database.ts'
import type { Row } from './load-pg.ts'
import { listPage } from './pages.ts'

/** Records of one kind under ids, listed in the order in which they were first put. */
export class RecordTable<T> implements SharedCollection<T> {
  readonly #db: Database
  readonly #kind: string

  constructor(db: Database, kind: string) {
    this.#db = db
    this.#kind = kind
  }

  async get(id: string): Promise<T | undefined> {
    const [row] = await this.#db.query({
      name: 'svc-record',
      text: 'SELECT id, body, crc FROM records WHERE kind = $1 AND id = $2',
      values: [this.#kind, toKey(id)],
    })
    return row && this.#read(row)
  }

  async put(id: string, value: T): Promise<void> {
    const { body, crc } = seal(value)
    await this.#db.query({
      name: 'svc-record-put',
      text: `INSERT INTO records (kind, id, body, crc) VALUES ($1, $2, $3, $4)
        ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body, crc = excluded.crc`,
      values: [this.#kind, toKey(id), body, crc],
    })
  }

  /** Where the connection is lost in the middle, what this removed may be answered as not having been there. */
  async delete(id: string): Promise<boolean> {
    const rows = await this.#db.query({
      name: 'svc-record-delete',
      text: 'DELETE FROM records WHERE kind = $1 AND id = $2 RETURNING seq',
      values: [this.#kind, toKey(id)],
    })
    return rows.length > 0
  }

  /** Where the connection is lost in the middle, what this changed may be answered as not having been as expected. */
  async replace(id: string, before: T | undefined, value: T | undefined): Promise<boolean> {
    const where = [this.#kind, toKey(id)]
    if (value === undefined) {
      if (before === undefined) return (await this.get(id)) === undefined
      const text = 'DELETE FROM records WHERE kind = $1 AND id = $2 AND body = $3 RETURNING seq'
      const values = [...where, seal(before).body]
      return (await this.#db.query({ name: 'svc-record-drop', text, values })).length > 0
    }
    const { body, crc } = seal(value)
    const rows = await this.#db.query(
      before === undefined
        ? {
            name: 'svc-record-add',
            text: `INSERT INTO records (kind, id, body, crc) VALUES ($1, $2, $3, $4)
              ON CONFLICT (kind, id) DO NOTHING RETURNING seq`,
            values: [...where, body, crc],
          }
        : {
            name: 'svc-record-replace',
            text: 'UPDATE records SET body = $3, crc = $4 WHERE kind = $1 AND id = $2 AND body = $5 RETURNING seq',
            values: [...where, body, crc, seal(before).body],
          },
    )
    return rows.length > 0
  }

  async list(query: ListQuery = {}): Promise<Page<T>> {
    const table = {
      select: 'SELECT r.seq, r.id, r.body, r.crc FROM records AS r',
      table: 'records',
      conditions: ['r.kind = ?'],
      values: [this.#kind],
    }
    return toPage(await listPage(this.#db, table, query), (row) => [fromKey(row.id), this.#read(row)])
  }

  #read(row: Row): T {
    const { body, crc } = row
    if (typeof body === 'string' && crc32(body) === crc) return JSON.parse(body) as T
    throw new SvcError('store_unavailable', `${this.#kind} ${fromKey(row.id)} is damaged: remove it`, {
      retryable: false,
    })
  }
}
