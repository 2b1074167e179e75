import type { ErrorInfo } from '../error-info.ts'
import type { ApprovalRequest, InputRequest, Resolution } from '../run/approval.ts'
import type { CallRequest } from '../tool/client-tool.ts'

/** Names one step of a run, whatever the order in which parallel agents reach it: `execute/agent:agent-2/attempt:1/model:3`. */
export type StepKey = string

/** `pure`: may be made again if unrecorded. `idempotent`: again with the same idempotency key. `once`: never again without a person. */
export type StepEffect = 'pure' | 'idempotent' | 'once'

/** What is recorded of one step: that it was begun, or how it ended. */
export interface StepRow {
  key: StepKey
  effect: StepEffect | 'wait'
  state: 'begun' | 'done'
  /** What was asked for, as a short hash: the record answers nothing else. Absent where the key says all, and in older logs. */
  request?: string
  /**
   * What JSON can hold; of a wait, its resolution. Of a wait that is only begun: what is waited for; of a model call: what
   * it takes at most, as a `Reserve`; of a tool call that rests while it asks a person, where it goes on from.
   */
  outcome?: unknown
  /** What the step failed with for good; an outcome beside it is what it took. */
  error?: ErrorInfo
  /** Milliseconds since the epoch, when it was recorded. */
  time: number
  /** Number of the run's newest event when it was recorded. */
  seq: number
}

/** What a run waits for. */
export type WaitUntil =
  | { approval: ApprovalRequest }
  | { input: InputRequest }
  | { call: CallRequest }
  | { timer: number }

/** A step that is being done. */
export interface OpenStep {
  /** What an earlier life has noted of it. */
  readonly noted: unknown
  /** Writes down that nothing of it is under way: after a crash it is not in doubt, and goes on from what is noted here. */
  rest(from: unknown): Promise<void>
  /** Writes down that it is under way again. */
  act(): Promise<void>
}

/** A step that was recorded as done, or that is to be done now. */
export type BegunStep<T> =
  | { isDone: true; outcome: T }
  | (OpenStep & {
      isDone: false
      /** 2 where it was begun before. */
      tries: number
      /** Writes down what is to be known of it should its end not be recorded; leaves with what follows. */
      note(what: unknown): void
      end(outcome: T): Promise<void>
      /** It failed for good, and `took` so much. What the run was stopped with is no outcome. */
      fail(thrown: unknown, took?: unknown): Promise<void>
    })

/**
 * The only road to anything that a replay must not repeat.
 *
 * Contract: `body` runs at most once per recorded outcome; its recorded outcome is returned, or its recorded error thrown,
 * on every later call with the same key. A key used twice by one process in one attempt throws `journal_key_reused`; one
 * that was recorded for another request ends the run with `replay_diverged`.
 */
export interface Journal {
  /** Does a step as a whole, or answers what is recorded of it. */
  step<T>(key: StepKey, effect: StepEffect, body: (step: OpenStep) => Promise<T>, request?: string): Promise<T>
  /** The same in two halves, where the body cannot be handed over. */
  begin<T>(key: StepKey, effect: StepEffect, request?: string): Promise<BegunStep<T>>
  /** What is recorded of a step; `inDoubt` is a `once` step that was begun: it is not run again before a person says so. */
  stateOf(key: StepKey, request?: string): 'new' | 'begun' | 'inDoubt' | 'done'
  /** The outcome of a step that an earlier life has recorded. */
  outcomeOf(key: StepKey): unknown
  /** Whether what is recorded of a step is not of another request. */
  isFor(key: StepKey, request: string): boolean
  /** What a wait that was begun before a crash waits for. */
  awaited(key: StepKey): WaitUntil | undefined
  /** Waits for a person or a time; a recorded resolution is returned at once. */
  wait(key: StepKey, until: WaitUntil): Promise<Resolution>
  /** Ends a wait. The first resolution stands. */
  resolve(key: StepKey, resolution: Resolution): void | Promise<void>
  /** True when the last step was answered from its record. */
  readonly replaying: boolean
  /** When the last outcome was recorded, in milliseconds since the epoch; the run's creation before the first. */
  readonly time: number
}

/** The right to write to a run. A write with a stale epoch is refused. */
export interface Lease {
  runId: string
  owner: string
  epoch: number
  /** Milliseconds since the epoch. */
  expiresAt: number
}
