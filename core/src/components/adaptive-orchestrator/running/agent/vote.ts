import { containment, jaccard, toStems, toWords } from '../../../../text/index.ts'

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
 * Two drafts are the same when their numbers are equal, both or neither deny, and their words nearly agree.
 *
 * @see Kaesberg et al., Voting or Consensus?, 2025: drafting apart and voting beats debate
 */
export function voteAmong(drafts: readonly string[]): VoteResult {
  const views = drafts.map(toView)
  const clusters: number[][] = []
  for (const [index, view] of views.entries()) {
    const cluster = clusters.find(([first]) => first !== undefined && isSame(views[first] as View, view))
    if (cluster === undefined) clusters.push([index])
    else cluster.push(index)
  }
  clusters.sort((a, b) => b.length - a.length)
  const [leader] = clusters
  const isMajority = leader !== undefined && leader.length * 2 > drafts.length
  return { answer: isMajority ? drafts[leader[0] ?? 0] : undefined, clusters }
}

interface View {
  text: string
  numbers: string
  denies: boolean
  words: Set<string>
}

const DENIALS = new Set(['no', 'not', 'never', 'none', 'neither', 'nor', 'cannot', 'without', 't'])

function toView(draft: string): View {
  const words = toWords(draft)
  return {
    text: words.join(' '),
    numbers: [...new Set(draft.match(/\d+(?:[.,]\d+)*/g) ?? [])].sort().join(' '),
    denies: words.filter((word) => DENIALS.has(word)).length % 2 === 1,
    words: new Set(toStems(draft)),
  }
}

function isSame(a: View, b: View): boolean {
  if (a.text === b.text) return true
  if (a.numbers !== b.numbers || a.denies !== b.denies) return false
  if (a.words.size === 0 || b.words.size === 0) return false
  return (
    jaccard(a.words, b.words) >= 0.8 || (containment(a.words, b.words) >= 0.9 && containment(b.words, a.words) >= 0.9)
  )
}
