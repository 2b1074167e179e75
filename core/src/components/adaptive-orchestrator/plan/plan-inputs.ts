import type {
  AgentProfile,
  MemoryHit,
  RunOptions,
  ThreadMessage,
  ToolInfo,
  Topology,
  Warning,
} from '../../../contracts/index.ts'
import type { TeamMember } from '../agents.ts'

/** What a plan is made from beside the task: a `RunContext` fits. */
export interface PlanContext {
  /** The tools that the run allows. Default: those that the task names, else all. */
  tools?: readonly ToolInfo[]
  /** Agent profiles, in order; those that `options.agents` asked for, else all that are known. */
  agents?: readonly AgentProfile[]
  options?: RunOptions
  /** What was said in the thread before; a model that plans reads it. */
  thread?: readonly ThreadMessage[]
  /** What memory knows; a model that plans reads it. */
  recalled?: readonly MemoryHit[]
  /** Whether equal requests give equal answers: such a model is not asked for a plan. */
  deterministic?: boolean
  /** Hears what was done without. */
  warn?(warning: Warning): void
}

/** One piece of work before it is a step of a graph. */
export interface WorkItem {
  objective: string
  /** Positions of the items that it waits for. */
  dependsOn: readonly number[]
  /** Positions of those without whose results it cannot be done. Default: all that it waits for. */
  needs?: readonly number[]
  /** Whether the answer owes it a place, as a part of the task in its own words. Default false. */
  isOwed?: boolean
  estimatedTokens: number
  /** The agent that should do it. Default: the one that suits it best. */
  agentId?: string
  /** When it is done. Default: when it answers its objective. */
  acceptance?: readonly string[]
  outputFormat?: string
  /** The only tools it should need. Default: all of its agent. */
  tools?: readonly string[]
}

/** What is known before the steps are cut: who is there, and how the text alone would cut the task. */
export interface PlanInputs {
  /** The whole task. */
  task: string
  topology: Topology
  members: readonly TeamMember[]
  /** The parts by the structure of the text. */
  items: readonly WorkItem[]
  /** Tokens of all agents together. */
  tokens: number
  /** Forecast of a step that the topology adds. */
  extraTokens: number
  tools: readonly ToolInfo[] | undefined
  /** Tools that the task names, for when it is not known which ones the run allows. */
  namedTools: readonly string[] | undefined
  warnings: readonly string[]
  /** Whether somebody asked for this topology: then a team does also a task of one part. */
  isAsked: boolean
}
