import { ConflictError, type ContentPart, isTerminal, type Run, ValidationError } from '@svc/core'
import { assertMay } from '../../../keys/caller.ts'
import { askerOf } from '../../../keys/runtime-of.ts'
import type { RouteRequest } from '../../../routes/route.ts'
import { answerInput, decide, toDecision } from '../../shared/answer-asked.ts'
import { type BegunRun, beginRun, resumeFor } from '../../shared/begin-run.ts'
import { type ClientMessage, type Conversation, inWords, readConversation } from '../../shared/conversation.ts'
import { refuse } from '../../shared/fields.ts'
import { KEPT } from '../asked/options.ts'
import type { Kept, ResponseAsked } from './body.ts'
import { callsOf } from './calls-of.ts'
import { type FoundResponse, findResponse } from './find-response.ts'
import { inConversation, threadAfter } from './thread-after.ts'

const PREVIOUS = '/previous_response_id'

/** Begins what a request for a response asks for: a new run, or one that goes on. */
export async function beginResponse(request: RouteRequest, asked: ResponseAsked): Promise<BegunRun> {
  const { previous, approvals } = asked
  const found = previous === undefined ? undefined : await findResponse(request, previous, PREVIOUS)
  if (approvals.length > 0) return answerApprovals(request, asked)
  const conversation = await toConversation(request, asked, found)
  const resumed = await resumeFor(request, conversation)
  if (resumed !== undefined) return resumed
  const deltas = asked.isStream && !asked.isJson
  const options = { ...asked.options, ...keptOf(asked, found) }
  if (found === undefined) return beginRun(request, conversation, options, deltas)
  const { run } = found
  if (run.waiting?.input !== undefined) return answerQuestion(request, run, asked.messages)
  assertAnswered(run, asked)
  return inConversation(run, async () => {
    const threadId = await threadAfter(request.context.runtime, run)
    return beginRun(request, conversation, { ...options, ...contextOf(conversation), threadId }, deltas)
  })
}

/**
 * What goes on from a response with results alone is sent the calls too, and what its user asked for: where its run waits for them
 * no more, a new one has to know.
 */
async function toConversation(
  { context }: RouteRequest,
  { messages, instructions, tools }: ResponseAsked,
  found: FoundResponse | undefined,
): Promise<Conversation> {
  const sent = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? (message.calls ?? []) : [])).map(({ id }) => id),
  )
  const left = [...answeredIn(messages)].filter((id) => !sent.has(id))
  const known = found === undefined || left.length === 0 ? undefined : await callsOf(context.runtime, found.run)
  const calls = left.flatMap((id) => {
    const call = known?.get(id)
    return call === undefined ? [] : [{ id, name: call.tool, args: call.args }]
  })
  const isAsked = messages.some(({ role }) => role === 'user')
  const all: ClientMessage[] = [
    ...(instructions === undefined ? [] : [{ role: 'system' as const, text: instructions }]),
    ...(found?.kept.system === undefined ? [] : [{ role: 'system' as const, text: found.kept.system }]),
    ...(found === undefined || isAsked ? [] : [{ role: 'user' as const, text: found.run.task }]),
    ...(calls.length > 0 ? [{ role: 'assistant' as const, text: '', calls }] : []),
    ...messages,
  ]
  return readConversation(all, tools, 'input')
}

/** Ids of calls of which messages say what they have come to. */
const answeredIn = (messages: readonly ClientMessage[]): ReadonlySet<string> =>
  new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])))

/** What is kept of a response that is stored. */
function keptOf(
  { isStored, isBackground, forced, messages, options }: ResponseAsked,
  found: FoundResponse | undefined,
): Pick<ResponseAsked['options'], 'metadata'> {
  if (!isStored) return {}
  const said = messages.flatMap((message) => (message.role === 'system' ? [message.text] : []))
  const system = [found?.kept.system ?? '', ...said].filter((text) => text !== '').join('\n\n')
  const kept: Kept = {
    ...(found && { previous: found.id }),
    ...(isBackground && { isBackground }),
    ...(forced[0] !== undefined && { forced: forced[0] }),
    ...(system !== '' && { system }),
  }
  return { metadata: { ...options.metadata, [KEPT]: kept } }
}

/** A thread says what was said before: what the request says beside that comes as material. */
function contextOf({ turns, called, media }: Conversation): { context?: ContentPart[] } {
  const words = [...turns.flatMap(inWords), ...called]
  const text =
    words.length === 0
      ? []
      : [{ type: 'text' as const, text: `Said and called for this already:\n${words.join('\n')}` }]
  const context = [...media, ...text]
  return context.length === 0 ? {} : { context }
}

/** @throws ValidationError where the response before it waits for something that the request does not bring */
function assertAnswered({ id, status, waiting }: Run, { messages }: ResponseAsked): void {
  const answered = answeredIn(messages)
  const open = waiting?.calls?.find((call) => !answered.has(call.id))
  if (open !== undefined)
    refuse('/input', `must have the function_call_output of ${open.id}, which the response waits for`)
  const [approval] = waiting?.approvals ?? []
  if (approval !== undefined)
    refuse('/input', `must have the mcp_approval_response to ${approval.id}, which the response waits for`)
  if (status !== 'waiting' && !isTerminal(status))
    throw new ConflictError('run_not_finished', `the response before it has not ended: wait for run ${id}`)
}

/** The answer to a question of an agent: what the user says next. @throws PolicyError for a key that may not decide */
async function answerQuestion(request: RouteRequest, run: Run, messages: readonly ClientMessage[]): Promise<BegunRun> {
  const input = messages.findLast((message) => message.role === 'user')?.text
  if (input === undefined) return refuse('/input', 'must have a message of the user, who was asked something')
  return answerInput(request, run, input)
}

/** @throws PolicyError for a key that may not approve */
async function answerApprovals(
  request: RouteRequest,
  { approvals: answers, ...asked }: ResponseAsked,
): Promise<BegunRun> {
  const { approvals, runs } = request.context.runtime
  assertMay(request.caller, 'approve', 'answering an approval')
  const asks = await Promise.all(answers.map(({ id }) => approvals.get(id)))
  const [runId = ''] = asks.map((approval) => approval.runId)
  if (asks.some((approval) => approval.runId !== runId))
    throw new ValidationError('validation_failed', 'input: answers approvals of several runs', {
      errors: [{ path: '/input', message: 'must answer approvals of one response' }],
    })
  const before = await runs.get(runId)
  await decide(
    request,
    answers.map(({ id, isApproved, note }) => ({ id, decision: toDecision({ approved: isApproved, note }) })),
  )
  const results = asked.messages.flatMap((message) =>
    message.role === 'tool' ? [{ id: message.callId, content: message.content }] : [],
  )
  if (results.length > 0) await runs.resume(runId, { results }, askerOf(request))
  return { run: await runs.get(runId), after: before.lastSeq, headers: {} }
}
