import { crc32 } from 'node:zlib'
import { isTerminal, type Lease, type RunEvent, type RunRow, SvcError } from '@svc/core'
import { checked } from '../damage.ts'
import { toColumns } from '../figure-columns.ts'
import { textOf, toKey, toWords } from '../keys.ts'
import type { Idempotency, PreparedCommit, PreparedRun } from '../prepared-writes.ts'
import { recordJson } from '../run-record.ts'
import { changeState, FORMAT, rankOf } from '../run-row.ts'
import { guarded, toBody } from './body.ts'
import { bytesOf, type Sqlite } from './file/sqlite.ts'

/** What is written of runs, inside transactions that others begin. */
export class RunWrites {
  readonly #db: Sqlite

  constructor(db: Sqlite) {
    this.#db = db
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

  create(
    { row, request, events, steps }: PreparedRun,
    { space, nowMs, idempotency }: { space: string; nowMs: number; idempotency: Idempotency | undefined },
  ): void {
    const db = this.#db
    const { status, mode, threadId, createdAt, startBy, version, task, tags, agents, create } = row
    const isLogged = events.length + steps.length > 0
    const run = db.insert(
      `INSERT INTO runs (id, format, space, rank, status, mode, thread, created_at, start_by, ended_at, epoch, turn, version,
         last_seq, records, state, crc, tokens, cost, duration)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, '{}', ?, ?, ?, ?)`,
      [
        toKey(row.id),
        FORMAT,
        toKey(row.space ?? space),
        rankOf(row),
        status,
        mode,
        threadId === undefined ? null : toKey(threadId),
        createdAt,
        startBy ?? null,
        isTerminal(status) ? nowMs : null,
        this.turn(),
        version,
        events.length,
        isLogged ? 1 : 0,
        crc32('{}'),
        ...toColumns(row),
      ],
    )
    db.run('INSERT INTO run_requests (run, words, body, crc) VALUES (?, ?, ?, ?)', [
      run,
      toWords(task),
      request,
      crc32(request),
    ])
    if (isLogged) this.#log(run, 1, events.length, events, steps)
    for (const tag of new Set(tags)) db.run('INSERT INTO run_tags (tag, run) VALUES (?, ?)', [toKey(tag), run])
    const asked = (create.agents ?? []).map((agent) => (typeof agent === 'string' ? agent : agent.id))
    this.#putAgents(run, [...agents.map(({ id }) => id), ...asked])
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
  commit(
    { runId, epoch }: Lease,
    { write, events, steps, approvals, fields, resultAt }: PreparedCommit,
    nowMs: number,
  ): { events: readonly RunEvent[]; hasNewStatus: boolean } | undefined {
    const db = this.#db
    const row = guarded(runId, () =>
      db.get(
        `SELECT seq, ${bytesOf('status')}, version, last_seq, records, ${bytesOf('state', 'body')}, crc
         FROM runs WHERE id = ? AND epoch = ?`,
        [toKey(runId), epoch],
      ),
    )
    if (row === undefined) return undefined
    const before = checked(row, runId, 'its row')
    const run = Number(row.seq)
    const lastSeq = Number(row.last_seq)
    const isLogged = events.length + steps.length > 0
    const records = Number(row.records) + (isLogged ? 1 : 0)
    const resultSeq = resultAt === undefined ? undefined : lastSeq + resultAt + 1
    const state = write.run === undefined ? JSON.parse(before) : changeState(JSON.parse(before), fields, resultSeq)
    const body = JSON.stringify(state)
    db.run(
      `UPDATE runs SET version = ?, last_seq = ?, records = ?, state = ?, crc = ?, tokens = ?, cost = ?, duration = ?
       WHERE seq = ?`,
      [
        Number(row.version) + (write.run === undefined ? 0 : 1),
        lastSeq + events.length,
        records,
        body,
        crc32(body),
        ...toColumns(state),
        run,
      ],
    )
    if (isLogged) this.#log(run, records, lastSeq + events.length, events, steps)
    const status = write.run?.status
    const hasNewStatus = status !== undefined && status !== textOf(row.status)
    if (hasNewStatus) this.#changeStatus(run, status, nowMs)
    this.#putAgents(run, write.run?.agents?.map(({ id }) => id) ?? [])
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
    const numbered = write.events ?? []
    for (const [index, event] of numbered.entries()) event.seq = lastSeq + index + 1
    return { events: numbered, hasNewStatus }
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
    for (const table of OF_RUN) db.run(`DELETE FROM ${table} WHERE run = ?`, [run])
    db.run('DELETE FROM runs WHERE seq = ?', [run])
  }

  #log(run: number, number: number, lastSeq: number, events: readonly string[], steps: readonly string[]): void {
    const { body, crc } = toBody(recordJson(events, steps))
    this.#db.run('INSERT INTO run_log (run, number, last_seq, crc, body) VALUES (?, ?, ?, ?, ?)', [
      run,
      number,
      lastSeq,
      crc,
      body,
    ])
  }

  /** Who ends a run gives its lease back. */
  #changeStatus(run: number, status: RunRow['status'], nowMs: number): void {
    const isOver = isTerminal(status)
    const free = isOver ? ', owner = NULL, process = NULL, expires_at = NULL' : ''
    const values = [status, isOver ? nowMs : null, this.turn(), run]
    this.#db.run(`UPDATE runs SET status = ?, ended_at = ?, turn = ?${free} WHERE seq = ?`, values)
  }

  /** Lets a list find the run by its agents. */
  #putAgents(run: number, agents: readonly (string | undefined)[]): void {
    for (const agent of agents) {
      if (agent === undefined) continue
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
  'run_commands',
  'run_approvals',
  'run_keys',
]
