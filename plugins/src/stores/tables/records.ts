import {
  checkLimit,
  type ListQuery,
  type MaybePromise,
  type NewRecord,
  type Page,
  type PlacedRecord,
  type RecordSpace,
  type SharedCollection,
  SvcError,
  type Thread,
  type ThreadCollection,
  type ThreadQuery,
  unknownCursor,
} from '@svc/core'
import { readTimeCursor, toTimeCursor } from '@svc/core/support'
import { fromKey, toKey } from '../keys.ts'
import { toPage } from '../queries/run-filters.ts'
import { type Sealed, seal, wholeText } from '../seal.ts'
import { listPage } from './pages.ts'

type Row = Readonly<Record<string, unknown>>
type Where = readonly [kind: string, space: string]

/** What records need of a database. `?` stands for values in its statements. */
export interface RecordDatabase {
  /** Reads a column of text. */
  text(column: string): string
  /** The time of a conversation, as `threads_by_activity` has it. */
  threadTime: string
  /** A column of text, in the order of its letters. */
  byLetters(column: string): string
  /** A condition: the column holds one of the texts of a JSON array. */
  isAmong(column: string): string
  read(statement: string, values: readonly (string | number)[]): MaybePromise<Row[]>
  /**
   * Answers the rows that a statement has changed.
   *
   * @param counted whose version goes up with it, where it has changed any
   */
  write(statement: string, values: readonly (string | number)[], counted: Where | undefined): Promise<Row[]>
  /** Has something removed of which nothing is to be left in files. */
  remove?<T>(work: () => Promise<T>): Promise<T>
}

/** A record as its row keeps it. */
export interface PreparedRecord extends Sealed {
  kind: string
  space: string
  id: string
}

export const prepareRecord = ({ kind, space, id, value }: NewRecord): PreparedRecord => ({
  kind: kindOf(kind),
  space: toKey(space),
  id: toKey(id),
  ...seal(value),
})

/** Of the kinds that callers name, none is one of the store's own. */
const kindOf = (kind: string): string => `:${toKey(kind)}`

const OF_ONE = 'kind = ? AND space = ? AND id = ?'

/** Records of one kind in one space, as rows. */
abstract class Records<T> {
  protected readonly db: RecordDatabase
  protected readonly where: Where
  protected abstract readonly counted: Where | undefined

  constructor(db: RecordDatabase, kind: string, space = '') {
    this.db = db
    this.where = [kind, toKey(space)]
  }

  async get(id: string): Promise<T | undefined> {
    const select = `SELECT ${this.db.text('body')}, crc FROM records WHERE ${OF_ONE}`
    const [row] = await this.db.read(select, [...this.where, toKey(id)])
    return row && this.value(row, id)
  }

  /** Where the connection is lost in the middle, what this changed may be answered as not having been as expected. */
  async replace(id: string, before: T | undefined, value: T | undefined): Promise<boolean> {
    const one = [...this.where, toKey(id)]
    const old = before === undefined ? [] : [seal(before).body]
    if (value === undefined) {
      if (before === undefined) return (await this.get(id)) === undefined
      return this.change(`DELETE FROM records WHERE ${OF_ONE} AND body = ? RETURNING seq`, [...one, ...old])
    }
    const { body, crc } = seal(value)
    return before === undefined
      ? this.change(`${INSERT} ON CONFLICT DO NOTHING RETURNING seq`, [...one, body, crc])
      : this.change(`UPDATE records SET body = ?, crc = ? WHERE ${OF_ONE} AND body = ? RETURNING seq`, [
          body,
          crc,
          ...one,
          ...old,
        ])
  }

  protected async insert(id: string, value: T): Promise<number> {
    const { body, crc } = seal(value)
    const [row] = await this.db.write(PUT, [...this.where, toKey(id), body, crc], this.counted)
    return Number(row?.seq)
  }

  protected async change(statement: string, values: readonly (string | number)[]): Promise<boolean> {
    return (await this.db.write(statement, values, this.counted)).length > 0
  }

  protected value(row: Row, id: string): T {
    const body = wholeText(row)
    if (body !== undefined) return JSON.parse(body) as T
    throw new SvcError('store_unavailable', `${this.where[0]} ${id} is damaged: remove it`, { retryable: false })
  }
}

