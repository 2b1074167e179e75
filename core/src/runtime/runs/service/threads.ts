import type { Page } from '../../../contracts/page.ts'
import type { ExecutionResult } from '../../../contracts/run/result.ts'
import { type Thread, ThreadCopy, ThreadCreate, type ThreadMessage } from '../../../contracts/run/thread.ts'
import type { Reach, Runtime } from '../../../contracts/runtime/runtime.ts'
import type { RunRow, Store, ThreadQuery } from '../../../contracts/store/store.ts'
import { ConflictError, ValidationError } from '../../../errors.ts'
import { createId } from '../../../support/ids.ts'
import { withMessages } from '../../../text/task/with-messages.ts'
import { parse } from '../../../validate.ts'
import type { Environment } from '../../environment.ts'
import { toMessages as toGiven } from '../../journal/given-turns.ts'
import { allOf, checkLimit, found, toPage } from '../../stores/paging.ts'
import { assertWithin, isBeyond } from './place.ts'

type Here = Pick<Environment, 'store' | 'space'>

/** How often a change is tried that others are always ahead of. */
const MOST_TRIES = 100

/** Conversations. A thread's messages are the tasks and answers of its runs. */
export function createThreads(env: Here & Pick<Environment, 'clock'>): Runtime['threads'] {
  const { store, space, clock } = env
  const now = (): string => new Date(clock()).toISOString()
  const get = (id: string, reach?: Reach): Promise<Thread> => findThread(env, id, reach)
  const put = async (thread: Thread): Promise<Thread> => {
    await store.threads.put(thread.id, thread)
    return thread
  }
  const create: Runtime['threads']['create'] = async ({ owner, ...input } = {}) => {
    const { id, title, metadata = {} } = parse(ThreadCreate, input, 'thread')
    const time = now()
    const thread: Thread = {
      id: id ?? createId('thr', clock()),
      ...(title === undefined ? {} : { title }),
      metadata,
      ...(space === undefined ? {} : { space }),
      ...(owner === undefined ? {} : { owner }),
      version: 1,
      createdAt: time,
      updatedAt: time,
    }
    return id === undefined ? put(thread) : putNew(env, thread)
  }

  return {
    create,
    get,
    list: async ({ all = false, owner, ...query } = {}) =>
      all && owner === undefined
        ? store.threads.list(query)
        : listHere(env, query, { all, ...(owner !== undefined && { owner }) }),
    async update(id, { title, metadata }) {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const thread = await get(id)
        const changed = {
          ...thread,
          ...(title === undefined ? {} : { title }),
          ...(metadata === undefined ? {} : { metadata: { ...thread.metadata, ...metadata } }),
          version: thread.version + 1,
          updatedAt: now(),
        }
        // What others change at the same moment stays changed, and what they remove stays removed.
        if (await store.threads.replace(id, thread, changed)) return changed
      }
      throw new ConflictError('version_conflict', `thread ${id} is changed by others all the time: try again`)
    },
    async copy(id, input = {}) {
      const { before } = parse(ThreadCopy, input, 'copy')
      const thread = await get(id)
      if (before !== undefined && !(await rowsOf(store, thread, [])).some((row) => row.id === before))
        throw notOf(before, id)
      const { title, owner } = thread
      const { copiedBefore: _, ...metadata } = thread.metadata
      const copied = {
        metadata: { ...metadata, copiedFrom: id, ...(before !== undefined && { copiedBefore: before }) },
        ...(owner !== undefined && { owner }),
      }
      return create({ ...(title === undefined ? {} : { title }), ...copied })
    },
    async delete(id) {
      await get(id)
      await store.threads.delete(id)
    },
    messages: async (id, reach) => said(env, await get(id, reach), reach),
    async listMessages(id, { all = false, owner, ...query } = {}) {
      const reach = { all, ...(owner !== undefined && { owner }) }
      const messages = await said(env, await get(id, reach), reach)
      return toPage(
        messages.map((message, index) => [String(index + 1), message]),
        { order: 'asc', ...query },
      )
    },
  }
}

function notOf(runId: string, id: string): ValidationError {
  const message = `run ${runId} is none of thread ${id}`
  return new ValidationError('validation_failed', `copy: /before: ${message}`, {
    errors: [{ path: '/before', message }],
  })
}

/** @throws ConflictError `thread_exists` also where only runs are left of a thread: another one would go on from them */
async function putNew({ store }: Here, thread: Thread): Promise<Thread> {
  const { id } = thread
  const taken = (message: string): ConflictError => new ConflictError('thread_exists', `thread ${id}: ${message}`)
  const [left] = (await store.runs.list({ threadId: id, limit: 1 })).data
  if (await store.threads.get(id)) throw taken('there is one of this id: threads.get finds it, or take another id')
  if (left !== undefined) throw taken('runs of one of this id that was removed are still there: take another id')
  if (await store.threads.replace(id, undefined, thread)) return thread
  throw taken('there is one of this id: threads.get finds it, or take another id')
}

/** @throws NotFoundError `thread_not_found`, also for one of another folder where not all are asked for */
export async function findThread(env: Here, id: string, reach: Reach = {}): Promise<Thread> {
  const thread = found(await env.store.threads.get(id), 'thread', id)
  assertWithin('thread', thread, reach, env)
  return thread
}

/** A run was asked for in it. Who changes it at the same moment has changed it as well: nothing of theirs is lost. */
export async function touchThread({ store }: Here, id: string, time: string): Promise<void> {
  const thread = await store.threads.get(id)
  if (thread !== undefined && thread.updatedAt < time)
    await store.threads.replace(id, thread, { ...thread, updatedAt: time })
}

