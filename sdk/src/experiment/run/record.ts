import type { ErrorCode, RunStatus, Topology, TopologyName } from '@svc/core/client'

/** The arm that every other one is compared with. */
export const BASE = 'base'
/** The arm that repeats the base live: what differs between the two is noise. */
export const AGAIN = 'base-again'

/** What was to be measured: written once, before the first run. */
export interface ExperimentDesign {
  /** Version of this shape. */
  format: 1
  name: string
  /** SHA-256 of everything that decides what is measured: tasks, arms, seeds, scorer. */
  hash: string
  arms: readonly ArmDesign[]
  tasks: readonly TaskDesign[]
  seeds: readonly number[]
  /** The scorer in words, such as `exact` or `contains, ignoring case`. */
  scorer: string
  /** What of an arm's calls is answered from the base's recordings. */
  replay: 'off' | 'fill' | 'strict'
  budget: { maxTokens?: number; maxCostUsd?: number }
  /** Half the width of the range within which a difference of quality counts as none. */
  margin: number
  /** Share of failed runs of an arm, or of the base, above which no verdict on quality is given. */
  failureLimit: number
  /** Score from which a run counts as a success. */
  passMark: number
  /** SHA-256 of each part of what is measured, such as `tasks` or `arm few`: says what differs where `hash` does. */
  parts: Readonly<Record<string, string>>
  /** By name: svc, node, and what else the figures depend on. */
  versions: Readonly<Record<string, string>>
}

export interface ArmDesign {
  /** `base`, `base-again`, or a slug. */
  id: string
  /** The factors in which it differs from the base, such as `components.analyze`; none of the base. */
  factors: readonly string[]
  /** What was put there, in words. */
  change: string
  /** The one that all its runs are asked for; absent: each run chooses. */
  topology?: TopologyName
  configHash: string
}

export interface TaskDesign {
  id: string
  /** What varies together: tasks of one family are one cluster. Default the task's own id. */
  family: string
  /** By name of the stratum, such as `{ kind: 'arithmetic' }`. */
  strata: Readonly<Record<string, string>>
  /** Runs before the measured one, which fill the memory. Absent: none. */
  setup?: number
}

/** One run of one task by one arm with one seed: a line of `cells.jsonl`. */
export interface Cell {
  arm: string
  task: string
  seed: number
  runId: string
  status: RunStatus
  /** 0 to 1, by the scorer. */
  score: number
  /** What the scorer went by, for people; at most a few hundred characters. */
  evidence?: string
  inputTokens: number
  outputTokens: number
  cachedTokens: number
  /** True where a count of tokens is an estimate. */
  estimated: boolean
  /** US dollars; null where a model has no price. */
  costUsd: number | null
  latencyMs: number
  modelCalls: number
  toolCalls: number
  /**
   * Model calls that were answered from a recording, and those that were made, with what these took; absent where nothing was
   * replayed. The figures above count both kinds, but for the latency, which a recording does not have.
   */
  replay?: { hits: number; misses: number; paidTokens: number; paidUsd: number | null }
  error?: { code: ErrorCode; message: string }
  /**
   * True: the arm is not to blame for the failure, as where a provider could not be reached. Such a cell has no score, counts
   * in no figure, and is made again.
   */
  outside?: boolean
  /** What the set-up turns before the run took; in none of the figures above. Absent where the task has none. */
  setup?: { turns: number; inputTokens: number; outputTokens: number; costUsd: number | null }
  /** What a model that judged the answer took; in none of the figures above. */
  judge?: { inputTokens: number; outputTokens: number; costUsd: number | null }
  /** How the agents of the run worked together. */
  topology?: TopologyName
  /** What the analyzer said before the run. */
  analysis?: {
    recommendedTopology: TopologyName
    score: number
    confidence: number
    utilities: Readonly<Partial<Record<Topology, number>>>
  }
  /** Codes of the inspector's issues, MAST codes where they have one. */
  issues: readonly string[]
  /** Path of the run's bundle, relative to the experiment's folder. */
  bundle?: string
}