const INSERT = 'INSERT INTO records (kind, space, id, body, crc) VALUES (?, ?, ?, ?, ?)'

/** Puts a record. */
export const PUT = `${INSERT} ON CONFLICT (kind, space, id) DO UPDATE SET body = excluded.body, crc = excluded.crc RETURNING seq`

/** Records of the store itself, listed in the order in which they were first put. */
export class RecordTable<T> extends Records<T> implements SharedCollection<T> {
  protected readonly counted = undefined

  async put(id: string, value: T): Promise<void> {
    await this.insert(id, value)
  }

  /** Where the connection is lost in the middle, what this removed may be answered as not having been there. */
  delete(id: string): Promise<boolean> {
    return this.change(`DELETE FROM records WHERE ${OF_ONE} RETURNING seq`, [...this.where, toKey(id)])
  }

  async list(query: ListQuery = {}): Promise<Page<T>> {
    const { read, text } = this.db
    const listed = {
      select: `SELECT r.seq, ${text('id')}, ${text('body')}, r.crc FROM records AS r`,
      table: 'records',
      within: { condition: 'r.kind = ? AND r.space = ?', values: this.where },
      conditions: [],
      values: [],
    }
    const page = await listPage(read, listed, query)
    return toPage(page, (row) => [fromKey(row.id), this.value(row, fromKey(row.id))])
  }
}

/** Conversations, listed by when something happened in them, too. */
export class ThreadTable extends RecordTable<Thread> implements ThreadCollection {
  constructor(db: RecordDatabase) {
    super(db, 'thread')
  }

  override async list({ order, ...query }: ThreadQuery = {}): Promise<Page<Thread>> {
    if (order !== 'activity') return super.list({ ...query, ...(order && { order }) })
    const limit = checkLimit(query)
    const { after } = query
    const end = after === undefined ? undefined : readTimeCursor(after)
    if (after !== undefined && end === undefined) throw unknownCursor(after)
    const { read, text, threadTime: time, byLetters } = this.db
    const id = byLetters('id')
    // As the index has it: of a kind that is a value, nobody knows beforehand that it fits.
    const rows = await read(
      `SELECT ${text('id')}, ${text('body')}, crc FROM records WHERE kind = 'thread'
         ${end === undefined ? '' : `AND ${time} <= ? AND (${time} < ? OR ${id} < ?)`}
       ORDER BY ${time} DESC, ${id} DESC LIMIT ?`,
      [...(end === undefined ? [] : [end.time, end.time, toKey(end.id)]), limit + 1],
    )
    return toPage({ rows: rows.slice(0, limit), hasMore: rows.length > limit }, (row) => {
      const thread = this.value(row, fromKey(row.id))
      return [toTimeCursor({ time: thread.updatedAt, id: thread.id }), thread]
    })
  }
}

/** Records that callers name the kind of. */
export class SpaceTable<T> extends Records<T> implements RecordSpace<T> {
  protected readonly counted = this.where

  constructor(db: RecordDatabase, kind: string, space: string) {
    super(db, kindOf(kind), space)
  }

  put(id: string, value: T): Promise<number> {
    return this.insert(id, value)
  }

  async all(): Promise<{ data: PlacedRecord<T>[]; damaged: number }> {
    const { text } = this.db
    const select = `SELECT seq, ${text('id')}, ${text('body')}, crc FROM records WHERE kind = ? AND space = ? ORDER BY seq`
    const rows = await this.db.read(select, this.where)
    const data = rows.flatMap((row) => {
      const body = wholeText(row)
      return body === undefined ? [] : [{ seq: Number(row.seq), id: fromKey(row.id), value: JSON.parse(body) as T }]
    })
    return { data, damaged: rows.length - data.length }
  }

  async remove(ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0
    const statement = `DELETE FROM records WHERE kind = ? AND space = ? AND ${this.db.isAmong('id')} RETURNING seq`
    const values = [...this.where, JSON.stringify(ids.map(toKey))]
    const work = (): Promise<Row[]> => this.db.write(statement, values, this.counted)
    return (await (this.db.remove?.(work) ?? work())).length
  }

  async version(): Promise<number> {
    const select = 'SELECT version FROM record_versions WHERE kind = ? AND space = ?'
    const [row] = await this.db.read(select, this.where)
    return Number(row?.version ?? 0)
  }
}
