import type { ListQuery, Page } from '../page.ts'
import type { Thread, ThreadCopy, ThreadCreate, ThreadMessage } from '../run/thread.ts'
import type { ThreadQuery } from '../store/records.ts'
import type { Reach } from './reach.ts'

/** Conversations over several runs, of this folder: those of another one can be read where all are asked for. */
export interface ThreadApi {
  /**
   * Begins one.
   *
   * @param input.id default: a new one
   * @throws ValidationError; ConflictError `thread_exists` where the id is taken, by one of another folder or owner too, or by
   *   runs of one that was removed
   */
  create(input?: ThreadCreate & { owner?: string }): Promise<Thread>
  get(id: string, reach?: Reach): Promise<Thread>
  /** Those of this folder. @throws ValidationError `validation_failed`, `invalid_cursor` */
  list(query?: ThreadQuery & Reach): Promise<Page<Thread>>
  update(id: string, input: { title?: string; metadata?: Record<string, unknown> }): Promise<Thread>
  /**
   * Begins one that goes on from what was said in another.
   *
   * @param input.before id of a run of it: only from what was said before that
   * @throws ValidationError `validation_failed` for a run that is none of it
   */
  copy(id: string, input?: ThreadCopy): Promise<Thread>
  delete(id: string): Promise<void>
  messages(id: string, reach?: Reach): Promise<ThreadMessage[]>
  /** The same, page by page. @param query.order default `asc`: the oldest first */
  listMessages(id: string, query?: ListQuery & Reach): Promise<Page<ThreadMessage>>
}
