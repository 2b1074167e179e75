import type { AgentProfile } from '../../../contracts/plugin/agent-profile.ts'
import type { RunOptions } from '../../../contracts/run/run.ts'
import type { ThreadTurns } from '../../../contracts/run/thread.ts'
import type { FolderNotes } from '../../../contracts/tool/folder-note.ts'
import type { Tool, ToolInfo } from '../../../contracts/tool/tool.ts'
import { type PreparedRun, seedOf } from '../service/prepare-run.ts'

/** What is known of a run before it begins, and stays. */
export class RunFacts {
  readonly id: string
  /** Id that idempotency keys of tools are derived from: the first run of a chain of resumed ones. */
  readonly originId: string
  readonly threadId: string | undefined
  /** What of its thread it is sent. */
  readonly thread: ThreadTurns
  /** What the `AGENTS.md` files of its folder say. */
  readonly notes: FolderNotes
  /** Whose memory it uses; empty for the shared one. */
  readonly owner: string
  readonly options: RunOptions
  /** `provider/model`. */
  readonly defaultModel: string
  /** The same of small work; empty for the default one. */
  readonly smallModel: string
  readonly contextTokens: number | undefined
  readonly deterministic: boolean
  readonly tools: readonly ToolInfo[]
  /** Those of who asked for the run, by id. */
  readonly clientTools: ReadonlyMap<string, Tool>
  readonly agents: readonly AgentProfile[]
  /** What untrusted content every agent is shown, in words. */
  readonly taint: readonly string[]
  /** Whether it has no more than the config says. */
  readonly isBounded: boolean
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly #prepared: PreparedRun

  constructor(prepared: PreparedRun) {
    const { row, thread, notes, options, model, small, tools, clientTools, agents, taint } = prepared
    this.id = row.id
    this.originId = row.originRunId ?? row.id
    this.threadId = row.threadId
    this.thread = thread
    this.notes = notes
    this.owner = row.owner ?? ''
    this.options = options
    this.defaultModel = model === undefined ? '' : `${model.provider.id}/${model.model}`
    this.smallModel = small === undefined ? '' : `${small.provider.id}/${small.model}`
    this.contextTokens = model?.info?.context
    this.deterministic = model?.provider.deterministic === true
    this.tools = tools
    this.clientTools = clientTools
    this.agents = agents
    this.taint = taint
    this.isBounded = row.bounded === true
    this.createdAt = Date.parse(row.createdAt)
    this.#prepared = prepared
  }

  /** What random numbers and ids of the run are derived from. */
  get seed(): number {
    return seedOf(this.#prepared)
  }
}
