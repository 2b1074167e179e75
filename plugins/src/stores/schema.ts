import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { SvcError } from '@svc/core'
import type { Sqlite } from './sqlite.ts'

/**
 * How the file came to be what it is: entry n leads from version n to n + 1. Entries are never changed, only added.
 *
 * `memories.space` is empty for what everybody who uses the file may see, else the folder whose runs wrote it; so are
 * those of outcomes and lessons, which only runs write.
 * `revisions` counts the changes of a space, so that another process sees that its copy is old.
 *
 * `runs` is what lists filter by, the lease, and in `state` what changes while a run is at work; what it was asked for is
 * in `run_requests` and is never rewritten. A commit that changes nothing that lists filter by leaves `runs` as it is:
 * the newest record of its log then says what has changed since (`runs/run-head.ts`). Rows of `run_log` and `run_texts` have the number of their run and their own
 * number in it in one integer (`runs/row-number.ts`), so that a commit touches no index. `run_turn` counts the commits
 * after which somebody may have something to do, `runs.turn` is the last one of a run. `runs.rank` is the priority, with
 * the other sign: what comes first has the lowest. `host_boots` has when the host was started, by the clock of then, for
 * `runs/lease-clock.ts`.
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
  `CREATE TABLE runs (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     format INTEGER NOT NULL,
     space TEXT NOT NULL,
     status TEXT NOT NULL,
     mode TEXT NOT NULL,
     thread TEXT,
     created_at TEXT NOT NULL,
     ended_at INTEGER,
     epoch INTEGER NOT NULL,
     owner TEXT,
     process INTEGER,
     expires_at INTEGER,
     turn INTEGER NOT NULL,
     version INTEGER NOT NULL,
     last_seq INTEGER NOT NULL,
     log_end INTEGER NOT NULL,
     texts INTEGER NOT NULL,
     state TEXT NOT NULL,
     crc INTEGER NOT NULL
   );
   CREATE INDEX runs_by_status ON runs (status);
   CREATE INDEX runs_by_mode ON runs (mode);
   CREATE INDEX runs_by_thread ON runs (thread) WHERE thread IS NOT NULL;
   CREATE INDEX runs_by_time ON runs (created_at);
   CREATE INDEX runs_by_turn ON runs (turn);
   CREATE INDEX runs_unfinished ON runs (space, seq) WHERE ended_at IS NULL;
   CREATE INDEX runs_unfinished_by_thread ON runs (thread, seq) WHERE ended_at IS NULL AND thread IS NOT NULL;
   CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;
   CREATE TABLE run_requests (run INTEGER PRIMARY KEY, words TEXT NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL);
   CREATE TABLE run_tags (tag TEXT, run INTEGER, PRIMARY KEY (tag, run)) WITHOUT ROWID;
   CREATE INDEX run_tags_by_run ON run_tags (run);
   CREATE TABLE run_agents (agent TEXT, run INTEGER, PRIMARY KEY (agent, run)) WITHOUT ROWID;
   CREATE INDEX run_agents_by_run ON run_agents (run);
   CREATE TABLE run_log (
     id INTEGER PRIMARY KEY,
     last_seq INTEGER NOT NULL,
     has_steps INTEGER NOT NULL,
     crc INTEGER NOT NULL,
     body TEXT NOT NULL
   );
   CREATE TABLE run_texts (id INTEGER PRIMARY KEY, crc INTEGER NOT NULL, body TEXT NOT NULL, payload TEXT);
   CREATE TABLE run_commands (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     run INTEGER NOT NULL,
     id TEXT NOT NULL,
     body TEXT NOT NULL,
     crc INTEGER NOT NULL
   );
   CREATE INDEX run_commands_by_run ON run_commands (run);
   CREATE TABLE run_approvals (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     run INTEGER NOT NULL,
     status TEXT NOT NULL,
     body TEXT NOT NULL,
     crc INTEGER NOT NULL
   );
   CREATE INDEX run_approvals_by_run ON run_approvals (run);
   CREATE INDEX run_approvals_by_status ON run_approvals (status);
   CREATE TABLE run_keys (
     scope TEXT,
     key TEXT,
     run INTEGER NOT NULL,
     body_hash TEXT NOT NULL,
     expires_at INTEGER NOT NULL,
     PRIMARY KEY (scope, key)
   ) WITHOUT ROWID;
   CREATE INDEX run_keys_by_run ON run_keys (run);
   CREATE TABLE run_payloads (id TEXT PRIMARY KEY, bytes BLOB NOT NULL);
   CREATE TABLE run_payload_uses (payload TEXT, run INTEGER, PRIMARY KEY (payload, run)) WITHOUT ROWID;
   CREATE INDEX run_payload_uses_by_run ON run_payload_uses (run);
   CREATE TABLE run_processes (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     place TEXT NOT NULL,
     boot TEXT NOT NULL,
     pid INTEGER NOT NULL,
     started TEXT NOT NULL
   );
   CREATE TABLE run_turn (turn INTEGER NOT NULL);
   INSERT INTO run_turn VALUES (0);
   CREATE TABLE records (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     kind TEXT NOT NULL,
     id TEXT NOT NULL,
     body TEXT NOT NULL,
     crc INTEGER NOT NULL,
     UNIQUE (kind, id)
   );
   CREATE INDEX records_by_kind ON records (kind, seq);`,
  `ALTER TABLE runs ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE runs ADD COLUMN start_by INTEGER;
   DROP INDEX runs_unfinished;
   CREATE INDEX runs_in_turn ON runs (space, rank, seq) WHERE ended_at IS NULL;
   CREATE INDEX runs_to_start ON runs (start_by) WHERE start_by IS NOT NULL AND ended_at IS NULL;`,
  // The log of a run says by itself where its records begin; those of the earlier form still have their last number.
  `CREATE TABLE run_records (id INTEGER PRIMARY KEY, crc INTEGER NOT NULL, body TEXT NOT NULL, last_seq INTEGER);
   INSERT INTO run_records SELECT id, crc, body, last_seq FROM run_log;
   DROP TABLE run_log;
   ALTER TABLE run_records RENAME TO run_log;
   ALTER TABLE runs DROP COLUMN texts;`,
  'CREATE TABLE host_boots (boot TEXT PRIMARY KEY, started_at INTEGER NOT NULL);',
  // Of runs that have ended; those of before are measured when the file is next opened (runs/run-figures.ts).
  `ALTER TABLE runs ADD COLUMN tokens INTEGER;
   ALTER TABLE runs ADD COLUMN cost REAL;
   ALTER TABLE runs ADD COLUMN duration INTEGER;
   CREATE INDEX runs_unmeasured ON runs (seq) WHERE ended_at IS NOT NULL AND tokens IS NULL;`,
]

/** The version that this svc reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/**
 * Brings a file up to this version. What it held before stays beside it, as `svc.db.v<n>.bak`.
 *
 * @throws SvcError `store_unavailable` for a file of a newer svc, or of another program; `disk_full`
 */
