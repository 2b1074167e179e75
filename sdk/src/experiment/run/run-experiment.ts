import { setMaxListeners } from 'node:events'
import { ConfigError, toSvcError } from '@svc/core'
import { findDifferences } from '../design/design.ts'
import { checkBudget, ExperimentBudget, leastOf, type Spent, spentOn } from '../design/limits.ts'
import { type PreparedExperiment, seedsOf } from '../design/prepare-experiment.ts'
import { JUDGE_TOKENS } from '../scorers/judge.ts'
import { ExperimentFolder, keyOf, moveAside } from './folder.ts'
import { lockFolder } from './lock.ts'
import { AGAIN, BASE, type Cell, type ExperimentDesign } from './record.ts'
import { type CellPlan, runCell } from './run-cell.ts'

/** So many failures one after the other that no arm is to blame for: the rest would fail as well. */
const MOST_OUTSIDE = 4

/** How far an experiment is. Scores are not among it: who looks at them while they come stops at a lucky moment. */
export interface ExperimentProgress {
  done: number
  total: number
  /** The cell that has just ended; undefined at the beginning. */
  cell?: Pick<Cell, 'arm' | 'task' | 'seed' | 'outside' | 'error'>
  spent: Spent
  /** What the rest will take, from what the finished cells took; undefined before there is one. */
  rest?: { ms: number; tokens: number }
}

/** How an experiment ended. */
export interface ExperimentOutcome {
  cells: readonly Cell[]
  done: number
  total: number
  /** Cells that failed for no fault of an arm; the next call makes them again. */
  outside: number
  spent: Spent
  /** Why the last of these failed. */
  lastError?: string
  /** Why it ended before all cells were made. */
  stopped?: 'signal' | 'budget' | 'outside'
}

/** What is to be measured, in numbers. */
export interface ExperimentEstimate {
  runs: number
  done: number
  /** Tokens of the runs that are left: at least, at most, and as the finished ones suggest. */
  tokens: { least: number; most: number; likely?: number }
  /** US dollars at most; null where a model has no price. */
  mostCostUsd: number | null
}

/** Says what is left to do. @throws ConfigError `config_invalid` for a budget that cannot pay it */
export function estimate(
  prepared: PreparedExperiment,
  { fresh = false }: { fresh?: boolean } = {},
): ExperimentEstimate {
  const folder = new ExperimentFolder(fresh ? `${prepared.folder}.new` : prepared.folder)
  assertSame(folder, prepared.design)
  const plans = toPlans(prepared)
  const left = plans.filter((plan) => !folder.has(toName(plan)))
  const most = mostOf(prepared)
  const isLive = ({ arm: { id } }: CellPlan): boolean => id === BASE || id === AGAIN || prepared.design.replay === 'off'
  const least = left.reduce((sum, plan) => sum + leastOf(plan.task, isLive(plan)), 0)
  const { file } = prepared.experiment
  const dearest = left.map(most).reduce((a, b) => (b.tokens > a.tokens ? b : a), { tokens: 0, costUsd: 0 })
  const prices = prepared.arms.map((arm) => arm.prices)
  checkBudget(file, prepared.design.budget, { least, most: dearest, prices, runs: left.length })
  const made = folder.cells.filter(({ outside }) => outside !== true)
  return {
    runs: plans.length,
    done: plans.length - left.length,
    tokens: {
      least,
      most: left.reduce((sum, plan) => sum + most(plan).tokens, 0),
      ...(made.length > 0 && { likely: Math.round((spentOn(made).tokens / made.length) * left.length) }),
    },
    mostCostUsd: prices.some(({ perToken }) => perToken === undefined)
      ? null
      : left.reduce((sum, plan) => sum + most(plan).costUsd, 0),
  }
}

/**
 * Makes the runs that are not made yet, and records each when it has ended. What a killed process had recorded is kept.
 *
 * @throws ConfigError `config_invalid` where the folder holds another experiment; ConflictError `run_active` where another
 *   process works on it; what every run of an arm would fail with
 */
export async function runExperiment(
  prepared: PreparedExperiment,
  {
    signal = new AbortController().signal,
    fresh = false,
    onProgress,
  }: { signal?: AbortSignal; fresh?: boolean; onProgress?: (progress: ExperimentProgress) => void } = {},
): Promise<ExperimentOutcome> {
  if (fresh) {
    // Only a folder that nobody works on is moved.
    lockFolder(prepared.folder)()
    moveAside(prepared.folder)
  }
  const unlock = lockFolder(prepared.folder)
  try {
    const folder = new ExperimentFolder(prepared.folder)
    assertSame(folder, prepared.design)
    folder.writeDesign(prepared.design)
    try {
      return await runCells(prepared, folder, signal, onProgress)
    } finally {
      folder.close()
    }
  } finally {
    unlock()
    await prepared.scorer.close?.()
  }
}

/** @throws ConfigError `config_invalid` where the folder holds another experiment */
function assertSame(folder: ExperimentFolder, design: ExperimentDesign): void {
  const before = folder.readDesign()
  if (before === undefined || before.hash === design.hash) return
  const changed = findDifferences(before, design)
  throw new ConfigError(
    'config_invalid',
    `${folder.path}: holds another experiment: ${changed.length === 0 ? 'its design' : changed.join(', ')} changed since. Undo that, or begin anew with --fresh, which moves the folder aside`,
  )
}

const toName = ({ arm, task, seed }: CellPlan): Pick<Cell, 'arm' | 'task' | 'seed'> => ({
  arm: arm.id,
  task: task.id,
  seed,
})

