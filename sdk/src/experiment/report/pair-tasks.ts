import { isOutside } from '../run/outside.ts'
import { AGAIN, type ArmDesign, BASE, type Cell, type ExperimentDesign, type TaskDesign } from '../run/record.ts'

/** Whether a run failed for a reason outside the arm. */
export const failedOutside = ({ outside, status, error }: Cell): boolean =>
  outside === true || status === 'cancelled' || (status !== 'completed' && error !== undefined && isOutside(error.code))

/** One task as two arms did it, with the seeds that both have. */
export interface TaskPair {
  task: TaskDesign
  base: readonly Cell[]
  arm: readonly Cell[]
}

/** Cells by arm, task and seed; the last one counts where there are two. */
export class CellTable {
  readonly #cells = new Map<string, Cell>()
  readonly #design: ExperimentDesign

  constructor(design: ExperimentDesign, cells: readonly Cell[]) {
    this.#design = design
    const tasks = new Set(design.tasks.map(({ id }) => id))
    for (const cell of cells)
      if (tasks.has(cell.task) && design.seeds.includes(cell.seed))
        this.#cells.set(keyOf(cell.arm, cell.task, cell.seed), cell)
  }

  /** Of one arm, in the order of tasks and seeds. */
  ofArm(arm: string): Cell[] {
    return this.#design.tasks.flatMap((task) => this.of(arm, task.id))
  }

  of(arm: string, task: string): Cell[] {
    return this.#design.seeds.flatMap((seed) => this.#cells.get(keyOf(arm, task, seed)) ?? [])
  }

  /** The tasks that both arms did, without runs that failed outside. */
  pairs(base: string, arm: string): TaskPair[] {
    return this.#design.tasks.flatMap((task) => {
      const [left, right] = [base, arm].map((id) => this.of(id, task.id).filter((cell) => !failedOutside(cell)))
      const seeds = new Set(left?.map(({ seed }) => seed))
      const shared = new Set(right?.map(({ seed }) => seed).filter((seed) => seeds.has(seed)))
      if (left === undefined || right === undefined || shared.size === 0) return []
      return [
        {
          task,
          base: left.filter((cell) => shared.has(cell.seed)),
          arm: right.filter((cell) => shared.has(cell.seed)),
        },
      ]
    })
  }
}

const keyOf = (arm: string, task: string, seed: number): string => JSON.stringify([arm, task, seed])

export const mean = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length

export const meanOf = (cells: readonly Cell[], figure: (cell: Cell) => number): number => mean(cells.map(figure))

export const differenceOf = ({ base, arm }: TaskPair): number =>
  meanOf(arm, ({ score }) => score) - meanOf(base, ({ score }) => score)

export const tokensOf = (cell: Cell): number => cell.inputTokens + cell.outputTokens

/** Whether calls were answered from recordings: how long they take says nothing then. */
export const isReplayed = (cells: readonly Cell[]): boolean => cells.some(({ replay }) => (replay?.hits ?? 0) > 0)

/** Whether an arm is a choice of its own, and not the base once more. */
export const isCompared = ({ id }: Pick<ArmDesign, 'id'>): boolean => id !== BASE && id !== AGAIN
