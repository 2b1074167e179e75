import type { PgQuery } from '../load-pg.ts'
import { newNumber, TABLES } from '../months.ts'

/** Tells other processes of a change, at the commit: `<who tells>:<what>:<run>`. */
export const CHANNEL = 'svc_runs'

/** Milliseconds since the epoch by the database's clock, so that those of machines need not agree; or those given. */
export const now = (given: string): string =>
  `coalesce(${given}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`

/** SQL that tells of a change when its row is answered. */
export const tell = (teller: string, change: string, id: string): string =>
  `pg_notify('${CHANNEL}', ${teller}::text || ':' || ${change} || ':' || ${id})::text`

/**
 * SQL: a transaction that does not wait for the disk. Losing a lease's end, its release or an offer in a crash of the database
 * only means that it runs out.
 */
export const UNHURRIED = `set_config('synchronous_commit', 'off', true)`

/** What a statement changes of several runs, in the order in which it locks them: else two would wait for each other. */
export const inOrder = <T extends { runId: string }>(items: readonly T[]): T[] =>
  items.toSorted((one, other) => Number(one.runId > other.runId) - Number(one.runId < other.runId))

/** Rows of a JSON array. */
const rows = (parameter: string, columns: string): string => `json_to_recordset(${parameter}::json) AS i(${columns})`

/** Statements by name: there are as many as there are sets of parts. */
const texts = new Map<string, string>()

/** Optional parts of a write: each a parameter with a JSON array, and what it adds for the runs that `fenced` lets pass. */
const PARTS = {
  logs: (p: string) => `INSERT INTO run_log (run, log_end, last_seq, has_steps, crc, body)
    SELECT fenced.seq, i.log_end, i.last_seq, i.has_steps, i.crc, i.body
    FROM ${rows(p, 'run bigint, log_end integer, last_seq integer, has_steps boolean, crc bigint, body text')} JOIN fenced ON fenced.run = i.run`,
  texts: (p: string) => `INSERT INTO run_texts (run, number, crc, body, payload)
    SELECT fenced.seq, i.number, i.crc, i.body, i.payload
    FROM ${rows(p, 'run bigint, number integer, crc bigint, body text, payload text')} JOIN fenced ON fenced.run = i.run`,
  uses: (p: string) => `INSERT INTO run_payload_uses (payload, run) SELECT DISTINCT i.payload, fenced.seq
    FROM ${rows(p, 'run bigint, payload text')} JOIN fenced ON fenced.run = i.run ON CONFLICT DO NOTHING RETURNING payload`,
  // Each use is counted in the payload's own row, so that a statement that takes the last one away waits for one that adds another.
  payloads: (p: string) => `INSERT INTO run_payloads AS p (id, uses, bytes)
    SELECT i.id, u.uses, decode(i.bytes, 'base64')
    FROM ${rows(p, 'id text, bytes text')} JOIN (SELECT payload, count(*)::integer AS uses FROM uses GROUP BY payload) AS u ON u.payload = i.id
    ON CONFLICT (id) DO UPDATE SET uses = p.uses + excluded.uses`,
  approvals: (
    p: string,
  ) => `INSERT INTO run_approvals (id, run, status, body, crc) SELECT i.id, fenced.seq, i.status, i.body, i.crc
    FROM ${rows(p, 'id text, run bigint, status text, body text, crc bigint')} JOIN fenced ON fenced.run = i.run
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, body = excluded.body, crc = excluded.crc`,
  taken: (p: string) => `DELETE FROM run_commands AS c USING ${rows(p, 'run bigint, id text')}, fenced
    WHERE c.run = fenced.seq AND c.id = i.id AND fenced.run = i.run`,
  agents: (p: string) => `INSERT INTO run_agents (agent, run) SELECT DISTINCT i.agent, fenced.seq
    FROM ${rows(p, 'run bigint, agent text')} JOIN fenced ON fenced.run = i.run ON CONFLICT DO NOTHING`,
  tags: (p: string) => `INSERT INTO run_tags (tag, run) SELECT DISTINCT i.tag, fenced.seq
    FROM ${rows(p, 'run bigint, tag text')} JOIN fenced ON fenced.run = i.run ON CONFLICT DO NOTHING`,
  models: (
    p: string,
  ) => `INSERT INTO run_models (model, run, tokens, cost) SELECT DISTINCT ON (i.model, fenced.seq) i.model, fenced.seq, i.tokens, i.cost
    FROM ${rows(p, 'run bigint, nth integer, model text, tokens bigint, cost double precision')} JOIN fenced ON fenced.run = i.run
    ORDER BY i.model, fenced.seq, i.nth DESC
    ON CONFLICT (model, run) DO UPDATE SET tokens = excluded.tokens, cost = excluded.cost`,
  words: (p: string) => `UPDATE run_requests AS q SET words = q.words || i.words
    FROM ${rows(p, 'run bigint, words text')} JOIN fenced ON fenced.run = i.run WHERE q.run = fenced.seq`,
  // In one order, so that no two statements wait for each other; of those of one id the last counts.
  records: (p: string) => `INSERT INTO records (kind, space, id, body, crc)
    SELECT DISTINCT ON (i.kind, i.space, i.id) i.kind, i.space, i.id, i.body, i.crc
    FROM ${rows(p, 'run bigint, nth integer, kind text, space text, id text, body text, crc bigint')} JOIN fenced ON fenced.run = i.run
    ORDER BY i.kind, i.space, i.id, i.nth DESC
    ON CONFLICT (kind, space, id) DO UPDATE SET body = excluded.body, crc = excluded.crc RETURNING kind, space, id, seq`,
  versions: (p: string) => `INSERT INTO record_versions AS v (kind, space, version) SELECT i.kind, i.space, count(*)
    FROM ${rows(p, 'run bigint, kind text, space text')} JOIN fenced ON fenced.run = i.run
    GROUP BY i.kind, i.space ORDER BY i.kind, i.space
    ON CONFLICT (kind, space) DO UPDATE SET version = v.version + excluded.version`,
}

