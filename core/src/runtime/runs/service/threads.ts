import type { ExecutionResult } from '../../../contracts/run/result.ts'
import type { Thread, ThreadMessage } from '../../../contracts/run/thread.ts'
import type { Runtime } from '../../../contracts/runtime/runtime.ts'
import type { RunRow, Store } from '../../../contracts/store/store.ts'
import { createId } from '../../../support/ids.ts'
import { allOf, found } from '../../stores/paging.ts'

/** Conversations. A thread's messages are the tasks and answers of its runs. */
export function createThreads(store: Store, clock: () => number): Runtime['threads'] {
  const now = (): string => new Date(clock()).toISOString()
  const get = async (id: string): Promise<Thread> => found(await store.threads.get(id), 'thread', id)
  const put = async (thread: Thread): Promise<Thread> => {
    await store.threads.put(thread.id, thread)
    return thread
  }
  const create: Runtime['threads']['create'] = async ({ title, metadata = {} } = {}) => {
    const time = now()
    return put({
      id: createId('thr', clock()),
      ...(title === undefined ? {} : { title }),
      metadata,
      version: 1,
      createdAt: time,
      updatedAt: time,
    })
  }

  return {
    create,
    get,
    list: async (query) => store.threads.list(query),
    async update(id, { title, metadata }) {
      const thread = await get(id)
      return put({
        ...thread,
        ...(title === undefined ? {} : { title }),
        ...(metadata === undefined ? {} : { metadata: { ...thread.metadata, ...metadata } }),
        version: thread.version + 1,
        updatedAt: now(),
      })
    },
    async copy(id) {
      const { title, metadata } = await get(id)
      return create({ ...(title === undefined ? {} : { title }), metadata: { ...metadata, copiedFrom: id } })
    },
    async delete(id) {
      await get(id)
      await store.threads.delete(id)
    },
    messages: (id) => messagesOfThread(store, id),
  }
}

/**
 * What was said in a thread, oldest first, after what was said in the one it was copied from (`copiedFrom` of its metadata), or
 * in the run that it began with (`beganWith`).
 *
 * @param before a run of the thread: what was said before it, without itself and the run that it resumes or forks
 * @throws NotFoundError `thread_not_found`
 */
export async function messagesOfThread(store: Store, id: string, before?: RunRow): Promise<ThreadMessage[]> {
  const thread = found(await store.threads.get(id), 'thread', id)
  const messages: ThreadMessage[] = []
  for (const row of await rowsOf(store, thread, [])) {
    if (before !== undefined && (row.id === before.id || row.createdAt > before.createdAt)) break
    if (before === undefined || !isSameWork(row, before)) messages.push(...toMessages(row))
  }
  return messages
}

/** A run that was resumed or forked says the same again. */
const isSameWork = (row: RunRow, before: RunRow): boolean =>
  row.id === before.parentRunId || (row.originRunId ?? row.id) === (before.originRunId ?? before.id)

async function rowsOf(store: Store, thread: Thread, seen: readonly string[]): Promise<RunRow[]> {
  const rows: RunRow[] = []
  const { copiedFrom, beganWith } = thread.metadata
  const first = typeof beganWith === 'string' ? await store.runs.get(beganWith) : undefined
  if (first !== undefined) rows.push(first)
  if (typeof copiedFrom === 'string' && !seen.includes(copiedFrom)) {
    const source = await store.threads.get(copiedFrom)
    const earlier = source === undefined ? [] : await rowsOf(store, source, [...seen, thread.id])
    rows.push(...earlier.filter(({ createdAt }) => createdAt <= thread.createdAt))
  }
  for await (const row of allOf((query) => store.runs.list({ ...query, threadId: thread.id }))) rows.push(row)
  return rows
}

function toMessages(row: RunRow): ThreadMessage[] {
  const { id: runId, task, createdAt, finishedAt, result } = row
  const asked: ThreadMessage = { role: 'user', content: task, runId, createdAt }
  const summary = typeof result === 'object' && result !== null && 'summary' in result ? result.summary : undefined
  if (typeof summary !== 'string' || summary === '') return [asked]
  const isTainted = row.imported === true || isTaintedResult(result as Partial<ExecutionResult>)
  const answered: ThreadMessage = { role: 'assistant', content: summary, runId, createdAt: finishedAt ?? createdAt }
  return [asked, isTainted ? { ...answered, tainted: true } : answered]
}

function isTaintedResult(result: Partial<ExecutionResult>): boolean {
  return result.tainted === true
}
