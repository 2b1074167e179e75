import type { ListQuery, Page } from '../page.ts'
import type { AgentProfile } from '../plugin/agent-profile.ts'
import type { Approval } from '../run/approval.ts'
import type { Thread } from '../run/thread.ts'
import type { Collection, RecordSpace, SharedCollection } from './collection.ts'
import type { KeyedAnswer } from './keyed-answer.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** What a list of conversations is narrowed by. */
export interface ThreadQuery extends Omit<ListQuery, 'order'> {
  /**
   * Default `desc`: the newest first. `activity`: that first in which something happened last, by `updatedAt`, then by id. One in
   * which something happens while somebody reads page by page is first again, and on none of the pages that follow.
   */
  order?: ListQuery['order'] | 'activity'
}

export interface ThreadCollection extends SharedCollection<Thread> {
  /** Contract: a cursor of `activity` stays good though something happens in the conversation that it was made of. */
  list(query?: ThreadQuery): MaybePromise<Page<Thread>>
}

/** What is kept beside runs. */
export interface Records {
  readonly threads: ThreadCollection
  readonly agents: Collection<AgentProfile>
  /** By digests of idempotency keys. */
  readonly answers: SharedCollection<KeyedAnswer>
  readonly approvals: {
    get(id: string): MaybePromise<Approval | undefined>
    /**
     * @param query.status `pending`: of runs that have not ended
     * @param query.space only those of runs of this space, and of none
     * @param query.owner only those of runs of this owner
     */
    list(
      query?: ListQuery & { status?: Approval['status']; runId?: string; space?: string; owner?: string },
    ): MaybePromise<Page<Approval>>
  }
  /**
   * What runs leave for later ones: memories, lessons, outcomes, and what a plugin keeps.
   *
   * @param kind names what it is; records of other kinds are not seen
   * @param space the folder that runs work in, or what stands for it; empty for what everybody who uses the store may see
   */
  records<T>(kind: string, space: string): RecordSpace<T>
}
