import type { Commands } from './commands.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Leases } from './leases.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { Payloads } from './payloads.ts'
import type { Records } from './records.ts'
import type { RunIndex } from './run-index.ts'
import type { RunLog } from './run-log.ts'
import type { StoreHealth } from './store-health.ts'

export * from './collection.ts'
export * from './command.ts'
export * from './commands.ts'
export * from './commit.ts'
export * from './dispatcher.ts'
export * from './keyed-answer.ts'
export * from './leases.ts'
export * from './maybe-promise.ts'
export * from './payloads.ts'
export * from './records.ts'
export * from './run-index.ts'
export * from './run-log.ts'
export * from './run-query.ts'
export type * from './run-row.ts'
export * from './store-health.ts'

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
