import { AGAIN, type Cell, type ExperimentDesign } from '../run/record.ts'
import { estimate, seeded, toClusters, toFrontier } from '../statistics/index.ts'
import type { ArmReport, FrontierArm, FrontierReport } from './experiment-report.ts'
import { type CellTable, failedOutside, mean, meanOf, tokensOf } from './pair-tasks.ts'

const SAMPLES = 2000

/** An arm's tasks of one family: sums of the means over seeds, and how many they are. */
interface FamilySums {
  cost: number
  score: number
  tasks: number
}

/**
 * Cost against quality of each arm. The base's second time is the base, and no choice of its own; neither is an arm of which too
 * many runs failed. Where nothing costs money, tokens are the cost.
 *
 * How sure the front is: the share of bootstrap samples of families in which an arm is on it, the same families for all arms.
 *
 * @see Efron and Tibshirani, The problem of regions, 1998
 */
export function toArmFrontier(design: ExperimentDesign, table: CellTable, all: readonly ArmReport[]): FrontierReport {
  const chosen = all.filter(({ id, runs, failed }) => id !== AGAIN && runs > 0 && failed.share <= design.failureLimit)
  const isPriced = chosen.every(({ costUsd }) => costUsd !== null) && chosen.some(({ costUsd }) => costUsd !== 0)
  const by = isPriced ? 'costUsd' : 'tokens'
  const costOf = (cell: Cell): number => (isPriced ? (cell.costUsd ?? 0) : tokensOf(cell))
  const families = [...new Set(design.tasks.map(({ family }) => family))].sort()
  const tasksOf = chosen.map(({ id }) =>
    design.tasks.flatMap(({ id: task, family }) => {
      const cells = table.of(id, task).filter((cell) => !failedOutside(cell))
      return cells.length === 0 ? [] : [{ family, cost: meanOf(cells, costOf), score: meanOf(cells, scoreOf) }]
    }),
  )
  const onFront = countFronts(
    chosen.map(({ id }) => id),
    tasksOf.map((tasks) =>
      families.map((family): FamilySums => {
        const own = tasks.filter((task) => task.family === family)
        return { cost: sum(own.map(({ cost }) => cost)), score: sum(own.map(({ score }) => score)), tasks: own.length }
      }),
    ),
  )
  const arms = chosen.map(({ id }, index): FrontierArm => {
    const tasks = tasksOf[index] ?? []
    const clusters = toClusters(tasks.map(({ family, cost }) => ({ family, above: cost, below: 1 })))
    return {
      id,
      cost: estimate(clusters, { samples: SAMPLES }),
      onFront: families.length < 2 ? null : (onFront.get(id) ?? 0),
    }
  })
  return {
    by,
    arms,
    ...toFrontier(
      chosen.map(({ id, quality }, index) => ({
        id,
        cost: mean((tasksOf[index] ?? []).map(({ cost }) => cost)),
        quality: quality.value,
      })),
    ),
  }
}

const scoreOf = ({ score }: Cell): number => score
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The share of samples in which each arm is on the front. */
function countFronts(ids: readonly string[], arms: readonly (readonly FamilySums[])[]): Map<string, number> {
  const random = seeded(1)
  const counts = new Map<string, number>()
  const size = arms[0]?.length ?? 0
  for (let sample = 0; sample < SAMPLES; sample++) {
    const drawn = Array.from({ length: size }, () => (random() * size) | 0)
    const priced = arms.map((families, index) => {
      const total = { cost: 0, score: 0, tasks: 0 }
      for (const at of drawn) {
        const { cost, score, tasks } = families[at] as FamilySums
        total.cost += cost
        total.score += score
        total.tasks += tasks
      }
      // An arm of which no task was drawn is no choice in this sample.
      const { cost, score, tasks } = total
      return { id: ids[index] ?? '', cost: tasks === 0 ? null : cost / tasks, quality: score / tasks }
    })
    for (const id of toFrontier(priced).front) counts.set(id, (counts.get(id) ?? 0) + 1 / SAMPLES)
  }
  return counts
}
