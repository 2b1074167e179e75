import type { EventData, EventType, RunEvent } from '../log/event.ts'
import type { MemoryHit } from '../memory/memory.ts'
import type { ToolCall } from '../model/message.ts'
import type { ModelAnswer, ModelRequest } from '../model/model.ts'
import type { Usage } from '../model/usage.ts'
import type { AgentProfile } from '../plugin/agent-profile.ts'
import type { PlanAgent } from '../stages/plan.ts'
import type { RecordSpace } from '../store/collection.ts'
import type { FolderNote } from '../tool/folder-note.ts'
import type { Tool, ToolAnswer, ToolInfo } from '../tool/tool.ts'
import type { Warning } from '../warning.ts'
import type { ApprovalRequest, InputRequest, Resolution } from './approval.ts'
import type { RunOptions } from './run.ts'
import type { RunMessage } from './run-message.ts'
import type { RunView } from './run-view.ts'
import type { ThreadMessage } from './thread.ts'

/** Request to change a running run. Applied at the next model or tool call. */
export interface Steering {
  /** `nudge` stands before the agent's next model call, `openCircuit` denies the tool, `halt` ends the run with `loop_detected`. */
  action: 'nudge' | 'openCircuit' | 'halt'
  reason: string
  agentId?: string
  tool?: string
  evidence?: string[]
}

/** An agent that listens between two calls of its model. */
export interface HearRequest {
  /** Names the moment within the run and must not be used twice in one attempt. */
  key: string
  /** Key of the model call that comes next; where the agent has answered, of the one that gave the answer. */
  call: string
  /** What stands in the agent's conversation already. */
  heard: readonly RunMessage[]
  agentId: string
  stepId?: string
}

/** What a running run offers to its plugins and components: the third argument of every hook. */
export interface RunContext {
  readonly id: string
  readonly threadId: string | undefined
  /**
   * What was said in the thread before the run, oldest first, as far as it fits: agents, planner and votes are sent it as
   * messages (`toTurns` of `@svc/core/text`). As it was when the run began, in forks and after a crash too.
   */
  readonly thread: readonly ThreadMessage[]
  /**
   * What the `AGENTS.md` files from the repository's top to the workspace say, the nearest last, as they were when the run
   * began: agents get it. None where the run's default model is deterministic.
   */
  readonly notes: readonly FolderNote[]
  /** Whose memory the run recalls and writes: a name that the server gives to a key; empty for the shared memory. */
  readonly owner: string
  /** How often `execute` was asked, from 1. */
  readonly attempt: number
  readonly signal: AbortSignal
  readonly options: RunOptions
  /** The run's default model as `provider/model`. */
  readonly defaultModel: string
  /**
   * `provider/model` for small work beside the task, such as summing up and judging: `smallModel` of the config. Empty where
   * none is set: as the model of a request that means the run's own.
   */
  readonly smallModel: string
  /** The default model's window in tokens, where it is known. */
  readonly contextTokens: number | undefined
  /** Whether the default model's provider is deterministic. */
  readonly deterministic: boolean
  /** The tools that this run allows. */
  readonly tools: readonly ToolInfo[]
  /** The agent profiles that this run names, in order; else all that are known. */
  readonly agents: readonly AgentProfile[]
  /**
   * Whether something untrusted was read so far: by a tool, in a folder that nobody trusts, or through a memory or an
   * earlier answer of the thread that rests on such. What the run says then may carry instructions from outside.
   */
  readonly isTainted: boolean

  /**
   * The one way to a model. `key` names the call within the run and must not be used twice in one attempt.
   *
   * @throws ProviderError after the retries; LimitError `budget_exhausted`, `max_steps`, `loop_detected`; CancelledError
   */
  model(request: ModelRequest & { key: string; agentId: string; stepId?: string }): Promise<ModelAnswer>
  /** The one way to a tool. Never throws for what a tool or the policy did: see `ok` and `error`. Throws on cancel. */
  tool(
    call: ToolCall & {
      key: string
      agentId: string
      stepId?: string
      /** A tool of the caller, for this call alone: it is not among the run's tools, and passes the same gateway. */
      own?: Tool
    },
  ): Promise<ToolAnswer>
  /**
   * Takes in an agent that the plan has not: it has the bounds of its profile, and a part of what another one may still take of
   * the soft budget.
   *
   * @param from who it works for, and how many tokens it is to have
   * @returns how many it has got
   */
  join(agent: Pick<PlanAgent, 'agentId' | 'profileId'>, from: { agentId: string; tokens: number }): number
  /**
   * What those of the folders say that a file lies in which a call of `read_file`, `edit_file` or `write_file` names, below the
   * workspace, the nearest last: as they were when the run first asked for that folder.
   */
  notesBeside(call: Pick<ToolCall, 'tool' | 'args'> & { agentId: string }): Promise<readonly FolderNote[]>
  /**
   * What people have said to the run that the agent has not read yet, oldest first, for its conversation; logged as
   * `agent.steered`. Recorded: a recovery, a replay and a fork have it at the same place.
   */
  hear(request: HearRequest): Promise<readonly RunMessage[]>
  /** Asks a person and waits. */
  ask(request: ApprovalRequest | InputRequest): Promise<Resolution>

