import type { ListQuery, Page, SharedCollection } from '@svc/core'
import { SvcError } from '@svc/core'
import { seal, wholeText } from '../seal.ts'
import { bytesOf, type Row, textOf } from '../sqlite.ts'
import { toKey } from './columns.ts'
import type { Engine } from './engine.ts'
import { listPage, toPage } from './run-list.ts'

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
      from: 'records AS r',
      columns: `${bytesOf('r.id', 'id')}, ${bytesOf('r.body', 'body')}, r.crc`,
      conditions: ['r.kind = ?'],
      values: [this.#kind],
    }
    const page = listPage(db, table, query, (id) => {
      const seq = db.get('SELECT seq FROM records WHERE kind = ? AND id = ?', [this.#kind, id])?.seq
      return seq === undefined ? undefined : Number(seq)
    })
    return toPage(page, (row) => [textOf(row.id), this.#read(row, textOf(row.id))])
  }

  #read(row: Row, id: string): T {
    const body = wholeText(row)
    if (body !== undefined) return JSON.parse(body) as T
    throw new SvcError('store_unavailable', `${this.#kind} ${id} is damaged: remove it`, { retryable: false })
  }
}
