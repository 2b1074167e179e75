import type { ListQuery, Page } from '../page.ts'
import type { Thread, ThreadMessage } from '../run/thread.ts'

/** Conversations over several runs. */
export interface ThreadApi {
  create(input?: { title?: string; metadata?: Record<string, unknown> }): Promise<Thread>
  get(id: string): Promise<Thread>
  list(query?: ListQuery): Promise<Page<Thread>>
  update(id: string, input: { title?: string; metadata?: Record<string, unknown> }): Promise<Thread>
  copy(id: string): Promise<Thread>
  delete(id: string): Promise<void>
  messages(id: string): Promise<ThreadMessage[]>
}
