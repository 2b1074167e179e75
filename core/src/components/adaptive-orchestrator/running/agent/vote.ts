import { isSameText, shapeOf } from '../../../../text/same-text.ts'

/** What came of a vote among drafts. */
export interface VoteResult {
  /** The answer of a majority; `undefined` when there is none. */
  answer: string | undefined
  /** Positions of the drafts that say the same, the largest group first. */
  clusters: number[][]
}

/** How drafts were decided among: by their majority, or by a model that saw them all. */
export interface VoteRecord {
  decidedBy: 'majority' | 'model'
  /** Ids of the steps whose drafts say the same, the largest group first. */
  clusters: string[][]
}

/**
 * Groups drafts that say the same, and gives the first draft of the majority's group.
 *
 * @see Kaesberg et al., Voting or Consensus?, 2025: drafting apart and voting beats debate
 */
export function voteAmong(drafts: readonly string[]): VoteResult {
  const shapes = drafts.map(shapeOf)
  const clusters: number[][] = []
  for (const [index, shape] of shapes.entries()) {
    const cluster = clusters.find(([first = 0]) => {
      const other = shapes[first]
      return other !== undefined && isSameText(other, shape)
    })
    if (cluster === undefined) clusters.push([index])
    else cluster.push(index)
  }
  clusters.sort((a, b) => b.length - a.length)
  const [leader] = clusters
  const isMajority = leader !== undefined && leader.length * 2 > drafts.length
  return { answer: isMajority ? drafts[leader[0] ?? 0] : undefined, clusters }
}
