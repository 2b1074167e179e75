import type { AgentProfile } from '../../contracts/agent-profile.ts'
import type { ApprovalRequest, InputRequest, Resolution } from '../../contracts/approval.ts'
import type { EventData, EventPlace, EventType } from '../../contracts/event.ts'
import type { Journal } from '../../contracts/journal.ts'
import type { Ledger } from '../budget/ledger.ts'
import type { Environment } from '../environment.ts'
import type { TappedRun } from '../pipeline/hooks.ts'
import type { Questions } from '../runs/questions.ts'
import type { Policy } from './policy.ts'
import type { Steering } from './steering.ts'

/** What the two gateways stand on: the run they serve, as the runtime sees it. */
export interface CallContext extends TappedRun {
  readonly env: Environment
  /** Id that idempotency keys of tools are derived from: the first run of a chain of resumed ones. */
  readonly originId: string
  readonly ledger: Ledger
  readonly journal: Journal
  readonly policy: Policy
  readonly questions: Questions
  readonly steering: Steering
  /** Whether an earlier answer of the thread, which every agent is shown, rests on something untrusted. */
  readonly isThreadTainted: boolean
  readonly isStopped: boolean
  /** Why the run was stopped. */
  readonly stopReason: unknown
  /** @throws the reason why the run was stopped, when it was */
  throwIfStopped(): void
  /** Ends the run's calls and taps; the first reason stands. */
  abort(reason: unknown): void
  /** Calls back when the run is stopped. @returns how to take it back */
  onStop(handler: (reason: unknown) => void): () => void
  /** False: nobody reads answers as they come, so models may answer over the cheaper call. */
  readonly isRead: boolean
  /** The profile that an agent has, once there is a plan. */
  profileOf(agentId: string): AgentProfile | undefined
  /** @param isFollowed another event, or a commit, comes at once and takes this one along */
  emit<T extends EventType>(type: T, data: EventData[T], at?: EventPlace, isFollowed?: boolean): void
  /** @param key of the wait, where the order of questions does not tell them apart */
  ask(request: ApprovalRequest | InputRequest, key?: string): Promise<Resolution>
  /**
   * Stores a large value beside the log.
   *
   * @returns its SHA-256
   * @throws what the store threw. The run then stops as for any write that failed: what was done and not recorded is in doubt
   */
  keep(bytes: Uint8Array): Promise<string>
  /** Resolves when every event so far is durable and sent; undefined when it is already. */
  flush(): undefined | Promise<void>
}

/** Where a call belongs. */
export interface CallSite {
  agentId: string
  callId: string
  stepId?: string
}

export const callSite = (agentId: string, callId: string, stepId: string | undefined): CallSite =>
  stepId === undefined ? { agentId, callId } : { agentId, callId, stepId }
