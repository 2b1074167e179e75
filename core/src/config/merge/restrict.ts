import {
  DEFAULT_PROGRAM_MEMORY_MB,
  DEFAULT_TOKEN_BUDGET,
  type SvcConfig,
  type Tightening,
} from '../../contracts/config.ts'
import type { DropInKind } from '../find/paths.ts'
import { isRecord } from '../read/read-data.ts'

/** Something that a file defines under an id. */
export interface Definition {
  kind: 'provider' | 'tool' | 'agent' | 'plugin' | 'server'
  id: string
}

/** The same, of a file that was left out. */
export type SkippedDefinition = Definition | { kind: 'command'; id: string }

/** What is left of a config in an untrusted folder. */
export interface Restricted {
  config: SvcConfig
  tightening: Omit<Tightening, 'source'>
  /** Settings that were left out, such as `providers` or `budget.maxTokens`. */
  left: string[]
  /** What the settings that were left out would have defined. */
  defines: SkippedDefinition[]
}

/**
 * Keeps of a config only what tightens: rules that deny or ask, budgets smaller than those that hold without it. Names of
 * models are kept apart, for the caller, which knows which provider answers without them.
 *
 * @param person what all layers of the person say together: their folder, a named file, the environment, flags
 */
export function restrict(config: SvcConfig, person: SvcConfig): Restricted {
  const kept: Record<string, unknown> = {}
  const tightening: Restricted['tightening'] = {}
  const left: string[] = []
  for (const [key, value] of Object.entries(config)) {
    if (key === 'model' || key === 'fallback') Object.assign(tightening, { [key]: value })
    else if (key === 'tokenBudget') keepSmaller('tokenBudget', value, softLimit(person), kept, 'tokenBudget', left)
    else if (key === 'budget' && isRecord(value)) {
      const { maxTokens, ...others } = restrictBudget(value, person, left)
      if (maxTokens !== undefined) tightening.maxTokens = maxTokens
      if (Object.keys(others).length > 0) kept.budget = others
    } else if (key === 'policy') {
      const { memoryMb, ...others } = restrictPolicy(config.policy ?? {}, person, left)
      tightening.policy = others
      if (memoryMb !== undefined) kept.policy = { memoryMb }
    } else if (key === 'mcpServers')
      left.push(...Object.keys(config.mcpServers ?? {}).map((name) => `mcpServers.${name}`))
    else left.push(key)
  }
  return { config: kept, tightening, left, defines: definitions(config) }
}

const softLimit = (person: SvcConfig): number => person.tokenBudget ?? DEFAULT_TOKEN_BUDGET

function restrictBudget(budget: object, person: SvcConfig, left: string[]): NonNullable<SvcConfig['budget']> {
  const kept: Record<string, unknown> = {}
  for (const [name, limit] of Object.entries(budget)) {
    const standing = person.budget?.[name as keyof typeof person.budget]
    const bound = standing ?? (name === 'maxTokens' ? 2 * softLimit(person) : undefined)
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
  person: SvcConfig,
  left: string[],
): NonNullable<SvcConfig['policy']> {
  const kept: NonNullable<SvcConfig['policy']> = {}
  for (const key of Object.keys(policy)) {
    if (key === 'rules' && policy.rules !== undefined) {
      kept.rules = policy.rules.filter(({ decision }) => decision !== 'allow')
      if (kept.rules.length < policy.rules.length) left.push('policy.rules that allow')
    } else if (key === 'default' && policy.default !== undefined && policy.default !== 'allow') {
      kept.default = policy.default
    } else if (key === 'memoryMb') {
      const bound = person.policy?.memoryMb ?? DEFAULT_PROGRAM_MEMORY_MB
      keepSmaller(key, policy.memoryMb, bound, kept as Record<string, unknown>, 'policy.memoryMb', left)
    } else left.push(`policy.${key}`)
  }
  return kept
}

function definitions({ providers, tools, agents, mcpServers }: SvcConfig): SkippedDefinition[] {
  const of = (kind: SkippedDefinition['kind'], map: object | undefined) =>
    Object.keys(map ?? {}).map((id) => ({ kind, id }))
  return [...of('provider', providers), ...of('tool', tools), ...of('agent', agents), ...of('server', mcpServers)]
}

/** What a drop-in of a folder defines. */
export const DROP_IN_DEFINES: Readonly<Record<DropInKind, Definition['kind']>> = {
  providers: 'provider',
  tools: 'tool',
  agents: 'agent',
  plugins: 'plugin',
}
