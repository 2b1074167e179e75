/** How sure is a figure? */
import { quantile } from '../../../sdk/src/experiment/statistics/quantile.ts'
import { seeded } from '../../../sdk/src/experiment/statistics/seeded.ts'

export { quantile, seeded }

export interface BootstrapOptions {
  /** Default 2000. */
  samples?: number
  /** Default 1. */
  seed?: number
}

/**
 * The middle 95 % of a statistic over samples of the units, drawn with replacement.
 *
 * @param units conversations, problems, runs, tasks: what varies independently, with everything that hangs on it
 * @param statistic of a sample; a sample where it is not finite is left out
 */
export function bootstrap<T>(
  units: readonly T[],
  statistic: (sample: readonly T[]) => number,
  { samples = 2000, seed = 1 }: BootstrapOptions = {},
): { low: number; high: number } {
  const random = seeded(seed)
  const values: number[] = []
  for (let index = 0; index < samples; index++) {
    const sample = units.map(() => units[Math.floor(random() * units.length)] as T)
    const value = statistic(sample)
    if (Number.isFinite(value)) values.push(value)
  }
  values.sort((a, b) => a - b)
  return { low: quantile(values, 0.025), high: quantile(values, 0.975) }
}

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Groups by a key, in the order of first sight: units out of records. */
export function groupBy<T>(records: readonly T[], keyOf: (record: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const record of records) {
    const group = groups.get(keyOf(record))
    if (group === undefined) groups.set(keyOf(record), [record])
    else group.push(record)
  }
  return groups
}

/** Puts a list into a random order (Fisher and Yates), in place. */
export function shuffle<T>(list: T[], random: () => number): void {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[list[at], list[other]] = [list[other] as T, list[at] as T]
  }
}
