import { type PreparedRecord, PUT, type RecordDatabase } from '../tables/records.ts'
import type { SqlValue } from './file/load-libsql.ts'
import { THREAD_TIME } from './file/schema.ts'
import { bytesOf, type Row, type Sqlite } from './file/sqlite.ts'
import type { WriteQueue } from './write-queue.ts'

/** The records of a SQLite file. */
export const sqliteRecords = (
  engine: () => { readonly db: Sqlite; readonly queue: WriteQueue; remove<T>(work: () => Promise<T>): Promise<T> },
): RecordDatabase => ({
  text: (column) => bytesOf(column),
  threadTime: THREAD_TIME,
  byLetters: (column) => column,
  isAmong: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  read: (statement, values) => engine().db.all(statement, values),
  write(statement, values, counted) {
    const { db, queue } = engine()
    return queue.add(() => change(db, statement, values, counted))
  },
  remove: (work) => engine().remove(work),
})

/** Puts a record inside a transaction. @returns its `seq` */
export function putRecord(db: Sqlite, { kind, space, id, body, crc }: PreparedRecord): number {
  const [row] = change(db, PUT, [kind, space, id, body, crc], [kind, space])
  return Number(row?.seq)
}

function change(db: Sqlite, statement: string, values: readonly SqlValue[], counted?: readonly SqlValue[]): Row[] {
  const rows = db.all(statement, values)
  if (rows.length > 0 && counted !== undefined) {
    db.run(
      `INSERT INTO record_versions (kind, space, version) VALUES (?, ?, 1)
       ON CONFLICT (kind, space) DO UPDATE SET version = version + 1`,
      counted,
    )
  }
  return rows
}
