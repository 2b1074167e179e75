import type { Commands } from './store/commands.ts'
import type { Dispatcher } from './store/dispatcher.ts'
import type { Leases } from './store/leases.ts'
import type { MaybePromise } from './store/maybe-promise.ts'
import type { Payloads } from './store/payloads.ts'
import type { Records } from './store/records.ts'
import type { RunIndex } from './store/run-index.ts'
import type { RunLog } from './store/run-log.ts'
import type { StoreHealth } from './store/store-health.ts'

export * from './store/collection.ts'
export * from './store/command.ts'
export * from './store/commands.ts'
export * from './store/commit.ts'
export * from './store/dispatcher.ts'
export * from './store/keyed-answer.ts'
export * from './store/leases.ts'
export * from './store/maybe-promise.ts'
export * from './store/payloads.ts'
export * from './store/records.ts'
export * from './store/run-index.ts'
export * from './store/run-log.ts'
export * from './store/run-query.ts'
export * from './store/run-row.ts'
export * from './store/store-health.ts'

/**
 * Rows with three guarantees: a write is atomic, fenced by the lease's epoch in the same statement, and durable when
 * it has answered. A store knows nothing of what a run means.
 *
 * Every implementation passes `checkStore()` of `@svc/core/testing`.
 */
export interface Store
  extends RunLog,
    Leases,
    Commands,
    RunIndex,
    Records,
    Payloads,
    Partial<Dispatcher>,
    Partial<StoreHealth> {
  open(): MaybePromise<void>
  close(): MaybePromise<void>
}

/** Makes a store from its settings. */
export type StoreFactory = (settings: StoreSettings) => Store

/** What a store is opened with. */
export interface StoreSettings {
  /** Its scheme names the store in `Host.stores`. */
  url?: string
  /** Folder for files. */
  dir?: string
  /** Whether each write is made durable by itself, with others, or when the system likes. */
  fsync?: 'always' | 'group' | 'off'
  /** Milliseconds since the epoch. */
  clock: () => number
}
