import type { RunEvent } from '../contracts/event.ts'
import type { Lease } from '../contracts/journal.ts'
import type { Run, RunCreate } from '../contracts/run.ts'
import { isTerminal } from '../contracts/run.ts'
import type { Waiting } from './runs/approvals.ts'
import { linksOf } from './pipeline/result.ts'
import type { LiveRun } from './runs/session.ts'

/** A run that this process works on. */
export interface ActiveRun {
  run: Run
  create: RunCreate
  live: LiveRun
  lease: Lease
  controller: AbortController
  createdMs: number
  /** What it waits for, oldest first. */
  waitingFor: Waiting[]
  /** Starts it past the queue. */
  skipQueue?: () => void
  /** Its last event is logged: nothing changes any more. */
  hasEnded?: boolean
}

/** The run as it is listed now. */
export const snapshot = ({ run, live }: ActiveRun): Run =>
  isTerminal(run.status) ? run : { ...run, usage: live.account.total() }

/** A run that was just asked for. */
export function newRun(id: string, create: RunCreate, createdAt: string, parentRunId: string | undefined): Run {
  return {
    id,
    status: 'queued',
    mode: create.mode ?? 'execute',
    task: create.task,
    ...(create.threadId === undefined ? {} : { threadId: create.threadId }),
    ...(parentRunId === undefined ? {} : { parentRunId }),
    recoveries: 0,
    version: 1,
    createdAt,
    lastSeq: 0,
    agents: [],
    usage: { inputTokens: 0, outputTokens: 0, estimated: false, modelCalls: 0 },
    costUsd: null,
    ...(create.tags === undefined ? {} : { tags: create.tags }),
    links: linksOf(id),
  }
}

const AGENT_STATUS = {
  'agent.created': 'pending',
  'agent.started': 'running',
  'agent.completed': 'completed',
  'agent.failed': 'failed',
  'agent.cancelled': 'cancelled',
} as const

/** Keeps the listed run in step with its events. */
export function follow(run: Run, { seq, type, agentId, data }: RunEvent): void {
  if (seq !== undefined) run.lastSeq = Math.max(run.lastSeq, seq)
  if (type === 'plan.created') run.topology = (data as { topology: NonNullable<Run['topology']> }).topology
  if (!(type in AGENT_STATUS) || agentId === undefined) return
  const status = AGENT_STATUS[type as keyof typeof AGENT_STATUS]
  const known = run.agents.find(({ id }) => id === agentId)
  if (known !== undefined) known.status = status
  else run.agents.push({ id: agentId, name: typeof data.name === 'string' ? data.name : agentId, status })
}
