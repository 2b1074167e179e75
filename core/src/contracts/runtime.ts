import type { AgentInput, AgentProfile } from './agent-profile.ts'
import type { Approval, Decision } from './approval.ts'
import type { Change } from './change.ts'
import type { Complexity } from './complexity.ts'
import type { PolicyRule } from './config.ts'
import type { ErrorInfo } from './error-info.ts'
import type { RunEvent } from './event.ts'
import type { ForkInput } from './fork-input.ts'
import type { Inspection } from './inspection.ts'
import type { Activity, Measurement } from './measurement.ts'
import type { MemoryApi } from './memory.ts'
import type { ModelInfo } from './model.ts'
import type { ListQuery, Page } from './page.ts'
import type { ExecutionResult, PlanResult } from './result.ts'
import type { ResumeInput } from './resume-input.ts'
import type { Run, RunCreate } from './run.ts'
import type { RunSummary } from './run-summary.ts'
import type { RunFilters, RunQuery } from './store.ts'
import type { Task } from './task.ts'
import type { Thread, ThreadMessage } from './thread.ts'
import type { Warning } from './warning.ts'
import type { ToolRisk } from './words.ts'
import type { FileNames, FileQuery } from './workspace-files.ts'

/** What a run returns, by its mode. */
export type RunResult = ExecutionResult | PlanResult | Complexity

/** Whether a run gives the same again from its records. */
export interface ReplayResult {
  identical: boolean
  firstDivergence?: { seq: number; expected: unknown; actual: unknown }
}

/** What differs between two runs. */
export interface RunDiff {
  plan: Change[]
  agents: Change[]
  toolCalls: Change[]
  usage: Change[]
  output: Change[]
  firstDivergence?: { seq: [number, number] }
}

/** A request that makes the same run again however often it is sent within 24 hours. */
export interface KeyedRequest {
  idempotencyKey?: string
  /** Whose key it is: holder, method and path of a request. Default: this process's own. */
  idempotencyScope?: string
  /** Span of the caller that the run is below, as W3C Trace Context writes it. What is not such a text is ignored. */
  traceparent?: string
  /** Called before the promise resolves, where the run was made by an earlier request. */
  onReplayed?: () => void
}

/** A request that makes something else than a run, and that is to do so once. */
export interface OnceRequest {
  /** Whose key it is: holder, method and path of a request. */
  scope: string
  key: string
  /** Of what was asked for. */
  bodyHash: string
}

/** Whether the runtime can work. */
export interface Health {
  status: 'ok' | 'degraded'
  version: string
  uptimeSeconds: number
  provider: string
  warnings: Warning[]
  checks?: Record<string, string>
}

/** One tap of one hook, for the table of `svc plugins`. */
export interface TapInfo {
  hook: string
  plugin: string
  name: string
  stage: number
  mandatory: boolean
  source: string
  /** How often it was asked since the process began, also where it failed. */
  calls: number
  /** What these calls took together. */
  totalMs: number
}

/** How a provider did in this process, by the model calls that have ended; a call and its retries are one. */
export interface ProviderHealth {
  /** `failing`: the last call failed. `resting`: it cannot be reached, and nothing is sent for a moment. */
  state: 'unused' | 'ok' | 'failing' | 'resting'
  calls: number
  failures: number
  lastUsedAt?: string
  /** Of the newest call that failed. */
  lastError?: ErrorInfo
}

/** How a tool was used in this process. */
export interface ToolUse {
  /** That were made and have ended. */
  calls: number
  /** Of these. */
  failures: number
  /** Calls that were refused; most of them were not made. */
  denied: number
  /** Of the newest call that failed or was refused. */
  lastError?: ErrorInfo
}

/** What the policy holds against every tool call. A run's own options can only take tools away. */
export interface PolicyInForce {
  /** What a call is that no rule is about: the strictest of all sources. Absent: by risk, as `builtIn` says. */
  default?: 'allow' | 'ask' | 'deny'
  defaultSource?: string
  /** In the order in which they are asked; of those that are about a call, the strictest wins. */
  rules: { rule: PolicyRule; source: string }[]
  /** What holds beside the rules, a sentence each. */
  builtIn: string[]
  /** What programs run in, where the config says. Default the best there is. */
  sandbox?: string
  /** Absolute path of the folder that tools are confined to. */
  root: string
}

/** What the runtime is made of. */
export interface RuntimeInfo {
  version: string
  /** `provider/model`, or `none: ` and why. */
  defaultModel: string
  /** Why there is no default model. */
  defaultModelError?: ErrorInfo
  providers: {
    id: string
    models: ModelInfo[]
    source: string
    defaultModel?: string
    error?: string
    health?: ProviderHealth
  }[]
  tools: { id: string; description: string; risk: ToolRisk; source: string; use?: ToolUse }[]
  plugins: { name: string; stages: string[]; mandatory: boolean; source: string }[]
  /** In the order in which they are asked. */
  taps: TapInfo[]
  config: { value: unknown; origin: Record<string, string> }
  policy: PolicyInForce
}

