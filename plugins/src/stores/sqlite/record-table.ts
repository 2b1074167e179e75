import type { ListQuery, Page, SharedCollection } from '@svc/core'
import { SvcError } from '@svc/core'
import { fromKey, toKey } from '../keys.ts'
import { toPage } from '../run-filters.ts'
import { seal, wholeText } from '../seal.ts'
import type { Engine } from './engine.ts'
import { bytesOf, type Row } from './file/sqlite.ts'
import { listPage } from './pages.ts'

/** Records of one kind under ids, listed in the order in which they were first put. */
export class RecordTable<T> implements SharedCollection<T> {
  readonly engine: () => Pick<Engine, 'db' | 'queue'>
  readonly #kind: string

  constructor(engine: () => Pick<Engine, 'db' | 'queue'>, kind: string) {
    this.engine = engine
    this.#kind = kind
  }

  get(id: string): T | undefined {
    const row = this.engine().db.get(`SELECT ${bytesOf('body')}, crc FROM records WHERE kind = ? AND id = ?`, [
      this.#kind,
      toKey(id),
    ])
    return row && this.#read(row, id)
  }

  async put(id: string, value: T): Promise<void> {
    const { body, crc } = seal(value)
    await this.engine().queue.add(() =>
      this.engine().db.run(
        `INSERT INTO records (kind, id, body, crc) VALUES (?, ?, ?, ?)
         ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body, crc = excluded.crc`,
        [this.#kind, toKey(id), body, crc],
      ),
    )
  }

  delete(id: string): Promise<boolean> {
    return this.engine().queue.add(
      () => this.engine().db.run('DELETE FROM records WHERE kind = ? AND id = ?', [this.#kind, toKey(id)]) > 0,
    )
  }

  replace(id: string, before: T | undefined, value: T | undefined): Promise<boolean> {
    const { db, queue } = this.engine()
    const where = [this.#kind, toKey(id)]
    return queue.add(() => {
      if (before === undefined) {
        if (value === undefined) return this.get(id) === undefined
        const { body, crc } = seal(value)
        const text = 'INSERT OR IGNORE INTO records (kind, id, body, crc) VALUES (?, ?, ?, ?)'
        return db.run(text, [...where, body, crc]) > 0
      }
      const old = seal(before).body
      if (value === undefined)
        return db.run('DELETE FROM records WHERE kind = ? AND id = ? AND body = ?', [...where, old]) > 0
      const { body, crc } = seal(value)
      const text = 'UPDATE records SET body = ?, crc = ? WHERE kind = ? AND id = ? AND body = ?'
      return db.run(text, [body, crc, ...where, old]) > 0
    })
  }

  list(query: ListQuery = {}): Page<T> {
    const db = this.engine().db
    const table = {
      select: `SELECT ${bytesOf('r.id', 'id')}, ${bytesOf('r.body', 'body')}, r.crc FROM records AS r`,
      table: 'records',
      kind: this.#kind,
      conditions: [],
      values: [],
    }
    return toPage(listPage(db, table, query), (row) => [fromKey(row.id), this.#read(row, fromKey(row.id))])
  }

  #read(row: Row, id: string): T {
    const body = wholeText(row)
    if (body !== undefined) return JSON.parse(body) as T
    throw new SvcError('store_unavailable', `${this.#kind} ${id} is damaged: remove it`, { retryable: false })
  }
}
