import type { PolicyRule } from '../../../contracts/policy-rule.ts'

/** Why a call was denied, with the rule that would have allowed it, as a config takes it: as JSON it fits YAML and code too. */
export function suggestRule(reason: string, rule: PolicyRule | undefined): string {
  if (rule === undefined) return reason
  const policy = JSON.stringify({ rules: [rule] }, undefined, 1).replace(/\n */g, ' ')
  return `${reason}; in your config this allows it: "policy": ${policy}`
}
