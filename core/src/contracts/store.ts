import type { AgentProfile } from './agent-profile.ts'
import type { Approval, Decision } from './approval.ts'
import type { EventType, NewEvent, RunEvent } from './event.ts'
import type { Lease, StepRow } from './journal.ts'
import type { StoreMeasurement } from './measurement.ts'
import type { MemoryRecord } from './memory.ts'
import type { ListQuery, Page } from './page.ts'
import type { Run, RunCreate, RunFilter } from './run.ts'
import type { RunSummary } from './run-summary.ts'
import type { Thread } from './thread.ts'
import type { RunStatus } from './words.ts'

/** A value, or a promise of it: a store in memory answers at once, so that an embedded run waits for nothing. */
export type MaybePromise<T> = T | Promise<T>

/** Which runs are meant. */
export interface RunFilters extends RunFilter {
  threadId?: string
  /** Runs that have, or asked for, the agent profile or agent of this id. */
  agent?: string
  /** ISO times: from, and up to but not including. */
  createdAfter?: string
  createdBefore?: string
  /** Part of the task's text, any case. */
  q?: string
  tag?: string
  /** Only runs that have not ended and that no living process holds, of those that may be worked on here. */
  left?: boolean
  /** Only queued runs that ought to have begun by now: see `RunRow.startBy`. */
  late?: boolean
}

/** Which runs to list. */
export interface RunQuery extends RunFilters, ListQuery {}

/** Records under ids. */
export interface Collection<T> {
  get(id: string): MaybePromise<T | undefined>
  put(id: string, value: T): MaybePromise<void>
  delete(id: string): MaybePromise<boolean>
  list(query?: ListQuery): MaybePromise<Page<T>>
}

/** A collection that several processes may change at once. */
export interface SharedCollection<T> extends Collection<T> {
  /**
   * Puts a value in place of the one that stands there, if it is that which is expected.
   *
   * @param before undefined: nothing is to stand there
   * @param value undefined: takes it away
   * @returns false where something else stands there; nothing is changed then
   */
  replace(id: string, before: T | undefined, value: T | undefined): MaybePromise<boolean>
}

/** What is known of a request that is to be done once. */
export interface KeyedAnswer {
  /** The id of this record. */
  name: string
  bodyHash: string
  /** Of who does it. */
  token: string
  /** Milliseconds since the epoch: until then it is being done, where there is no answer yet. */
  heldUntil: number
  expiresAt: number
  /** Id of what it made, once it is done. */
  madeId?: string
}

/** A run with what is needed to run it again. */
export interface RunRow extends Run {
  /** Version of the journal's format. */
  format: 1
  create: RunCreate
  configHash: string
  /** Milliseconds since the epoch: a run that has not begun by then fails. Absent: it may wait for ever. */
  startBy?: number
  /** The first run of a chain of resumed ones: idempotency keys of tools are derived from it. Absent: the run itself. */
  originRunId?: string
  /** True when the last holder released the run in good order: going on is then no recovery. */
  released?: boolean
  /** Epoch of the lease under which the run last got on; those since then did not get it any further. */
  gotOn?: number
  /** Records of another run that this one goes on from; taken over when the run first starts. */
  inherits?: { runId: string; untilSeq?: number; toolResults?: Record<string, unknown> }
}

/** A request to the holder of a run, from any process. Recorded, then observed. */
export type Command = { id: string } & (
  | { kind: 'cancel'; reason: string; by: string }
  | { kind: 'answer'; approvalId: string; decision: Decision; by: string }
  | { kind: 'input'; key: string; value: unknown; by: string }
)

/** What one commit writes, all or nothing. */
export interface Commit {
  /** Steps begun or done; a row replaces the one of the same key. */
  steps?: readonly StepRow[]
  /** Numbered by the store, gap-free. The store owns the objects from then on. */
  events?: readonly NewEvent[]
  /** Changed fields of the run's row; `undefined` takes a field away. */
  run?: { [K in keyof RunRow]?: RunRow[K] | undefined }
  approvals?: readonly Approval[]
  /** Ids of commands that were observed. */
  taken?: readonly string[]
}

/** What a watcher receives: `events` only means that nothing else changed. A store that cannot tell says `any`. */
export type RunChange = 'queued' | 'status' | 'events' | 'command' | 'any'

/**
 * Rows with three guarantees: a write is atomic, fenced by the lease's epoch in the same statement, and durable when
 * it has answered. A store knows nothing of what a run means.
 *
 * Every implementation passes `checkStore()` of `@svc/core/testing`.
 */
