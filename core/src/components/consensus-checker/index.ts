export { beliefInLeader } from './belief.ts'
export type { ShareOutcome } from './calibration.ts'
export { canonicalise } from './canonical.ts'
export type { CheckInput, Voter } from './check-input.ts'
export { ConsensusChecker, type ConsensusCheckerOptions } from './consensus-checker.ts'
export type { SameMeaning } from './entailment.ts'
export {
  type CrowdVote,
  type EstimatedItem,
  type EstimatedVoter,
  estimateVoters,
  type VoterEstimate,
} from './estimate-voters.ts'
export { isAtLeast, RISK_RULES, type RiskRule } from './risk-rules.ts'
export type { VoterOutcome } from './voter-record.ts'