/** A page of those within reach: a store keeps those of all in one list. */
async function listHere(env: Here, query: ThreadQuery, reach: Reach): Promise<Page<Thread>> {
  const limit = checkLimit(query)
  const data: Thread[] = []
  let after = query.after
  for (;;) {
    const page = await env.store.threads.list({
      ...query,
      limit: limit - data.length,
      ...(after === undefined ? {} : { after }),
    })
    data.push(...page.data.filter((thread) => !isBeyond(thread, reach, env)))
    if (page.nextCursor === undefined || data.length === limit) return { ...page, data }
    after = page.nextCursor
  }
}

/**
 * What was said in a thread of this folder, oldest first, after what was said in the one it was copied from (`copiedFrom` of its
 * metadata; before the run `copiedBefore`, where it names one), or in the run that it began with (`beganWith`).
 *
 * @param before a run of the thread: what was said before it, without itself and the run that it resumes or forks
 * @throws NotFoundError `thread_not_found`
 */
export const messagesOfThread = async (env: Here, id: string, before?: RunRow): Promise<ThreadMessage[]> =>
  said(env, await findThread(env, id), before, before)

/** @param reader who hears of no run that is beyond its reach */
async function said(env: Here, thread: Thread, { owner, all }: Reach = {}, before?: RunRow): Promise<ThreadMessage[]> {
  const messages: ThreadMessage[] = []
  const reach = { ...(owner !== undefined && { owner }), ...(all !== undefined && { all }) }
  for (const row of await rowsOf(env.store, thread, [])) {
    if (before !== undefined && (row.id === before.id || row.createdAt > before.createdAt)) break
    if (isBeyond(row, reach, env)) continue
    if (before !== undefined && isSameWork(row, before)) continue
    if (before !== undefined && isSummary(row)) messages.splice(0, messages.length, ...summaryOf(row, messages))
    else messages.push(...toMessages(row))
  }
  return messages
}

/** What stands for the messages before, which stay there for readers. What files went into them went into it. */
function summaryOf(row: RunRow, messages: readonly ThreadMessage[]): ThreadMessage[] {
  const files = [...new Set(messages.flatMap((message) => message.files ?? []))]
  return toMessages(row).map((message) =>
    message.role === 'user' && files.length > 0 ? { ...message, files } : message,
  )
}

const isSummary = ({ create, status }: RunRow): boolean => create.summarizes === true && status === 'completed'

/** A run that was resumed or forked says the same again. */
const isSameWork = (row: RunRow, before: RunRow): boolean =>
  row.id === before.parentRunId || (row.originRunId ?? row.id) === (before.originRunId ?? before.id)

/** Metadata is what somebody wrote: what it names is read where it is of the thread's own folder, and of its owner. */
async function rowsOf(store: Store, thread: Thread, seen: readonly string[]): Promise<RunRow[]> {
  const rows: RunRow[] = []
  const { copiedFrom, copiedBefore, beganWith } = thread.metadata
  const first = typeof beganWith === 'string' ? await store.runs.get(beganWith) : undefined
  const reach = thread.owner === undefined ? {} : { owner: thread.owner }
  if (first !== undefined && !isBeyond(first, reach, thread)) rows.push(first)
  if (typeof copiedFrom === 'string' && !seen.includes(copiedFrom)) {
    const source = await store.threads.get(copiedFrom)
    const isOurs = source !== undefined && !isBeyond(source, reach, thread)
    const earlier = isOurs ? await rowsOf(store, source, [...seen, thread.id]) : []
    const known = earlier.filter(({ createdAt }) => createdAt <= thread.createdAt)
    rows.push(...(typeof copiedBefore === 'string' ? rowsBefore(known, copiedBefore) : known))
  }
  const list = allOf((query) => store.runs.list({ ...query, threadId: thread.id }))
  // Which conversation it is of is not for a file to say.
  for await (const row of list) if (row.imported !== true) rows.push(row)
  return rows
}

/** Ids of runs go with time: of one that was removed, they say what was before it. */
function rowsBefore(rows: readonly RunRow[], id: string): readonly RunRow[] {
  const at = rows.findIndex((row) => row.id === id)
  return at === -1 ? rows.filter((row) => row.id < id) : rows.slice(0, at)
}

function toMessages(row: RunRow): ThreadMessage[] {
  const { id, task, createdAt, finishedAt, result, imported, status, create } = row
  const { context, files } = create
  const isStrangers = imported === true
  const run = { runId: id, ...(create.summarizes && { summarizes: true }), ...(status !== 'completed' && { status }) }
  const asked: ThreadMessage = {
    role: 'user',
    content: withMessages(task, row.messages),
    ...(context !== undefined && { context }),
    ...(files !== undefined && { files }),
    ...run,
    createdAt,
    ...(isStrangers && { tainted: true }),
  }
  const known = (result ?? {}) as Partial<ExecutionResult>
  const { summary = '', steps = [] } = known
  // The summary of a run that failed says why, where nothing was answered.
  const isAnswered = status !== 'failed' || steps.some(({ output }) => output !== '')
  // A conversation that began with a run goes on from what that was sent, too.
  const before = [...toGiven(create, createdAt), asked]
  if (summary === '' || !isAnswered) return before
  const answered: ThreadMessage = { role: 'assistant', content: summary, ...run, createdAt: finishedAt ?? createdAt }
  return [...before, isStrangers || isTaintedResult(known) ? { ...answered, tainted: true } : answered]
}

function isTaintedResult(result: Partial<ExecutionResult>): boolean {
  return result.tainted === true
}
