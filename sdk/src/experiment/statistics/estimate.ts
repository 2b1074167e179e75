import { bootstrap } from './bootstrap.ts'
import type { Cluster } from './cluster.ts'
import { quantile } from './quantile.ts'
import { studentQuantile } from './student.ts'

export interface Interval {
  low: number
  high: number
}

/** A mean or a ratio of means, and how sure it is. */
export interface Estimate {
  value: number
  /** Clustered by family; null with fewer than two families, as the intervals are. */
  standardError: number | null
  /** 95 %. */
  interval: Interval | null
  /** 90 %: what two one-sided tests at 5 % go by. */
  interval90: Interval | null
  families: number
}

export interface EstimateOptions {
  /**
   * `difference`: a mean of values in [-1, 1]; `share`: of values in [0, 1]; `ratio`: of two sums above 0. Default `mean`:
   * of values without bounds.
   */
  of?: 'mean' | 'difference' | 'share' | 'ratio'
  /** Bootstrap samples. Default 10 000. */
  samples?: number
}

/** With fewer clusters than this that differ from the commonest value, the spread seen says too little. */
const RARE = 6

/** Tasks that are thought to be added, value and number: Agresti and Min for differences, Agresti and Coull for shares. */
const ADDED = {
  difference: [
    [1, 0.5],
    [-1, 0.5],
    [0, 1],
  ],
  share: [
    [1, 2],
    [0, 2],
  ],
} as const

/**
 * The sum above the line by the sum below it, with intervals that hold for few clusters too.
 *
 * Each end is the farther of two. One is Student's t by the clustered standard error. The other is, of differences and shares,
 * the cluster bootstrap's percentile; of means without bounds and of ratios, whose large values are rare, the studentized
 * bootstrap. Where fewer than six families differ from the commonest value of bounded figures, the interval is that of Agresti
 * and Min (differences) or Agresti and Coull (shares) alone, which gives one to "no difference at all in 20 tasks".
 *
 * @param clusters of `toClusters`
 * @see Cameron and Miller, A Practitioner's Guide to Cluster-Robust Inference, 2015; Hall, Theoretical Comparison of Bootstrap
 *   Confidence Intervals, 1988; Hesterberg, What Teachers Should Know about the Bootstrap, 2015; Agresti and Coull, Approximate
 *   Is Better than "Exact" for Interval Estimation of Binomial Proportions, 1998; Agresti and Min, Simple improved confidence
 *   intervals for comparing matched proportions, 2005
 */
export function estimate(clusters: readonly Cluster[], options: EstimateOptions = {}): Estimate {
  const { of = 'mean', samples } = options
  const above = sum(clusters.map((cluster) => cluster.above))
  const below = sum(clusters.map((cluster) => cluster.below))
  const value = above / below
  const families = clusters.length
  if (families < 2 || !Number.isFinite(value))
    return { value, standardError: null, interval: null, interval90: null, families }
  const squares = sum(clusters.map((cluster) => (cluster.above - value * cluster.below) ** 2))
  const standardError = Math.sqrt((squares * families) / (families - 1)) / below
  const isBounded = of === 'difference' || of === 'share'
  const onLogs = of === 'ratio' && value > 0
  const isTied = isBounded && isRare(clusters)
  const drawn = isTied ? undefined : bootstrap(clusters, samples, onLogs)
  // A ratio is a product of many small effects: its logarithm is closer to symmetric, and the ends stay above 0.
  const at = (errors: number): number =>
    onLogs ? value * Math.exp((errors * standardError) / value) : value + errors * standardError
  const intervalAt = (level: number): Interval => {
    const tail = (1 - level) / 2
    const t = studentQuantile(1 - tail, families - 1)
    if (drawn === undefined) return withAdded(clusters, of as keyof typeof ADDED, t)
    const { values, studentized } = drawn
    const [low, high] = isBounded
      ? [quantile(values, tail), quantile(values, 1 - tail)]
      : [at(-quantile(studentized, 1 - tail)), at(-quantile(studentized, tail))]
    return { low: Math.min(at(-t), low), high: Math.max(at(t), high) }
  }
  const clamped = (level: number): Interval => {
    const { low, high } = intervalAt(level)
    return isBounded ? { low: Math.max(low, of === 'share' ? 0 : -1), high: Math.min(high, 1) } : { low, high }
  }
  return { value, standardError, interval: clamped(0.95), interval90: clamped(0.9), families }
}

/** Whether ties leave so few other values that the standard error cannot be believed. */
function isRare(clusters: readonly Cluster[]): boolean {
  const counts = new Map<number, number>()
  for (const { above, below } of clusters) counts.set(above / below, (counts.get(above / below) ?? 0) + 1)
  const commonest = Math.max(...counts.values())
  return commonest > 1 && clusters.length - commonest < RARE
}

function withAdded(clusters: readonly Cluster[], of: keyof typeof ADDED, t: number): Interval {
  const below = sum(clusters.map((cluster) => cluster.below))
  const size = below / clusters.length
  const total = below + size * sum(ADDED[of].map(([, number]) => number))
  const middle =
    (sum(clusters.map((cluster) => cluster.above)) + size * sum(ADDED[of].map(([value, number]) => value * number))) /
    total
  const squares =
    sum(clusters.map((cluster) => (cluster.above - middle * cluster.below) ** 2)) +
    size ** 2 * sum(ADDED[of].map(([value, number]) => number * (value - middle) ** 2))
  const reach = (t * Math.sqrt(squares)) / total
  return { low: middle - reach, high: middle + reach }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