const PART_NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[]

/** A row of the log. */
export interface LogRow {
  run: number
  log_end: number
  last_seq: number
  has_steps: boolean
  crc: number
  body: string
}

/** What belongs to the rows of a write; most have but a few of these. */
export type Parts = { [K in keyof typeof PARTS]?: K extends 'logs' ? LogRow[] : object[] }

/**
 * A statement that writes parts for the runs that pass its fence.
 *
 * @param fence common table expressions that end with `fenced`, which has the `seq` of each run that may be written,
 *   and as `run` the number by which the parts refer to it
 */
function write(name: string, fence: string, answer: string, fixed: unknown[], parts: Parts): PgQuery {
  const values = [...fixed]
  let fullName = name
  const present: (keyof typeof PARTS)[] = []
  for (const part of PART_NAMES) {
    const items = parts[part]
    if (items === undefined || items.length === 0) continue
    values.push(JSON.stringify(items))
    fullName += `:${part}`
    present.push(part)
  }
  let text = texts.get(fullName)
  if (text === undefined) {
    const added = present.map((part, index) => `, ${part} AS (${PARTS[part](`$${fixed.length + index + 1}`)})`)
    text = `WITH ${fence}${added.join('')} ${answer}`
    texts.set(fullName, text)
  }
  return { name: fullName, text, values }
}

/** A run of one commit. */
export interface CommitRow {
  run: number
  epoch: number
  /** Where its log ended when the writer last knew. */
  at: number
  /** Both set where they change. */
  status?: string
  format?: number
  has_ended: boolean
  verdict: string | null
  version: number
  last_seq: number
  log_end: number
  texts: number
  /** Set where it changes. */
  state?: string
  crc?: number
  mark: number
  tokens: number
  cost: number | null
  duration: number | null
}

const COMMITS = `run bigint, epoch integer, at integer, status text, format integer, has_ended boolean, verdict text, version integer, last_seq integer,
  log_end integer, texts integer, state text, crc bigint, mark bigint, tokens bigint, cost double precision, duration bigint`

const COMMIT_FENCE = `fenced AS (
      UPDATE runs AS r SET status = coalesce(i.status, r.status), format = coalesce(i.format, r.format),
        ended_at = CASE WHEN i.has_ended THEN ${now('$3')} ELSE r.ended_at END,
        owner = CASE WHEN i.has_ended THEN NULL ELSE r.owner END,
        expires_at = CASE WHEN i.has_ended THEN NULL ELSE r.expires_at END,
        verdict = i.verdict, is_found = CASE WHEN i.has_ended THEN true ELSE r.is_found END,
        version = i.version, last_seq = i.last_seq, log_end = i.log_end, texts = i.texts,
        state = coalesce(i.state, r.state), crc = coalesce(i.crc, r.crc), mark = i.mark,
        tokens = i.tokens, cost = i.cost, duration = i.duration
      FROM ${rows('$1', COMMITS)}
      WHERE r.seq = i.run AND r.epoch = i.epoch AND r.log_end = i.at
      RETURNING r.seq, r.seq AS run, CASE WHEN i.status IS NOT NULL THEN ${tell('$2', `'status'`, 'r.id')} END)`

