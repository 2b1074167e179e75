import type { EventData, NewEvent } from '../../../contracts/log/event.ts'
import type { RunCreate } from '../../../contracts/run/run.ts'
import type { RunStartOptions } from '../../../contracts/runtime/runtime.ts'
import type { RunRow, Store } from '../../../contracts/store/store.ts'
import { digest } from '../../../support/ids.ts'
import type { Environment } from '../../environment.ts'
import { readTraceparent, toTraceparent } from '../../observe/trace-context.ts'
import { linksOf } from '../../pipeline/result.ts'
import { KEY_MS } from './keyed-work.ts'
import { toLogged } from './prepare-run.ts'

/** What a new run takes over from another. */
export type Takeover = Pick<RunRow, 'parentRunId' | 'originRunId' | 'inherits' | 'owner'>

/** A run that goes on from another has the same memory, unless who asks has another. */
export const ownerOf = ({ owner }: RunRow): Pick<RunRow, 'owner'> => (owner === undefined ? {} : { owner })

/** The row of a run that was just asked for. */
export function newRow(
  id: string,
  create: RunCreate,
  createdAt: string,
  configHash: string,
  takeover: Takeover,
): RunRow {
  const { task, mode = 'execute', threadId, tags } = create
  return {
    id,
    status: 'queued',
    mode,
    task,
    ...(threadId !== undefined && { threadId }),
    recoveries: 0,
    version: 1,
    createdAt,
    lastSeq: 0,
    agents: [],
    usage: { inputTokens: 0, outputTokens: 0, estimated: false, modelCalls: 0 },
    costUsd: null,
    ...(tags !== undefined && { tags }),
    links: linksOf(id),
    format: 1,
    create,
    configHash,
    ...takeover,
  }
}

/**
 * What is written of a run that is asked for: its row, its first events, and under which key.
 *
 * @param position its place in the queue, 0 where it can start at once
 * @param asked as it was asked for
 */
export function toCreation(
  env: Environment,
  row: RunRow,
  { idempotencyKey, idempotencyScope = '', traceparent }: RunStartOptions,
  position: number,
  asked: RunCreate,
): Parameters<Store['create']> {
  const { clock, configHash, version } = env
  const { id: runId, threadId, mode, create } = row
  const { task, mode: _mode, threadId: _threadId, plan: _plan, onDisconnect: _onDisconnect, ...options } = create
  const envelope = { v: 1 as const, time: row.createdAt, runId, ...(threadId === undefined ? {} : { threadId }) }
  const logged = toLogged(options)
  const data: EventData['run.created'] = { task, mode, options: logged, configHash, versions: { svc: version } }
  const caller = readTraceparent(traceparent)
  if (caller !== undefined) data.traceparent = toTraceparent(caller)
  // Numbered here too: listeners are sent these objects, and a store may keep copies.
  const events: NewEvent[] = [{ ...envelope, seq: 1, type: 'run.created', data }]
  if (position > 0) events.push({ ...envelope, seq: 2, type: 'run.queued', data: { position } })
  if (idempotencyKey === undefined) return [row, events]
  const bodyHash = digest(JSON.stringify([asked, row.inherits ?? null]))
  return [row, events, { scope: idempotencyScope, key: idempotencyKey, bodyHash, expiresAt: clock() + KEY_MS }]
}
