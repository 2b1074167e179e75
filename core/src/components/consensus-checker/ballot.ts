import { beliefInLeader } from './belief.ts'
import { type Cluster, weighOf } from './clusters.ts'
import type { RiskRule } from './risk-rules.ts'

/** Answers that nobody gave yet weigh together as much as this share of the wrong answers that are thought possible. */
const UNSEEN = 1.5

/** The state of a vote: what each answer has, most first. */
export interface Ballot {
  /** Votes of each answer, or the sum of their weights. */
  readonly counts: readonly number[]
  /** Belief that the leader is the right one to pick. */
  readonly belief: number
  /** The leader's share of all votes or weights that gave an answer. */
  readonly share: number
  /** Whether another answer has as much as the leader. */
  readonly tied: boolean
}

/**
 * Counts a vote. With equal votes the belief is the Beta form of the two leading answers; with weights it is the
 * posterior of naive Bayes over the answers given and those that nobody gave (Nitzan and Paroush, 1982).
 *
 * @param more votes that the leader gets on top, each of the weight of the heaviest so far, to see whether it could still
 *   win
 */
export function countBallot(
  clusters: readonly Cluster[],
  weightOf: ((family: string) => number) | undefined,
  more = 0,
): Ballot {
  const counts = clusters.map((cluster) => (weightOf === undefined ? cluster.votes.length : weighOf(cluster, weightOf)))
  const heaviest =
    weightOf === undefined
      ? 1
      : Math.max(0, ...clusters.flatMap(({ votes }) => votes.map(({ family }) => weightOf(family))))
  if (counts[0] !== undefined) counts[0] += more * heaviest
  const [leader = 0, runnerUp = 0] = counts
  const sum = counts.reduce((all, count) => all + count, 0)
  return {
    counts,
    belief: leader === 0 ? 0 : weightOf === undefined ? beliefInLeader(leader, runnerUp) : posterior(leader, counts),
    share: sum === 0 ? 0 : leader / sum,
    tied: Math.abs(leader - runnerUp) < 1e-9,
  }
}

function posterior(leader: number, counts: readonly number[]): number {
  const rivals = counts.reduce((sum, count) => sum + Math.exp(count - leader), 0)
  return 1 / (rivals + UNSEEN * Math.exp(-leader))
}

/** Whether there is belief enough in the leader, whatever its share. */
export const convinces = (ballot: Ballot, rule: Pick<RiskRule, 'belief'>): boolean =>
  !ballot.tied && ballot.belief >= rule.belief

/** Whether a ballot passes the rule: enough belief, enough share, no tie. */
export const passes = (ballot: Ballot, rule: Pick<RiskRule, 'belief' | 'quorum'>): boolean =>
  convinces(ballot, rule) && ballot.share >= rule.quorum