  /** Logs an event. `data` is what `EventData` says of the type; where it belongs defaults to the stage that is being asked. */
  emit<T extends EventType>(
    type: T,
    data: EventData[T],
    at?: { agentId?: string; stepId?: string; callId?: string },
  ): void
  /** The events so far, in order, ephemeral ones left out. */
  events(): readonly RunEvent[]
  /** What the events so far add up to. */
  readonly view: RunView
  /** @returns how to stop listening */
  onEvent(handler: (event: RunEvent) => void): () => void
  steer(steering: Steering): void
  /** Adds a warning to the result. The same code and message is kept once. */
  warn(warning: Warning): void

  readonly budget: {
    /** Tokens that the agent, or the run, may still take before the hard limit. */
    remaining(agentId?: string): number
    spent(): Usage
    /** True when the soft budget is used up: finish what runs, start nothing new. */
    readonly exhausted: boolean
    /** Tokens that the agent may still take of the soft budget: its share, and what would be lent to it. */
    available(agentId: string): number
  }
  /** What memory recalled for this run; planner and prompts read it. */
  readonly recalled: readonly MemoryHit[]
  /** Hands hits to the planner and the prompts. */
  recall(hits: readonly MemoryHit[]): void

  /**
   * Vectors for texts, over the provider of an embedding model; recorded and charged like any model call.
   *
   * @param request.model `provider/model`
   */
  embed(request: { key: string; agentId: string; model: string; texts: readonly string[] }): Promise<number[][]>

  /**
   * For what a plugin reads from, or does to, anything outside the run. What `work` answered is recorded and answered
   * again, without doing it, in a replay and after a recovery. After a crash between doing and recording, `work` is done
   * again with the same idempotency key.
   *
   * @param key names the call within the run and must not be used twice
   * @param work answers something that JSON can hold; is handed what makes its idempotency key
   * @param options.effect `pure` for what only reads: it costs less. Default `idempotent`
   * @param options.request what is asked for, something that JSON can hold: a recovery or a replay that asks for something else
   *   under this key parts from the run's records, as with a call of a model. Default: the key says all
   */
  record<T>(
    key: string,
    work: (idempotencyKey: () => string) => Promise<T>,
    options?: { effect?: 'pure' | 'idempotent'; request?: unknown },
  ): Promise<T>

  /**
   * As `host.records`, for what leaves with the run: what is put is written in the run's next commit, with what was recorded
   * before it, all or nothing. Put it inside `record`, so that a replay writes nothing.
   *
   * @returns where `put` resolves when that is written, and rejects where it cannot be: do not wait for it inside a tap
   */
  records<T>(kind: string, space: string): Pick<RecordSpace<T>, 'put'>

  /**
   * Something that the run need not wait for, such as writing to a memory. It is begun as the end of the run is written, not
   * where the run is cut off before, and the runtime waits for it when it closes.
   */
  defer(work: () => Promise<void>): void

  /** Milliseconds since the epoch, of the last recorded outcome: the same in a replay. */
  now(): number
  /** In [0, 1), derived from the run's seed and the key, else from the seed and how many were drawn: the same in a replay. */
  random(key?: string): number
  /** A new id with this prefix, derived from the run's seed and the key, else from the seed and how many were made. */
  newId(prefix: string, key?: string): string
}

/** What an asynchronous method of a component may use of a run. Without it the component works deterministically. */
export type Ports = Pick<RunContext, 'model' | 'now' | 'random' | 'newId' | 'signal' | 'budget'> &
  Partial<Pick<RunContext, 'smallModel'>>
