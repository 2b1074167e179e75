import { crc32 } from 'node:zlib'
import { figuresOf, isTerminal, type Lease, type Measured, type RunEvent, type RunRow, SvcError } from '@svc/core'
import { toAnswerWords, toRunWords } from '@svc/core/text'
import { textOf, toKey } from '../keys.ts'
import type { Idempotency, PreparedCommit, PreparedRun } from '../prepared-writes.ts'
import { toColumns } from '../queries/figure-columns.ts'
import type { RecordText } from '../run-record.ts'
import { changeState, type RunState, rankOf, tagsOf } from '../run-row.ts'
import { guarded, toBody } from './body.ts'
import { CHECKED_COLUMNS, checkedState, checksumOf } from './file/row-checksum.ts'
import type { Sqlite } from './file/sqlite.ts'
import { putRecord } from './records.ts'
import type { WordIndex } from './word-index.ts'

/** Runs that are known without reading them. */
const MOST_KNOWN = 1000

/** A run as its last commit left it, so that the next one reads nothing. */
interface KnownRun {
  seq: number
  /** Columns that never change. */
  made: { id: string; mode: string; created_at: string }
  format: number
  epoch: number
  status: string
  version: number
  lastSeq: number
  records: number
  state: RunState
  /** Those by which a list finds it. */
  agents: Set<string>
}

/** What a run is made with. */
export interface Creation {
  space: string
  nowMs: number
  idempotency: Idempotency | undefined
  /** Its first lease, and the number of the process that has it. */
  held: { lease: Lease; process: number } | undefined
  /** Long parts of its request, by their SHA-256. */
  long: ReadonlyMap<string, Buffer>
}

interface Committed {
  events: readonly RunEvent[]
  hasNewStatus: boolean
}

/** What is written of runs, inside transactions that others begin. */
export class RunWrites {
  readonly #db: Sqlite
  readonly #words: WordIndex
  readonly #known = new Map<string, KnownRun>()

  constructor(db: Sqlite, words: WordIndex) {
    this.#db = db
    this.#words = words
  }

