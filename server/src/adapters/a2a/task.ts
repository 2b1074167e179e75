import type { Approval, Run } from '@svc/core'
import { describeApproval } from '@svc/core/text'
import { factsOf, isExecuted, resultFacts } from '../shared/facts.ts'
import type { Artifact, Message, Part, Task, TaskState, TaskStatus } from './wire.ts'

const STATES: Record<Run['status'], TaskState> = {
  queued: 'TASK_STATE_SUBMITTED',
  running: 'TASK_STATE_WORKING',
  waiting: 'TASK_STATE_INPUT_REQUIRED',
  cancelling: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  // It has an answer, but not the one that was asked for.
  incomplete: 'TASK_STATE_FAILED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
}

/** Statuses of runs whose tasks are in a state; none: there are no such tasks. */
export const statusesOf = (state: string): Run['status'][] =>
  (Object.keys(STATES) as Run['status'][]).filter((status) => STATES[status] === state)

/** The conversation of a task. A run without one is a conversation of its own. */
export const contextOf = ({ id, threadId }: Run): string => threadId ?? id

/** The one artifact that every answer is. */
export const ANSWER = 'answer'

/** Where a task stands; of one that waits with a message that says what is asked. */
export function toStatus(run: Run): TaskStatus {
  const { status, finishedAt, startedAt, createdAt } = run
  const parts = partsOf(run)
  return {
    state: STATES[status],
    ...(parts.length > 0 && { message: fromAgent(run, parts) }),
    timestamp: finishedAt ?? startedAt ?? createdAt,
  }
}

const fromAgent = (run: Run, parts: readonly Part[]): Message => ({
  messageId: `${run.id}-${run.lastSeq}`,
  taskId: run.id,
  contextId: contextOf(run),
  role: 'ROLE_AGENT',
  parts,
})

function partsOf({ status, waiting, error, incomplete }: Run): Part[] {
  if (status === 'failed' && error !== undefined) return [{ text: error.message }]
  if (status === 'incomplete') return [{ text: `The answer is incomplete: ${incomplete?.reason ?? 'unknown'}` }]
  if (waiting === undefined) return []
  const { approvals = [], input, calls = [] } = waiting
  return [
    ...approvals.flatMap(askFor),
    ...(input === undefined ? [] : [{ text: input.prompt }, { data: { input } }]),
    ...(calls.length === 0 ? [] : [{ text: 'The task waits for calls of tools of the client that began it.' }]),
  ]
}

/** What a person reads, then the same for a program. */
function askFor(approval: Approval): Part[] {
  const { id, tool, args, risk, reason, taint, expiresAt } = approval
  const question = `${describeApproval(approval)}\n\nMay it be called? Answer yes or no.`
  const asked = { id, tool, args, risk, reason, taint, expiresAt, options: ['approve', 'deny', 'edit'] }
  return [{ text: question }, { data: { approval: asked } }]
}

/** The answer, and each file that the run wrote, by its address. */
export function toArtifacts({ id, result }: Run, base: string): Artifact[] {
  if (!isExecuted(result)) return []
  const { summary, output, artifacts } = result
  const parts = [...(summary === '' ? [] : [{ text: summary }]), ...(output === undefined ? [] : [{ data: output }])]
  return [
    ...(parts.length === 0 ? [] : [{ artifactId: ANSWER, name: ANSWER, parts, metadata: { ...resultFacts(result) } }]),
    ...artifacts.map(({ id: artifactId, name, mimeType }) => ({
      artifactId,
      name,
      parts: [{ url: `${base}/v1/runs/${id}/artifacts/${artifactId}`, filename: name, mediaType: mimeType }],
    })),
  ]
}

export interface TaskParts {
  /** Address of this server, for files. */
  base: string
  /** Default false. */
  withArtifacts?: boolean
  history?: readonly Message[]
}

/** A run as a task. */
export function toTask(run: Run, { base, withArtifacts = false, history = [] }: TaskParts): Task {
  const { usage, costUsd } = run
  return {
    id: run.id,
    contextId: contextOf(run),
    status: toStatus(run),
    ...(withArtifacts && { artifacts: toArtifacts(run, base) }),
    ...(history.length > 0 && { history }),
    metadata: { ...factsOf(run), usage, costUsd },
  }
}
