import { crc32 } from 'node:zlib'
import { isTerminal, type NewEvent, type RunRow, type StepRow, type Store, SvcError } from '@svc/core'
import type { Sqlite } from '../sqlite.ts'
import { toKey, toWords } from './columns.ts'
import type { PayloadTable } from './payload-table.ts'
import { toBody } from './record-body.ts'
import { rangeOf, toRowNumber } from './row-number.ts'
import { NO_COLUMNS, toColumns } from './run-figures.ts'
import { eventJson, recordJson } from './run-log.ts'
import { FORMAT, rankOf, requestOf } from './run-rows.ts'
import { putAgent } from './run-writer.ts'
import { TextWriter } from './text-table.ts'

export type Idempotency = NonNullable<Parameters<Store['create']>[2]>

/** A new run as it was when it was asked for. */
export interface PreparedRun {
  row: RunRow
  request: string
  events: string[]
  /** Of a run that has ended elsewhere. */
  steps: string[]
}

/** @throws TypeError for what JSON cannot hold */
export const prepareRun = (row: RunRow, events: readonly NewEvent[], steps: readonly StepRow[] = []): PreparedRun => ({
  row,
  request: JSON.stringify(requestOf(row)),
  events: events.map((event) => eventJson(event, row.id)),
  steps: steps.map((step) => JSON.stringify(step)),
})

/**
 * The earlier run of an idempotency key; inside a transaction. A key that has run out is removed.
 *
 * @returns its number, or the error for another body
 */
export function findByKey(
  db: Sqlite,
  { scope, key, bodyHash }: Idempotency,
  nowMs: number,
): number | SvcError | undefined {
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

/** Writes a new run; inside a transaction. */
export function insertRun(
  db: Sqlite,
  payloads: PayloadTable,
  { row, request, events, steps }: PreparedRun,
  more: { space: string; turn: number; nowMs: number; idempotency: Idempotency | undefined },
): void {
  const { id, status, mode, threadId, createdAt, startBy, version, task, tags, agents, create } = row
  const endedAt = isTerminal(status) ? more.nowMs : null
  const run = db.insert(
    `INSERT INTO runs (id, format, space, rank, status, mode, thread, created_at, start_by, ended_at, epoch, turn, version,
       last_seq, log_end, state, crc, tokens, cost, duration)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, '{}', ?, ?, ?, ?)`,
    [
      toKey(id),
      FORMAT,
      toKey(more.space),
      rankOf(row),
      status,
      mode,
      threadId === undefined ? null : toKey(threadId),
      createdAt,
      startBy ?? null,
      endedAt,
      more.turn,
      version,
      events.length,
      events.length,
      crc32('{}'),
      ...(endedAt === null ? NO_COLUMNS : toColumns(row)),
    ],
  )
  const texts = new TextWriter(db, payloads, run, true)
  const body = texts.pack(request)
  db.run('INSERT INTO run_requests (run, words, body, crc) VALUES (?, ?, ?, ?)', [
    run,
    toWords(task),
    body,
    crc32(body),
  ])
  if (events.length > 0) {
    const { crc, body: record } = toBody(texts.pack(recordJson(events, steps)))
    db.run('INSERT INTO run_log (id, crc, body) VALUES (?, ?, ?)', [toRowNumber(run, 1), crc, record])
  }
  texts.flush()
  for (const tag of new Set(tags)) db.run('INSERT INTO run_tags (tag, run) VALUES (?, ?)', [toKey(tag), run])
  for (const agent of agents) putAgent(db, run, agent.id)
  for (const agent of create.agents ?? []) {
    const asked = typeof agent === 'string' ? agent : agent.id
    if (asked !== undefined) putAgent(db, run, asked)
  }
  if (more.idempotency === undefined) return
  const { scope, key, bodyHash, expiresAt } = more.idempotency
  db.run('INSERT INTO run_keys (scope, key, run, body_hash, expires_at) VALUES (?, ?, ?, ?, ?)', [
    toKey(scope),
    toKey(key),
    run,
    bodyHash,
    expiresAt,
  ])
}

/** Removes a run and all that belongs to it; inside a transaction. */
export function deleteRun(db: Sqlite, payloads: PayloadTable, run: number): void {
  payloads.drop(run)
  const range = rangeOf(run)
  for (const table of ['run_log', 'run_texts']) db.run(`DELETE FROM ${table} WHERE id BETWEEN ? AND ?`, range)
  for (const table of ['run_requests', 'run_tags', 'run_agents', 'run_commands', 'run_approvals', 'run_keys']) {
    db.run(`DELETE FROM ${table} WHERE run = ?`, [run])
  }
  db.run('DELETE FROM runs WHERE seq = ?', [run])
}
