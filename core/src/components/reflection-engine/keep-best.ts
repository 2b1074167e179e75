import { type Reflection, ruleScore } from '../../contracts/reflection.ts'

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
