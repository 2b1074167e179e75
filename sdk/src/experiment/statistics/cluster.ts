/** Tasks that vary together: the sums of what their figures are made of. */
export interface Cluster {
  family: string
  /** Sum over its tasks of the figure, or of the part above the line where the figure is a ratio. */
  above: number
  /** Number of its tasks, or the sum of the part below the line. */
  below: number
}

/**
 * Tasks by family, in the order of the families' names, so that the order of tasks changes nothing.
 *
 * @param below 1 for a mean over tasks; the base's figure for a ratio of means
 */
export function toClusters(tasks: readonly { family: string; above: number; below: number }[]): Cluster[] {
  const byFamily = new Map<string, Cluster>()
  for (const { family, above, below } of tasks) {
    const cluster = byFamily.get(family)
    if (cluster === undefined) byFamily.set(family, { family, above, below })
    else {
      cluster.above += above
      cluster.below += below
    }
  }
  return [...byFamily.values()].sort((a, b) => (a.family < b.family ? -1 : 1))
}