/** What server, SDK and CLI speak to, and nothing below it. */
export interface Runtime {
  readonly runs: {
    /**
     * Makes a run and queues it.
     *
     * @param options.deltas false: the caller reads no pieces of answers, so models may answer over the cheaper call as
     *   long as nobody else listens
     */
    create(create: RunCreate, options?: KeyedRequest & { signal?: AbortSignal; deltas?: boolean }): Promise<Run>
    get(id: string): Promise<Run>
    list(query?: RunQuery): Promise<Page<Run>>
    /** How many runs fit, and their durations, tokens and cost together. */
    summary(filters?: RunFilters): Promise<RunSummary>
    /** Resolves when the run is terminal or waiting, or after `ms`. */
    wait(id: string, ms?: number): Promise<Run>
    /** @throws ConflictError `run_not_finished` */
    result(id: string): Promise<RunResult>
    events(id: string, options?: { after?: number; deltas?: boolean; signal?: AbortSignal }): AsyncIterable<RunEvent>
    cancel(id: string, reason?: string): Promise<Run>
    /**
     * Goes on with a run: one that no living process works on is taken up as it is, a waiting one gets its input, one
     * that failed, was cancelled or is incomplete is gone on with by a new run.
     *
     * @throws ConflictError `invalid_transition` for a run that is at work, or is completed
     */
    resume(id: string, input?: ResumeInput): Promise<Run>
    fork(id: string, input: ForkInput, options?: KeyedRequest): Promise<Run>
    replay(id: string): Promise<ReplayResult>
    diff(a: string, b: string): Promise<RunDiff>
    /** The run as JSON Lines: its row, then its events as they are, then its steps and what they name. */
    export(id: string): AsyncIterable<Uint8Array>
    /**
     * Puts an exported run beside the others, under its own id.
     *
     * @throws ValidationError `validation_failed` for what is no exported run, was cut or changed, or comes from a newer
     *   svc; ConflictError `run_not_finished` for one that had not ended
     */
    import(source: AsyncIterable<Uint8Array>): Promise<Run>
    delete(id: string): Promise<void>
  }
  readonly approvals: {
    list(query?: ListQuery & { status?: Approval['status'] }): Promise<Page<Approval>>
    get(id: string): Promise<Approval>
    resolve(id: string, decision: Decision): Promise<Approval>
  }
  readonly agents: {
    list(): Promise<AgentProfile[]>
    get(id: string): Promise<AgentProfile>
    put(profile: AgentInput): Promise<AgentProfile>
    delete(id: string): Promise<void>
  }
  readonly memory: MemoryApi
  readonly threads: {
    create(input?: { title?: string; metadata?: Record<string, unknown> }): Promise<Thread>
    get(id: string): Promise<Thread>
    list(query?: ListQuery): Promise<Page<Thread>>
    update(id: string, input: { title?: string; metadata?: Record<string, unknown> }): Promise<Thread>
    copy(id: string): Promise<Thread>
    delete(id: string): Promise<void>
    messages(id: string): Promise<ThreadMessage[]>
  }
  /**
   * Finds files of the workspace, as `list_files` sees them, for `files` of a run. Absent where the runtime has none.
   *
   * @throws ValidationError `validation_failed`; over HTTP NotFoundError `route_not_found` where that runtime has none
   */
  files?(query?: FileQuery): Promise<FileNames>
  analyze(task: Task): Promise<Complexity>
  inspect(): Promise<Inspection>
  describe(): Promise<RuntimeInfo>
  health(): Promise<Health>
  /**
   * Calls a handler with each event of each run. A handler that throws never breaks a run.
   *
   * @param options.passive true: it asks for no pieces of answers, and hears them where somebody else does
   * @returns how to stop listening
   */
  onEvent(handler: (event: RunEvent) => void, options?: { passive?: boolean }): () => void
  /**
   * Calls a handler with what begins, waits and ends from now on (`run.*`), in the runs of all processes that share the
   * store.
   *
   * @param options.onOpen called each time when listening begins. Over HTTP that is again after each cut: what happened
   *   before is not told
   * @returns how to stop listening
   */
  onRunEvent(handler: (event: RunEvent) => void, options?: { onOpen?: () => void }): () => void
  /**
   * Does something once for a key within 24 hours, over all processes that share the store; who comes meanwhile waits.
   *
   * @param work answers the id of what it made; it is handed whether a process that ended in the middle may have made it
   * Absent where runs are worked on in another process.
   *
   * @throws ValidationError `idempotency_mismatch`; what the work threw, which may then be tried again
   */
  once?(request: OnceRequest, work: (isAgain: boolean) => Promise<string>): Promise<{ id: string; isReplayed: boolean }>
  /**
   * Calls a handler with what the runtime measures of its plugins and its store. Until somebody asks, nothing is measured.
   * Absent where runs are worked on in another process.
   *
   * @returns how to stop
   */
  onMeasure?(handler: (measured: Measurement) => void): () => void
  /** What this process works on now. Absent where runs are worked on in another process. */
  activity?(): Activity
  /**
   * Tries whether the store takes what is recorded of runs, by a small write that leaves nothing behind. Absent where runs
   * are worked on in another process.
   *
   * @throws SvcError `store_unavailable`, `disk_full`
   */
  assertWritable?(): Promise<void>
  close(): Promise<void>
}