/** As the other, of one run that keeps its status and format: its values are bound as they are, which spares both ends a second JSON. */
const COMMIT_ONE = `fenced AS (
      UPDATE runs SET version = $4, last_seq = $5, log_end = $6, texts = $7, state = coalesce($8, state),
        crc = coalesce($9, crc), mark = $10, tokens = $11, cost = $12, duration = $13
      WHERE seq = $1 AND epoch = $2 AND log_end = $3 RETURNING seq, seq AS run),
    logged AS (
      INSERT INTO run_log (run, log_end, last_seq, has_steps, crc, body)
      SELECT seq, $6, $5, $14::boolean, $15::bigint, $16::text FROM fenced)`

/** With the places of the records that were put. */
const commitAnswer = ({ records = [] }: Parts): string =>
  records.length === 0
    ? 'SELECT seq FROM fenced'
    : 'SELECT seq, (SELECT json_agg(records) FROM records) AS records FROM fenced'

/** Commits of several runs; answers the `seq` of those that passed their fence. */
export function commitRuns(rowsOf: readonly CommitRow[], parts: Parts, teller: string, nowMs: number | null): PgQuery {
  const { logs = [], ...others } = parts
  const [[row], [log]] = [rowsOf, logs]
  const isOne = rowsOf.length === 1 && logs.length === 1
  if (row !== undefined && log !== undefined && isOne && row.status === undefined && row.format === undefined) {
    const { run, epoch, at, version, last_seq, log_end, texts: count, state = null, crc = null, mark } = row
    const { tokens, cost, duration } = row
    const values = [
      run,
      epoch,
      at,
      version,
      last_seq,
      log_end,
      count,
      state,
      crc,
      mark,
      tokens,
      cost,
      duration,
      log.has_steps,
      log.crc,
      log.body,
    ]
    return write('svc-commit-one', COMMIT_ONE, commitAnswer(others), values, others)
  }
  return write('svc-commit', COMMIT_FENCE, commitAnswer(parts), [JSON.stringify(rowsOf), teller, nowMs], parts)
}

/** A new run. */
export interface CreateRow {
  /** Its place among those that are made together: the database draws its number. */
  run: number
  id: string
  format: number
  status: string
  mode: string
  thread: string | null
  created_at: string
  space: string | null
  tenant: string
  rank: number
  start_by: number | null
  has_ended: boolean
  verdict: string | null
  /** Of its first lease, 0 where nobody has one yet. */
  epoch: number
  owner: string | null
  owner_lock: number | null
  /** Milliseconds for which it is leased. */
  ttl: number | null
  tokens: number
  cost: number | null
  duration: number | null
  mark: number
  version: number
  last_seq: number
  log_end: number
  texts: number
  crc: number
  words: string
  request: string
  request_crc: number
  scope: string | null
  key: string | null
  body_hash: string | null
  expires_at: number | null
}

const CREATES = `run bigint, id text, format smallint, status text, mode text, thread text, created_at text, space text, tenant text, rank smallint,
  start_by bigint, has_ended boolean, verdict text, epoch integer, owner text, owner_lock integer, ttl bigint, tokens bigint, cost double precision,
  duration bigint, mark bigint, version integer, last_seq integer, log_end integer, texts integer, crc bigint, words text, request text,
  request_crc bigint, scope text, key text, body_hash text, expires_at bigint`

const CREATE_FENCE = `asked AS MATERIALIZED (
      SELECT ${newNumber(now('$3'))} AS seq, i.* FROM ${rows('$1', CREATES)}
      WHERE NOT EXISTS (SELECT FROM runs WHERE runs.id = i.id)),
     keyed AS (
      INSERT INTO run_keys AS k (scope, key, run, body_hash, expires_at)
      SELECT scope, key, seq, body_hash, expires_at FROM asked WHERE key IS NOT NULL
      ON CONFLICT (scope, key) DO UPDATE
        SET run = excluded.run, body_hash = excluded.body_hash, expires_at = excluded.expires_at
        WHERE k.expires_at <= ${now('$3')}
      RETURNING run),
     tenants AS (
      INSERT INTO run_tenants (tenant, space) SELECT DISTINCT tenant, space FROM asked ORDER BY tenant ON CONFLICT DO NOTHING),
     made AS (
      INSERT INTO runs (seq, id, format, status, mode, thread, created_at, space, tenant, rank, start_by, ended_at, epoch, owner, owner_lock,
        expires_at, mark, version, last_seq, log_end, texts, state, crc, tokens, cost, duration, verdict, is_found)
      SELECT seq, id, format, status, mode, thread, created_at, space, tenant, rank, start_by, CASE WHEN has_ended THEN ${now('$3')} END, epoch, owner,
        owner_lock, ${now('$3')} + ttl, mark, version, last_seq, log_end, texts, '{}', crc, tokens, cost, duration, verdict, CASE WHEN has_ended THEN true END
      FROM asked WHERE key IS NULL OR seq IN (SELECT run FROM keyed)
      RETURNING seq, expires_at),
     fenced AS MATERIALIZED (SELECT a.run, a.seq, a.id, made.expires_at FROM made JOIN asked AS a ON a.seq = made.seq),
     requests AS (
      INSERT INTO run_requests (run, words, body, crc)
      SELECT a.seq, a.words, a.request, a.request_crc FROM made JOIN asked AS a ON a.seq = made.seq)`

