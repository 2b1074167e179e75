/** How often answers with this share of the votes were right. */
export interface ShareOutcome {
  /** The leader's share of the answers, in (0, 1]. */
  readonly share: number
  /** How many such answers were right, and how many there were. */
  readonly right: number
  readonly total: number
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

/**
 * Chance that the leader is right: the measured prior by its share of the answers, moved by what was learnt.
 *
 * Few votes say less than their share: a single vote is as good as .64 of five, two equal ones as .91. Where several
 * answers lead with the same number of votes, at most one of them is right.
 *
 * @param counts votes of each answer, most first
 */
export function confidenceIn(counts: readonly number[], outcomes: readonly ShareOutcome[] = []): number {
  const leader = counts[0] ?? 0
  const answered = counts.reduce((sum, count) => sum + count, 0)
  if (leader === 0) return 0
  const share = leader / answered
  let right = PRIOR_STRENGTH * priorAt(share - FEW_VOTES / answered ** 2)
  let total = PRIOR_STRENGTH
  for (const outcome of outcomes) {
    if (Math.round(outcome.share * 5) !== Math.round(share * 5)) continue
    right += outcome.right
    total += outcome.total
  }
  return right / total / counts.filter((count) => count === leader).length
}

function priorAt(share: number): number {
  const place = Math.max(0, share * 5 - 1)
  const below = Math.min(PRIOR.length - 1, Math.floor(place))
  const low = PRIOR[below] ?? 0
  const high = PRIOR[Math.min(PRIOR.length - 1, below + 1)] ?? low
  return low + (high - low) * (place - below)
}
