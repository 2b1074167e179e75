import type { ListQuery, Page } from '../page.ts'
import type { Thread, ThreadMessage } from '../run/thread.ts'
import type { Reach } from './reach.ts'

/** Conversations over several runs, of this folder: those of another one can be read where all are asked for. */
export interface ThreadApi {
  create(input?: { title?: string; metadata?: Record<string, unknown>; owner?: string }): Promise<Thread>
  get(id: string, reach?: Reach): Promise<Thread>
  list(query?: ListQuery & Reach): Promise<Page<Thread>>
  update(id: string, input: { title?: string; metadata?: Record<string, unknown> }): Promise<Thread>
  copy(id: string): Promise<Thread>
  delete(id: string): Promise<void>
  messages(id: string, reach?: Reach): Promise<ThreadMessage[]>
}
