import type { ExecutionResult, Page, Runtime, Thread, ThreadMessage } from '@svc/core/client'
import type { ClientRunOptions } from './option-checks.ts'
import type { RunStream } from './stream/run-stream.ts'
import type { TypedResult } from './typed-output.ts'

type ThreadApi = Runtime['threads']
type Typed<Schema> = ClientRunOptions & { outputSchema: Schema }

interface Tasks {
  /** Runs a task and waits for its result. Tasks of one conversation are done one after the other. */
  run<const Schema extends object>(task: string, options: Typed<Schema>): Promise<TypedResult<Schema>>
  run(task: string, options?: ClientRunOptions): Promise<ExecutionResult>
  /** Runs a task and yields its events as they come, or its text; `.result` resolves with its result. */
  stream<const Schema extends object>(task: string, options: Typed<Schema>): RunStream<TypedResult<Schema>>
  stream(task: string, options?: ClientRunOptions): RunStream
}

/** A conversation, and what a program does in it: each task is sent what was said before. */
export interface ClientThread extends Thread, Tasks {
  /** What was said, oldest first. */
  messages(): Promise<ThreadMessage[]>
}

/** Conversations. */
export interface ClientThreads extends Pick<ThreadApi, 'delete' | 'messages'> {
  /** Begins one. @throws ConflictError `thread_exists` where the id is taken */
  create(...input: Parameters<ThreadApi['create']>): Promise<ClientThread>
  get(...of: Parameters<ThreadApi['get']>): Promise<ClientThread>
  list(...query: Parameters<ThreadApi['list']>): Promise<Page<ClientThread>>
  update(...change: Parameters<ThreadApi['update']>): Promise<ClientThread>
  copy(...of: Parameters<ThreadApi['copy']>): Promise<ClientThread>
}

export function createClientThreads(client: Tasks, threads: ThreadApi): ClientThreads {
  const bind = (thread: Thread): ClientThread => {
    const { id: threadId } = thread
    const work: Pick<ClientThread, 'run' | 'stream' | 'messages'> = {
      run: (task: string, options: object = {}) => client.run(task, { ...options, threadId }) as never,
      stream: (task: string, options: object = {}) => client.stream(task, { ...options, threadId }) as never,
      messages: () => threads.messages(threadId),
    }
    // What it does is no part of what is known of it: in JSON and in comparisons there is the thread alone.
    const hidden = Object.entries(work).map(([name, value]) => [name, { value }])
    return Object.defineProperties({ ...thread }, Object.fromEntries(hidden)) as ClientThread
  }
  return {
    ...threads,
    create: async (...input) => bind(await threads.create(...input)),
    get: async (...of) => bind(await threads.get(...of)),
    list: async (...query) => {
      const page = await threads.list(...query)
      return { ...page, data: page.data.map(bind) }
    },
    update: async (...change) => bind(await threads.update(...change)),
    copy: async (...of) => bind(await threads.copy(...of)),
  }
}
