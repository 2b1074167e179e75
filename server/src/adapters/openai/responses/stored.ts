import {
  type Approval,
  type ClientCall,
  type ExecutionResult,
  isTerminal,
  RunView,
  SvcError,
  type UsageTotal,
} from '@svc/core'
import { SaidText } from '@svc/core/text'
import type { RouteRequest } from '../../../routes/route.ts'
import { eventsSoFar } from '../../../runs/events-so-far.ts'
import { MODEL } from '../../shared/begin-once.ts'
import { type Followed, toOutcome, usageSince } from '../../shared/outcome.ts'
import { KEPT } from '../asked/options.ts'
import type { FoundResponse } from './find-response.ts'
import { type Echo, type State, toEcho, toResponse, toState } from './response.ts'

/** What a stored response has come to by now, in OpenAI's shape. */
export async function readStored({ context }: RouteRequest, found: FoundResponse): Promise<object> {
  const { id, run } = found
  return toResponse(id, run.createdAt, echoOf(found), await stateOf(context, found))
}

async function stateOf(context: RouteRequest['context'], found: FoundResponse): Promise<State> {
  const { id, run, options, kept } = found
  const { followed, usage } = await replay(context, found)
  const facts = { run_id: run.id, status: run.status }
  if (followed === undefined) return { status: run.status === 'queued' ? 'queued' : 'in_progress', output: [], facts }
  try {
    const forced = kept.forced === undefined ? [] : [kept.forced]
    const shape = { forced, isJson: options.outputSchema !== undefined, asksApproval: true }
    const outcome = toOutcome(run.id, followed, shape)
    return toState(id, { ...outcome, text: outcome.text + outcome.note, usage })
  } catch (thrown) {
    if (!SvcError.isInstance(thrown)) throw thrown
    const { code, message } = thrown
    const status = code === 'cancelled' ? 'cancelled' : 'failed'
    return { status, output: [], usage, facts, error: { code, message } }
  }
}

/** Goes over what happened from the beginning of a response to its end, which is the end of its run or what it waited for. */
async function replay(
  { runtime }: RouteRequest['context'],
  { run, after }: FoundResponse,
): Promise<{ followed?: Followed; usage: UsageTotal }> {
  const view = new RunView()
  const answer = new SaidText({ onText: () => {}, onBreak: () => {} })
  const calls = new Map<string, ClientCall>()
  const approvals = new Map<string, Approval>()
  let before: UsageTotal | undefined
  let isAnswered = false
  for await (const event of eventsSoFar(runtime, run)) {
    const asked = calls.size + approvals.size > 0
    if (event.seq !== undefined && event.seq > after) {
      if (asked && event.type === 'run.resumed') {
        isAnswered = true
        break
      }
      before ??= after === 0 ? undefined : { ...view.usage }
      answer.apply(event)
      if (event.type === 'run.waiting') for (const call of event.data.calls ?? []) calls.set(call.id, call)
      if (event.type === 'approval.requested') approvals.set(event.data.id, event.data)
    }
    view.apply(event)
  }
  const usage = usageSince(view.usage, before)
  if (!isAnswered && isTerminal(run.status)) {
    const status = run.status as ExecutionResult['status']
    const result = run.result as ExecutionResult | undefined
    const ended =
      result ?? ({ usage, toolCalls: { denied: 0 }, error: run.error, summary: '' } as unknown as ExecutionResult)
    return { followed: { stop: { kind: 'ended', status, result: ended }, text: answer.text }, usage }
  }
  if (!isAnswered && run.status !== 'waiting') return { usage }
  const waiting = isAnswered ? { calls: [...calls.values()], approvals: [...approvals.values()] } : (run.waiting ?? {})
  const waits = { ...run, status: 'waiting' as const, waiting }
  return { followed: { stop: { kind: 'waits', run: waits }, text: answer.text }, usage }
}

function echoOf({ options, kept, after }: FoundResponse): Echo {
  const { model = MODEL, instructions, maxOutputTokens, temperature, effort, outputSchema } = options
  const { [KEPT]: _, user, ...metadata } = options.metadata ?? {}
  return toEcho(model, {
    background: kept.isBackground,
    instructions,
    max_output_tokens: maxOutputTokens,
    metadata,
    previous_response_id: after === 0 ? kept.previous : undefined,
    temperature,
    user,
    ...(effort && { reasoning: { effort } }),
    ...(outputSchema &&
      kept.forced === undefined && {
        text: { format: { type: 'json_schema', name: 'answer', schema: outputSchema } },
      }),
  })
}
