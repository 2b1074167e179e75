import type { Allocation, Plan, Previous, RunContext } from '../../contracts/index.ts'
import type { StepCheck } from './acceptance.ts'
import type { ArtifactLog } from './artifacts.ts'
import type { StepState } from './step-state.ts'
import type { Tally } from './tally.ts'
import type { Worker } from './workers.ts'

/** Where steps are done: what they all share in one execution. */
export interface Site {
  run: RunContext
  plan: Plan
  previous: Previous | undefined
  allocation: Allocation | undefined
  /** The last step, whose output is the answer. */
  sinkId: string
  states: ReadonlyMap<string, StepState>
  workers: ReadonlyMap<string, Worker>
  tally: Tally
  artifacts: ArtifactLog
  debateRounds: number
  check: StepCheck | undefined
  turnsLeft: () => number
  isOut: (agentId: string) => boolean
  onStall: (agentId: string, error: { code: string }) => void
}

/** The tokens that an agent should take at most. */
export const softTokensOf = ({ allocation }: Pick<Site, 'allocation'>, agentId: string): number | undefined =>
  allocation?.shares.find((share) => share.agentId === agentId)?.tokens