/**
 * In the order in which they are made: one task with one seed for all arms, then the next. Each time another arm is first, since
 * the second to read a file has it from the cache; the base comes first where the others are answered from its recording.
 */
function toPlans({ tasks, experiment, arms, design }: PreparedExperiment): CellPlan[] {
  const first = design.replay === 'off' ? [] : arms.filter(({ arm }) => arm.id === BASE)
  const others = arms.filter((each) => !first.includes(each))
  return tasks
    .flatMap((task) => seedsOf(experiment).map((seed) => ({ task, seed })))
    .flatMap((what, turn) => {
      const at = turn % Math.max(1, others.length)
      const inTurn = [...first, ...others.slice(at), ...others.slice(0, at)]
      return inTurn.map(({ arm, reload }) => ({ arm, load: reload, ...what }))
    })
}

/** What a run may take at most. */
function mostOf({ arms, experiment }: PreparedExperiment): (plan: CellPlan) => Spent {
  const isJudged = typeof experiment.input.scorer === 'object' && 'judge' in experiment.input.scorer
  return ({ arm, task }) => {
    const { mostTokens = 0, prices } = arms.find((each) => each.arm === arm) ?? {}
    const own = task.options?.budget?.maxTokens ?? (task.options?.tokenBudget ?? 0) * 2
    const tokens =
      (own > 0 && arm.options.budget?.maxTokens === undefined ? own : mostTokens) +
      (task.setup?.length ?? 0) * mostTokens +
      (isJudged ? JUDGE_TOKENS : 0)
    return { tokens, costUsd: tokens * (prices?.perToken ?? 0) }
  }
}

async function runCells(
  prepared: PreparedExperiment,
  folder: ExperimentFolder,
  signal: AbortSignal,
  onProgress: ((progress: ExperimentProgress) => void) | undefined,
): Promise<ExperimentOutcome> {
  const { experiment, design, scorer, workspace, env, concurrency } = prepared
  const plans = toPlans(prepared)
  const waiting = plans.filter((plan) => !folder.has(toName(plan)))
  const most = mostOf(prepared)
  const budget = new ExperimentBudget(design.budget, spentOn(folder.all))
  const failed = new AbortController()
  const stop = AbortSignal.any([signal, failed.signal])
  // Each run at work listens to it.
  setMaxListeners(0, stop)
  const settings = {
    folder,
    options: experiment.input.base?.options ?? {},
    scorer,
    replay: design.replay,
    workspace,
    env,
    signal: stop,
  }
  const running = new Map<string, Promise<void>>()
  const begun = performance.now()
  let [made, madeTokens, inARow] = [0, 0, 0]
  let stopped: ExperimentOutcome['stopped']
  const errors: unknown[] = []

  const doneOf = (): number => plans.filter((plan) => folder.has(toName(plan))).length
  const report = (cell?: Cell): void => {
    const done = doneOf()
    const ms = performance.now() - begun
    onProgress?.({
      done,
      total: plans.length,
      spent: spentOn(folder.all),
      ...(cell && { cell }),
      ...(made > 0 && {
        rest: {
          ms: (ms / made) * (plans.length - done),
          tokens: Math.round((madeTokens / made) * (plans.length - done)),
        },
      }),
    })
  }
  const isReady = ({ arm, task, seed }: CellPlan): boolean =>
    arm.id === BASE || arm.id === AGAIN || design.replay === 'off' || folder.has({ arm: BASE, task: task.id, seed })
  const begin = (plan: CellPlan): void => {
    const key = keyOf(toName(plan))
    const reserved = most(plan)
    const work = async (): Promise<void> => {
      let took: Spent = reserved
      try {
        const cell = await runCell(plan, settings)
        took = spentOn([cell])
        folder.add(cell)
        made++
        madeTokens += took.tokens
        inARow = cell.outside === true && cell.status !== 'cancelled' ? inARow + 1 : 0
        // What stopped since another one failed says nothing of its own.
        report(failed.signal.aborted ? undefined : cell)
      } catch (thrown) {
        errors.push(thrown)
        failed.abort(toSvcError(thrown))
      } finally {
        budget.settle(reserved, took)
        running.delete(key)
      }
    }
    running.set(key, work())
  }

  report()
  for (;;) {
    if (stop.aborted) stopped = 'signal'
    else if (inARow >= MOST_OUTSIDE) stopped = 'outside'
    const next = stopped === undefined && running.size < concurrency ? waiting.findIndex(isReady) : -1
    const plan = waiting[next]
    if (plan !== undefined && budget.reserve(most(plan))) {
      waiting.splice(next, 1)
      begin(plan)
      continue
    }
    // What runs may leave more of the budget than it may take at most, or be what another waits for.
    if (running.size === 0) {
      if (plan !== undefined) stopped = 'budget'
      break
    }
    await Promise.race(running.values())
  }
  const [error] = errors
  if (error !== undefined) throw error
  const selected = new Set(plans.map((plan) => keyOf(toName(plan))))
  const outside = folder.cells.filter((cell) => cell.outside === true && selected.has(keyOf(cell)))
  const lastError = outside.at(-1)?.error?.message
  const end = {
    cells: folder.cells,
    done: doneOf(),
    total: plans.length,
    outside: outside.length,
    spent: spentOn(folder.all),
    ...(lastError === undefined ? {} : { lastError }),
  }
  return { ...end, ...(stopped !== undefined && end.done < end.total && { stopped }) }
}
