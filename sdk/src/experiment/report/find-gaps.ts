import { AGAIN, type ArmDesign, type Cell, type ExperimentDesign } from '../run/record.ts'
import { toNumberOf } from './format-figures.ts'
import { type CellTable, failedOutside, isReplayed } from './pair-tasks.ts'

/** Strata with fewer tasks show next to nothing. */
export const FEW_TASKS = 20

/** What the experiment leaves open, in sentences. */
export function findGaps(design: ExperimentDesign, table: CellTable): string[] {
  const cells = design.arms.flatMap(({ id }) => table.ofArm(id))
  return [
    ...design.arms.flatMap((arm) => findMissing(design, arm, table)),
    ...(design.arms.some(({ id }) => id === AGAIN)
      ? []
      : ['The base was not run twice: the noise of repeating a run is unknown.']),
    ...(design.seeds.length < 3
      ? [
          `${toNumberOf(design.seeds.length, 'seed')}: what repeating a run changes is hardly averaged out. Three to six are better.`,
        ]
      : []),
    ...(design.tasks.some(({ setup = 0 }) => setup > 0)
      ? []
      : ['What a memory is worth: each run began with an empty one, since no task has set-up turns.']),
    ...findSmallStrata(design),
    'No holdout: all tasks were seen here. Keep other tasks for the last comparison before a decision.',
    'One set of models only: those of the configs. Other models can come out differently.',
    ...(cells.some(({ estimated }) => estimated)
      ? ['Some counts of tokens are estimates, where a provider did not report them.']
      : []),
    ...findUnpriced(design, table),
    ...findReplayed(design, table),
  ]
}

function findMissing(design: ExperimentDesign, arm: ArmDesign, table: CellTable): string[] {
  const runs = design.tasks.map(({ id }) => table.of(arm.id, id))
  const without = runs.filter(({ length }) => length === 0).length
  const partial = runs.filter(({ length }) => length > 0 && length < design.seeds.length).length
  const outside = runs.flat().filter(failedOutside)
  return [
    ...(without > 0 ? [`${arm.id}: ${toNumberOf(without, 'task')} without a run.`] : []),
    ...(partial > 0 ? [`${arm.id}: ${toNumberOf(partial, 'task')} without some of the seeds.`] : []),
    ...(outside.length > 0
      ? [
          `${arm.id}: ${toNumberOf(outside.length, 'run')} left out, failed for reasons outside the arm (${codesOf(outside)}).`,
        ]
      : []),
  ]
}

const codesOf = (cells: readonly Cell[]): string =>
  [...new Set(cells.map(({ error, status }) => error?.code ?? status))].sort().join(', ')

function findSmallStrata({ tasks }: ExperimentDesign): string[] {
  const counts = new Map<string, number>()
  for (const { strata } of tasks)
    for (const [name, value] of Object.entries(strata))
      counts.set(`${name} ${value}`, (counts.get(`${name} ${value}`) ?? 0) + 1)
  const small = [...counts].filter(([, count]) => count < FEW_TASKS).map(([name, count]) => `${name} (${count})`)
  return small.length === 0
    ? []
    : [`Strata with fewer than ${FEW_TASKS} tasks say little: ${small.slice(0, 20).join(', ')}.`]
}

function findUnpriced({ arms }: ExperimentDesign, table: CellTable): string[] {
  const unpriced = arms.filter(({ id }) => table.ofArm(id).some(({ costUsd }) => costUsd === null)).map(({ id }) => id)
  return unpriced.length === 0 ? [] : [`No cost, since a model has no price: ${unpriced.join(', ')}.`]
}

function findReplayed({ arms }: ExperimentDesign, table: CellTable): string[] {
  const replayed = arms.filter(({ id }) => isReplayed(table.ofArm(id))).map(({ id }) => id)
  return replayed.length === 0
    ? []
    : [`No latency, since calls were answered from recordings (replay: off makes them all): ${replayed.join(', ')}.`]
}
