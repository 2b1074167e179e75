import {
  ConfigError,
  estimateTokens,
  type LoadedConfig,
  type Price,
  type RunOptions,
  type RuntimeInfo,
} from '@svc/core'
import { DEFAULT_TOKEN_BUDGET } from '@svc/core/schema'
import type { Cell } from '../run/record.ts'
import type { Arm } from './arms.ts'
import type { TaskInput } from './experiment-schema.ts'

/** What tokens and dollars runs took, or may take. */
export interface Spent {
  tokens: number
  /** US dollars of calls with a price. */
  costUsd: number
}

/** What one run of an arm may take at most. */
export type MostOf = (arm: string, task: TaskInput) => Spent

/** The models of an arm with their price. */
export interface ArmPrices {
  arm: string
  /** US dollars of a token at most; undefined where a model has no price. */
  perToken: number | undefined
  unpriced: readonly string[]
}

/** What a run may take before its hard limit stops it. */
export const hardLimitOf = (options: RunOptions, { config }: Pick<LoadedConfig, 'config'>): number =>
  options.budget?.maxTokens ??
  (options.tokenBudget === undefined ? config.budget?.maxTokens : undefined) ??
  2 * (options.tokenBudget ?? config.tokenBudget ?? DEFAULT_TOKEN_BUDGET)

/** The dearest token of the models that an arm may ask. */
export function pricesOf(arm: Arm, loaded: LoadedConfig, options: RunOptions, info: RuntimeInfo): ArmPrices {
  const names = [
    options.model ?? info.defaultModel,
    ...(loaded.config.fallback ?? []),
    ...(loaded.config.consensus?.models ?? []),
    ...loaded.agents.flatMap(({ profile }) => [
      ...(profile.model ? [profile.model] : []),
      ...(profile.fallbackModels ?? []),
    ]),
  ]
  const prices = names.map((name) => ({ name, price: priceOf(name, info) }))
  const unpriced = prices.flatMap(({ name, price }) => (price === undefined ? [name] : []))
  const dearest = Math.max(0, ...prices.map(({ price }) => Math.max(price?.input ?? 0, price?.output ?? 0)))
  return { arm: arm.id, perToken: unpriced.length > 0 ? undefined : dearest / 1e6, unpriced }
}

function priceOf(name: string, { providers }: RuntimeInfo): Price | undefined {
  const slash = name.indexOf('/')
  const provider = providers.find(({ id }) => id === (slash === -1 ? name : name.slice(0, slash)))
  const model = slash === -1 ? provider?.defaultModel : name.slice(slash + 1)
  return provider?.models.find(({ id, alias = [] }) => id === model || alias.includes(model ?? ''))?.price
}

/** What cells took, those that were made again included. What was answered from a recording took nothing. */
export function spentOn(cells: readonly Cell[]): Spent {
  const total: Spent = { tokens: 0, costUsd: 0 }
  for (const { inputTokens, outputTokens, costUsd, judge, setup, replay } of cells) {
    const paidUsd = replay === undefined ? costUsd : replay.paidUsd
    total.tokens +=
      (replay?.paidTokens ?? inputTokens + outputTokens) +
      [judge, setup].reduce((sum, apart) => sum + (apart === undefined ? 0 : apart.inputTokens + apart.outputTokens), 0)
    total.costUsd += (paidUsd ?? 0) + (judge?.costUsd ?? 0) + (setup?.costUsd ?? 0)
  }
  return total
}

/** Keeps an experiment within its budget: a run begins where what it may take at most is still there. */
export class ExperimentBudget {
  readonly #limit: Spent
  #spent: Spent
  #reserved: Spent = { tokens: 0, costUsd: 0 }

  constructor({ maxTokens, maxCostUsd }: { maxTokens?: number; maxCostUsd?: number }, spent: Spent) {
    this.#limit = { tokens: maxTokens ?? Number.POSITIVE_INFINITY, costUsd: maxCostUsd ?? Number.POSITIVE_INFINITY }
    this.#spent = spent
  }

  /** @returns whether the run may begin; its reservation ends with `settle` */
  reserve(most: Spent): boolean {
    const fits = (field: keyof Spent): boolean =>
      this.#spent[field] + this.#reserved[field] + most[field] <= this.#limit[field]
    if (!fits('tokens') || !fits('costUsd')) return false
    this.#reserved = add(this.#reserved, most)
    return true
  }

  settle(most: Spent, took: Spent): void {
    this.#reserved = add(this.#reserved, { tokens: -most.tokens, costUsd: -most.costUsd })
    this.#spent = add(this.#spent, took)
  }
}

const add = (a: Spent, b: Spent): Spent => ({ tokens: a.tokens + b.tokens, costUsd: a.costUsd + b.costUsd })

/** What a run takes at least: its texts are read once, and answered with a token. Only set-up turns are always live. */
export const leastOf = ({ task, setup = [] }: TaskInput, isLive: boolean): number =>
  [...setup, ...(isLive ? [task] : [])].reduce((sum, text) => sum + estimateTokens(text) + 1, 0)

/**
 * Refuses a budget that cannot pay the sample.
 *
 * @throws ConfigError `config_invalid`
 */
export function checkBudget(
  file: string,
  budget: { maxTokens?: number; maxCostUsd?: number },
  { least, most, prices, runs }: { least: number; most: Spent; prices: readonly ArmPrices[]; runs: number },
): void {
  const fail = (path: string, message: string): never => {
    throw new ConfigError('config_invalid', `${file}: ${path} ${message}`, { errors: [{ path, message }] })
  }
  const { maxTokens, maxCostUsd } = budget
  if (maxTokens !== undefined && least > maxTokens)
    fail('/budget/maxTokens', `${maxTokens} cannot pay ${runs} runs: their tasks alone are about ${least} tokens`)
  if (maxTokens !== undefined && most.tokens > maxTokens)
    fail(
      '/budget/maxTokens',
      `${maxTokens} cannot pay one run, which may take ${most.tokens}: raise it, or lower /base/options/budget/maxTokens`,
    )
  if (maxCostUsd === undefined) return
  const unpriced = [...new Set(prices.flatMap((arm) => arm.unpriced))]
  if (unpriced.length > 0)
    fail(
      '/budget/maxCostUsd',
      `no price is known for ${unpriced.join(', ')}: set models.<name>.price of the provider in the config, or leave the limit out`,
    )
  const cheapest = least * Math.min(...prices.map(({ perToken = 0 }) => perToken)) * 0.1
  if (cheapest > maxCostUsd)
    fail(
      '/budget/maxCostUsd',
      `${maxCostUsd} cannot pay ${runs} runs: they cost at least about $${cheapest.toFixed(4)}`,
    )
  if (most.costUsd > maxCostUsd)
    fail(
      '/budget/maxCostUsd',
      `${maxCostUsd} cannot pay one run, which may cost $${most.costUsd.toFixed(4)}: raise it, or lower /base/options/budget/maxTokens`,
    )
}
