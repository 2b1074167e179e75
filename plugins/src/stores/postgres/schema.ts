import { SvcError } from '@svc/core'
import type { Database } from './database.ts'
import type { PgClient, Row } from './load-pg.ts'
import { monthAt, TO_PARTITIONS } from './months.ts'

/** Whose lock keeps two processes from making the tables at once; a number that nobody else uses. */
const LOCK = 7_364_001

/**
 * How the tables came to be what they are: entry n leads from version n to n + 1. Entries are never changed, only added.
 *
 * They are those of the embedded store. Rows of `runs` are rewritten by every commit, so they leave room in their pages
 * for that, and only what changes a few times in a run's life has an index. `mark` is drawn by who writes a row last: a
 * process that was cut off from the database finds out by it whether its write took place. Nothing refers to
 * another table by a foreign key, which every commit would have to look up: each statement is fenced by the run's row.
 */
/**
 * When something happened last in a conversation, of its body. What is read as JSON could not hold a zero; of the fields of this
 * name, its own is the last.
 */
export const THREAD_TIME = `(substring(body from '.*"updatedAt":"([^"]*)"') COLLATE "C")`

const MIGRATIONS: readonly (string | ((month: number) => string))[] = [
  `CREATE SEQUENCE svc.run_numbers;
   CREATE TABLE svc.runs (
     seq bigint PRIMARY KEY,
     id text NOT NULL UNIQUE,
     format smallint NOT NULL,
     status text NOT NULL,
     mode text NOT NULL,
     thread text,
     created_at text COLLATE "C" NOT NULL,
     ended_at bigint,
     epoch integer NOT NULL,
     owner text,
     expires_at bigint,
     mark bigint NOT NULL,
     version integer NOT NULL,
     last_seq integer NOT NULL,
     log_end integer NOT NULL,
     texts integer NOT NULL,
     state text NOT NULL,
     crc bigint NOT NULL
   ) WITH (fillfactor = 50);
   CREATE INDEX runs_by_status ON svc.runs (status, seq);
   CREATE INDEX runs_by_mode ON svc.runs (mode, seq);
   CREATE INDEX runs_by_thread ON svc.runs (thread, seq) WHERE thread IS NOT NULL;
   CREATE INDEX runs_by_time ON svc.runs (created_at);
   CREATE INDEX runs_unfinished ON svc.runs (seq) WHERE ended_at IS NULL;
   CREATE INDEX runs_unfinished_by_thread ON svc.runs (thread, seq) WHERE ended_at IS NULL AND thread IS NOT NULL;
   CREATE INDEX runs_ended ON svc.runs (ended_at) WHERE ended_at IS NOT NULL;
   CREATE TABLE svc.run_requests (run bigint PRIMARY KEY, words text NOT NULL, body text NOT NULL, crc bigint NOT NULL);
   CREATE TABLE svc.run_tags (tag text, run bigint, PRIMARY KEY (tag, run));
   CREATE INDEX run_tags_by_run ON svc.run_tags (run);
   CREATE TABLE svc.run_agents (agent text, run bigint, PRIMARY KEY (agent, run));
   CREATE INDEX run_agents_by_run ON svc.run_agents (run);
   CREATE TABLE svc.run_log (
     run bigint,
     log_end integer,
     last_seq integer NOT NULL,
     has_steps boolean NOT NULL,
     crc bigint NOT NULL,
     body text NOT NULL,
     PRIMARY KEY (run, log_end)
   );
   CREATE TABLE svc.run_texts (
     run bigint,
     number integer,
     crc bigint NOT NULL,
     body text NOT NULL,
     payload text,
     PRIMARY KEY (run, number)
   );
   CREATE TABLE svc.run_commands (
     seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     run bigint NOT NULL,
     id text NOT NULL,
     body text NOT NULL,
     crc bigint NOT NULL,
     UNIQUE (run, id)
   );
   CREATE TABLE svc.run_approvals (
     seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id text NOT NULL UNIQUE,
     run bigint NOT NULL,
     status text NOT NULL,
     body text NOT NULL,
     crc bigint NOT NULL
   );
   CREATE INDEX run_approvals_by_run ON svc.run_approvals (run, seq);
   CREATE INDEX run_approvals_by_status ON svc.run_approvals (status, seq);
   CREATE TABLE svc.run_keys (
     scope text,
     key text,
     run bigint NOT NULL,
     body_hash text NOT NULL,
     expires_at bigint NOT NULL,
     PRIMARY KEY (scope, key)
   );
   CREATE INDEX run_keys_by_run ON svc.run_keys (run);
   CREATE TABLE svc.run_payloads (id text PRIMARY KEY, uses integer NOT NULL, bytes bytea NOT NULL);
   CREATE TABLE svc.run_payload_uses (payload text, run bigint, PRIMARY KEY (payload, run));
   CREATE INDEX run_payload_uses_by_run ON svc.run_payload_uses (run);
   CREATE TABLE svc.records (
     seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     kind text NOT NULL,
     id text NOT NULL,
     body text NOT NULL,
     crc bigint NOT NULL,
     UNIQUE (kind, id)
   );
   CREATE INDEX records_by_kind ON svc.records (kind, seq);`,
  `ALTER TABLE svc.runs ADD COLUMN rank smallint NOT NULL DEFAULT 0, ADD COLUMN start_by bigint;
   DROP INDEX svc.runs_unfinished;
   CREATE INDEX runs_in_turn ON svc.runs (rank, seq) WHERE ended_at IS NULL;
   CREATE INDEX runs_to_start ON svc.runs (start_by) WHERE start_by IS NOT NULL AND ended_at IS NULL;`,
  // Whose connection holds a run, and the ticket that offers it to who is free: "ticket_for" is the epoch it was made in.
  `ALTER TABLE svc.runs ADD COLUMN space text, ADD COLUMN owner_lock integer, ADD COLUMN tickets integer NOT NULL DEFAULT 0,
     ADD COLUMN ticket_for integer, ADD COLUMN ticket_after bigint;
   CREATE INDEX runs_held ON svc.runs (owner_lock) WHERE ended_at IS NULL AND owner IS NOT NULL;
   CREATE INDEX runs_without_ticket ON svc.runs (rank, seq) WHERE ended_at IS NULL AND ticket_for IS DISTINCT FROM epoch;`,
  // Of runs that have ended; those of before are measured when the store is next opened (run-figures.ts).
  `ALTER TABLE svc.runs ADD COLUMN tokens bigint, ADD COLUMN cost double precision, ADD COLUMN duration bigint;
   CREATE INDEX runs_unmeasured ON svc.runs (seq) WHERE ended_at IS NOT NULL AND tokens IS NULL;`,
  // What runs leave for later ones is beside what the store keeps for itself, in the space of their folder.
  `ALTER TABLE svc.records ADD COLUMN space text NOT NULL DEFAULT '';
   ALTER TABLE svc.records DROP CONSTRAINT records_kind_id_key, ADD UNIQUE (kind, space, id);
   DROP INDEX svc.records_by_kind;
   CREATE INDEX records_by_space ON svc.records (kind, space, seq);
   CREATE TABLE svc.record_versions (kind text, space text, version bigint NOT NULL, PRIMARY KEY (kind, space));`,
  'CREATE INDEX runs_by_space ON svc.runs (space, seq);',
  // Tenants take turns: whose run was offered last comes last ("served" is a time). A run that is offered is kept for a while.
  `CREATE TABLE svc.run_tenants (tenant text COLLATE "C" PRIMARY KEY, space text, served bigint NOT NULL DEFAULT 0);
   ALTER TABLE svc.runs ADD COLUMN tenant text COLLATE "C" NOT NULL DEFAULT '';
   UPDATE svc.runs SET tenant = coalesce(space, '') WHERE ended_at IS NULL AND space IS NOT NULL;
   INSERT INTO svc.run_tenants (tenant, space) SELECT DISTINCT tenant, space FROM svc.runs WHERE ended_at IS NULL;
   DROP INDEX svc.runs_without_ticket;
   ALTER TABLE svc.runs DROP COLUMN ticket_for;
   ALTER TABLE svc.runs RENAME COLUMN tickets TO offers;
   ALTER TABLE svc.runs RENAME COLUMN ticket_after TO offer_after;
   CREATE INDEX runs_waiting ON svc.runs (tenant, rank, seq) WHERE ended_at IS NULL AND owner IS NULL;`,
  // A search finds the runs whose words have all pieces of three letters that it asks for.
  `CREATE FUNCTION svc.grams(text) RETURNS text[] IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
     SELECT coalesce(array_agg(DISTINCT gram), '{}') FROM (
       SELECT c || lead(c) OVER letters || lead(c, 2) OVER letters AS gram
       FROM unnest(string_to_array($1, NULL)) WITH ORDINALITY AS l(c, n) WINDOW letters AS (ORDER BY n)) AS g
     WHERE gram IS NOT NULL $$;
   CREATE INDEX run_requests_by_gram ON svc.run_requests USING gin (svc.grams(words));`,
  // The log is partitioned by month. What is left there of runs that are gone is noted.
  `CREATE TABLE svc.run_remains (run bigint PRIMARY KEY); ${TO_PARTITIONS.promise}`,
  TO_PARTITIONS.prove,
  TO_PARTITIONS.exchange,
  // Runs are found by what they answered, by verdict and model: of runs of before this is written in the background (find-old.ts).
  `ALTER TABLE svc.runs ADD COLUMN verdict text, ADD COLUMN is_found boolean;
   CREATE INDEX runs_by_verdict ON svc.runs (verdict, seq) WHERE verdict IS NOT NULL;
   CREATE INDEX runs_to_find ON svc.runs (seq) WHERE ended_at IS NOT NULL AND is_found IS NULL;
   CREATE TABLE svc.run_models (
     model text, run bigint, tokens bigint NOT NULL, cost double precision, PRIMARY KEY (model, run));
   CREATE INDEX run_models_by_run ON svc.run_models (run);`,
  `CREATE INDEX threads_by_activity ON svc.records (${THREAD_TIME}, (id COLLATE "C")) WHERE kind = 'thread';`,
]

