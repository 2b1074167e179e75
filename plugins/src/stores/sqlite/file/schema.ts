import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { SvcError } from '@svc/core'
import { WORD_TABLES } from '../word-tables.ts'
import type { Sqlite } from './sqlite.ts'
import { toPlainRecords } from './upgrade/from-version-7.ts'
import { toSpaceRecords } from './upgrade/from-version-8.ts'
import { coverColumns } from './upgrade/from-version-10.ts'
import { toFoundRuns } from './upgrade/from-version-12.ts'

/** When something happened last in a conversation, of its body; of a damaged one that is no JSON, nothing. */
export const THREAD_TIME = `(CASE WHEN json_valid(body) THEN json_extract(body, '$.updatedAt') END)`
const THREAD_INDEX = `CREATE INDEX threads_by_activity ON records (kind, ${THREAD_TIME}, id) WHERE kind = 'thread';`

/**
 * The tables of a new file.
 *
 * `records` has threads, agents and answers to keyed requests; and what runs leave for later ones, whose `kind` begins with
 * a colon, in the `space` of their folder, or in the empty one, which everybody sees. `record_versions` counts the changes of
 * a space, so that another process sees that its copy is old.
 *
 * `runs` is what lists filter by, the lease, and in `state` what changes while a run is at work; what it was asked for is
 * in `run_requests`, its long parts in `run_payloads`, beside the words that a search looks for: once it has ended, those of its
 * answer too. `run_models` has what it took of each model that it asked for or used. `run_log` has a record for each commit, numbered from 1 in its run, which
 * counts them in `records`. `run_turn` counts the commits after which somebody may have something to do, `runs.turn` is the
 * last one of a run. `runs.rank` is the priority, with the other sign: what comes first has the lowest. `host_boots` has
 * when the host was started, by the clock of then, for `lease-clock.ts`.
 */
const TABLES = `
  CREATE TABLE svc_schema (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL);
  CREATE TABLE runs (
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
    records INTEGER NOT NULL,
    state TEXT NOT NULL,
    crc INTEGER NOT NULL,
    rank INTEGER NOT NULL DEFAULT 0,
    start_by INTEGER,
    tokens INTEGER,
    cost REAL,
    duration INTEGER,
    verdict TEXT
  );
  CREATE INDEX runs_by_status ON runs (status);
  CREATE INDEX runs_by_mode ON runs (mode);
  CREATE INDEX runs_by_verdict ON runs (verdict) WHERE verdict IS NOT NULL;
  CREATE INDEX runs_by_thread ON runs (thread) WHERE thread IS NOT NULL;
  CREATE INDEX runs_by_space ON runs (space);
  CREATE INDEX runs_by_time ON runs (created_at);
  CREATE INDEX runs_by_turn ON runs (turn);
  CREATE INDEX runs_in_turn ON runs (space, rank, seq) WHERE ended_at IS NULL;
  CREATE INDEX runs_to_start ON runs (start_by) WHERE start_by IS NOT NULL AND ended_at IS NULL;
  CREATE INDEX runs_unfinished_by_thread ON runs (thread, seq) WHERE ended_at IS NULL AND thread IS NOT NULL;
  CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE run_requests (run INTEGER PRIMARY KEY, words TEXT NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL);
${WORD_TABLES}
  CREATE TABLE run_tags (tag TEXT, run INTEGER, PRIMARY KEY (tag, run)) WITHOUT ROWID;
  CREATE INDEX run_tags_by_run ON run_tags (run);
  CREATE TABLE run_agents (agent TEXT, run INTEGER, PRIMARY KEY (agent, run)) WITHOUT ROWID;
  CREATE INDEX run_agents_by_run ON run_agents (run);
  CREATE TABLE run_models (
    model TEXT, run INTEGER, tokens INTEGER NOT NULL, cost REAL, PRIMARY KEY (model, run)
  ) WITHOUT ROWID;
  CREATE INDEX run_models_by_run ON run_models (run);
  CREATE TABLE run_log (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    crc INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  CREATE UNIQUE INDEX run_log_by_run ON run_log (run, last_seq, number);
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
    space TEXT NOT NULL DEFAULT '',
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    crc INTEGER NOT NULL,
    UNIQUE (kind, space, id)
  );
  CREATE INDEX records_by_space ON records (kind, space, seq);
  ${THREAD_INDEX}
  CREATE TABLE record_versions (kind TEXT, space TEXT, version INTEGER NOT NULL, PRIMARY KEY (kind, space)) WITHOUT ROWID;
  CREATE TABLE host_boots (boot TEXT PRIMARY KEY, started_at INTEGER NOT NULL);`

