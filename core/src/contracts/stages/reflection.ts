import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Lesson } from '../memory/lesson.ts'
import { Usage } from '../model/usage.ts'
import { Fraction, Text, Texts } from '../schema.ts'
import { Claim } from './claim.ts'

/** One question about the answer, and what was found. */
export const CheckResult = Type.Object({
  id: Text('name of the check'),
  result: Type.Enum(['pass', 'fail', 'na']),
  critical: Type.Boolean({
    description: 'a failure makes the answer false or breaks the asked schema; counts three times',
  }),
  evidence: Type.Optional(Text('the words that show it')),
  by: Type.Enum(['rule', 'llm']),
})
export type CheckResult = Static<typeof CheckResult>

/** Is the answer good enough, and would another try help? The answer to `reflect`. */
export const Reflection = Type.Object({
  verdict: Type.Enum(['pass', 'revise', 'fail', 'escalate']),
  score: Fraction('weighted share of passed checks'),
  confidence: Fraction('how far to trust the verdict'),
  checks: Type.Array(CheckResult),
  retry: Type.Optional(
    Type.Object({
      reason: Text('why another try'),
      hint: Text('what to do differently'),
      evidence: Texts('new information for the next try; never empty'),
    }),
  ),
  /** What the answer says, held against the log; at most 200, those that are not held first. */
  claims: Type.Optional(Type.Array(Claim)),
  lessons: Type.Array(Lesson),
  usage: Usage,
})
export type Reflection = Static<typeof Reflection>

/** The weighted share of passed checks: critical ones count three times, those that do not apply not at all; .5 without any. */
export function scoreOf(checks: Reflection['checks']): number {
  let passed = 0
  let total = 0
  for (const { result, critical } of checks) {
    if (result === 'na') continue
    const weight = critical ? 3 : 1
    total += weight
    if (result === 'pass') passed += weight
  }
  return total === 0 ? 0.5 : passed / total
}

/**
 * The checks that make an answer false: failed and critical. A run whose last answer has one is incomplete with reason
 * `checks_failed`.
 */
export const criticalFailures = (reflection: Pick<Reflection, 'checks'> | undefined): CheckResult[] =>
  reflection?.checks.filter(({ result, critical }) => result === 'fail' && critical) ?? []

/**
 * Whether a second answer is worse than a first: first of all it is false where the first is not, then it has the lower
 * score of rules, then more of what it claims is not held.
 */
export function isWorse(second: Reflection, first: Reflection): boolean {
  const [a, b] = [second, first].map((reflection) => [
    Number(criticalFailures(reflection).length > 0),
    -ruleScore(reflection),
    reflection.claims?.filter(({ verdict }) => verdict === 'contradicted').length ?? 0,
  ]) as [number[], number[]]
  const decided = a.findIndex((value, index) => value !== b[index])
  return decided !== -1 && (a[decided] ?? 0) > (b[decided] ?? 0)
}

/** The score of the checks that were decided by rule; a score without checks stands as it is. */
function ruleScore({ checks, score }: Reflection): number {
  return checks.length === 0 ? score : scoreOf(checks.filter(({ by }) => by === 'rule'))
}

/**
 * What is known of an answer: `fail` where a critical check failed, `pass` where evidence of the run holds everything that it
 * says, and something is said; else `unverified`.
 */
export function verdictOf(
  reflection: Pick<Reflection, 'checks' | 'claims' | 'verdict'> | undefined,
): 'pass' | 'unverified' | 'fail' {
  if (criticalFailures(reflection).length > 0) return 'fail'
  const claims = reflection?.claims ?? []
  const isHeld = claims.some(({ kind }) => kind !== 'quote') && claims.every(({ verdict }) => verdict === 'supported')
  return isHeld && reflection?.verdict === 'pass' ? 'pass' : 'unverified'
}
