import { DEFAULT_TOKEN_BUDGET, type SvcConfig } from '../contracts/config.ts'
import type { DropInKind } from './paths.ts'
import { isRecord } from './read-data.ts'

/** Something that a file defines under an id. */
export interface SkippedDefinition {
  kind: 'provider' | 'tool' | 'agent' | 'plugin'
  id: string
}

/** What is left of a config in an untrusted folder. */
export interface Restricted {
  config: SvcConfig
  /** Settings that were left out, such as `providers` or `budget.maxTokens`. */
  left: string[]
  /** What the settings that were left out would have defined. */
  defines: SkippedDefinition[]
  /** What they would have run, one line for each. */
  runs: string[]
}

/**
 * Keeps of a config only what tightens: rules that deny or ask, budgets smaller than those that hold without it, and
 * names of models.
 *
 * @param below what the weaker layers say
 */
export function restrict(config: SvcConfig, below: SvcConfig): Restricted {
  const kept: Record<string, unknown> = {}
  const left: string[] = []
  for (const [key, value] of Object.entries(config)) {
    if (key === 'model' || key === 'fallback') kept[key] = value
    else if (key === 'tokenBudget') keepSmaller('tokenBudget', value, softLimit(below), kept, 'tokenBudget', left)
    else if (key === 'budget' && isRecord(value)) kept.budget = restrictBudget(value, below, left)
    else if (key === 'policy') kept.policy = restrictPolicy(config.policy ?? {}, below, left)
    else left.push(key)
  }
  return { config: kept, left, defines: definitions(config), runs: commands(config) }
}

const softLimit = (below: SvcConfig): number => below.tokenBudget ?? DEFAULT_TOKEN_BUDGET

function restrictBudget(budget: object, below: SvcConfig, left: string[]): object {
  const kept: Record<string, unknown> = {}
  for (const [name, limit] of Object.entries(budget)) {
    const standing = below.budget?.[name as keyof typeof below.budget]
    const bound = standing ?? (name === 'maxTokens' ? 2 * softLimit(below) : undefined)
    keepSmaller(name, limit, bound, kept, `budget.${name}`, left)
  }
  return kept
}

function keepSmaller(
  name: string,
  value: unknown,
  bound: number | undefined,
  kept: Record<string, unknown>,
  label: string,
  left: string[],
): void {
  if (typeof value === 'number' && (bound === undefined || value <= bound)) kept[name] = value
  else left.push(label)
}

function restrictPolicy(
  policy: NonNullable<SvcConfig['policy']>,
  below: SvcConfig,
  left: string[],
): SvcConfig['policy'] {
  const kept: NonNullable<SvcConfig['policy']> = {}
  // Where everything is denied that no rule names, a rule that asks loosens.
  const loosening: readonly string[] = below.policy?.default === 'deny' ? ['allow', 'ask'] : ['allow']
  for (const key of Object.keys(policy)) {
    if (key === 'rules' && policy.rules !== undefined) {
      const { rules } = policy
      kept.rules = rules.filter(({ decision }) => !loosening.includes(decision))
      const found = loosening.filter((decision) => rules.some((rule) => rule.decision === decision))
      if (found.length > 0) left.push(`policy.rules that ${found.join(' or ')}`)
    } else if (key === 'default' && policy.default !== undefined && policy.default !== 'allow') {
      kept.default = policy.default
    } else left.push(`policy.${key}`)
  }
  return kept
}

function definitions({ providers, tools, agents }: SvcConfig): SkippedDefinition[] {
  const of = (kind: SkippedDefinition['kind'], map: object | undefined) =>
    Object.keys(map ?? {}).map((id) => ({ kind, id }))
  return [...of('provider', providers), ...of('tool', tools), ...of('agent', agents)]
}

function commands({ plugins, components, tools }: SvcConfig): string[] {
  const names = (plugins ?? []).flatMap((entry) =>
    typeof entry === 'string' ? entry : Array.isArray(entry) ? entry[0] : [],
  )
  const slots = Object.values(components ?? {}).filter((entry) => typeof entry === 'string')
  const programs = Object.entries(tools ?? {}).flatMap(([id, tool]) =>
    tool !== false && tool.command !== undefined ? `tool ${id}: ${tool.command.join(' ')}` : [],
  )
  return [...[...names, ...slots].map((name) => `module ${name}`), ...programs]
}

/** What a drop-in of a folder defines. */
export const DROP_IN_DEFINES: Readonly<Record<DropInKind, SkippedDefinition['kind']>> = {
  providers: 'provider',
  tools: 'tool',
  agents: 'agent',
  plugins: 'plugin',
}
