import { ConflictError, isTerminal, NotFoundError, type Run, SvcError } from '@svc/core'
import type { RouteRequest } from '../../routes/route.ts'
import { readId } from '../shared/ids.ts'
import type { MessagesBody } from './schemas.ts'

/** What a conversation that svc holds was begun with, and its client does not send again. */
export type HeldSettings = Pick<MessagesBody, 'system' | 'tools'>

/** A conversation that svc holds. */
export interface HeldThread extends HeldSettings {
  threadId: string
}

/** Begins to hold a conversation. */
export async function holdThread({ context }: RouteRequest, { system, tools }: HeldSettings): Promise<string> {
  const { id } = await context.runtime.threads.create({ metadata: { anthropic: { system, tools } } })
  return id
}

/**
 * The conversation that a client goes on with.
 *
 * @param messageId of the answer that it goes on from
 * @throws NotFoundError `thread_not_found` where none is held; ConflictError `version_conflict` where it has gone on since
 */
export async function findThread(request: RouteRequest, messageId: string): Promise<HeldThread> {
  const { runs } = request.context.runtime
  const { id, threadId, status } = await runOf(request, messageId)
  if (threadId === undefined) throw unheld(messageId)
  // The next run of a conversation begins when this one has ended: it waits for results that do not come.
  if (!isTerminal(status)) await runs.cancel(id, 'the conversation has gone on without it', request.caller.name)
  const [newest] = (await runs.list({ threadId, limit: 1 })).data
  if (newest?.id !== id)
    throw new ConflictError('version_conflict', `the conversation has gone on since ${messageId}: send the whole of it`)
  const held = await orUnheld(heldOf(request.context, threadId), messageId)
  if (held === undefined) throw unheld(messageId)
  return { threadId, ...held }
}

/** What the conversation of a thread was begun with; undefined: another client made it. @throws NotFoundError `thread_not_found` */
export async function heldOf(
  { runtime }: RouteRequest['context'],
  threadId: string,
): Promise<HeldSettings | undefined> {
  return (await runtime.threads.get(threadId)).metadata.anthropic as HeldSettings | undefined
}

/** The run that gave an answer. @throws NotFoundError `thread_not_found` */
export async function runOf({ context }: RouteRequest, messageId: string): Promise<Run> {
  const known = readId(messageId, 'msg')
  if (known === undefined) throw unheld(messageId)
  return orUnheld(context.runtime.runs.get(known.runId), messageId)
}

export const unheld = (messageId: string): SvcError =>
  new NotFoundError('thread_not_found', `no conversation is held for ${messageId.slice(0, 100)}: send the whole of it`)

async function orUnheld<Found>(found: Promise<Found>, messageId: string): Promise<Found> {
  try {
    return await found
  } catch (thrown) {
    if (SvcError.isInstance(thrown) && (thrown.code === 'run_not_found' || thrown.code === 'thread_not_found'))
      throw unheld(messageId)
    throw thrown
  }
}
