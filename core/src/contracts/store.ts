import type { AgentProfile } from './agent-profile.ts'
import type { Approval } from './approval.ts'
import type { RunEvent } from './event.ts'
import type { Journal, Lease } from './journal.ts'
import type { MemoryRecord } from './memory.ts'
import type { Page } from './page.ts'
import type { Run, RunCreate } from './run.ts'
import type { Thread } from './thread.ts'

/** What a list is narrowed by. */
export interface ListQuery {
  /** 1 to 100, default 20. */
  limit?: number
  /** Opaque, from the last page's `nextCursor`. */
  after?: string
  /** Default `desc`: newest first. */
  order?: 'asc' | 'desc'
}

/** Records under ids. */
export interface Collection<T> {
  get(id: string): Promise<T | undefined>
  put(id: string, value: T): Promise<void>
  delete(id: string): Promise<boolean>
  list(query?: ListQuery): Promise<Page<T>>
}

/** A run with what is needed to run it again. */
export interface StoredRun {
  run: Run
  create: RunCreate
}

/** Where runs, events and memories live. */
export interface Store {
  open(): Promise<void>
  /** @throws SvcError `store_unavailable` when another owner holds the run */
  journal(runId: string, lease: Lease): Journal
  /** Takes or renews the right to write to a run; a higher epoch shuts out the earlier holder. */
  lease(runId: string, owner: string, ttlMs: number): Promise<Lease | undefined>
  release(lease: Lease): Promise<void>
  /**
   * Gives a new run the recorded outcomes of another, all or those recorded up to an event, each passed through `edit`.
   * Events are not copied.
   */
  copyOutcomes(
    fromRunId: string,
    toRunId: string,
    untilSeq?: number,
    edit?: (outcome: unknown) => unknown,
  ): Promise<void>
  readonly runs: Collection<StoredRun>
  readonly events: {
    list(runId: string, query?: { after?: number; limit?: number }): Promise<RunEvent[]>
    delete(runId: string): Promise<void>
  }
  readonly threads: Collection<Thread>
  readonly agents: Collection<AgentProfile>
  readonly approvals: Collection<Approval>
  readonly memories: Collection<MemoryRecord>
  readonly idempotency: Collection<{ runId: string; bodyHash: string; expiresAt: number }>
  /** Large values under their SHA-256. */
  readonly payloads: { put(bytes: Uint8Array): Promise<string>; get(ref: string): Promise<Uint8Array | undefined> }
  close(): Promise<void>
}

/** Makes a store from its settings. */
export type StoreFactory = (settings: { url?: string; dir?: string; fsync?: 'always' | 'group' | 'off' }) => Store
