/** How sure is a figure? */

/** Numbers in [0, 1) from a seed (mulberry32): the same seed, the same numbers. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

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

export const median = (values: readonly number[]): number =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  )

/** Of sorted values, with linear interpolation. */
export function quantile(sorted: readonly number[], fraction: number): number {
  const at = (sorted.length - 1) * fraction
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return below + (above - below) * (at - Math.floor(at))
}

/** Groups by a key, in the order of first sight: units out of records. */
export function groupBy<T>(records: readonly T[], keyOf: (record: T) => string): T[][] {
  const groups = new Map<string, T[]>()
  for (const record of records) {
    const key = keyOf(record)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  return [...groups.values()]
}