  /** The number of a change that those in other processes hear of who watch. */
  turn(): number {
    return Number(this.#db.get('UPDATE run_turn SET turn = turn + 1 RETURNING turn')?.turn)
  }

  /**
   * The earlier run of an idempotency key. A key that has run out is removed.
   *
   * @returns its number, or the error for another body
   */
  findByKey({ scope, key, bodyHash }: Idempotency, nowMs: number): number | SvcError | undefined {
    const db = this.#db
    const values = [toKey(scope), toKey(key)]
    const known = db.get('SELECT run, body_hash, expires_at FROM run_keys WHERE scope = ? AND key = ?', values)
    if (known === undefined) return undefined
    if (Number(known.expires_at) <= nowMs) {
      db.run('DELETE FROM run_keys WHERE scope = ? AND key = ?', values)
      return undefined
    }
    if (known.body_hash === bodyHash) return Number(known.run)
    return new SvcError('idempotency_mismatch', `the idempotency key "${key}" was used with another body`)
  }

  /** Keeps a large value for a run. @param ref its SHA-256 */
  putPayload(run: number, ref: string, bytes: Buffer): void {
    this.#db.run('INSERT INTO run_payloads (id, bytes) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', [ref, bytes])
    this.#db.run('INSERT INTO run_payload_uses (payload, run) VALUES (?, ?) ON CONFLICT DO NOTHING', [ref, run])
  }

  create({ row, request, record }: PreparedRun, { space, nowMs, idempotency, held, long }: Creation): void {
    const db = this.#db
    const { status, mode, threadId, createdAt, startBy, version, agents, create } = row
    const isLogged = record.events + record.steps > 0
    const made = { id: toKey(row.id), mode, created_at: createdAt }
    const columns = { ...made, format: row.format, status, version, last_seq: record.events, body: '{}' }
    const run = db.insert(
      `INSERT INTO runs (id, format, space, rank, status, mode, thread, created_at, start_by, ended_at, epoch, owner, process,
         expires_at, turn, version, last_seq, records, state, crc, tokens, cost, duration, verdict)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}', ?, ?, ?, ?, ?)`,
      [
        made.id,
        row.format,
        toKey(row.space ?? space),
        rankOf(row),
        status,
        mode,
        threadId === undefined ? null : toKey(threadId),
        createdAt,
        startBy ?? null,
        isTerminal(status) ? nowMs : null,
        held?.lease.epoch ?? 0,
        held === undefined ? null : toKey(held.lease.owner),
        held?.process ?? null,
        held?.lease.expiresAt ?? null,
        this.turn(),
        version,
        record.events,
        isLogged ? 1 : 0,
        checksumOf(columns),
        ...toColumns(row),
        figuresOf(row).verdict ?? null,
      ],
    )
    db.run('INSERT INTO run_requests (run, words, body, crc) VALUES (?, ?, ?, ?)', [
      run,
      toRunWords(row),
      request,
      crc32(request),
    ])
    for (const [ref, bytes] of long) this.putPayload(run, ref, bytes)
    if (isLogged) this.#log(run, 1, record.events, record)
    for (const tag of tagsOf(row)) db.run('INSERT INTO run_tags (tag, run) VALUES (?, ?)', [tag, run])
    this.#putModels(run, row)
    const asked = (create.agents ?? []).map((agent) => (typeof agent === 'string' ? agent : agent.id))
    const known = new Set<string>()
    this.#putAgents(run, [...agents.map(({ id }) => id), ...asked], known)
    if (held !== undefined) {
      const { epoch } = held.lease
      const [lastSeq, records] = [record.events, isLogged ? 1 : 0]
      const { format } = row
      this.#know(row.id, { seq: run, made, format, epoch, status, version, lastSeq, records, state: {}, agents: known })
    }
    if (idempotency === undefined) return
    const { scope, key, bodyHash, expiresAt } = idempotency
    db.run('INSERT INTO run_keys (scope, key, run, body_hash, expires_at) VALUES (?, ?, ?, ?, ?)', [
      toKey(scope),
      toKey(key),
      run,
      bodyHash,
      expiresAt,
    ])
  }

  /**
   * @returns undefined where the lease is not in force: nothing was written
   * @throws RunError `log_corrupt`
   */
  commit(lease: Lease, prepared: PreparedCommit, nowMs: number): Committed | undefined {
    const { runId, epoch } = lease
    const known = this.#known.get(runId)
    // What is known may be old: another handle may have written under the same lease, and another process under the next.
    const committed = known?.epoch === epoch ? this.#write(lease, known, prepared, nowMs) : undefined
    if (committed !== undefined) return committed
    this.#known.delete(runId)
    const read = this.#read(lease)
    return read && this.#write(lease, read, prepared, nowMs)
  }

  /** Forgets what is known of runs: of one that is held no longer, or of all, where what was written was undone. */
  forget(runId?: string): void {
    if (runId === undefined) this.#known.clear()
    else this.#known.delete(runId)
  }

  #read({ runId, epoch }: Lease): KnownRun | undefined {
    const row = guarded(runId, () =>
      this.#db.get(`SELECT r.seq, r.records, ${CHECKED_COLUMNS} FROM runs AS r WHERE r.id = ? AND r.epoch = ?`, [
        toKey(runId),
        epoch,
      ]),
    )
    if (row === undefined) return undefined
    const state = JSON.parse(checkedState(row, runId))
    return {
      seq: Number(row.seq),
      made: { id: toKey(runId), mode: textOf(row.mode), created_at: textOf(row.created_at) },
      format: Number(row.format),
      epoch,
      status: textOf(row.status),
      version: Number(row.version),
      lastSeq: Number(row.last_seq),
      records: Number(row.records),
      state,
      agents: new Set(),
    }
  }

  /** @returns undefined where the run is not as it was known: nothing was written */
  #write(
    { runId }: Lease,
    known: KnownRun,
    { write, record, approvals, records: left, fields, resultAt }: PreparedCommit,
    nowMs: number,
  ): Committed | undefined {
    const db = this.#db
    const { seq: run, epoch, version, lastSeq, records } = known
    const isLogged = record.events + record.steps > 0
    const resultSeq = resultAt === undefined ? undefined : lastSeq + resultAt + 1
    const next = {
      ...known,
      status: write.run?.status ?? known.status,
      format: write.run?.format ?? known.format,
      version: version + (write.run === undefined ? 0 : 1),
      lastSeq: lastSeq + record.events,
      records: records + (isLogged ? 1 : 0),
      state: write.run === undefined ? known.state : changeState(known.state, fields, resultSeq),
    }
    const body = JSON.stringify(next.state)
    const hasNewStatus = next.status !== known.status
    const hasEnded = hasNewStatus && isTerminal(next.status as RunRow['status'])
    const { made, format, status } = next
    const crc = checksumOf({ ...made, format, status, version: next.version, last_seq: next.lastSeq, body })
    const written = db.run(
      `UPDATE runs SET version = ?, last_seq = ?, records = ?, format = ?, state = ?, crc = ?, tokens = ?, cost = ?, duration = ?
       ${hasNewStatus ? `, status = ?, verdict = ?, ended_at = ?, turn = (SELECT turn + 1 FROM run_turn)` : ''}
       ${hasEnded ? ', owner = NULL, process = NULL, expires_at = NULL' : ''}
       WHERE seq = ? AND epoch = ? AND version = ? AND records = ?`,
      [
        next.version,
        next.lastSeq,
        next.records,
        format,
        body,
        crc,
        ...toColumns(next.state),
        ...(hasNewStatus
          ? [
              status,
              figuresOf({ ...next.state, status: status as RunRow['status'] }).verdict ?? null,
              hasEnded ? nowMs : null,
            ]
          : []),
        run,
        epoch,
        version,
        records,
      ],
    )
    if (written === 0) return undefined
    if (hasNewStatus) this.turn()
    if (isLogged) this.#log(run, next.records, next.lastSeq, record)
    this.#putModels(run, { models: write.run?.models })
    if (hasEnded) this.#words.add(run, toAnswerWords(write.run?.result))
    this.#putAgents(run, write.run?.agents?.map(({ id }) => id) ?? [], known.agents)
    for (const { id, status, body } of approvals) {
      db.run(
        `INSERT INTO run_approvals (id, run, status, body, crc) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, body = excluded.body, crc = excluded.crc`,
        [id, run, status, body, crc32(body)],
      )
    }
    for (const id of write.taken ?? []) {
      db.run('DELETE FROM run_commands WHERE run = ? AND id = ?', [run, toKey(id)])
    }
    const seqs = left.map((each) => putRecord(db, each))
    for (const [index, each] of (write.records ?? []).entries()) each.seq = seqs[index] ?? 0
    if (hasEnded) this.#known.delete(runId)
    else this.#know(runId, next)
    const numbered = write.events ?? []
    for (const [index, event] of numbered.entries()) event.seq = lastSeq + index + 1
    return { events: numbered, hasNewStatus }
  }

  #know(runId: string, run: KnownRun): void {
    this.#known.set(runId, run)
    if (this.#known.size > MOST_KNOWN) this.#known.delete(this.#known.keys().next().value ?? '')
  }

  /** Removes a run and all that belongs to it. */
  delete(run: number): void {
    const db = this.#db
    db.run(
      `DELETE FROM run_payloads WHERE id IN (
         SELECT payload FROM run_payload_uses AS own WHERE own.run = ? AND NOT EXISTS (
           SELECT 1 FROM run_payload_uses AS other WHERE other.payload = own.payload AND other.run <> own.run))`,
      [run],
    )
    this.#words.remove(run)
    for (const table of OF_RUN) db.run(`DELETE FROM ${table} WHERE run = ?`, [run])
    db.run('DELETE FROM runs WHERE seq = ?', [run])
  }

  #log(run: number, number: number, lastSeq: number, record: RecordText): void {
    const { body, crc } = toBody(record.body)
    this.#db.run('INSERT INTO run_log (run, number, last_seq, crc, body) VALUES (?, ?, ?, ?, ?)', [
      run,
      number,
      lastSeq,
      crc,
      body,
    ])
  }

  /** Lets a list find the run by its models, and costs be added up. */
  #putModels(run: number, used: Pick<Measured, 'models' | 'create'>): void {
    for (const [model, { tokens, costUsd }] of figuresOf(used).models)
      this.#db.run(
        `INSERT INTO run_models (model, run, tokens, cost) VALUES (?, ?, ?, ?)
         ON CONFLICT (model, run) DO UPDATE SET tokens = excluded.tokens, cost = excluded.cost`,
        [toKey(model), run, tokens, costUsd],
      )
  }

  /** Lets a list find the run by its agents. */
  #putAgents(run: number, agents: readonly (string | undefined)[], known: Set<string>): void {
    for (const agent of agents) {
      if (agent === undefined || known.has(agent)) continue
      known.add(agent)
      const values = [toKey(agent), run]
      this.#db.run('INSERT INTO run_agents (agent, run) VALUES (?, ?) ON CONFLICT DO NOTHING', values)
    }
  }
}

const OF_RUN = [
  'run_payload_uses',
  'run_log',
  'run_requests',
  'run_tags',
  'run_agents',
  'run_models',
  'run_commands',
  'run_approvals',
  'run_keys',
]
