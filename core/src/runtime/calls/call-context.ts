import type { SvcConfig } from '../../contracts/config.ts'
import type { Cassette } from '../../contracts/log/cassette.ts'
import type { EventData, EventPlace, EventType, RunEvent } from '../../contracts/log/event.ts'
import type { Journal } from '../../contracts/log/journal.ts'
import type { AgentProfile } from '../../contracts/plugin/agent-profile.ts'
import type { Registry } from '../../contracts/plugin/plugin.ts'
import type { ApprovalRequest, GrantOffer, InputRequest, Resolution } from '../../contracts/run/approval.ts'
import type { RunOptions } from '../../contracts/run/run.ts'
import type { RunView } from '../../contracts/run/run-view.ts'
import type { RunStartOptions } from '../../contracts/runtime/runs.ts'
import type { CallRequest } from '../../contracts/tool/client-tool.ts'
import type { CheckedFetch, Tool, ToolInfo } from '../../contracts/tool/tool.ts'
import type { Warning } from '../../contracts/warning.ts'
import type { Redactor } from '../../support/secrets.ts'
import type { Deadlines } from '../../support/timers/deadlines.ts'
import type { Ledger } from '../budget/ledger.ts'
import type { HookAssembly, TappedRun } from '../hooks/hooks.ts'
import type { FileChanges } from '../journal/file-changes.ts'
import type { Policy } from './policy/policy.ts'
import type { TaintedFiles } from './policy/tainted-files.ts'
import type { Steering } from './steering.ts'

/** Whether, and why, a run was stopped. */
export interface CallStop {
  readonly signal: AbortSignal
  readonly isStopped: boolean
  readonly reason: unknown
  /** @throws the reason why the run was stopped, when it was */
  throwIfStopped(): void
  /** Ends the run's calls and taps; the first reason stands. */
  stop(reason: unknown): boolean
  /** Calls back when the run is stopped. @returns how to take it back */
  onStop(handler: (reason: unknown) => void): () => void
}

/** Where calls write down what happens. */
export interface CallRecorder {
  readonly journal: Journal
  readonly view: RunView
  readonly events: readonly RunEvent[]
  /** False: nobody reads answers as they come, so models may answer over the cheaper call. */
  readonly isRead: boolean
  emit<T extends EventType>(type: T, data: EventData[T], at?: EventPlace): void
  /** Comes to what earlier lives have logged of a call beside its end. @returns it, in order */
  comeTo(call: EventPlace): readonly RunEvent[]
  warn(warning: Warning): void
  /** Records an answer that nothing reads in this run; it leaves with what follows. */
  note(key: string, outcome: unknown): void
  /** Stores a large value beside the log. @returns its SHA-256 */
  keep(bytes: Uint8Array): Promise<string>
  /**
   * Resolves when all that is recorded so far is durable and the run is still held here. Whatever is seen outside of the
   * process, or costs, waits for it.
   */
  flush(): Promise<void>
}

/** What calls ask people. */
export interface CallQuestions {
  askApproval(
    request: ApprovalRequest,
    key: string,
    site: EventPlace,
    offers?: readonly GrantOffer[],
  ): Promise<Resolution>
  withdraw(key: string, site: EventPlace): void
  askInput(request: InputRequest, key: string, reason?: EventData['run.waiting']['reason']): Promise<Resolution>
  askCall(request: CallRequest, key: string, site: CallSite): Promise<Resolution>
}

/** The services of the runtime that calls need. */
export interface CallServices {
  readonly config: SvcConfig
  readonly hooks: HookAssembly
  readonly tools: Registry<Tool>
  /** Recorded calls that are asked before one is made. */
  readonly cassette: Cassette | undefined
  /** Absolute path of the folder that tools are confined to. */
  readonly workspace: string
  /** The guarded `fetch` handed to tools. */
  readonly fetch: CheckedFetch
  /** Most bytes of one tool result that a model is shown. */
  readonly toolOutputBytes: number
  /** Takes secrets out of a text. */
  readonly redact: Redactor
  readonly deadlines: Deadlines
}

/** What the two gateways stand on: the run that they serve. */
export interface CallContext {
  readonly env: CallServices
  readonly facts: {
    readonly id: string
    /** Id that idempotency keys of tools are derived from: the first run of a chain of resumed ones. */
    readonly originId: string
    readonly owner: string
    readonly options: RunOptions
    readonly defaultModel: string
    readonly tools: readonly ToolInfo[]
    /** Those of who asked for the run, by id. */
    readonly clientTools: ReadonlyMap<string, Tool>
    /** What untrusted content every agent is shown, in words. */
    readonly taint: readonly string[]
    /** Whether the run has no more than the config says. */
    readonly isBounded: boolean
  }
  readonly stop: CallStop
  readonly recorder: CallRecorder
  readonly control: {
    readonly questions: CallQuestions
    readonly steering: Steering
    /** @param key of the wait, where the order of questions does not tell them apart */
    ask(request: ApprovalRequest | InputRequest, key?: string): Promise<Resolution>
  }
  readonly ledger: Ledger
  readonly policy: Policy
  readonly taintedFiles: TaintedFiles
  readonly fileChanges: FileChanges
  /** What plugins see of the run. */
  readonly context: TappedRun
  /** What is wrong with an output of the run, in the words of who made it: see `RunStartOptions`. */
  readonly checkOutput?: RunStartOptions['checkOutput'] | undefined
  /** The profile that an agent has, once there is a plan. */
  profileOf(agentId: string): AgentProfile | undefined
}

/** Where a call belongs. */
export interface CallSite {
  agentId: string
  callId: string
  stepId?: string
}

export const callSite = (agentId: string, callId: string, stepId: string | undefined): CallSite =>
  stepId === undefined ? { agentId, callId } : { agentId, callId, stepId }
