import type { EventData, NewEvent, RunEvent } from '../../../contracts/log/event.ts'
import type { AgentInput } from '../../../contracts/plugin/agent-profile.ts'
import type { RunCreate } from '../../../contracts/run/run.ts'
import type { Asker, RunStartOptions } from '../../../contracts/runtime/runtime.ts'
import type { RunRow, Store, TaintedSpan } from '../../../contracts/store/store.ts'
import { digest } from '../../../support/ids.ts'
import { taintedSpans } from '../../calls/policy/tainted-files.ts'
import type { Environment } from '../../environment.ts'
import { readTraceparent, toTraceparent } from '../../observe/trace-context.ts'
import { linksOf } from '../../pipeline/result.ts'
import { KEY_MS } from './keyed-work.ts'
import { optionsOf, toLogged } from './prepare-run.ts'

/** What a new run takes over from another. */
export type Takeover = Pick<
  RunRow,
  'parentRunId' | 'originRunId' | 'inherits' | 'owner' | 'tainted' | 'taintedSpan' | 'bounded' | 'limits'
>

/**
 * What a run that goes on from another is asked for, and takes over of it: its memory too, unless who asks has another. Of a run
 * that came in a file no permission, limit, thread or memory: who goes on from it has those of its own. Who may not loosen what
 * the config allows gets no permission and no limit of who may.
 *
 * @param events of the parent
 */
export function goOnFrom(
  parent: RunRow,
  events: readonly RunEvent[],
  nowMs: number,
  { onLoosened }: Asker,
): { create: RunCreate; takeover: Takeover } {
  const { id, create, owner, threadId, bounded = false, imported = false, tainted = imported } = parent
  const taintedSpan = hullOf([parent.taintedSpan ?? [], taintedSpans(events, nowMs)].flat())
  const takeover = {
    parentRunId: id,
    ...(bounded && { bounded }),
    ...(tainted && { tainted }),
    ...(taintedSpan && { taintedSpan }),
    ...(owner !== undefined && { owner }),
  }
  if (imported) return { create: withoutRights(create), takeover }
  if (onLoosened === undefined || bounded) return { create, takeover }
  return { create: { ...withoutRights(create), ...(threadId !== undefined && { threadId }) }, takeover }
}

/** From the beginning of the first to the end of the last; undefined where there is none. */
function hullOf(spans: readonly TaintedSpan[]): TaintedSpan | undefined {
  if (spans.length === 0) return undefined
  const times = spans.flatMap(({ from, to }) => [from, to])
  return { from: Math.min(...times), to: Math.max(...times) }
}

/** What a stranger's request asks for, without what only who makes it anew may give it. */
export function withoutRights({ approval, agents, ...request }: RunCreate): RunCreate {
  const { allowWrites: _, budget: _limits, tokenBudget: _soft, priority: _rank, threadId: _thread, ...rest } = request
  return {
    ...rest,
    // That people are asked permits nothing by itself.
    ...(approval !== undefined && approval !== 'allow-write' && { approval }),
    ...(agents && { agents: agents.map((agent) => (typeof agent === 'string' ? agent : withoutRightsOfAgent(agent))) }),
  }
}

function withoutRightsOfAgent({ budget: _, toolPolicy, ...agent }: AgentInput): AgentInput {
  if (toolPolicy === undefined) return agent
  const strict = Object.entries(toolPolicy).filter(([, decision]) => decision !== 'allow')
  return { ...agent, toolPolicy: Object.fromEntries(strict) }
}

/** The row of a run that came in a file, as it is kept here: it says nothing of a place, a memory, a process or another run. */
export function toImported(row: RunRow, space: string | undefined): RunRow {
  const {
    owner: _,
    parentRunId: _parent,
    originRunId: _origin,
    inherits: _inherits,
    startBy: _startBy,
    gotOn: _gotOn,
    parted: _parted,
    space: _space,
    left: _left,
    waiting: _waiting,
    unread: _unread,
    released: _released,
    by: _by,
    bounded: _bounded,
    ...kept
  } = row
  return { ...kept, links: linksOf(row.id), imported: true, ...(space !== undefined && { space }) }
}

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
  const { task } = create
  const options = optionsOf(create)
  const envelope = { v: 1 as const, time: row.createdAt, runId, ...(threadId === undefined ? {} : { threadId }) }
  const logged = toLogged(options)
  const data: EventData['run.created'] = { task, mode, options: logged, configHash, versions: { svc: version } }
  const caller = readTraceparent(traceparent)
  if (caller !== undefined) data.traceparent = toTraceparent(caller)
  if (row.by !== undefined) data.by = row.by
  // Numbered here too: listeners are sent these objects, and a store may keep copies.
  const events: NewEvent[] = [{ ...envelope, seq: 1, type: 'run.created', data }]
  if (position > 0) events.push({ ...envelope, seq: 2, type: 'run.queued', data: { position } })
  if (idempotencyKey === undefined) return [row, events]
  const bodyHash = digest(JSON.stringify([asked, row.inherits ?? null]))
  return [row, events, { scope: idempotencyScope, key: idempotencyKey, bodyHash, expiresAt: clock() + KEY_MS }]
}
