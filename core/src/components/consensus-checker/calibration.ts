import type { Ballot } from './ballot.ts'
import type { Outcome } from './outcome.ts'

/** How often answers with this share of the votes were right. */
export interface ShareOutcome extends Outcome {
  /** What the leader had of the answers, in (0, 1]: its share of equal votes, or the belief in it of weighted ones. */
  readonly share: number
}

/** Chance that the leader is right by fifths of the votes, as measured on school mathematics with two models. */
const PRIOR = [0.36, 0.61, 0.82, 0.947, 0.988]
/** Outcomes that the prior counts for. */
const PRIOR_STRENGTH = 20
/** What is taken off the share of a single vote; of n votes 1/n² of it. */
const FEW_VOTES = 0.36
/** Correlation of voters of one family, and of several: their errors coincide. */
const SAME_FAMILY = 0.55
const OTHER_FAMILIES = 0.45

/**
 * Votes corrected for correlation: n / (1 + (n - 1) ρ), the design effect of clustered samples (Kish, 1965), with ρ .55
 * within one model family and .45 across several.
 */
export function effectiveVotes(votes: number, families: number): number {
  const correlation = families > 1 ? OTHER_FAMILIES : SAME_FAMILY
  return votes === 0 ? 0 : votes / (1 + (votes - 1) * correlation)
}

export interface CalibrationOptions {
  readonly outcomes: readonly ShareOutcome[]
  /** Outcomes of other domains do not count. */
  readonly domain: string | undefined
  /** Whether the votes have weights. */
  readonly weighted: boolean
}

/**
 * Chance that the leader is right: of weighted votes the belief itself, of equal ones the measured prior by the leader's
 * share, moved by the outcomes of the domain whose share falls into the same fifth.
 *
 * Few equal votes say less than their share: a single vote is as good as .64 of five, two equal ones as .91. Where
 * several answers lead with the same number of votes, at most one of them is right.
 */
export function confidenceIn(ballot: Ballot, { outcomes, domain, weighted }: CalibrationOptions): number {
  const [leader = 0] = ballot.counts
  if (leader === 0) return 0
  const answered = ballot.counts.reduce((sum, count) => sum + count, 0)
  const share = weighted ? ballot.belief : ballot.share
  let right = PRIOR_STRENGTH * (weighted ? ballot.belief : priorAt(share - FEW_VOTES / answered ** 2))
  let total = PRIOR_STRENGTH
  for (const outcome of outcomes) {
    if (Math.round(outcome.share * 5) !== Math.round(share * 5)) continue
    if (outcome.domain !== undefined && domain !== undefined && outcome.domain !== domain) continue
    right += outcome.right
    total += outcome.total
  }
  return right / total / (weighted ? 1 : ballot.counts.filter((count) => count === leader).length)
}

function priorAt(share: number): number {
  const place = Math.max(0, share * 5 - 1)
  const below = Math.min(PRIOR.length - 1, Math.floor(place))
  const low = PRIOR[below] ?? 0
  const high = PRIOR[Math.min(PRIOR.length - 1, below + 1)] ?? low
  return low + (high - low) * (place - below)
}
