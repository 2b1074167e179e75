import type { AnswerKind, Vote } from '../../contracts/stages/consensus.ts'
import { isSameText, shapeOf } from '../../text/same-text.ts'
import { canonicalise } from './canonical.ts'

/** Votes for one answer. */
export interface Cluster {
  /** Of the forms that its answers take the most common, then the first in order of the alphabet. */
  readonly canonical: string
  readonly votes: Vote[]
}

export interface ClusterOptions {
  /** What a vote of a family weighs; default 1. */
  weightOf?: ((family: string) => number) | undefined
  /** Whether two free texts in canonical form are known to mean the same. */
  isAlike?: ((a: string, b: string) => boolean) | undefined
}

/**
 * Votes grouped by what they answer, the most common answer, or the one of most weight, first; the order of the votes
 * does not matter. Votes without an answer are in no group.
 */
export function clusterVotes(
  votes: readonly Vote[],
  kind: AnswerKind,
  { weightOf, isAlike }: ClusterOptions = {},
): Cluster[] {
  const byForm = new Map<string, Vote[]>()
  for (const vote of votes) {
    const form = canonicalise(vote.answer, kind)
    if (form === undefined) continue
    const same = byForm.get(form)
    if (same === undefined) byForm.set(form, [vote])
    else same.push(vote)
  }
  const forms = [...byForm].map(([canonical, of]) => ({ canonical, votes: of })).sort(byCount)
  const clusters = kind === 'text' ? joinAlike(forms, isAlike).sort(byCount) : forms
  if (weightOf === undefined) return clusters
  const weights = new Map(
    clusters.map((cluster) => [cluster, cluster.votes.reduce((sum, { family }) => sum + weightOf(family), 0)]),
  )
  // Rounded, so that the order in which weights are added does not matter.
  const rounded = (cluster: Cluster): number => Math.round((weights.get(cluster) ?? 0) * 1e9)
  return clusters.sort((a, b) => rounded(b) - rounded(a) || byCount(a, b))
}

const byCount = (a: Cluster, b: Cluster): number =>
  b.votes.length - a.votes.length || (a.canonical < b.canonical ? -1 : a.canonical > b.canonical ? 1 : 0)

/** Joins texts that are the same by some chain of likeness, so that it does not matter where one begins. */
function joinAlike(forms: readonly Cluster[], isAlike: ClusterOptions['isAlike']): Cluster[] {
  const open = forms.map((form) => ({ ...form, shape: shapeOf(form.canonical) }))
  const joined: Cluster[] = []
  while (open.length > 0) {
    const [first] = open.splice(0, 1)
    if (first === undefined) break
    const members = [first]
    for (let index = 0; index < members.length; index++) {
      const member = members[index]
      for (let other = open.length - 1; member !== undefined && other >= 0; other--) {
        const candidate = open[other]
        if (candidate === undefined) continue
        const same = isSameText(member.shape, candidate.shape) || isAlike?.(member.canonical, candidate.canonical)
        if (same !== true) continue
        members.push(candidate)
        open.splice(other, 1)
      }
    }
    members.sort(byCount)
    joined.push({ canonical: first.canonical, votes: members.flatMap(({ votes }) => votes) })
  }
  return joined
}
