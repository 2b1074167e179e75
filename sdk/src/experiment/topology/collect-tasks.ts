import type { Topology } from '@svc/core'
import { CellTable, failedOutside, meanOf, tokensOf } from '../report/pair-tasks.ts'
import { BASE, type Cell, type ExperimentDesign } from '../run/record.ts'

export interface Figures {
  quality: number
  tokens: number
}

/** One task, by the seeds that every arm has. */
export interface TaskFigures {
  family: string
  auto: Figures
  fixed: ReadonlyMap<Topology, Figures>
  /** Runs of the automatic choice. */
  runs: readonly Cell[]
}

/** By topology, the arm that fixes it and differs from the base in nothing else. */
export const toFixedArms = ({ arms }: ExperimentDesign): ReadonlyMap<Topology, string> =>
  new Map(
    arms.flatMap(({ id, factors, topology }) =>
      id === BASE || topology === undefined || factors.length !== 1 ? [] : [[topology, id] as const],
    ),
  )

/** The tasks in which every arm has a run of the same seed that did not fail outside of it. */
export function collectTasks(
  design: ExperimentDesign,
  cells: readonly Cell[],
  arms: ReadonlyMap<Topology, string>,
): TaskFigures[] {
  const table = new CellTable(design, cells)
  return design.tasks.flatMap(({ id, family }) => {
    const of = (arm: string): Cell[] => table.of(arm, id).filter((cell) => !failedOutside(cell))
    const own = of(BASE)
    const others = [...arms].map(([topology, arm]) => [topology, of(arm)] as const)
    const seeds = own
      .map(({ seed }) => seed)
      .filter((seed) => others.every(([, cells]) => cells.some((cell) => cell.seed === seed)))
    if (seeds.length === 0) return []
    const isShared = ({ seed }: Cell): boolean => seeds.includes(seed)
    const runs = own.filter(isShared)
    const fixed = new Map(others.map(([topology, cells]) => [topology, toFigures(cells.filter(isShared))]))
    return [{ family, auto: toFigures(runs), fixed, runs }]
  })
}

const toFigures = (cells: readonly Cell[]): Figures => ({
  quality: meanOf(cells, ({ score }) => score),
  tokens: meanOf(cells, tokensOf),
})

export const qualityOf = ({ fixed }: TaskFigures, topology: Topology): number => fixed.get(topology)?.quality ?? 0

/** Of the best topology of a task, known afterwards. */
export const bestQuality = ({ fixed }: TaskFigures): number =>
  Math.max(...[...fixed.values()].map(({ quality }) => quality))
