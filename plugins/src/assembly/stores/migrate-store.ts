import { existsSync } from 'node:fs'
import { Database } from '../../stores/postgres/database.ts'
import { prepareQueue } from '../../stores/postgres/dispatch/queue-tables.ts'
import { migrate, SCHEMA_VERSION as POSTGRES_VERSION } from '../../stores/postgres/schema.ts'
import { SCHEMA_VERSION as SQLITE_VERSION, versionOf } from '../../stores/sqlite/file/schema.ts'
import { Sqlite } from '../../stores/sqlite/file/sqlite.ts'
import { SqliteStore } from '../../stores/sqlite/sqlite-store.ts'
import { findDatabase, postgresOf, type StoreSources } from './backup.ts'

/** What was done to a store. */
export interface Migrated {
  /** The format that it had; 0 for a new one. */
  before: number
  /** The format that it has. */
  format: number
}

/**
 * Brings a store to the format of this svc. One that has it stays as it is; of several processes that do it at once, one does.
 *
 * @throws SvcError `store_unavailable` for a store that cannot be used, or that a newer svc wrote, `disk_full`;
 *   ValidationError for a store of another kind
 */
export async function migrateStore(sources: StoreSources): Promise<Migrated> {
  const url = postgresOf(sources)
  if (url !== undefined) return migratePostgres(url)
  const { file, project } = findDatabase(sources)
  const before = formatOf(file)
  const store = new SqliteStore({ file, ...(project && { project }) })
  store.open()
  await store.close()
  return { before, format: SQLITE_VERSION }
}

async function migratePostgres(url: string): Promise<Migrated> {
  const db = new Database({ url, isDurable: true })
  await db.open()
  try {
    const before = await migrate(db)
    await prepareQueue(db)
    return { before, format: POSTGRES_VERSION }
  } finally {
    await db.close()
  }
}

function formatOf(file: string): number {
  if (!existsSync(file)) return 0
  const db = new Sqlite(file)
  try {
    return versionOf(db) ?? 0
  } finally {
    db.close()
  }
}
