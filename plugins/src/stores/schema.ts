import { SvcError } from '@svc/core'
import type { Sqlite } from './sqlite.ts'

/**
 * How the file came to be what it is: entry n leads from version n to n + 1. Entries are never changed, only added.
 *
 * `memories.space` is empty for what everybody who uses the file may see, else the folder whose runs wrote it; so are
 * those of outcomes and lessons, which only runs write.
 * `revisions` counts the changes of a space, so that another process sees that its copy is old.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE memories (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL,
     space TEXT NOT NULL,
     layer TEXT NOT NULL,
     kind TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     expires_at INTEGER,
     body TEXT NOT NULL,
     crc INTEGER NOT NULL,
     UNIQUE (space, id)
   );
   CREATE INDEX memories_by_space ON memories (space, seq);
   CREATE TABLE revisions (space TEXT PRIMARY KEY, revision INTEGER NOT NULL, consolidated INTEGER NOT NULL);
   CREATE TABLE outcomes (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     run_id TEXT UNIQUE,
     domain TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     body TEXT NOT NULL,
     crc INTEGER NOT NULL
   );
   CREATE TABLE lessons (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     updated_at INTEGER NOT NULL,
     body TEXT NOT NULL,
     crc INTEGER NOT NULL
   );`,
  `ALTER TABLE outcomes ADD COLUMN space TEXT NOT NULL DEFAULT '*';
   ALTER TABLE lessons ADD COLUMN space TEXT NOT NULL DEFAULT '*';
   CREATE INDEX outcomes_by_space ON outcomes (space, seq);
   CREATE INDEX lessons_by_space ON lessons (space, seq);`,
]

/** The version that this svc reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/**
 * Brings a file up to this version.
 *
 * @throws SvcError `store_unavailable` for a file of a newer svc, or of another program
 */
export function migrate(db: Sqlite, file: string, nowMs: number): void {
  if (readVersion(db, file) === SCHEMA_VERSION) return
  db.transaction(() => {
    // Another process may have been faster.
    for (let version = readVersion(db, file); version < SCHEMA_VERSION; version++) {
      if (version === 0) db.exec('CREATE TABLE svc_schema (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)')
      db.exec(MIGRATIONS[version] ?? '')
      db.run('INSERT INTO svc_schema (version, applied_at) VALUES (?, ?)', [version + 1, nowMs])
    }
  })
}

function readVersion(db: Sqlite, file: string): number {
  const tables = db.all("SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name)
  if (!tables.includes('svc_schema')) {
    if (tables.length === 0) return 0
    throw new SvcError(
      'store_unavailable',
      `${file} belongs to another program: move it away, or set store.dir or SVC_DATA_DIR to another folder`,
    )
  }
  const version = Number(db.get('SELECT max(version) AS version FROM svc_schema')?.version ?? 0)
  if (version <= SCHEMA_VERSION) return version
  throw new SvcError(
    'store_unavailable',
    `${file} was written by a newer svc (format ${version}; this one reads up to ${SCHEMA_VERSION}): update svc, or set SVC_DATA_DIR to another folder`,
  )
}
