import type { ArmDesign, Cell, ExperimentDesign } from '../run/record.ts'
import {
  type Cluster,
  canShow,
  type EstimateOptions,
  estimate,
  isEquivalent,
  mcnemar,
  powerFactor,
  signFlip,
  toClusters,
} from '../statistics/index.ts'
import type { Comparison, NoiseReport, RatioReport } from './experiment-report.ts'
import { differenceOf, isCompared, isReplayed, mean, meanOf, type TaskPair, tokensOf } from './pair-tasks.ts'
import { shareOfLost } from './regressions.ts'

/** A comparison before all p-values are known, and so without its verdict. */
export type OpenComparison = Omit<Comparison, 'holmP' | 'finding' | 'verdict'>

/** How many tests are adjusted for each other: of quality and of tokens, for each arm. */
export const testsOf = ({ arms }: Pick<ExperimentDesign, 'arms'>): number =>
  2 * Math.max(1, arms.filter(isCompared).length)

/** What changed from the base to an arm, task by task. */
export function compareArms(design: ExperimentDesign, arm: ArmDesign, pairs: readonly TaskPair[]): OpenComparison {
  const clusters = toDifferences(pairs)
  const quality = estimate(clusters, { of: 'difference' })
  const { standardError, families } = quality
  return {
    arm: arm.id,
    factors: arm.factors,
    tasks: pairs.length,
    leftOut: design.tasks.length - pairs.length,
    quality,
    p: testOf(clusters),
    mcnemar: toMcnemar(pairs),
    equivalence: isEquivalent(quality.interval90, design.margin) ? 'shown' : 'not shown',
    detectable:
      standardError === null || standardError === 0 || !canShow(families, testsOf(design))
        ? null
        : powerFactor(families - 1, testsOf(design)) * standardError,
    tokens: toRatio(pairs, tokensOf),
    costUsd: toRatio(pairs, ({ costUsd }) => costUsd),
    latencyMs: pairs.some((pair) => isReplayed(pair.arm)) ? null : toRatio(pairs, ({ latencyMs }) => latencyMs),
    missShare: toMissShare(pairs),
  }
}

/** Whether two arms that are the same were found to differ, and by how much tasks differ by chance alone. */
export function toNoise(comparison: Comparison, pairs: readonly TaskPair[]): NoiseReport {
  const { interval } = comparison.quality
  const differences = pairs.map(differenceOf)
  const middle = mean(differences)
  const squares = differences.reduce((total, each) => total + (each - middle) ** 2, 0)
  return {
    ...comparison,
    falseAlarm: comparison.finding !== 'none' && interval !== null && (interval.low > 0 || interval.high < 0),
    lost: shareOfLost(pairs),
    sd: pairs.length < 2 ? null : Math.sqrt(squares / (pairs.length - 1)),
  }
}

/** The mean difference of quality over some of the tasks. */
export const estimateDifference = (pairs: readonly TaskPair[], options: EstimateOptions = {}) =>
  estimate(toDifferences(pairs), { of: 'difference', ...options })

const toDifferences = (pairs: readonly TaskPair[]): Cluster[] =>
  toClusters(pairs.map((pair) => ({ family: pair.task.family, above: differenceOf(pair), below: 1 })))

const testOf = (clusters: readonly Cluster[]): number | null =>
  clusters.length < 2 ? null : signFlip(clusters.map(({ above }) => above))

/** @returns null where a run lacks the figure, or the base has none of it */
function toRatio(pairs: readonly TaskPair[], figure: (cell: Cell) => number | null): RatioReport | null {
  if (pairs.length === 0 || pairs.some(({ base, arm }) => [...base, ...arm].some((cell) => figure(cell) === null)))
    return null
  const tasks = pairs.map(({ task: { family }, base, arm }) => {
    const [below, above] = [base, arm].map((cells) => meanOf(cells, (cell) => figure(cell) ?? 0)) as [number, number]
    return { family, above, below }
  })
  if (!tasks.some(({ below }) => below > 0)) return null
  const differences = toClusters(tasks.map(({ family, above, below }) => ({ family, above: above - below, below: 1 })))
  return {
    ...estimate(toClusters(tasks), { of: 'ratio', samples: 2000 }),
    difference: mean(tasks.map(({ above, below }) => above - below)),
    p: testOf(differences),
  }
}

function toMcnemar(pairs: readonly TaskPair[]): Comparison['mcnemar'] {
  const isBinary = pairs.every(({ base, arm }) => [...base, ...arm].every(({ score }) => score === 0 || score === 1))
  if (pairs.length === 0 || !isBinary || pairs.some(({ base }) => base.length !== 1)) return null
  const onlyArm = pairs.filter((pair) => differenceOf(pair) > 0).length
  const onlyBase = pairs.filter((pair) => differenceOf(pair) < 0).length
  return { onlyBase, onlyArm, p: mcnemar(onlyBase, onlyArm) }
}

function toMissShare(pairs: readonly TaskPair[]): number | null {
  const replays = pairs.flatMap(({ arm }) => arm.flatMap(({ replay }) => replay ?? []))
  const misses = replays.reduce((total, { misses }) => total + misses, 0)
  const calls = replays.reduce((total, { hits }) => total + hits, misses)
  return calls === 0 ? null : misses / calls
}