/**
 * What leads from each earlier version to the next, all in one transaction. Entries are never changed, only added, and
 * `TABLES` with them.
 */
const STEPS: ReadonlyMap<number, (db: Sqlite) => void> = new Map([
  [7, toPlainRecords],
  [8, toSpaceRecords],
  [9, (db) => db.exec('CREATE INDEX runs_by_space ON runs (space)')],
  [
    10,
    (db) => {
      db.exec(WORD_TABLES)
      coverColumns(db)
    },
  ],
  // What is long in a request stands beside it from now on; older ones are read as they are.
  [11, () => {}],
  [12, toFoundRuns],
  [13, (db) => db.exec(THREAD_INDEX)],
])

/** The version that this svc writes, and the oldest one that it reads. */
export const SCHEMA_VERSION = 14
export const OLDEST_VERSION = 7

/** How long a process waits for another that brings the file up to date. */
const MIGRATION_MS = 120_000

/**
 * Brings a file up to this version. What it held before stays beside it, as `svc.db.v<n>.bak`; a warning says so.
 *
 * @throws SvcError `store_unavailable` for a file of a newer svc, of one that is too old, or of another program; `disk_full`
 */
export function migrate(db: Sqlite, nowMs: number): void {
  const before = readVersion(db)
  if (before === SCHEMA_VERSION) return
  // Of a large file the copy and each step take seconds.
  db.waitAtMost(MIGRATION_MS)
  const began = performance.now()
  const copy = `${db.file}.v${before}.bak`
  if (before > 0) backUp(db, copy)
  db.transaction(() => {
    // Another process may have been faster.
    const version = readVersion(db)
    if (version === SCHEMA_VERSION) return
    if (version === 0) db.exec(TABLES)
    else for (let from = version; from < SCHEMA_VERSION; from++) STEPS.get(from)?.(db)
    db.run('INSERT INTO svc_schema (version, applied_at) VALUES (?, ?)', [SCHEMA_VERSION, nowMs])
  })
  if (before === 0) return
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  const said = `${db.file} was brought from format ${before} to ${SCHEMA_VERSION} in ${seconds} s; as it was before it is kept in ${copy}`
  process.emitWarning(said, 'SvcWarning')
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
      { cause: thrown },
    )
  }
}

/** The version of a database: 0 for an empty one, undefined for that of another program. */
export function versionOf(db: Sqlite): number | undefined {
  const tables = db.all("SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name)
  if (tables.length === 0) return 0
  const found = tables.includes('svc_schema') && db.get('SELECT max(version) AS version FROM svc_schema')?.version
  return typeof found === 'number' ? found : undefined
}

function readVersion(db: Sqlite): number {
  const { file } = db
  const version = versionOf(db)
  if (version === undefined)
    throw new SvcError(
      'store_unavailable',
      `${file} belongs to another program: move it away, or set store.dir or SVC_DATA_DIR to another folder`,
    )
  if (version > SCHEMA_VERSION)
    throw new SvcError(
      'store_unavailable',
      `${file} was written by a newer svc (format ${version}; this one reads up to ${SCHEMA_VERSION}): update svc, or set SVC_DATA_DIR to another folder`,
    )
  if (version > 0 && version < OLDEST_VERSION)
    throw new SvcError(
      'store_unavailable',
      `${file} was written before the first release of svc (format ${version}; this one reads from ${OLDEST_VERSION} on): move it away, or set SVC_DATA_DIR to another folder`,
    )
  return version
}