export function migrate(db: Sqlite, nowMs: number): void {
  const { file } = db
  const before = readVersion(db, file)
  if (before === SCHEMA_VERSION) return
  if (before > 0) backUp(db, `${file}.v${before}.bak`)
  db.transaction(() => {
    // Another process may have been faster.
    for (let version = readVersion(db, file); version < SCHEMA_VERSION; version++) {
      if (version === 0) db.exec('CREATE TABLE svc_schema (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)')
      db.exec(MIGRATIONS[version] ?? '')
      db.run('INSERT INTO svc_schema (version, applied_at) VALUES (?, ?)', [version + 1, nowMs])
    }
  })
}

/** A copy for the owner alone; the first one of a version stays. */
function backUp(db: Sqlite, copy: string): void {
  if (existsSync(copy)) return
  const draft = `${copy}.${process.pid}`
  try {
    closeSync(openSync(draft, 'w', 0o600))
    db.all('VACUUM INTO ?', [draft])
    renameSync(draft, copy)
  } catch (thrown) {
    rmSync(draft, { force: true })
    if (thrown instanceof SvcError) throw thrown
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    throw new SvcError(
      'store_unavailable',
      `${db.file} was not brought up to date, because no copy could be made: ${reason}`,
      {
        cause: thrown,
      },
    )
  }
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
