import { isTerminal, type Run, type RunEvent } from '@svc/core'
import type { Answer } from '../../http/answer.ts'
import type { RouteRequest } from '../../routes/route.ts'
import { askedWith } from '../../runs/asked-with.ts'
import { eventsSoFar } from '../../runs/events-so-far.ts'
import { followRun } from '../shared/follow-answer.ts'
import { openStream, toFrame } from '../shared/open-stream.ts'
import { baseOf } from './base-of.ts'
import { type A2aProblem, refusal, toA2aProblem } from './errors.ts'
import { findRun } from './find-run.ts'
import type { SendRequest } from './message.ts'
import { type Begun, begin, MESSAGE_ID } from './send.ts'
import { contextOf, toTask } from './task.ts'
import { TaskUpdates } from './task-updates.ts'
import type { Message, StreamResponse, Task } from './wire.ts'

/** How long the answer to a cancellation waits for the end of the task. */
const CANCEL_MS = 5_000

/** How a binding frames what a stream says. */
export interface Framing {
  message(response: StreamResponse): unknown
  problem(problem: A2aProblem): string
}

/** `SendMessage`: answers once the task has ended or asks something, or at once. Who leaves before leaves the task at work. */
export async function send(
  request: RouteRequest,
  asked: SendRequest,
): Promise<{ result: { task: Task }; headers: Record<string, string> }> {
  const { historyLength, returnImmediately = false } = asked.configuration ?? {}
  const begun = await begin(request, asked, false)
  if (!returnImmediately && begun.isWaiting !== true) await followRun(request, begun.run, { after: begun.after })
  const run = begun.isWaiting === true ? begun.run : await request.context.runtime.runs.get(begun.run.id)
  return { result: { task: await show(request, run, historyLength, begun.messageId) }, headers: begun.headers }
}

/** `SendStreamingMessage`: the task first, then what becomes of it until it has ended or asks something. */
export async function sendStreaming(request: RouteRequest, asked: SendRequest, framing: Framing): Promise<Answer> {
  request.context.streams.assertRoom(request.holder)
  return streamTask(request, await begin(request, asked, true), framing)
}

/** `SubscribeToTask`: the same of a task that is at work, or that waits. */
export async function subscribe(request: RouteRequest, id: string, framing: Framing): Promise<Answer> {
  const run = await findRun(request, id)
  if (isTerminal(run.status)) throw refusal('UNSUPPORTED_OPERATION', `task ${id} has ended: get it instead`)
  request.context.streams.assertRoom(request.holder)
  return streamTask(request, { run, after: run.lastSeq, headers: {} }, framing)
}

async function streamTask(
  request: RouteRequest,
  { run, after, isWaiting, messageId, headers }: Begun,
  framing: Framing,
): Promise<Answer> {
  const first = await show(request, run, undefined, messageId)
  return {
    status: 200,
    headers,
    async write(response) {
      const stream = openStream(request)
      const sendOne = (one: StreamResponse): void => stream.send(toFrame(framing.message(one)))
      sendOne({ task: first })
      try {
        if (isWaiting !== true) await update(request, run, { after, sendOne, signal: stream.signal })
        stream.end()
      } catch (thrown) {
        if (stream.signal.aborted) return
        stream.send(framing.problem(toA2aProblem(thrown, response)))
        stream.end()
      }
    },
  }
}

async function update(
  request: RouteRequest,
  run: Run,
  { after, sendOne, signal }: { after: number; sendOne(one: StreamResponse): void; signal: AbortSignal },
): Promise<void> {
  const { runtime } = request.context
  const updates = new TaskUpdates(run, after > 0, sendOne)
  for await (const event of eventsSoFar(runtime, { ...run, lastSeq: after })) updates.recall(event)
  const onEvent = (event: RunEvent): void => updates.apply(event)
  // What it waited for before it was answered, or before somebody watches it, is no reason to stop.
  await followRun(request, { ...run, status: 'running' }, { after, deltas: true, onEvent, signal })
  updates.end(await runtime.runs.get(run.id), baseOf(request))
}

/** `GetTask`. */
export const getTask = async (request: RouteRequest, id: string, historyLength: number | undefined): Promise<Task> =>
  show(request, await findRun(request, id), historyLength)

/** `CancelTask`. */
export async function cancelTask(request: RouteRequest, id: string): Promise<Task> {
  const { runs } = request.context.runtime
  const run = await findRun(request, id)
  if (isTerminal(run.status)) throw refusal('TASK_NOT_CANCELABLE', `task ${id} has ended: it is ${run.status}`)
  const asked = await runs.cancel(id, undefined, request.caller.name)
  if (!isTerminal(asked.status)) {
    const signal = AbortSignal.timeout(CANCEL_MS)
    // What goes on for longer is shown at work.
    await followRun(request, { ...asked, status: 'running' }, { after: run.lastSeq, signal }).catch(() => {})
  }
  return show(request, await runs.get(id), undefined)
}

/** A task with its artifacts and, unless nobody asks for it, its history. @param messageId of the message that it began with; default: that of its log */
async function show(
  request: RouteRequest,
  run: Run,
  historyLength: number | undefined,
  messageId?: string,
): Promise<Task> {
  const history = historyLength === 0 ? [] : [await firstMessage(request, run, messageId)]
  return toTask(run, { base: baseOf(request), withArtifacts: true, history })
}

/** The message that a task began with, as far as it is text. */
export async function firstMessage({ context }: RouteRequest, run: Run, messageId?: string): Promise<Message> {
  const kept = messageId ?? (await askedWith(context.runtime, run))?.metadata?.[MESSAGE_ID]
  const id = typeof kept === 'string' ? kept : `${run.id}-0`
  return { messageId: id, taskId: run.id, contextId: contextOf(run), role: 'ROLE_USER', parts: [{ text: run.task }] }
}