/** Only a hang takes so long. */
const LONGEST_MS = 86_400_000
/** How long a change of a table waits for those who use it, while who comes later waits for the change. */
const LOCK_MS = 1_000

/** The version that this svc reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/**
 * Brings the schema `svc` up to this version. Of several processes that start at once, one does it.
 *
 * @param mayChange false: an older one is refused
 * @returns the version that it had
 * @throws SvcError `store_unavailable` for a schema of a newer svc, or where the right to make tables is missing
 */
export async function migrate(db: Database, mayChange = true): Promise<number> {
  const before = await readVersion((text) => readTwice(db, text), db)
  if (before < SCHEMA_VERSION && !mayChange) throw outdated(db, before)
  for (let version = before; version < SCHEMA_VERSION; )
    version = await db.transaction((client) => migrateOnce(client, db), true)
  return before
}

function outdated({ place }: Database, version: number): SvcError {
  const has = version === 0 ? 'has no tables of svc yet' : `has format ${version}, and this svc needs ${SCHEMA_VERSION}`
  return new SvcError(
    'store_unavailable',
    `${place.database} at ${place.host} ${has}: run svc migrate, as store.migrate is false here`,
    { retryable: false },
  )
}

/**
 * Leads on by a version; a new database, which nobody waits for, to the last one.
 *
 * @returns the version that there is then
 */
