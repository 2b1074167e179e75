import type { CostFigure } from '@svc/sdk/remote'
import type { Measure } from './cost-view.ts'

/** As many have a colour; what is left is shown together. */
const MOST_SERIES = 7

/** What was taken of one model, or in one folder. */
export interface Series {
  name: string
  /** True: of several, which took less than each of the others. */
  isRest: boolean
  tokens: number
  /** Null: no price is known. */
  costUsd: number | null
  runs: number
  unpriced: number
  /** The measure of each period. */
  values: number[]
}

/** Adds figures up by name, what took most first. @param periods first days, the oldest first */
export function toSeries(figures: readonly CostFigure[], periods: readonly string[], measure: Measure): Series[] {
  const places = new Map(periods.map((start, index) => [start, index]))
  const byName = new Map<string, Series>()
  for (const figure of figures) {
    const place = places.get(figure.start)
    if (place === undefined) continue
    const { name } = figure
    const one = byName.get(name) ?? newSeries(name, periods.length)
    add(one, figure)
    one.values[place] = (one.values[place] ?? 0) + measureOf(figure, measure)
    byName.set(name, one)
  }
  const all = [...byName.values()].sort((a, b) => measureOf(b, measure) - measureOf(a, measure) || b.tokens - a.tokens)
  if (all.length <= MOST_SERIES + 1) return all
  const rest = all.slice(MOST_SERIES)
  const together = newSeries(`${rest.length} others`, periods.length, true)
  for (const one of rest) {
    add(together, one)
    together.values = together.values.map((value, index) => value + (one.values[index] ?? 0))
  }
  return [...all.slice(0, MOST_SERIES), together]
}

type Taken = Pick<CostFigure, 'tokens' | 'costUsd' | 'runs' | 'unpriced'>

/** All of it together. */
export function sumOf(series: readonly Taken[]): Taken {
  const sum: Taken = { tokens: 0, costUsd: null, runs: 0, unpriced: 0 }
  for (const one of series) add(sum, one)
  return sum
}

export const measureOf = ({ tokens, costUsd }: Pick<Taken, 'tokens' | 'costUsd'>, measure: Measure): number =>
  measure === 'tokens' ? tokens : (costUsd ?? 0)

function add(sum: Taken, { tokens, costUsd, runs, unpriced }: Taken): void {
  sum.tokens += tokens
  sum.runs += runs
  sum.unpriced += unpriced
  if (costUsd !== null) sum.costUsd = (sum.costUsd ?? 0) + costUsd
}

const newSeries = (name: string, periods: number, isRest = false): Series => ({
  name,
  isRest,
  tokens: 0,
  costUsd: null,
  runs: 0,
  unpriced: 0,
  values: Array.from({ length: periods }, () => 0),
})
