import type { Runtime } from '../../contracts/runtime.ts'
import type { Store, StoredRun } from '../../contracts/store.ts'
import type { Thread, ThreadMessage } from '../../contracts/thread.ts'
import { createId } from '../ids.ts'
import { found } from '../stores/memory-store.ts'

/** Conversations. A thread's messages are the tasks and answers of its runs. */
export function createThreads(
  store: Store,
  runsOf: (threadId: string) => Promise<StoredRun[]>,
  clock: () => number,
): Runtime['threads'] {
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
  /** The runs of a thread, after those that it had when it was copied. */
  const runsBehind = async (id: string, seen: readonly string[] = []): Promise<StoredRun[]> => {
    const thread = await store.threads.get(id)
    const copiedFrom = thread?.metadata.copiedFrom
    const before =
      thread !== undefined && typeof copiedFrom === 'string' && !seen.includes(copiedFrom)
        ? (await runsBehind(copiedFrom, [...seen, id])).filter(({ run }) => run.createdAt <= thread.createdAt)
        : []
    return [...before, ...(await runsOf(id))]
  }

  return {
    create,
    get,
    list: (query) => store.threads.list(query),
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
    async messages(id) {
      await get(id)
      return (await runsBehind(id)).flatMap(toMessages)
    },
  }
}

function toMessages({ run }: StoredRun): ThreadMessage[] {
  const asked: ThreadMessage = { role: 'user', content: run.task, runId: run.id, createdAt: run.createdAt }
  const summary =
    typeof run.result === 'object' && run.result !== null && 'summary' in run.result ? run.result.summary : undefined
  if (typeof summary !== 'string' || summary === '') return [asked]
  return [asked, { role: 'assistant', content: summary, runId: run.id, createdAt: run.finishedAt ?? run.createdAt }]
}
