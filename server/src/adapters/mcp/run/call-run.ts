import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { ConflictError, isTerminal, type Run, type RunCreate, SvcError } from '@svc/core'
import { type Asked, askLater, askNow, takeAnswers } from '../ask/ask-person.ts'
import { questionsOf } from '../ask/questions.ts'
import { asks, type Call } from '../call.ts'
import type { McpHost } from '../host.ts'
import { follow } from './follow.ts'
import { describeProgress } from './progress.ts'
import { toResult } from './result.ts'
import type { RunInput } from './tools.ts'

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
export async function callStatus(
  runId: string,
  waitMs: number,
  call: Call,
): Promise<CallToolResult | InputRequiredResult> {
  return settle(await call.host.runtime.runs.get(runId), call, false, waitMs)
}

/** A conversation with this name, which may be new. */
async function threadOf(id: string, { runtime, asker }: McpHost): Promise<string> {
  try {
    const { owner } = await runtime.threads.get(id)
    // Who may see the conversations of others does not go on with one of them because it has the same name.
    if (owner !== undefined && owner !== asker.owner)
      throw new ConflictError('thread_exists', `threadId: "${id}" is the name of a conversation of another key`)
    return id
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
async function settle(
  run: Run,
  call: Call,
  isOwn: boolean,
  waitMs?: number,
): Promise<CallToolResult | InputRequiredResult> {
  const { host, context, isModern } = call
  const { signal } = context.mcpReq
  host.unanswered.release(run.id)
  const cancel = (): void => host.cancel(run.id)
  const detach = isOwn ? host.attach(run) : () => {}
  const isEnding = isOwn && host.endsWithSignal
  if (isEnding) signal.addEventListener('abort', cancel)
  if (isEnding && signal.aborted) cancel()
  try {
    const asked: Asked = { answered: new Set(), refused: new Map() }
    if (isModern) await takeAnswers(run, call, asked)
    const options = {
      signal: waitMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(waitMs)]),
      onEvent: progressOf(context),
      asks: asks(call),
      answered: asked.answered,
    }
    let now = run
    for (let tries = 1; ; tries++) {
      now = waitMs === 0 ? await host.runtime.runs.get(run.id) : await follow(host.runtime, now, options)
      const open = asks(call) && !isTerminal(now.status) ? questionsOf(now, asked.answered) : []
      if (open.length === 0 || signal.aborted) return toResult(now, isOwn)
      if (isModern) {
        if (isOwn) host.unanswered.hold(run.id, () => void cancelLeft(now, host))
        return askLater(now, open, asked, isOwn)
      }
      const asking = now
      await Promise.all(open.map((question) => askNow(asking, question, call, asked, tries)))
    }
  } finally {
    detach()
    signal.removeEventListener('abort', cancel)
  }
}

/** Ends a run that has not moved since its person was asked: who goes on with it may do so through another process. */
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
