import type { MemoryRecord } from '../memory/memory.ts'
import type { ListQuery, Page } from '../page.ts'
import type { AgentProfile } from '../plugin/agent-profile.ts'
import type { Approval } from '../run/approval.ts'
import type { Thread } from '../run/thread.ts'
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
