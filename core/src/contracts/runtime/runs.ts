import type { FieldError } from '../error-codes.ts'
import type { RunEvent } from '../log/event.ts'
import type { Page } from '../page.ts'
import type { CostQuery, RunCosts } from '../run/figures/run-costs.ts'
import type { RunSummary } from '../run/figures/run-summary.ts'
import type { ExecutionResult, PlanResult } from '../run/result.ts'
import type { ResumeInput } from '../run/resume-input.ts'
import type { Run, RunCreate } from '../run/run.ts'
import type { RunMessage, SteerInput } from '../run/run-message.ts'
import type { Complexity } from '../stages/complexity.ts'
import type { RunFilters, RunQuery } from '../store/store.ts'
import type { Asker, KeyedRequest } from './keyed-request.ts'
import type { Reach } from './reach.ts'

/** What a run returns, by its mode. */
export type RunResult = ExecutionResult | PlanResult | Complexity

/** How a run is asked for. */
export interface RunStartOptions extends KeyedRequest {
  /** Cancels the run. */
  signal?: AbortSignal
  /**
   * False: the caller reads no pieces of answers, so models may answer over the cheaper call as long as nobody else
   * listens. Default true.
   */
  deltas?: boolean
  /**
   * Says what is wrong with an output that fits `outputSchema`, beyond what JSON Schema can say. Asked in this process alone,
   * before the one retry of an output that does not fit.
   */
  checkOutput?(value: unknown): Promise<readonly FieldError[]>
}

/** What a run has come to. */
export type EndedRun = Pick<Run, 'id' | 'mode' | 'status' | 'verdict' | 'error'> & { result: RunResult }

/** A run that was started, and the end of it. */
export interface StartedRun {
  run: Run
  /**
   * Resolves with what the run has come to, through any waiting for people. Rejects with CapacityError `store_unavailable` or
   * `shutting_down` where this process had to let it go. Nobody has to wait for it.
   */
  done: Promise<EndedRun>
}

/**
 * Runs, from their start to their end. A run belongs to the folder that it was begun in: one of another is not found, unless it
 * is only read and `all` are looked at.
 */
export interface Runs {
  /** Makes a run and queues it. */
  create(create: RunCreate, options?: RunStartOptions): Promise<Run>
  /** The same, with a promise of the end: the process that works on the run answers it by itself. */
  start(create: RunCreate, options?: RunStartOptions): Promise<StartedRun>
  get(id: string, reach?: Reach): Promise<Run>
  list(query?: RunQuery & Reach): Promise<Page<Run>>
  /** How many runs fit, and their durations, tokens and cost together. */
  summary(filters?: RunFilters & Reach): Promise<RunSummary>
  /**
   * What runs took, by period and by model or folder. A run counts in the period in which it was asked for.
   *
   * @param query default by model, per day, of all times
   * @throws ValidationError `validation_failed`, also for more than 10,000 figures
   */
  costs(query?: CostQuery & Reach): Promise<RunCosts>
  /** Resolves when the run is terminal or waiting, or after `ms`. */
  wait(id: string, ms?: number, reach?: Reach): Promise<Run>
  /** @throws ConflictError `run_not_finished` */
  result(id: string, reach?: Reach): Promise<RunResult>
  events(
    id: string,
    options?: Reach & { after?: number; deltas?: boolean; signal?: AbortSignal },
  ): AsyncIterable<RunEvent>
  /** @param by who asks, as the log names it; default `user` */
  cancel(id: string, reason?: string, by?: string): Promise<Run>
  /**
   * Says something to a run at work. Each of its agents reads it before its next model call; one that has just answered
   * answers again with it. `unread` of the run has what none has read yet.
   *
   * @param by who says it, as the log names it; default `user`
   * @throws ConflictError `invalid_transition` for a run that has ended or is ending, or that has no agents by its mode
   */
  steer(id: string, input: SteerInput, by?: string): Promise<RunMessage>
  /**
   * Goes on with a run: one that no living process works on is taken up as it is, a waiting one gets its input, one
   * that failed, was cancelled or is incomplete is gone on with by a new run.
   *
   * @throws ConflictError `invalid_transition` for a run that is at work, or is completed
   */
  resume(id: string, input?: ResumeInput, options?: Asker): Promise<Run>
  delete(id: string): Promise<void>
}
