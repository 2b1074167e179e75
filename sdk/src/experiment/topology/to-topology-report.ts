import { TOPOLOGIES, type Topology, ValidationError } from '@svc/core'
import { mean, tokensOf } from '../report/pair-tasks.ts'
import { BASE, type Cell, type ExperimentDesign } from '../run/record.ts'
import { calibrate, spearman } from './calibration.ts'
import { bestQuality, collectTasks, qualityOf, type TaskFigures, toFixedArms } from './collect-tasks.ts'
import { chooseAtEqualTokens, chooseBest, estimateRegret, rankFixed, toRegret } from './regret.ts'
import type { Regret, TopologyReport } from './topology-report.ts'

/** Qualities as near as this are equal. */
const EQUAL = 1e-9

/**
 * Compares the base, which chooses a topology itself, with the arms that differ from it in a fixed topology alone. Pure.
 *
 * @throws ValidationError `validation_failed` where the base does not choose, no arm fixes a topology, or no task has a run in
 *   every arm
 */
export function toTopologyReport(design: ExperimentDesign, cells: readonly Cell[]): TopologyReport {
  const arms = toFixedArms(design)
  assertComparable(design, arms)
  if (cells.length === 0) throw invalid(design, 'has no runs yet: make them with svc experiment <file>')
  const tasks = collectTasks(design, cells, arms)
  if (tasks.length === 0) {
    const all = [BASE, ...arms.values()].join(', ')
    throw invalid(design, `has no task yet that every arm has done (${all}): go on with svc experiment <file>`)
  }
  const fixed = rankFixed(tasks)
  const runs = tasks.flatMap((task) => task.runs.map((cell) => ({ task, cell })))
  const predictions = runs.flatMap(({ task, cell: { analysis } }) => {
    if (analysis === undefined || !arms.has(analysis.recommendedTopology)) return []
    const quality = qualityOf(task, analysis.recommendedTopology)
    return [{ confidence: analysis.confidence, isRight: quality >= bestQuality(task) - EQUAL }]
  })
  return {
    format: 1,
    name: design.name,
    tasks: tasks.length,
    families: new Set(tasks.map(({ family }) => family)).size,
    missing: design.tasks.length - tasks.length,
    runs: runs.length,
    fixed,
    auto: {
      quality: mean(tasks.map(({ auto }) => auto.quality)),
      tokens: mean(tasks.map(({ auto }) => auto.tokens)),
    },
    best: (fixed[0] as (typeof fixed)[0]).topology,
    regret: toRegret(tasks, chooseBest) as Regret,
    regretAtEqualTokens: toRegret(tasks, chooseAtEqualTokens),
    regretAgainstOracle: estimateRegret(tasks, bestQuality),
    equalTasks: tasks.filter(
      (task) => Math.min(...[...task.fixed.values()].map(({ quality }) => quality)) >= bestQuality(task) - EQUAL,
    ).length,
    choices: toChoices(runs, [...arms.keys()]),
    calibration: calibrate(predictions),
    notCalibrated: runs.length - predictions.length,
    scoreAndTokens: spearman(
      runs.flatMap(({ cell }) => (cell.analysis ? [[cell.analysis.score, tokensOf(cell)]] : [])),
    ),
  }
}

function assertComparable(design: ExperimentDesign, arms: ReadonlyMap<Topology, string>): void {
  const chosen = design.arms.find(({ id }) => id === BASE)?.topology
  if (chosen !== undefined)
    throw invalid(design, `has a base that fixes the topology ${chosen}: give it none, or AUTO, so that svc chooses`)
  if (arms.size === 0)
    throw invalid(
      design,
      `has no arm that differs from the base in a fixed topology alone: add arms such as single: { topology: SINGLE }, one for each of ${TOPOLOGIES.join(', ')} that is to be compared`,
    )
}

function toChoices(
  runs: readonly { task: TaskFigures; cell: Cell }[],
  arms: readonly Topology[],
): TopologyReport['choices'] {
  return TOPOLOGIES.flatMap((topology) => {
    const chosen = runs.filter(({ cell }) => cell.topology === topology)
    if (chosen.length === 0) return []
    const fixed = arms.map((arm) => [arm, mean(chosen.map(({ task }) => qualityOf(task, arm)))] as const)
    const quality = mean(chosen.map(({ cell }) => cell.score))
    return [{ topology, runs: chosen.length, quality, fixed: Object.fromEntries(fixed) }]
  })
}

const invalid = ({ name }: ExperimentDesign, why: string): ValidationError =>
  new ValidationError('validation_failed', `experiment ${name} ${why}`)
