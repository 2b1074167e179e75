import type { Topology } from '@svc/core'
import type { Estimate } from '../statistics/index.ts'
import type { Calibration } from './calibration.ts'

/** What the automatic choice of a topology is worth, by the runs of an experiment whose other arms fix it. */
export interface TopologyReport {
  format: 1
  name: string
  /** The tasks that this is about: in each, every arm has a run of the same seed. */
  tasks: number
  /** Of these tasks. */
  families: number
  /** Tasks of the design that some arm has not done yet. */
  missing: number
  /** Runs of the automatic choice; each fixed topology has as many. */
  runs: number
  /** By topology; quality is the mean over tasks, tokens are input and output of a run together. */
  fixed: { topology: Topology; quality: number; tokens: number }[]
  auto: { quality: number; tokens: number }
  /** The fixed topology of the best mean quality; of equal ones the cheaper. */
  best: Topology
  /** Against the best fixed topology. */
  regret: Regret
  /**
   * Against the fixed topology, or the mix of two by lot, that has the best quality for the mean tokens of the automatic
   * choice; null where every one costs more.
   */
  regretAtEqualTokens: Regret | null
  /** Against the best topology of each task, known afterwards. Chance in single runs makes it too large. */
  regretAgainstOracle: Estimate
  /** Tasks in which all fixed topologies scored the same, so that no choice is wrong. */
  equalTasks: number
  /** How often each topology was chosen, its quality there, and what the fixed arms scored on the same tasks. */
  choices: { topology: Topology; runs: number; quality: number; fixed: Partial<Record<Topology, number>> }[]
  /** Confidence against "the recommended topology is among the best of its task". */
  calibration: Calibration
  /** Runs whose recommended topology no arm fixes, and those without a recommendation: not in `calibration`. */
  notCalibrated: number
  /** Rank correlation of predicted difficulty and tokens of a run of the automatic choice; null with under 3 runs. */
  scoreAndTokens: number | null
}

/** Quality of a rival less that of the automatic choice; below 0 the choice pays off. */
export interface Regret {
  /** The rival is chosen by the tasks that it is judged on: this flatters it. */
  sameTasks: Estimate
  /**
   * The rival is chosen by one half of the families and judged on the other, both ways, and the mean of 100 random splits is
   * taken: this flatters it no more. Null with one family, and where a half has no rival.
   */
  otherHalf: Estimate | null
}
