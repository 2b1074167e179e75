import {
  detectableEffect,
  type ExperimentEstimate,
  type ExperimentProgress,
  type PreparedExperiment,
  testsOf,
} from '@svc/sdk/experiment'
import type { Flags } from '../frame/flags.ts'
import { type Io, toSafe } from '../frame/io.ts'
import { toDuration } from '../render/time.ts'
import { fit } from '../render/width.ts'

/** Between two lines where none can be redrawn. */
const LINE_MS = 5_000

const thousands = (count: number): string => Math.round(count).toLocaleString('en')
const toUsd = (costUsd: number): string => `$${costUsd < 0.01 ? costUsd.toFixed(4) : costUsd.toFixed(2)}`

export const describeSpent = ({ tokens, costUsd }: ExperimentProgress['spent']): string =>
  `${thousands(tokens)} tokens, ${toUsd(costUsd)}`

/** What is to be measured, what can be seen with it, and what it takes. */
export function describeEstimate(prepared: PreparedExperiment, forecast: ExperimentEstimate): string {
  const { design, arms, tasks } = prepared
  const { runs, done, tokens, mostCostUsd } = forecast
  const seeds = design.seeds.length
  const families = new Set(tasks.map(({ id, family = id }) => family)).size
  const { effect, sd } = detectableEffect({ tasks: families, seeds, tests: testsOf(design) })
  const each = families < tasks.length ? 'each family of tasks counted as one, and ' : ''
  const assumed = `${each}scores of 0 or 1 that are right half of the time, so a standard deviation of ${(100 * sd).toFixed(0)} points between two runs of a task`
  const likely = tokens.likely === undefined ? '' : `, about ${thousands(tokens.likely)} as the runs so far suggest`
  const lines = [
    `${design.name}: ${arms.length} arms x ${tasks.length} tasks x ${seeds} ${seeds === 1 ? 'seed' : 'seeds'} = ${runs} runs, ${done} of them recorded`,
    effect < 1
      ? `this sample shows a difference of quality of ${(100 * effect).toFixed(1)} points in four of five such experiments (assumed: ${assumed}); smaller ones are likely missed`
      : 'too few tasks, or families of tasks, to show any difference: more are needed',
    ...describeSetup(tasks),
    `the rest takes ${thousands(tokens.least)} to ${thousands(tokens.most)} tokens${likely}; ${mostCostUsd === null ? 'a model has no price' : `${toUsd(mostCostUsd)} at most`}`,
    ...describeBudget(design.budget.maxTokens, tokens),
    ...arms.map(({ arm }) => `  ${arm.id}: ${arm.change}`),
  ]
  return toSafe(lines.join('\n'))
}

function describeSetup(tasks: PreparedExperiment['tasks']): string[] {
  const turns = tasks.reduce((sum, { setup = [] }) => sum + setup.length, 0)
  const before = tasks.filter(({ setup }) => setup !== undefined).length
  return turns === 0
    ? []
    : [
        `${turns} set-up turns of ${before} tasks fill the memory first, for each arm and seed anew; their tokens are counted below`,
      ]
}

function describeBudget(maxTokens: number | undefined, { most }: ExperimentEstimate['tokens']): string[] {
  if (maxTokens === undefined || maxTokens >= most) return []
  const budget = `the budget of ${thousands(maxTokens)} tokens may not pay all of that`
  return [`${budget}: where the next run may not fit, svc stops, and keeps what is done`]
}

/** One line that is redrawn on a terminal, else a line every few seconds. It shows no score: see docs/research.md. */
export function createExperimentProgress(
  { quiet }: Pick<Flags, 'quiet'>,
  io: Io,
): { show(progress: ExperimentProgress): void; end(): void } {
  if (quiet) return { show() {}, end() {} }
  let saidAt = Number.NEGATIVE_INFINITY
  return {
    show(progress) {
      const { cell, done, total } = progress
      if (cell?.error !== undefined && cell.outside === true)
        io.err(
          toSafe(
            `${io.canRedraw ? '\n' : ''}svc: ${cell.arm}, ${cell.task}, seed ${cell.seed}: ${cell.error.message}`,
          ).concat('\n'),
        )
      const line = toSafe(describe(progress))
      if (io.canRedraw) io.err(`\r\u001b[K${fit(line, io.columns - 1)}`)
      else if (performance.now() - saidAt >= LINE_MS || done === total) {
        io.err(`${line}\n`)
        saidAt = performance.now()
      }
    },
    end() {
      if (io.canRedraw) io.err('\r\u001b[K')
    },
  }
}

function describe({ done, total, cell, spent, rest }: ExperimentProgress): string {
  const last = cell === undefined ? '' : ` (${cell.arm})`
  const left =
    rest === undefined || done === total
      ? ''
      : `; about ${toDuration(rest.ms)} and ${thousands(rest.tokens)} tokens left`
  return `${done}/${total} runs${last}, ${describeSpent(spent)}${left}`
}
