import type { AgentProfile } from '../contracts/agent-profile.ts'
import type { EventPlace, EventType } from '../contracts/event.ts'
import type { Journal } from '../contracts/journal.ts'
import type { Hooks, Registry } from '../contracts/plugin.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Tool } from '../contracts/tool.ts'
import type { ApprovalsDesk, Waiting } from './runs/approvals.ts'
import type { Semaphore } from './concurrency.ts'
import type { Ledger } from './budget/ledger.ts'
import type { ModelCatalog } from './calls/model-catalog.ts'
import type { Policy } from './calls/policy.ts'
import type { SteeringDesk } from './calls/steering.ts'

/** What the two doors of a run stand on. */
export interface DoorContext {
  /** The run as plugins see it. */
  readonly run: RunContext
  readonly hooks: Hooks
  readonly catalog: ModelCatalog
  readonly tools: Registry<Tool>
  readonly ledger: Ledger
  readonly journal: Journal
  readonly policy: Policy
  readonly approvals: ApprovalsDesk
  readonly steering: SteeringDesk
  readonly signal: AbortSignal
  /** The profile that fills an agent's slot, once there is a plan. */
  profileOf(agentId: string): AgentProfile | undefined
  /** Models tried in order when the first fails, beside those of the agent's profile. */
  readonly fallbackModels: readonly string[]
  /** Absolute path of the folder that tools are confined to. */
  readonly workspace: string
  /** The guarded `fetch` handed to tools. */
  readonly fetch: typeof fetch
  readonly toolOutputBytes: number
  readonly clock: () => number
  readonly random: () => number
  /** Limits the calls to one provider that run at once, over all runs. */
  semaphore(providerId: string, limit: number): Semaphore
  /** Whether anybody reads answers as they come. */
  isRead(): boolean
  emit(type: EventType, data: object, at?: EventPlace): void
  /** Resolves when everything emitted so far is durable and sent, so that whoever watches has seen it. */
  flush(): Promise<void>
  /** Is told that the run waits for a person, and that it goes on. */
  onWaiting(waiting: Waiting | undefined, answered?: Waiting): void
  /** Keeps bytes that are too large for an event. */
  keep(bytes: Uint8Array): Promise<string>
}
