import type { Complexity, Plan, RunOptions } from '../../../contracts/index.ts'

/** Model calls that one step may always have, on average: small forecasts say little. */
export const TURNS_PER_STEP = 12
const LEAST_TURNS = 24

/**
 * How many model calls an execution may take before it is brought to an end: twice its forecast, and never fewer than its
 * steps may fairly need. A run with `budget.maxSteps` is bound by that alone.
 */
export function maxTurnsOf(
  plan: Plan,
  complexity: Pick<Complexity, 'estimatedTurns'> | undefined,
  { budget }: RunOptions,
): number {
  if (budget?.maxSteps !== undefined) return Number.POSITIVE_INFINITY
  return Math.max(Math.ceil(2 * (complexity?.estimatedTurns ?? 0)), TURNS_PER_STEP * plan.steps.length, LEAST_TURNS)
}
