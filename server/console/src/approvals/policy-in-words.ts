import type { PolicyRule, RuntimeInfo } from '@svc/sdk/remote'

const VERBS = { allow: 'allows', ask: 'asks before', deny: 'denies' } as const

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
