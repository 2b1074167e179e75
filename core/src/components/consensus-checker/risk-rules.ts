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
  /**
   * How much less belief each vote beyond `min` must reach for asking to go on: where the leader is ahead and more votes
   * would cost more than they tell, asking ends. The answer is accepted by `belief` alone. Default 0: never give up.
   */
  readonly impatience?: number
}

/** More at stake, more votes: nothing is asked at low risk. */
export const RISK_RULES: Readonly<Record<RiskLevel, RiskRule>> = {
  low: { belief: 0.5, quorum: 0.5, min: 1, max: 1 },
  medium: { belief: 0.85, quorum: 0.5, min: 2, max: 11, impatience: 0.04 },
  high: { belief: 0.93, quorum: 0.6, min: 3, max: 9 },
  critical: { belief: 0.99, quorum: 0.8, min: 5, max: 15 },
}

const ORDER: readonly RiskLevel[] = ['low', 'medium', 'high', 'critical']

/** Whether a risk is at least another. */
export const isAtLeast = (risk: RiskLevel, least: RiskLevel): boolean => ORDER.indexOf(risk) >= ORDER.indexOf(least)