export interface Store {
  open(): MaybePromise<void>
  close(): MaybePromise<void>
  /**
   * Writes the run's row, its first events and the idempotency record at once; answers the earlier run where the key
   * is known.
   *
   * @param steps of a run that has ended elsewhere; a store that does not keep them takes no imported runs
   * @throws SvcError `idempotency_mismatch` when the key was used with another body
   */
  create(
    run: RunRow,
    events: readonly NewEvent[],
    idempotency?: { scope: string; key: string; bodyHash: string; expiresAt: number },
    steps?: readonly StepRow[],
  ): MaybePromise<{ run: RunRow; replayed: boolean }>
  /**
   * The only way to change a run. One that ends it gives its lease back.
   *
   * @returns the events with their numbers
   * @throws CapacityError `lease_lost` for a stale epoch; nothing is written then
   */
  commit(lease: Lease, write: Commit): MaybePromise<readonly RunEvent[]>
  /**
   * Leases queued runs, and unfinished runs whose lease has run out, each with a new epoch: the highest priority first,
   * of equal ones the oldest. Of one thread only the oldest unfinished run is offered.
   *
   * @param options.only this run and no other, also where an older one of its thread is unfinished
   */
  claim(
    owner: string,
    options: { limit: number; ttlMs: number; only?: string; accepts?: (run: RunRow) => boolean },
  ): MaybePromise<{ run: RunRow; lease: Lease }[]>
  /**
   * Hands out runs that nobody holds, by a queue of the store's own over all processes. Without it each worker claims them.
   *
   * @param start works on a run; answers when this process has done with it, or it waits for somebody. False: it was not
   *   worked on, be it that it is held already
   * @param options.limit runs that this process works on at once
   * @param options.space only runs of this space, and those of none
   * @returns how to stop: nothing is handed out from then on, and what was has `drainMs` to come back
   */
  dispatch?(
    start: (runId: string) => Promise<boolean>,
    options: { limit: number; space?: string },
  ): MaybePromise<(drainMs: number) => Promise<void>>
  /** Answers the leases that are still held, with their new ends. A store that cannot be reached throws. */
  renew(leases: readonly Lease[], ttlMs: number): MaybePromise<Lease[]>
  release(lease: Lease): MaybePromise<void>
  /** The recorded steps of a run; outcomes are values of their own, not shared with anybody. */
  steps(runId: string): MaybePromise<StepRow[]>
  /** Records a request to the process that holds the run. */
  command(runId: string, command: Command): MaybePromise<void>
  /** Requests that nobody has taken yet, oldest first. */
  commands(runId: string): MaybePromise<Command[]>
  /**
   * Tells that a run (or, with `*`, any) has changed, by the engine's own means or by polling. Who watches all hears of
   * new events alone only where they were logged through this handle.
   *
   * @param handler gets the status with a change of it, where the store has just written it
   * @returns how to stop watching
   */
  watch(runId: string, handler: (runId: string, change: RunChange, status?: RunStatus) => void): () => void
  /**
   * Tells what writes through this handle cost, from now on. Absent where nothing is written to a disk.
   *
   * @returns how to stop
   */
  measure?(handler: (measured: StoreMeasurement) => void): () => void
  /**
   * Makes a small durable write that leaves nothing behind. Absent where nothing is written to a disk.
   *
   * @throws SvcError `store_unavailable`, `disk_full` where runs cannot be recorded
   */
  assertWritable?(): MaybePromise<void>
  readonly runs: {
    get(id: string): MaybePromise<RunRow | undefined>
    list(query?: RunQuery): MaybePromise<Page<RunRow>>
    /** What is true of the runs that fit. Without it they are listed, page by page. */
    summarize?(filters: RunFilters): MaybePromise<RunSummary>
    /** Removes the run and all that belongs to it: steps, events, approvals, commands, idempotency record, payloads. */
    delete(id: string): MaybePromise<void>
  }
  readonly events: {
    /**
     * @param query.upToDamage true: of a damaged log, what stands before the damage, instead of the error. Default false
     * @throws RunError `log_corrupt` where the log is damaged after `after`
     */
    list(
      runId: string,
      query?: { after?: number; limit?: number; types?: readonly EventType[]; upToDamage?: boolean },
    ): MaybePromise<readonly RunEvent[]>
  }
  readonly threads: Collection<Thread>
  readonly agents: Collection<AgentProfile>
  /** By digests of idempotency keys. */
  readonly answers: SharedCollection<KeyedAnswer>
  readonly approvals: {
    get(id: string): MaybePromise<Approval | undefined>
    list(query?: ListQuery & { status?: Approval['status']; runId?: string }): MaybePromise<Page<Approval>>
  }
  readonly memories: Collection<MemoryRecord>
  /** Large values under their SHA-256; removed with the last run that refers to them. */
  readonly payloads: {
    put(runId: string, bytes: Uint8Array): MaybePromise<string>
    get(ref: string): MaybePromise<Uint8Array | undefined>
  }
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
