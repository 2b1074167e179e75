import type { CostFigure } from '../../contracts/run/figures/run-costs.ts'
import type { RunSummary } from '../../contracts/run/figures/run-summary.ts'
import type { Verdict } from '../../contracts/run/result.ts'
import type { Run } from '../../contracts/run/run.ts'
import { shownStateOf } from '../../contracts/run/run-end.ts'
import type { RunQuery, RunRow, StoredCostQuery } from '../../contracts/store/store.ts'
import { RunStatus } from '../../contracts/words.ts'

/** What lists of runs are narrowed by in numbers. */
export interface RunFigures {
  /** Input and output together. */
  tokens: number
  /** Null: unknown. */
  costUsd: number | null
  /** Of a run that has begun and ended. */
  durationMs?: number
  /** That which lists show. */
  verdict?: Verdict
  /** What it took of each model that it asked for or used, as `provider/model`: nothing of one that it asked for alone. */
  models: ReadonlyMap<string, ModelFigures>
}

/** What of a run the figures are made from; what is missing counts as in a new run. */
export type Measured = Partial<Pick<RunRow, 'usage' | 'costUsd' | 'startedAt' | 'finishedAt' | 'status' | 'create'>> & {
  verdict?: Verdict | undefined
  models?: RunRow['models'] | undefined
}

/** Ended runs that percentiles are taken from, the newest. */
export const MOST_DURATIONS = 1_000

export function figuresOf(run: Measured): RunFigures {
  const { usage, costUsd = null, startedAt, finishedAt, status } = run
  const tokens = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens
  const verdict = status && shownStateOf({ status, verdict: run.verdict }).verdict
  return {
    tokens,
    costUsd,
    models: modelsOf(run),
    ...(verdict && { verdict }),
    ...(startedAt !== undefined &&
      finishedAt !== undefined && { durationMs: Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) }),
  }
}

const isBetween = (value: number | null | undefined, min?: number, max?: number): boolean =>
  (min === undefined && max === undefined) ||
  (value !== null && value !== undefined && value >= (min ?? value) && value <= (max ?? value))

/** Whether a run is within the bounds of a query, and of its verdict and model. What is unknown is within none. */
export function isWithin(run: Measured, query: RunQuery): boolean {
  const { tokens, costUsd, durationMs, verdict, models } = figuresOf(run)
  return (
    (query.verdict === undefined || verdict === query.verdict) &&
    (query.model === undefined || models.has(query.model)) &&
    isBetween(costUsd, query.minCostUsd, query.maxCostUsd) &&
    isBetween(tokens, query.minTokens, query.maxTokens) &&
    isBetween(durationMs, query.minDurationMs, query.maxDurationMs)
  )
}

/** Some runs of one status. */
export interface RunGroup {
  status: RunStatus
  total: number
  tokens: number
  /** Of those whose cost is known. */
  costUsd: number
  unpriced: number
}

/** One run as a group. */
export function toGroup({ status, ...measured }: Measured & Pick<Run, 'status'>): RunGroup {
  const { tokens, costUsd } = figuresOf(measured)
  return { status, total: 1, tokens, costUsd: costUsd ?? 0, unpriced: costUsd === null ? 1 : 0 }
}

/**
 * Adds groups up.
 *
 * @param durations milliseconds of at most `MOST_DURATIONS` ended runs, in any order
 */
export function toSummary(groups: Iterable<RunGroup>, durations: readonly number[]): RunSummary {
  const byStatus = Object.fromEntries(RunStatus.enum.map((status) => [status, 0])) as RunSummary['byStatus']
  const sum = { total: 0, tokens: 0, costUsd: 0, unpriced: 0 }
  for (const group of groups) {
    byStatus[group.status] += group.total
    sum.total += group.total
    sum.tokens += group.tokens
    sum.costUsd += group.costUsd
    sum.unpriced += group.unpriced
  }
  const sorted = [...durations].sort((a, b) => a - b)
  const rank = (percent: number): number => sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0
  const isUnknown = sum.total > 0 && sum.unpriced === sum.total
  return {
    ...sum,
    byStatus,
    ...(sorted.length > 0 && { durationMs: { p50: rank(50), p95: rank(95) } }),
    costUsd: isUnknown ? null : sum.costUsd,
  }
}

function modelsOf({ models = [], create }: Measured): Map<string, ModelFigures> {
  const figures = new Map<string, ModelFigures>()
  if (create?.model !== undefined) figures.set(create.model, { tokens: 0, costUsd: 0 })
  for (const { model, inputTokens, outputTokens, costUsd } of models)
    figures.set(model, { tokens: inputTokens + outputTokens, costUsd })
  return figures
}

/** What a run took of a model. */
export interface ModelFigures {
  tokens: number
  /** Null: unknown. */
  costUsd: number | null
}

/** Adds up what runs took, as `costs` of a store answers it. @param rows in any order */
export const addCosts = (rows: AsyncIterable<RunRow>, query: StoredCostQuery): Promise<CostFigure[]> =>
  sumCosts(costsOf(rows, query), query.limit)

async function* costsOf(rows: AsyncIterable<RunRow>, query: StoredCostQuery): AsyncGenerator<CostFigure> {
  for await (const row of rows) {
    const start = periodOf(row.createdAt, query)
    const parts = query.by === 'model' ? [...modelsOf(row)] : [[row.space ?? '', figuresOf(row)] as const]
    for (const [name, { tokens, costUsd }] of parts)
      if (tokens > 0) yield { start, name, runs: 1, tokens, costUsd, unpriced: costUsd === null ? 1 : 0 }
  }
}

/**
 * Adds up figures of the same period and name.
 *
 * @param figures in any order
 * @returns at most `limit` of them, in the order of time, then of names
 */
export async function sumCosts(figures: AsyncIterable<CostFigure>, limit: number): Promise<CostFigure[]> {
  const sums = new Map<string, CostFigure>()
  for await (const { start, name, runs, tokens, costUsd, unpriced } of figures) {
    const key = JSON.stringify([start, name])
    const sum = sums.get(key) ?? { start, name, runs: 0, tokens: 0, costUsd: null, unpriced: 0 }
    sum.runs += runs
    sum.tokens += tokens
    sum.unpriced += unpriced
    if (costUsd !== null) sum.costUsd = (sum.costUsd ?? 0) + costUsd
    sums.set(key, sum)
  }
  const order = (a: string, b: string): number => Number(a > b) - Number(a < b)
  return [...sums.values()]
    .sort((one, other) => order(one.start, other.start) || order(one.name, other.name))
    .slice(0, limit)
}

/** The first day of the period that a time is in, such as `2026-11-23`. */
function periodOf(time: string, { per, utcOffsetMinutes }: StoredCostQuery): string {
  const date = new Date(Date.parse(time) + utcOffsetMinutes * 60_000)
  if (per === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  if (per === 'month') date.setUTCDate(1)
  return date.toISOString().slice(0, 10)
}
