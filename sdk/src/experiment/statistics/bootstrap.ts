import type { Cluster } from './cluster.ts'
import { seeded } from './seeded.ts'

/** What samples of clusters say; both are sorted. */
export interface Bootstrap {
  /** The ratio of the sums of each sample. */
  values: Float64Array
  /** How many of its own standard errors the ratio of each sample lies above that of all clusters. */
  studentized: Float64Array
}

/**
 * The ratio of the sums over samples of whole clusters, drawn with replacement.
 *
 * A sample has as many clusters as there are. The same clusters are drawn for every figure.
 *
 * @param onLogs whether distances are measured between logarithms, as for ratios
 * @see Efron, Bootstrap Methods: Another Look at the Jackknife, 1979; Hall, Theoretical Comparison of Bootstrap Confidence
 *   Intervals, 1988 (studentized); Miller, Adding Error Bars to Evals, 2024 (arXiv 2411.00640): questions of one family are not
 *   independent
 */
export function bootstrap(clusters: readonly Cluster[], samples = 10_000, onLogs = false): Bootstrap {
  const random = seeded(1)
  const count = clusters.length
  const above = Float64Array.from(clusters, (cluster) => cluster.above)
  const below = Float64Array.from(clusters, (cluster) => cluster.below)
  const total = above.reduce((sum, each) => sum + each, 0) / below.reduce((sum, each) => sum + each, 0)
  const values = new Float64Array(samples)
  const studentized = new Float64Array(samples)
  for (let sample = 0; sample < samples; sample++) {
    let [top, bottom, squares, products, lower] = [0, 0, 0, 0, 0]
    for (let draw = 0; draw < count; draw++) {
      const index = (random() * count) | 0
      const a = above[index] as number
      const b = below[index] as number
      top += a
      bottom += b
      squares += a * a
      products += a * b
      lower += b * b
    }
    const value = top / bottom
    const spread = Math.max(0, squares - 2 * value * products + value * value * lower)
    const error = Math.sqrt((spread * count) / (count - 1)) / bottom
    const distance = onLogs ? value * Math.log(value / total) : value - total
    values[sample] = value
    // Samples of one cluster alone have no spread: they say nothing of the distance.
    studentized[sample] = error > 1e-12 * Math.abs(value) ? distance / error : 0
  }
  return { values: values.sort(), studentized: studentized.sort() }
}