async function migrateOnce(client: PgClient, db: Database): Promise<number> {
  // An index of many runs takes minutes, and so long the others wait.
  const query = async (text: string): Promise<Row[]> => (await client.query({ text, query_timeout: LONGEST_MS })).rows
  await query('SET LOCAL statement_timeout = 0')
  await query(`SELECT pg_advisory_xact_lock(${LOCK})`)
  // Who waits for a table lets nobody pass: what is not free soon is asked for again.
  await query(`SET LOCAL lock_timeout = ${LOCK_MS}`)
  const before = await readVersion(query, db)
  if (before === 0) {
    // Where it was made for us, we may lack the right to make one.
    const [found] = await query(`SELECT FROM pg_namespace WHERE nspname = 'svc'`)
    if (found === undefined) await query('CREATE SCHEMA svc')
    await query(
      'CREATE TABLE svc.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    )
  }
  const last = before === 0 ? SCHEMA_VERSION : Math.min(before + 1, SCHEMA_VERSION)
  const [time] = await query(`SELECT ${monthAt('extract(epoch FROM now()) * 1000')} AS month`)
  for (let version = before; version < last; version++) {
    const entry = MIGRATIONS[version]
    const text = typeof entry === 'function' ? entry(Number(time?.month)) : entry
    await query(`${text}; INSERT INTO svc.migrations (version) VALUES (${version + 1})`)
  }
  return last
}

/** Once more where the connection was cut; who asks a database that is not there hears of it at once. */
async function readTwice(db: Database, text: string): Promise<Row[]> {
  const read = (): Promise<Row[]> => db.query({ text }, false)
  return await read().catch((thrown: SvcError) => {
    if (thrown.retryable) return read()
    throw thrown
  })
}

async function readVersion(
  query: (text: string) => Promise<Record<string, unknown>[]>,
  { place }: Database,
): Promise<number> {
  const [found] = await query(`SELECT FROM pg_tables WHERE schemaname = 'svc' AND tablename = 'migrations'`)
  if (found === undefined) return 0
  const [row] = await query('SELECT max(version) AS version FROM svc.migrations')
  const version = Number(row?.version ?? 0)
  if (version <= SCHEMA_VERSION) return version
  throw new SvcError(
    'store_unavailable',
    `the schema svc of ${place.database} at ${place.host} was written by a newer svc (format ${version}; this one reads up to ${SCHEMA_VERSION}): update svc, or use another database`,
    { retryable: false },
  )
}
