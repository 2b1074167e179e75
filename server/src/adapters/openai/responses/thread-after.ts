import type { Run, Runtime } from '@svc/core'

const TITLE_CHARS = 80
/** Work on one conversation goes in turn, so that two requests do not both become what follows the same response. */
const tails = new Map<string, Promise<unknown>>()

/** Does work on the conversation that a run is part of, after what was asked for before. */
export async function inConversation<Result>({ id, threadId = id }: Run, work: () => Promise<Result>): Promise<Result> {
  const before = tails.get(threadId) ?? Promise.resolve()
  const mine = before.then(work, work)
  tails.set(threadId, mine)
  try {
    return await mine
  } finally {
    if (tails.get(threadId) === mine) tails.delete(threadId)
  }
}

/**
 * The thread in which a conversation goes on after a run: that of the run, where it is the last one there; else a copy of what
 * was said up to it.
 *
 * @returns its id
 */
export async function threadAfter({ runs, threads }: Runtime, { id, task, threadId, createdAt }: Run): Promise<string> {
  if (threadId === undefined) {
    const title = task.slice(0, TITLE_CHARS)
    return (await threads.create({ title, metadata: { beganWith: id } })).id
  }
  const later = await runs.list({ threadId, createdAfter: createdAt, order: 'asc', limit: 100 })
  const next = later.data.find((run) => run.id > id)
  return next === undefined ? threadId : (await threads.copy(threadId, { before: next.id })).id
}
