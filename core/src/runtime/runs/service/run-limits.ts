/** What a run may take: what it asks for, within what the config, and everyone's limits, allow. */
import { DEFAULT_TOKEN_BUDGET } from '../../../contracts/config.ts'
import type { RunCreate, RunOptions } from '../../../contracts/run/run.ts'
import type { RunLimits } from '../../../contracts/store/run-row.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import type { FieldError } from '../../../errors.ts'
import type { Environment } from '../../environment.ts'

type Budget = NonNullable<RunOptions['budget']>

const BOUNDS = ['maxTokens', 'maxCostUsd', 'maxSteps', 'maxWallMs', 'maxQueueMs'] as const

/** What a run may take that begins now. */
export function limitsOf(env: Environment, create: RunCreate): RunLimits {
  const tokenBudget = create.tokenBudget ?? env.config.tokenBudget ?? DEFAULT_TOKEN_BUDGET
  return { tokenBudget, maxTokens: hardLimit(env, create, tokenBudget), budget: budgetOf(env, create) }
}

/**
 * The limits of a run to which a person adds tokens: the model calls that it has made count no more against `maxSteps`.
 *
 * @param row what a stranger's run was allowed, and says that it used, counts for nothing here
 */
export function raisedLimits(env: Environment, { limits, imported, create, usage }: RunRow, tokens: number): RunLimits {
  const { tokenBudget, maxTokens, budget } = (imported === true ? undefined : limits) ?? limitsOf(env, create)
  const raised = { ...budget }
  if (budget.maxTokens !== undefined) raised.maxTokens = budget.maxTokens + tokens
  const made = imported === true ? 0 : usage.modelCalls
  if (budget.maxSteps !== undefined) raised.maxSteps = budget.maxSteps + made
  return { tokenBudget: tokenBudget + tokens, maxTokens: maxTokens + tokens, budget: raised }
}

/** What the run allows, after its own and everyone's limits. */
export function budgetOf(env: Environment, create: RunCreate): Budget {
  return within({ ...env.config.budget, ...create.budget }, env.managed?.budget)
}

/** A budget of which no limit is larger than that of another one. */
function within(asked: Budget, bound: Budget = {}): Budget {
  const budget = { ...asked }
  for (const name of BOUNDS) {
    const most = bound[name]
    if (most !== undefined) budget[name] = Math.min(budget[name] ?? most, most)
  }
  return budget
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

/** Of each limit the smaller one. */
export function leastOf(one: RunLimits, other: RunLimits): RunLimits {
  return {
    tokenBudget: Math.min(one.tokenBudget, other.tokenBudget),
    maxTokens: Math.min(one.maxTokens, other.maxTokens),
    budget: within(one.budget, other.budget),
  }
}

/** The first option of a request that gives its run more than the config allows: a permission, or a larger limit. */
export function findLoosening(env: Environment, create: RunCreate): FieldError | undefined {
  const isAllowing = ({ toolPolicy = {} }: { toolPolicy?: object }): boolean =>
    Object.values(toolPolicy).includes('allow')
  const agent = (create.agents ?? []).findIndex((each) => typeof each !== 'string' && isAllowing(each))
  if (create.allowWrites === true) return { path: '/allowWrites', message: 'makes calls that would be asked about' }
  if (create.approval === 'allow-write')
    return { path: '/approval', message: 'allow-write makes calls that would be asked about' }
  if (agent !== -1) return { path: `/agents/${agent}/toolPolicy`, message: 'allows what would be asked about' }
  const [asked, allowed] = [limitsOf(env, create), limitsOf(env, { task: create.task })]
  const more = (path: string, wanted: number, most: number | undefined): FieldError[] =>
    most !== undefined && wanted > most ? [{ path, message: `is ${wanted}, and the config allows ${most}` }] : []
  return [
    ...more('/tokenBudget', asked.tokenBudget, allowed.tokenBudget),
    ...BOUNDS.flatMap((name) => more(`/budget/${name}`, asked.budget[name] ?? Infinity, allowed.budget[name])),
    ...more('/budget/maxTokens', asked.maxTokens, allowed.maxTokens),
  ].at(0)
}
