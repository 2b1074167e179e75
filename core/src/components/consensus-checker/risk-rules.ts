import type { RiskLevel } from '../../contracts/words.ts'

/** How sure a vote must be at one level of risk. */
export interface RiskRule {
  /** Belief in the leader from which asking stops and the answer is accepted. */
  readonly belief: number
  /** Share of the answers that the leader needs. */
  readonly quorum: number
  /** Votes that are asked for in any case, and at most. */
  readonly min: number
  readonly max: number
  /** Asking also ends when the leader is so many votes ahead; the answer is accepted by belief and share alone. */
  readonly lead: number
}

/**
 * More at stake, more votes: nothing is asked at low risk. Asking ends by lead: at medium risk the rule of thumb "a lead of
 * two, nine votes at most" finds the right answer of recorded votes in .92 with 2.8 votes (`bench/quality/consensus.ts`).
 */
export const RISK_RULES: Readonly<Record<RiskLevel, RiskRule>> = {
  low: { belief: 0.5, quorum: 0.5, min: 1, max: 1, lead: 1 },
  medium: { belief: 0.85, quorum: 0.5, min: 2, max: 9, lead: 2 },
  high: { belief: 0.93, quorum: 0.6, min: 3, max: 7, lead: 4 },
  critical: { belief: 0.99, quorum: 0.8, min: 5, max: 15, lead: 7 },
}

const ORDER: readonly RiskLevel[] = ['low', 'medium', 'high', 'critical']

/** Whether a risk is at least another. */
export const isAtLeast = (risk: RiskLevel, least: RiskLevel): boolean => ORDER.indexOf(risk) >= ORDER.indexOf(least)
