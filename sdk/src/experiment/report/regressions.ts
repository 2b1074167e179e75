import type { Cell } from '../run/record.ts'
import { estimate, type Interval, studentQuantile, toClusters } from '../statistics/index.ts'
import type { ArmRegressions, NoiseReport, RunLink } from './experiment-report.ts'
import { differenceOf, mean, type TaskPair } from './pair-tasks.ts'

/** So many tasks are shown. */
const MOST = 10

/**
 * The tasks that lost most, each with its seed that lost most.
 *
 * Of many tasks some lose by chance, and the worst of them most. So the intervals of the R shown out of m tasks are made at
 * the level 1 - .05 R / m: at most 5 % of the intervals that are shown miss the truth.
 *
 * @see Benjamini and Yekutieli, False Discovery Rate-Adjusted Multiple Confidence Intervals for Selected Parameters, 2005
 */
export function toRegressions(arm: string, pairs: readonly TaskPair[], noise: NoiseReport | null): ArmRegressions {
  const lost = pairs.filter((pair) => differenceOf(pair) < 0)
  lost.sort((a, b) => differenceOf(a) - differenceOf(b) || (a.task.id < b.task.id ? -1 : 1))
  const shown = lost.slice(0, MOST)
  const chance = findChance(pairs, noise)
  const worst = shown.map((pair) => {
    const runs = pair.base.map((base, index) => ({ base, arm: pair.arm[index] as Cell }))
    runs.sort((a, b) => a.arm.score - a.base.score - (b.arm.score - b.base.score))
    const [run] = runs as [{ base: Cell; arm: Cell }]
    const difference = differenceOf(pair)
    return {
      task: pair.task.id,
      seed: run.base.seed,
      difference,
      interval: chance === null ? null : intervalOf(difference, chance, shown.length / pairs.length, runs.length),
      base: toLink(run.base),
      arm: toLink(run.arm),
    }
  })
  return { arm, worst, total: lost.length, share: shareOfLost(pairs) }
}

/** How many of the tasks scored less than with the base. */
export const shareOfLost = (pairs: readonly TaskPair[]): ArmRegressions['share'] =>
  estimate(
    toClusters(pairs.map((pair) => ({ family: pair.task.family, above: Number(differenceOf(pair) < 0), below: 1 }))),
    { of: 'share', samples: 2000 },
  )

/** By how much the difference of two runs of a task varies when nothing else does. */
interface Chance {
  sd: number
  freedom: number
}

/** From the seeds of the tasks; with one seed, from the base against itself. Null where neither differs, or there is neither. */
function findChance(pairs: readonly TaskPair[], noise: NoiseReport | null): Chance | null {
  let [squares, freedom] = [0, 0]
  for (const { base, arm } of pairs) {
    const differences = base.map(({ score }, index) => (arm[index] as Cell).score - score)
    const middle = mean(differences)
    squares += differences.reduce((total, each) => total + (each - middle) ** 2, 0)
    freedom += differences.length - 1
  }
  if (freedom > 0) return squares === 0 ? null : { sd: Math.sqrt(squares / freedom), freedom }
  return noise?.sd ? { sd: noise.sd, freedom: noise.tasks - 1 } : null
}

function intervalOf(difference: number, { sd, freedom }: Chance, shown: number, seeds: number): Interval {
  const reach = (studentQuantile(1 - 0.025 * shown, freedom) * sd) / Math.sqrt(seeds)
  return { low: Math.max(-1, difference - reach), high: Math.min(1, difference + reach) }
}

const toLink = ({ score, runId, evidence, bundle }: Cell): RunLink => ({
  score,
  runId,
  ...(evidence === undefined ? {} : { evidence }),
  ...(bundle === undefined ? {} : { bundle }),
})
