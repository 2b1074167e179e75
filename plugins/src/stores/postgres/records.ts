import { hash } from 'node:crypto'
import type { RecordDatabase } from '../tables/records.ts'
import type { Database } from './database.ts'
import type { Row } from './load-pg.ts'
import { THREAD_TIME } from './schema.ts'

/** The records of a PostgreSQL. A statement that is counted changes the version in the same transaction, being one with it. */
export function postgresRecords(db: Database): RecordDatabase {
  const prepared = (statement: string, values: readonly unknown[]): Promise<Row[]> =>
    db.ask(statement, values, `svc-${hash('sha1', statement).slice(0, 20)}`)
  return {
    text: (column) => column,
    threadTime: THREAD_TIME,
    byLetters: (column) => `${column} COLLATE "C"`,
    isAmong: (column) => `${column} IN (SELECT json_array_elements_text(?::json))`,
    read: prepared,
    write: (statement, values, counted) =>
      counted === undefined
        ? prepared(statement, values)
        : prepared(
            `WITH changed AS (${statement}), counted AS (
               INSERT INTO record_versions (kind, space, version) SELECT ?, ?, 1 FROM changed LIMIT 1
               ON CONFLICT (kind, space) DO UPDATE SET version = record_versions.version + 1)
             SELECT seq FROM changed`,
            [...values, ...counted],
          ),
  }
}
