import type { Run } from '../../contracts/run/run.ts'
import type { RunSummary } from '../../contracts/run/run-summary.ts'
import type { RunQuery } from '../../contracts/store/store.ts'
import { RunStatus } from '../../contracts/words.ts'

/** What lists of runs are narrowed by in numbers. */
export interface RunFigures {
  /** Input and output together. */
  tokens: number
  /** Null: unknown. */
  costUsd: number | null
  /** Of a run that has begun and ended. */
  durationMs?: number
}

/** What of a run the figures are made from; what is missing counts as in a new run. */
export type Measured = Partial<Pick<Run, 'usage' | 'costUsd' | 'startedAt' | 'finishedAt'>>

/** Ended runs that percentiles are taken from, the newest. */
export const MOST_DURATIONS = 1_000

export function figuresOf({ usage, costUsd = null, startedAt, finishedAt }: Measured): RunFigures {
  const tokens = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens
  if (startedAt === undefined || finishedAt === undefined) return { tokens, costUsd }
  return { tokens, costUsd, durationMs: Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) }
}

const isBetween = (value: number | null | undefined, min?: number, max?: number): boolean =>
  (min === undefined && max === undefined) ||
  (value !== null && value !== undefined && value >= (min ?? value) && value <= (max ?? value))

/** Whether a run is within the bounds of a query. What is unknown is within none. */
export function isWithin(run: Measured, query: RunQuery): boolean {
  const { tokens, costUsd, durationMs } = figuresOf(run)
  return (
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
