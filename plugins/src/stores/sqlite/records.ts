import type { RecordDatabase } from '../tables/records.ts'
import type { Engine } from './engine.ts'
import { bytesOf } from './file/sqlite.ts'

/** The records of a SQLite file. */
export const sqliteRecords = (engine: () => Pick<Engine, 'db' | 'queue'>): RecordDatabase => ({
  text: (column) => bytesOf(column),
  isAmong: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  read: (statement, values) => engine().db.all(statement, values),
  write(statement, values, counted) {
    const { db, queue } = engine()
    return queue.add(() => {
      const rows = db.all(statement, values)
      if (rows.length > 0 && counted !== undefined) {
        db.run(
          `INSERT INTO record_versions (kind, space, version) VALUES (?, ?, 1)
           ON CONFLICT (kind, space) DO UPDATE SET version = version + 1`,
          counted,
        )
      }
      return rows
    })
  },
  purge: () => engine().db.purge(),
})