const CREATE_ANSWER = `SELECT id, seq, expires_at,
  ${tell('$2', `CASE WHEN expires_at IS NULL THEN 'queued' ELSE 'status' END`, 'id')} FROM fenced`

/** New runs; answers `id`, `seq` and the end of the lease of those that were written: not of those that are there, nor of those whose key is known. */
export const createRuns = (rowsOf: readonly CreateRow[], parts: Parts, teller: string, nowMs: number | null): PgQuery =>
  write('svc-create', CREATE_FENCE, CREATE_ANSWER, [JSON.stringify(rowsOf), teller, nowMs], parts)

/** Keeps a payload for a run; answers the run's `seq` where there is such a run. */
export const keepPayload = (runId: string, payload: string, bytes: Uint8Array): PgQuery => ({
  name: 'svc-payload',
  text: `WITH fenced AS (SELECT seq FROM runs WHERE id = $1 FOR KEY SHARE),
    uses AS (INSERT INTO run_payload_uses (payload, run) SELECT $2, seq FROM fenced ON CONFLICT DO NOTHING RETURNING payload),
    kept AS (
      INSERT INTO run_payloads AS p (id, uses, bytes) SELECT payload, 1, $3::bytea FROM uses
      ON CONFLICT (id) DO UPDATE SET uses = p.uses + 1)
    SELECT seq FROM fenced`,
  values: [runId, payload, bytes],
})

/** What is kept of a run `r`, in bytes. */
export const STORED_BYTES = `(octet_length(r.state)
  + coalesce((SELECT octet_length(words) + octet_length(body) FROM run_requests WHERE run = r.seq), 0)
  + coalesce((SELECT sum(octet_length(body)) FROM run_log WHERE run = r.seq), 0)
  + coalesce((SELECT sum(octet_length(body)) FROM run_texts WHERE run = r.seq), 0)
  + coalesce((SELECT sum(octet_length(body)) FROM run_approvals WHERE run = r.seq), 0)
  + coalesce((SELECT sum(octet_length(p.bytes) / greatest(p.uses, 1))
      FROM run_payload_uses AS u JOIN run_payloads AS p ON p.id = u.payload WHERE u.run = r.seq), 0))::bigint`

const OF_RUNS = ['run_requests', 'run_tags', 'run_agents', 'run_models', 'run_commands', 'run_approvals', 'run_keys']

/**
 * Removes runs and all that belongs to them but their logs, which nobody can read then; answers their numbers, and the payloads
 * that they may have been the last to use.
 *
 * @param areNoted whether their logs are deleted, or dropped with their month, later on
 */
export const deleteRuns = (ids: readonly string[], teller: string, areNoted: boolean): PgQuery => ({
  name: `svc-delete:${areNoted}`,
  text: `WITH gone AS (DELETE FROM runs WHERE id = ANY($1) RETURNING seq, ${tell('$2', `'status'`, 'id')}),
    ${OF_RUNS.map((table) => `${table}_gone AS (DELETE FROM ${table} USING gone WHERE run = gone.seq)`).join()},
    ${areNoted ? 'noted AS (INSERT INTO run_remains (run) SELECT seq FROM gone),' : ''}
    unused AS (DELETE FROM run_payload_uses USING gone WHERE run = gone.seq RETURNING payload),
    counted AS (
      UPDATE run_payloads AS p SET uses = p.uses - u.uses
      FROM (SELECT payload, count(*) AS uses FROM unused GROUP BY payload) AS u WHERE p.id = u.payload
      RETURNING p.id, p.uses)
    SELECT array(SELECT seq FROM gone) AS runs, array(SELECT id FROM counted WHERE uses <= 0) AS payloads`,
  values: [ids, teller],
})

/** Deletes the logs of runs. */
export const deleteLogs = (runs: readonly unknown[]): PgQuery => ({
  name: 'svc-delete-logs',
  text: `WITH ${TABLES.map((table) => `${table}_gone AS (DELETE FROM ${table} WHERE run = ANY($1))`).join()}
    DELETE FROM run_remains WHERE run = ANY($1)`,
  values: [runs],
})

/** Removes those of these payloads that no run uses. */
export const deleteUnused = (payloads: readonly string[]): PgQuery => ({
  name: 'svc-payloads-gone',
  text: 'DELETE FROM run_payloads WHERE id = ANY($1) AND uses <= 0',
  values: [payloads],
})
