import { beliefInLeader } from './belief.ts'
import { type Cluster, weighOf } from './clusters.ts'
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
 * Counts a vote: the belief is the Beta form of the two leading answers.
 *
 * @param weightOf what a vote of a family weighs; default all the same. Weights say how the evidence of the votes divides,
 *   not how much there is: they are scaled so that their sum is the number of votes
 * @param more votes that the leader gets on top, each of the weight of the heaviest so far, to see whether it could still
 *   win
 */
export function countBallot(
  clusters: readonly Cluster[],
  weightOf: ((family: string) => number) | undefined,
  more = 0,
): Ballot {
  const counts = clusters.map((cluster) => (weightOf === undefined ? cluster.votes.length : weighOf(cluster, weightOf)))
  if (weightOf === undefined) {
    if (counts[0] !== undefined) counts[0] += more
    return toBallot(counts)
  }
  const weights = clusters.flatMap(({ votes }) => votes.map(({ family }) => weightOf(family)))
  if (counts[0] !== undefined) counts[0] += more * Math.max(...weights)
  const scale = (weights.length + more) / counts.reduce((sum, count) => sum + count, 0)
  return toBallot(counts.map((count) => Math.round(count * scale * 1e9) / 1e9))
}

function toBallot(counts: readonly number[]): Ballot {
  const [leader = 0, runnerUp = 0] = counts
  const sum = counts.reduce((all, count) => all + count, 0)
  return {
    counts,
    belief: leader === 0 ? 0 : beliefInLeader(leader, runnerUp),
    share: sum === 0 ? 0 : leader / sum,
    lead: leader - runnerUp,
  }
}

export const isTied = ({ lead }: Ballot): boolean => Math.abs(lead) < TIE

/** Whether the belief in the leader is enough, whatever its share. */
export const convinces = (ballot: Ballot, rule: Pick<RiskRule, 'belief'>): boolean =>
  !isTied(ballot) && ballot.belief >= rule.belief

/** Whether a ballot passes the rule: enough belief, enough share, no tie. */
export const passes = (ballot: Ballot, rule: Pick<RiskRule, 'belief' | 'quorum'>): boolean =>
  convinces(ballot, rule) && ballot.share >= rule.quorum

/** Whether the leader is so far ahead that the rule asks for no more votes. */
export const leadsEnough = (ballot: Ballot, { lead }: Pick<RiskRule, 'lead'>): boolean =>
  lead !== undefined && ballot.lead >= lead - TIE
