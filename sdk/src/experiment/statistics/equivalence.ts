import type { Interval } from './estimate.ts'

/**
 * Whether a difference is shown to be smaller than a margin, either way: two one-sided tests at 5 %.
 *
 * @param interval90 of the difference; null shows nothing
 * @param margin above 0, in the unit of the difference
 * @see Schuirmann, A comparison of the two one-sided tests procedure, 1987: the 90 % interval lies inside the margin
 */
export function isEquivalent(interval90: Interval | null, margin: number): boolean {
  return interval90 !== null && interval90.low > -margin && interval90.high < margin
}
