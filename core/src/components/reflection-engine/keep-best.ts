import type { Reflection } from '../../contracts/reflection.ts'

/** Anything that was reflected upon. */
export interface Judged {
  readonly reflection?: Reflection | undefined
}

/**
 * Which of two answers to keep: the later one, unless its deterministic score is lower.
 *
 * @returns one of the two, as it was given
 */
export function keepBest<T extends Judged>(previous: T, next: T): T {
  return ruleScore(next.reflection) >= ruleScore(previous.reflection) ? next : previous
}

/** The weighted share of passed checks among those decided by rule; .5 when there is none. */
export function ruleScore(reflection: Reflection | undefined): number {
  return scoreOf(reflection?.checks.filter((check) => check.by === 'rule') ?? [])
}

/** Critical checks count three times, those that do not apply not at all. */
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
