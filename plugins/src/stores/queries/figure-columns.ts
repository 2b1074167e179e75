import { figuresOf, type Measured } from '@svc/core'

/** What columns hold of a run, as SQL takes it. */
export type FigureColumns = readonly [tokens: number, cost: number | null, duration: number | null]

export function toColumns(run: Measured): FigureColumns {
  const { tokens, costUsd, durationMs = null } = figuresOf(run)
  return [tokens, costUsd, durationMs]
}
