import { type Decision, fits, type Run, type SvcError, ValidationError } from '@svc/core'
import * as Type from 'typebox'
import { askerOf } from '../../keys/runtime-of.ts'
import type { RouteRequest } from '../../routes/route.ts'
import { answerInput, atWork, decide, toDecision } from '../shared/answer-asked.ts'
import { type BegunRun, beginRun } from '../shared/begin-run.ts'
import { toResult } from '../shared/conversation.ts'
import { type ResumeEntry, type RunAgentInput, toConversation, toMessages } from './input.ts'
import { findPending, type Pending, tagOf } from './pending.ts'

/** A request that does not fit what its thread waits for: the protocol answers it in the stream. */
export class ThreadError extends Error {
  readonly code: 'interrupts_pending' | 'interrupt_unknown' | 'payload_invalid'

  constructor(code: ThreadError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** The run that answers a request: a new one, or the one that waits for what the request brings. */
export async function begin(request: RouteRequest, input: RunAgentInput): Promise<BegunRun> {
  const { threadId, resume = [] } = input
  const pending = await findPending(request, threadId)
  if (resume.length > 0) return goOn(request, input, resume, pending)
  if (pending !== undefined)
    throw new ThreadError('interrupts_pending', `the thread waits for answers: ${asksFor(pending)}`)
  const options = { approval: 'wait' as const, tags: [tagOf(threadId)] }
  return beginRun(request, toConversation(input), options, true)
}

const asksFor = ({ interrupts }: Pick<Pending, 'interrupts'>): string =>
  `resume must answer ${interrupts.map(({ id, message }) => `${id} (${message.slice(0, 100)})`).join(', ')}`

/** Hands a run what it waits for. */
async function goOn(
  request: RouteRequest,
  { messages }: RunAgentInput,
  resume: readonly ResumeEntry[],
  pending: Pending | undefined,
): Promise<BegunRun> {
  const answers = new Map(resume.map((entry) => [entry.interruptId, entry]))
  const open = pending?.interrupts ?? []
  const stale = [...answers.keys()].filter((id) => !open.some((interrupt) => interrupt.id === id))
  if (pending === undefined || stale.length > 0)
    throw new ThreadError(
      'interrupt_unknown',
      `the thread does not wait for ${stale.join(', ')}: it was answered, has expired, or is of another thread`,
    )
  const missing = open.filter(({ id }) => !answers.has(id))
  if (missing.length > 0)
    throw new ThreadError('interrupts_pending', `not all is answered: ${asksFor({ interrupts: missing })}`)
  const { run } = pending
  const decisions = (run.waiting?.approvals ?? []).map(({ id }) => ({ id, decision: decisionOf(answers.get(id)) }))
  const { runtime } = request.context
  const results = toResults(messages, run)
  const question = run.waiting?.input && open.find(({ reason }) => reason === 'input_required')
  if (question !== undefined) await answer(request, run, answers.get(question.id))
  await decide(request, decisions)
  if (results.length > 0) await runtime.runs.resume(run.id, { results }, askerOf(request))
  return atWork(run)
}

const Payload = Type.Object({
  approved: Type.Boolean(),
  editedArgs: Type.Optional(Type.Object({})),
  note: Type.Optional(Type.String()),
})

function decisionOf(entry: ResumeEntry | undefined): Decision {
  if (entry?.status !== 'resolved') return { decision: 'deny', note: 'cancelled' }
  const { payload, interruptId } = entry
  if (!fits(Payload, payload))
    throw new ThreadError('payload_invalid', `the payload of ${interruptId} must be such as {"approved": true}`)
  const { approved, editedArgs: args, note } = payload
  return toDecision({ approved, args, note })
}

/** Hands a question its answer; null says that nobody knows. */
async function answer(request: RouteRequest, run: Run, entry: ResumeEntry | undefined): Promise<void> {
  try {
    await answerInput(request, run, entry?.status === 'resolved' ? (entry.payload ?? null) : null)
  } catch (thrown) {
    if (thrown instanceof ValidationError) throw new ThreadError('payload_invalid', (thrown as SvcError).message)
    throw thrown
  }
}

/** Results of calls of the page that the run waits for beside its questions. */
function toResults(messages: RunAgentInput['messages'], { waiting }: Run) {
  const open = new Set((waiting?.calls ?? []).map(({ id }) => id))
  return toMessages(messages).flatMap((message) =>
    message.role === 'tool' && open.has(message.callId) ? [toResult(message)] : [],
  )
}
