import { createHash } from 'node:crypto'
import { isTerminal, parse, type Run, SvcError } from '@svc/core'
import { ThreadId } from '@svc/core/schema'
import { idempotencyKeyOf, scopeOf } from '../../http/request/idempotency.ts'
import { assertTakesNewWork } from '../../readiness.ts'
import type { RouteRequest } from '../../routes/route.ts'
import { startRun } from '../../runs/start-run.ts'
import { answerInput, atWork, decide } from '../shared/answer-asked.ts'
import { decisionsIn } from './decisions.ts'
import { badField, refusal, refusePush } from './errors.ts'
import { findRun } from './find-run.ts'
import { type SendRequest, type SentMessage, textOf, toTask } from './message.ts'
import { contextOf } from './task.ts'

/** A task that a message began, or goes on with. */
export interface Begun {
  run: Run
  /** Number of the last event before the message. */
  after: number
  /** Whether it still waits: the message answered some of what it asks. */
  isWaiting?: boolean
  /** Of the message that began it; absent: it was begun before. */
  messageId?: string
  headers: Record<string, string>
}

/** Takes a message: it begins a task, or answers what one asks. @param deltas whether pieces of the answer are read */
export async function begin(request: RouteRequest, asked: SendRequest, deltas: boolean): Promise<Begun> {
  const { message, configuration } = asked
  assertTakesNewWork(request.context)
  if (configuration?.taskPushNotificationConfig != null) return refusePush()
  return message.taskId ? answer(request, message, message.taskId) : beginTask(request, message, deltas)
}

async function beginTask(request: RouteRequest, message: SentMessage, deltas: boolean): Promise<Begun> {
  const { task, context } = toTask(message)
  const { id: threadId, isNew } = await findContext(request, message.contextId)
  const metadata = { [MESSAGE_ID]: message.messageId }
  try {
    const create = { task, ...(context.length > 0 && { context }), threadId, approval: 'wait' as const, metadata }
    return { ...(await startRun(request, create, { deltas })), after: 0, messageId: message.messageId }
  } catch (thrown) {
    // Nobody knows the conversation that was made for it.
    if (isNew) await request.context.runtime.threads.delete(threadId).catch(() => {})
    throw thrown
  }
}

/** Under which the run of a task keeps the id of its message. */
export const MESSAGE_ID = 'a2aMessageId'

/** The conversation of a message: one that there is, or a new one. */
async function findContext(request: RouteRequest, asked = ''): Promise<{ id: string; isNew: boolean }> {
  const { threads, runs } = request.context.runtime
  const key = idempotencyKeyOf(request)
  // The same request belongs to the same conversation.
  const id = asked !== '' ? asked : key === undefined ? undefined : `ctx-${digestOf(`${scopeOf(request)} ${key}`)}`
  if (id === undefined) return { id: (await threads.create()).id, isNew: true }
  parse(ThreadId, id, 'message.contextId')
  const isThere = (): Promise<boolean> =>
    threads.get(id).then(({ owner }) => {
      // Who may see the conversations of others does not go on with one of them because it has the same name.
      if (owner !== undefined && owner !== request.owner) throw taken()
      return true
    }, isNot('thread_not_found'))
  if (!(await isThere())) {
    const isNew = await threads.create({ id }).then(() => true, isNot('thread_exists'))
    if (!isNew && !(await isThere())) throw taken()
    return { id, isNew }
  }
  const [waiting] = asked === '' ? [] : (await runs.list({ threadId: id, status: 'waiting', limit: 1 })).data
  if (waiting === undefined) return { id, isNew: false }
  const message = `task ${waiting.id} of this context waits for an answer: send it with its taskId, or cancel the task`
  throw refusal('UNSUPPORTED_OPERATION', message)
}

const taken = (): SvcError => badField('message.contextId', 'is taken: send none, and one is made')

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

const isNot =
  (code: string) =>
  (thrown: unknown): false => {
    if (SvcError.isInstance(thrown) && thrown.code === code) return false
    throw thrown
  }

/** Hands a task what it waits for. */
async function answer(request: RouteRequest, message: SentMessage, taskId: string): Promise<Begun> {
  const run = await findRun(request, taskId)
  if (message.contextId && message.contextId !== contextOf(run))
    throw badField('message.contextId', `is not that of task ${taskId}, which is ${contextOf(run)}`)
  const { approvals: open = [], input } = run.waiting ?? {}
  if (input !== undefined) return answerInput(request, run, inputIn(message))
  if (open.length === 0) throw takesNone(run)
  const decisions = decisionsIn(message, open)
  await decide(request, decisions)
  const left = open.filter(({ id }) => !decisions.some((decided) => decided.id === id))
  if (left.length === 0) return atWork(run)
  return { run: { ...run, waiting: { approvals: left } }, after: run.lastSeq, isWaiting: true, headers: {} }
}

const inputIn = (message: SentMessage): unknown =>
  message.parts.find(({ data }) => data !== undefined)?.data ?? textOf(message)

function takesNone(run: Run): SvcError {
  const why = isTerminal(run.status)
    ? `has ended: send the message with contextId ${contextOf(run)} and without taskId, which begins a new task`
    : run.waiting === undefined
      ? 'is at work and asks nothing: wait until it does, or cancel it'
      : 'waits for its own client, which it was not begun by'
  return refusal('UNSUPPORTED_OPERATION', `task ${run.id} ${why}`)
}
