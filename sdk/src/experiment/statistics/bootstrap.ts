import type { Cluster } from './cluster.ts'
import { seeded } from './seeded.ts'

/**
 * The ratio of the sums over samples of whole clusters, drawn with replacement; sorted.
 *
 * A sample has as many clusters as there are. The same clusters are drawn for every figure.
 *
 * @see Miller, Adding Error Bars to Evals, 2024 (arXiv 2411.00640): questions of one family are not independent
 */
export function bootstrap(clusters: readonly Cluster[], samples = 10_000): Float64Array {
  const random = seeded(1)
  const count = clusters.length
  const above = Float64Array.from(clusters, (cluster) => cluster.above)
  const below = Float64Array.from(clusters, (cluster) => cluster.below)
  const values = new Float64Array(samples)
  for (let sample = 0; sample < samples; sample++) {
    let top = 0
    let bottom = 0
    for (let draw = 0; draw < count; draw++) {
      const index = (random() * count) | 0
      top += above[index] as number
      bottom += below[index] as number
    }
    values[sample] = top / bottom
  }
  return values.sort()
}
