import { beliefInLeader } from './belief.ts'
import type { Cluster } from './clusters.ts'
import type { RiskRule } from './risk-rules.ts'

/** The state of a vote: what each answer has, most first. */
export interface Ballot {
  /** Votes of each answer, or the sum of their weights. */
  readonly counts: readonly number[]
  /** Belief that the leader is the most common answer. */
  readonly belief: number
  /** The leader's share of all votes or weights that gave an answer. */
  readonly share: number
  /** By how much the leader is ahead of the runner-up; 0 when there is no leader. */
  readonly lead: number
}

/** Leads below this are ties: sums of weights are rounded. */
const TIE = 1e-9

/**
 * Counts a vote.
 *
 * @param weightOf what a vote of a family weighs; default all the same. Weights say how the evidence of the votes divides,
 *   not how much there is: they are scaled so that their sum is the number of votes
 */
export function countBallot(clusters: readonly Cluster[], weightOf: (family: string) => number = () => 1): Ballot {
  const weights = clusters.map(({ votes }) => votes.reduce((sum, { family }) => sum + weightOf(family), 0))
  const sum = weights.reduce((all, weight) => all + weight, 0)
  const total = clusters.reduce((all, { votes }) => all + votes.length, 0)
  // Rounded, so that the order in which weights are added does not matter.
  const counts = weights.map((weight) => Math.round((weight * total * 1e9) / sum) / 1e9)
  const [leader = 0, runnerUp = 0] = counts
  return {
    counts,
    belief: leader === 0 ? 0 : beliefInLeader(leader, runnerUp),
    share: total === 0 ? 0 : leader / total,
    lead: leader - runnerUp,
  }
}

export const isTied = ({ lead }: Ballot): boolean => Math.abs(lead) < TIE

/** Whether a ballot passes the rule: enough belief, enough share, no tie. */
export const passes = (ballot: Ballot, { belief, quorum }: RiskRule): boolean =>
  !isTied(ballot) && ballot.belief >= belief && ballot.share >= quorum

/** Whether further votes are not worth asking for: the leader is far enough ahead, or cannot be with so many more. */
export const isSettled = ({ lead }: Ballot, rule: RiskRule, more: number): boolean =>
  lead >= rule.lead - TIE || lead + more < rule.lead - TIE
