import type { CallToolResult, ElicitResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { isTerminal, type Run, type RunCreate, SvcError } from '@svc/core'
import { follow, watchClosed } from './follow.ts'
import type { McpHost } from './host.ts'
import { describeProgress } from './progress.ts'
import { type Answer, answerQuestion, type Question, questionsOf } from './questions.ts'
import { toResult } from './result.ts'
import type { RunInput } from './tools.ts'

/** One call of a tool. */
export interface Call {
  host: McpHost
  context: ServerContext
  /** Whether the person at the client is asked by what is answered, as from 2026-07-28 on; else by a request while the call is open. */
  isModern: boolean
  /** Whether the client can ask its person. */
  canAsk: boolean
}

/** As long as a call of a client's tool waits. */
const ANSWER_MS = 3_600_000
/** How often the same is asked of who answers what cannot be taken. */
const MOST_TRIES = 5

/** `run`: makes a run and follows it, or goes on with the one whose question this request answers. */
export async function callRun(args: RunInput, call: Call): Promise<CallToolResult | InputRequiredResult> {
  const { host, context } = call
  const state = context.mcpReq.requestState()
  if (typeof state === 'string') return settle(await host.runtime.runs.get(state), call, true)
  const { threadId, maxCostUsd, approval = asks(call) ? 'wait' : 'deny', background = false, ...rest } = args
  const create: RunCreate = {
    ...rest,
    approval,
    onDisconnect: background ? 'continue' : 'cancel',
    ...(maxCostUsd !== undefined && { budget: { maxCostUsd } }),
    ...(threadId !== undefined && { threadId: await threadOf(threadId, host) }),
  }
  const run = await host.create(create, traceOf(context))
  return background ? toResult(run, true) : settle(run, call, true)
}

/** `run_status`: shows a run, once it has ended or after some time. A question of it is asked. */
export async function callStatus(runId: string, waitMs: number, call: Call): Promise<CallToolResult | InputRequiredResult> {
  return settle(await call.host.runtime.runs.get(runId), call, false, waitMs)
}

/** Whether what a run asks is asked of the person at the client. */
const asks = ({ host, canAsk }: Call): boolean => canAsk && host.mayDecide

/** A conversation with this name, which may be new. */
async function threadOf(id: string, { runtime }: McpHost): Promise<string> {
  try {
    return (await runtime.threads.get(id)).id
  } catch (thrown) {
    if (!SvcError.isInstance(thrown) || thrown.code !== 'thread_not_found') throw thrown
    return (await runtime.threads.create({ id })).id
  }
}

function traceOf({ mcpReq }: ServerContext): string | undefined {
  const { traceparent } = (mcpReq._meta ?? {}) as { traceparent?: unknown }
  return typeof traceparent === 'string' ? traceparent : undefined
}

/**
 * Follows a run until it can be answered: it has ended, its time is up, or its person is to be asked.
 *
 * @param isOwn whether the run ends when the client cancels the call or leaves
 * @param waitMs how long it is followed; default until it ends
 */
async function settle(run: Run, call: Call, isOwn: boolean, waitMs?: number): Promise<CallToolResult | InputRequiredResult> {
  const { host, context, isModern } = call
  const { signal } = context.mcpReq
  host.unanswered.release(run.id)
  const cancel = (): void => host.cancel(run.id)
  const detach = isOwn ? host.attach(run) : () => {}
  const isEnding = isOwn && host.endsWithSignal
  if (isEnding) signal.addEventListener('abort', cancel)
  if (isEnding && signal.aborted) cancel()
  try {
    const answered = new Set<string>()
    const refused = new Map<string, string>()
    if (isModern) await takeAnswers(run, call, answered, refused)
    const options = {
      signal: waitMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(waitMs)]),
      onEvent: progressOf(context),
      asks: asks(call),
      answered,
    }
    let now = run
    for (let tries = 1; ; tries++) {
      now = waitMs === 0 ? now : await follow(host.runtime, now, options)
      const open = asks(call) && !isTerminal(now.status) ? questionsOf(now, answered) : []
      if (open.length === 0 || signal.aborted) return toResult(now, isOwn)
      if (isModern) {
        if (isOwn) host.unanswered.hold(run.id, () => void cancelLeft(now, host))
        return askLater(now, open, refused, isOwn)
      }
      const asked = now
      await Promise.all(open.map((question) => askNow(asked, question, call, answered, refused, tries)))
    }
  } finally {
    detach()
    signal.removeEventListener('abort', cancel)
  }
}

