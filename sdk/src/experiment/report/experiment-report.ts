import type { ArmDesign, ExperimentDesign } from '../run/record.ts'
import type { DetectableEffect, Estimate, Frontier, Interval } from '../statistics/index.ts'

/** What an experiment showed, and what it did not: `report.json`. Scores and differences of quality are in [-1, 1]. */
export interface ExperimentReport {
  /** Version of this shape. */
  format: 1
  name: string
  designHash: string
  versions: ExperimentDesign['versions']
  seeds: readonly number[]
  scorer: string
  replay: ExperimentDesign['replay']
  budget: ExperimentDesign['budget']
  margin: number
  /** Share of failed runs above which no verdict on quality is given. */
  failureLimit: number
  sample: SampleReport
  /** In the order of the design. */
  arms: readonly ArmReport[]
  /** The base against itself; null where it was not run twice. */
  noise: NoiseReport | null
  /** Each other arm against the base. */
  comparisons: readonly Comparison[]
  /** Cost against quality, or tokens where a price is missing. */
  frontier: FrontierReport
  /** By stratum and its value, each arm against the base. */
  strata: readonly StratumReport[]
  regressions: readonly ArmRegressions[]
  /** Sentences. */
  notTested: readonly string[]
}

export interface SampleReport {
  tasks: number
  families: number
  seeds: number
  /** Tasks whose runs found a memory that was filled before, and the runs that filled it, once through all tasks. */
  setup: { tasks: number; turns: number }
  cells: number
  /** All of them, where the experiment is at its end. */
  planned: number
  /** Before the first run; by the sd of the base against itself once that is known. */
  detectable: DetectableEffect
}

export interface ArmReport extends ArmDesign {
  runs: number
  /** Runs that ended without an answer, those left out included, and their share of all that were made. */
  failed: Failed
  quality: Estimate
  /** Share of runs that completed with a score of the design's `passMark`, or more. */
  successRate: number
  /** Means of a run. */
  inputTokens: number
  outputTokens: number
  cachedTokens: number
  tokens: number
  /** True where any count of tokens is an estimate. */
  estimated: boolean
  /** Mean of a run; null where a run has no price. */
  costUsd: number | null
  /** Null where calls were answered from recordings, which takes no time. */
  latencyP50Ms: number | null
  latencyP95Ms: number | null
  modelCalls: number
  toolCalls: number
  /** Means of what the set-up turns of a run took, apart from the figures above; null where no task has any. */
  setup: { tokens: number; costUsd: number | null } | null
  successPer1kTokens: number | null
  /** Square of the quality by thousands of tokens of a run. */
  e3: number | null
  /** Runs that did not complete, by status and error code. */
  failures: Readonly<Record<string, number>>
  /** Runs with an issue, by its code. */
  issues: Readonly<Record<string, number>>
  /** Runs left out of the comparisons, since a provider or the machine failed, not the arm. */
  outside: number
}

/** Paired by task, each a mean over the seeds that both arms have. */
export interface Comparison {
  arm: string
  factors: readonly string[]
  /** Tasks that both arms have. */
  tasks: number
  /** Tasks that one of them lacks. */
  leftOut: number
  quality: Estimate
  /** Of the sign-flip test over families; null with fewer than two. */
  p: number | null
  /** Adjusted over all comparisons, and over quality and tokens. */
  holmP: number | null
  /** Where scores are 0 or 1 and one seed was run. */
  mcnemar: { onlyBase: number; onlyArm: number; p: number } | null
  equivalence: 'shown' | 'not shown'
  /** The smallest true difference that this sample shows in four of five experiments. */
  detectable: number | null
  /** Arm by base; null where a figure is missing or the base has none. */
  tokens: RatioReport | null
  costUsd: RatioReport | null
  /** Null also where calls of the arm were answered from recordings. */
  latencyMs: RatioReport | null
  /** Null where nothing was replayed. */
  missShare: number | null
  /** Of the two arms together with `verdict`, in a word; `none` where too many runs failed to tell. */
  finding: 'better' | 'worse' | 'same' | 'open' | 'none'
  verdict: string
}

/** Runs that ended without an answer. */
export interface Failed {
  runs: number
  /** Of all runs that were made; 0 of none. */
  share: number
}

export interface FrontierReport extends Frontier {
  by: 'costUsd' | 'tokens'
  /** In the order of the arms. */
  arms: readonly FrontierArm[]
}

/** An arm among the choices. */
export interface FrontierArm {
  id: string
  /** Mean of a run, in what the front goes by. */
  cost: Estimate
  /** Share of samples of families, drawn again for all arms together, in which no arm beats it; null with fewer than two families. */
  onFront: number | null
}

export interface RatioReport extends Estimate {
  /** Mean difference of a task. */
  difference: number
  p: number | null
  /** Adjusted as that of quality; of tokens only. */
  holmP?: number | null
}

export interface NoiseReport extends Comparison {
  /** Whether two arms that are the same came out as different: the interval excludes none. */
  falseAlarm: boolean
  /** Standard deviation of the differences of tasks. */
  sd: number | null
  /** Share of tasks that scored less the second time: so many regress by chance. */
  lost: Estimate
}

export interface StratumReport {
  stratum: string
  value: string
  tasks: number
  base: number
  arms: readonly { arm: string; tasks: number; quality: Estimate }[]
}

export interface ArmRegressions {
  arm: string
  /** The ten worst. */
  worst: readonly Regression[]
  /** Tasks that scored less than with the base. */
  total: number
  /** Their share of the tasks of both. */
  share: Estimate
}

export interface Regression {
  task: string
  seed: number
  /** Mean over the seeds, of arm less base. */
  difference: number
  /** Of `difference`; null where nothing says how much repeating a run changes. */
  interval: Interval | null
  base: RunLink
  arm: RunLink
}

export interface RunLink {
  score: number
  runId: string
  evidence?: string
  bundle?: string
}
