import type { PolicyRule, RuntimeInfo } from '@svc/sdk/remote'

/** The policy as a server describes it. */
export interface PolicyInForce {
  default?: 'allow' | 'ask' | 'deny'
  defaultSource?: string
  rules: { rule: PolicyRule; source: string }[]
  builtIn?: string[]
  sandbox?: string
  root?: string
}

const VERBS = { allow: 'allows', ask: 'asks before', deny: 'denies' } as const

/** What holds where no rule is about a call. */
const BY_RISK = [
  'read: allowed',
  'write, network, execute: a person is asked',
  'destructive: denied, unless a rule allows it',
  'An agent that has read untrusted content asks before it sends something out or runs a program.',
  'An agent that has read both files of the workspace and untrusted content sends nothing out.',
] as const

/** `asks before write_file below src/**`. */
export function ruleInWords({ tool, decision, paths = [], hosts = [], command = [] }: PolicyRule): string {
  const of = tool === '*' ? 'every tool' : tool
  return [
    `${VERBS[decision]} ${of}`,
    ...(paths.length === 0 ? [] : [`on ${paths.join(', ')}`]),
    ...(hosts.length === 0 ? [] : [`to ${hosts.join(', ')}`]),
    ...(command.length === 0 ? [] : [`that runs “${command.join(' ')}”`]),
  ].join(' ')
}

/** The policy in force; from the config where the server does not describe it as such. */
export function policyOf(info: RuntimeInfo): Omit<PolicyInForce, 'builtIn'> & { builtIn: readonly string[] } {
  const described = (info as RuntimeInfo & { policy?: PolicyInForce }).policy
  if (described !== undefined) return { ...described, builtIn: described.builtIn ?? BY_RISK }
  const { value, origin } = info.config
  const { default: byDefault, rules = [], sandbox, root } = (value as { policy?: Configured }).policy ?? {}
  const sourceOf = (path: string): string => origin[path] ?? origin['policy.rules'] ?? origin.policy ?? 'config'
  return {
    ...(byDefault !== undefined && { default: byDefault, defaultSource: sourceOf('policy.default') }),
    rules: rules.map((rule, index) => ({ rule, source: sourceOf(`policy.rules.${index}`) })),
    builtIn: BY_RISK,
    ...(sandbox !== undefined && { sandbox }),
    ...(root !== undefined && { root }),
  }
}

interface Configured {
  default?: PolicyInForce['default']
  rules?: PolicyRule[]
  sandbox?: string
  root?: string
}

/** The limits of every run, as the config has them. */
export function limitsOf({ config }: RuntimeInfo): [string, string][] {
  const { budget = {}, tokenBudget } = config.value as { budget?: Record<string, unknown>; tokenBudget?: number }
  const limits = Object.entries({ ...(tokenBudget !== undefined && { tokenBudget }), ...budget })
  return limits.map(([name, value]) => [LIMITS[name] ?? name, String(value)])
}

const LIMITS: Readonly<Record<string, string>> = {
  tokenBudget: 'Tokens to aim at',
  maxTokens: 'Tokens at most',
  maxCostUsd: 'Cost at most, US dollars',
  maxSteps: 'Model calls at most',
  maxWallMs: 'Time at most, milliseconds',
}
