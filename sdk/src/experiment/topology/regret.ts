import type { Topology } from '@svc/core'
import { mean } from '../report/pair-tasks.ts'
import { type Estimate, estimate, seeded, toClusters } from '../statistics/index.ts'
import { type Figures, qualityOf, type TaskFigures } from './collect-tasks.ts'
import type { Regret } from './topology-report.ts'

/** A fixed topology, or a lot between two: the share of tasks that each gets. */
type Rival = readonly { topology: Topology; part: number }[]

/** Chooses by some tasks; undefined where none is right. */
type Choose = (tasks: readonly TaskFigures[]) => Rival | undefined

/** Mean quality and tokens of each fixed topology, the best first; of equal ones the cheaper. */
export function rankFixed(tasks: readonly TaskFigures[]): ({ topology: Topology } & Figures)[] {
  const topologies = [...(tasks[0]?.fixed.keys() ?? [])]
  const figures = topologies.map((topology) => {
    const all = tasks.flatMap(({ fixed }) => fixed.get(topology) ?? [])
    return { topology, quality: mean(all.map(({ quality }) => quality)), tokens: mean(all.map(({ tokens }) => tokens)) }
  })
  return figures.sort((a, b) => b.quality - a.quality || a.tokens - b.tokens)
}

export const chooseBest: Choose = (tasks) =>
  rankFixed(tasks)
    .slice(0, 1)
    .map(({ topology }) => ({ topology, part: 1 }))

/** The topology or lot of the best quality that takes no more tokens than the automatic choice. */
export const chooseAtEqualTokens: Choose = (tasks) => {
  const fixed = rankFixed(tasks)
  const tokens = mean(tasks.map(({ auto }) => auto.tokens))
  const cheap = fixed.filter((each) => each.tokens <= tokens)
  const dear = fixed.filter((each) => each.tokens > tokens)
  const lots = cheap.flatMap((low) => [
    { quality: low.quality, rival: [{ topology: low.topology, part: 1 }] },
    ...dear.map((high) => {
      const part = (high.tokens - tokens) / (high.tokens - low.tokens)
      return {
        quality: part * low.quality + (1 - part) * high.quality,
        rival: [
          { topology: low.topology, part },
          { topology: high.topology, part: 1 - part },
        ],
      }
    }),
  ])
  return lots.sort((a, b) => b.quality - a.quality)[0]?.rival
}

/** How often the families are split in halves. */
const SPLITS = 100

/** Regret against a rival that is chosen by the same tasks, and by those of other families. */
export function toRegret(tasks: readonly TaskFigures[], choose: Choose): Regret | null {
  const rival = choose(tasks)
  if (rival === undefined) return null
  const other = scoresByHalves(tasks, choose)
  return {
    sameTasks: estimateRegret(tasks, (task) => scoreOf(rival, task)),
    otherHalf: other === undefined ? null : estimateRegret(tasks, (task) => other.get(task) ?? 0),
  }
}

/**
 * The mean score of each task's rivals, each chosen by the half of the families that the task is not in.
 *
 * Not by all families but one: where two rivals are about equal, leaving out a family in which one is better makes the choice
 * fall on the other one, family by family.
 */
function scoresByHalves(tasks: readonly TaskFigures[], choose: Choose): Map<TaskFigures, number> | undefined {
  const families = [...new Set(tasks.map(({ family }) => family))].sort()
  if (families.length < 2) return undefined
  const random = seeded(1)
  const scores = new Map<TaskFigures, number>()
  for (let split = 0; split < SPLITS; split += 1) {
    const drawn = families.map((family) => ({ family, at: random() })).sort((a, b) => a.at - b.at)
    const first = new Set(drawn.slice(0, families.length >> 1).map(({ family }) => family))
    const halves = [
      tasks.filter(({ family }) => first.has(family)),
      tasks.filter(({ family }) => !first.has(family)),
    ] as const
    for (const [judges, judged] of [halves, [halves[1], halves[0]]] as const) {
      const rival = choose(judges)
      if (rival === undefined) return undefined
      for (const task of judged) scores.set(task, (scores.get(task) ?? 0) + scoreOf(rival, task) / SPLITS)
    }
  }
  return scores
}

/** @param rival the quality that each task could have had */
export const estimateRegret = (tasks: readonly TaskFigures[], rival: (task: TaskFigures) => number): Estimate =>
  estimate(
    toClusters(tasks.map((task) => ({ family: task.family, above: rival(task) - task.auto.quality, below: 1 }))),
    { of: 'difference' },
  )

const scoreOf = (rival: Rival, task: TaskFigures): number =>
  rival.reduce((sum, { topology, part }) => sum + part * qualityOf(task, topology), 0)
