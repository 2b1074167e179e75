import { DEFAULT_TOKEN_BUDGET } from '../../contracts/config.ts'
import type { RunCreate, RunOptions } from '../../contracts/run/run.ts'
import type { RunLimits } from '../../contracts/store/run-row.ts'
import type { RunRow } from '../../contracts/store/store.ts'
import type { Environment } from '../environment.ts'

/** What a run may take that begins now. */
export function limitsOf(env: Environment, create: RunCreate): RunLimits {
  const tokenBudget = create.tokenBudget ?? env.config.tokenBudget ?? DEFAULT_TOKEN_BUDGET
  return { tokenBudget, maxTokens: hardLimit(env, create, tokenBudget), budget: budgetOf(env, create) }
}

/**
 * The limits of a run to which a person adds tokens: the model calls that it has made count no more against `maxSteps`.
 *
 * @param row what a stranger's run was allowed says nothing here
 */
export function raisedLimits(env: Environment, { limits, imported, create, usage }: RunRow, tokens: number): RunLimits {
  const { tokenBudget, maxTokens, budget } = (imported === true ? undefined : limits) ?? limitsOf(env, create)
  const raised = { ...budget }
  if (budget.maxTokens !== undefined) raised.maxTokens = budget.maxTokens + tokens
  if (budget.maxSteps !== undefined) raised.maxSteps = budget.maxSteps + usage.modelCalls
  return { tokenBudget: tokenBudget + tokens, maxTokens: maxTokens + tokens, budget: raised }
}

/** What the run allows, after its own and everyone's limits. */
export function budgetOf(env: Environment, create: RunCreate): NonNullable<RunOptions['budget']> {
  const asked: NonNullable<RunOptions['budget']> = { ...env.config.budget, ...create.budget }
  const bound = env.managed?.budget
  if (bound === undefined) return asked
  for (const name of ['maxTokens', 'maxCostUsd', 'maxSteps', 'maxWallMs', 'maxQueueMs'] as const) {
    const most = bound[name]
    if (most !== undefined) asked[name] = Math.min(asked[name] ?? most, most)
  }
  return asked
}

/** What a run's budget of tokens never exceeds: what is set, else twice its soft budget, within everyone's bounds. */
export function hardLimit(
  env: Pick<Environment, 'config' | 'managed' | 'tightening'>,
  create: RunCreate,
  softTokens: number,
): number {
  const { managed, tightening } = env
  const own = create.budget?.maxTokens
  const byConfig = env.config.budget?.maxTokens ?? 2 * softTokens
  const wanted = own ?? Math.min(byConfig, tightening?.maxTokens ?? byConfig)
  return Math.min(wanted, managed?.budget?.maxTokens ?? wanted)
}
