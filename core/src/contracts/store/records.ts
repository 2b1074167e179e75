import type { AgentProfile } from '../agent-profile.ts'
import type { Approval } from '../approval.ts'
import type { MemoryRecord } from '../memory.ts'
import type { ListQuery, Page } from '../page.ts'
import type { Thread } from '../thread.ts'
import type { Collection, SharedCollection } from './collection.ts'
import type { KeyedAnswer } from './keyed-answer.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** What is kept beside runs. */
export interface Records {
  readonly threads: Collection<Thread>
  readonly agents: Collection<AgentProfile>
  /** By digests of idempotency keys. */
  readonly answers: SharedCollection<KeyedAnswer>
  readonly approvals: {
    get(id: string): MaybePromise<Approval | undefined>
    list(query?: ListQuery & { status?: Approval['status']; runId?: string }): MaybePromise<Page<Approval>>
  }
  readonly memories: Collection<MemoryRecord>
}