/** Ends a run that has not moved since its person was asked: whoever goes on with it may do so through another process. */
async function cancelLeft({ id, lastSeq }: Run, host: McpHost): Promise<void> {
  const now = await host.runtime.runs.get(id).catch(() => undefined) // it is gone
  if (now?.status === 'waiting' && now.lastSeq === lastSeq) host.cancel(id)
}

/** Sends each event that says something to people, where the client asks for that. */
function progressOf({ mcpReq }: ServerContext): Parameters<typeof follow>[2]['onEvent'] {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => {}
  let progress = 0
  return (event) => {
    const message = describeProgress(event)
    if (message === undefined) return
    progress += 1
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {}) // nobody reads any more
  }
}

const paramsOf = ({ message, form, key }: Question, refused: ReadonlyMap<string, string>) => {
  const why = refused.get(key)
  return {
    mode: 'form' as const,
    message: why === undefined ? message : `This cannot be taken: ${why}\n\n${message}`,
    requestedSchema: { type: 'object' as const, properties: form.fields, required: form.required },
  }
}

/** The result that asks the person; their answers come with the next request. */
function askLater(run: Run, open: readonly Question[], refused: ReadonlyMap<string, string>, isOwn: boolean): InputRequiredResult {
  const requests = open.map((question) => [question.key, { method: 'elicitation/create', params: paramsOf(question, refused) }])
  return {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(requests),
    ...(isOwn && { requestState: run.id }),
  } as InputRequiredResult
}

/** Hands on what the request brings of answers. */
async function takeAnswers(run: Run, { host, context, ...call }: Call, answered: Set<string>, refused: Map<string, string>): Promise<void> {
  const { inputResponses = {} } = context.mcpReq
  if (!asks({ host, context, ...call })) return
  for (const question of questionsOf(run, answered)) {
    const answer = toAnswer(inputResponses[question.key])
    if (answer === undefined) continue
    const why = await answerQuestion(host, run, question, answer)
    if (why === undefined) answered.add(question.key)
    else refused.set(question.key, why)
  }
}

function toAnswer(response: unknown): Answer | undefined {
  const { action, content } = (response ?? {}) as Partial<ElicitResult>
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return undefined
  return { action, ...(typeof content === 'object' && content !== null && { content }) }
}

/** Asks the person while the call is open. Whoever cannot be asked has not said yes. */
async function askNow(
  run: Run,
  question: Question,
  { host, context }: Call,
  answered: Set<string>,
  refused: Map<string, string>,
  tries: number,
): Promise<void> {
  const closed = new AbortController()
  const over = new AbortController()
  watchClosed(host.runtime, run, question.key, over.signal, () => closed.abort()).catch(() => {}) // the run is gone
  const signal = AbortSignal.any([context.mcpReq.signal, closed.signal])
  let answer: Answer = { action: 'cancel' }
  try {
    const request = { method: 'elicitation/create' as const, params: paramsOf(question, refused) }
    const said = await context.mcpReq.send(request as never, { timeout: ANSWER_MS, signal })
    answer = toAnswer(said) ?? answer
  } catch {
    // The client cannot ask, did not answer in time, or has gone; or somebody else has answered.
  } finally {
    over.abort()
  }
  answered.add(question.key)
  if (signal.aborted) return
  const why = await answerQuestion(host, run, question, answer)
  if (why === undefined) return
  if (tries >= MOST_TRIES) await answerQuestion(host, run, question, { action: 'decline' })
  else {
    refused.set(question.key, why)
    answered.delete(question.key)
  }
}
