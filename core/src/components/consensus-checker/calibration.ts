import { type Ballot, isTied } from './ballot.ts'

/** How often answers with this share of the votes were right. */
export interface ShareOutcome {
  /** Which tasks it was seen on, as `Task.domain`; default any. */
  readonly domain?: string
  /** What the leader had of the answers, in (0, 1]: its share of the votes or of their weights. */
  readonly share: number
  readonly right: number
  readonly total: number
}

/** Chance that the leader of five votes is right by its votes, 1 to 5: measured on school mathematics with two models. */
const PRIOR = [0.36, 0.61, 0.82, 0.947, 0.988]
/** Outcomes that the prior counts for. */
const PRIOR_STRENGTH = 20
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
  /** Votes that gave an answer. */
  readonly answered: number
}

/**
 * Chance that the leader is right: the measured prior by the leader's share, moved by the outcomes of the domain whose
 * share falls into the same fifth.
 *
 * The prior is of five votes. Of fewer, the share of five that the leader can expect is taken, by the rule of succession
 * (Laplace): one vote counts as .73 of five, two equal ones as .85. Where several answers lead with the same number of
 * votes, at most one of them is right.
 */
export function confidenceIn(ballot: Ballot, { outcomes, domain, answered }: CalibrationOptions): number {
  const [leader = 0] = ballot.counts
  if (leader === 0) return 0
  let right = PRIOR_STRENGTH * priorAt(shareOfFive(ballot.share, answered))
  let total = PRIOR_STRENGTH
  for (const outcome of outcomes) {
    if (Math.round(outcome.share * 5) !== Math.round(ballot.share * 5)) continue
    if (outcome.domain !== undefined && domain !== undefined && outcome.domain !== domain) continue
    right += outcome.right
    total += outcome.total
  }
  const leaders = isTied(ballot) ? ballot.counts.filter((count) => Math.abs(count - leader) < 1e-9).length : 1
  return right / total / leaders
}

/** What share of five votes a leader can expect that has this share of so many. */
function shareOfFive(share: number, answered: number): number {
  if (answered >= 5) return share
  const votes = share * answered
  return (votes + ((5 - answered) * (votes + 1)) / (answered + 2)) / 5
}

function priorAt(share: number): number {
  const place = Math.max(0, share * 5 - 1)
  const below = Math.min(PRIOR.length - 1, Math.floor(place))
  const low = PRIOR[below] ?? 0
  const high = PRIOR[Math.min(PRIOR.length - 1, below + 1)] ?? low
  return low + (high - low) * (place - below)
}
