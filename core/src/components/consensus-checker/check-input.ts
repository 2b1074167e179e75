import type { AnswerKind, Vote } from '../../contracts/stages/consensus.ts'
import type { Task } from '../../contracts/stages/task.ts'
import type { RiskLevel } from '../../contracts/words.ts'
import type { SameMeaning } from './entailment.ts'

/** A voter that can be asked. */
export interface Voter {
  readonly voter: string
  /** As `Vote.family`. */
  readonly family: string
}

/** A question to be voted on. */
export interface CheckInput {
  task: Task
  /** How answers are compared. */
  kind: AnswerKind
  /**
   * Gives vote `index`, from 0, or from 1 where there is a `first`; of `voter` where `voters` are named. Votes must not
   * know of each other. A vote whose `answer` is empty abstains; what it throws counts as a vote that could not be had,
   * except for cancellation and an exhausted budget.
   */
  sample(index: number, voter?: Voter): Promise<Vote>
  risk: RiskLevel
  /** The vote that is already there. */
  first?: Vote
  /** Who can be asked, each once, in this order. */
  voters?: readonly Voter[]
  /** Whether two free texts mean the same, for those that words alone hold for different; default different. */
  isSame?: SameMeaning
  /** True when every vote would be the same: one is enough, and counts as one. */
  deterministic?: boolean
  /** True when what follows from the answer cannot be undone: at risk critical a person decides in any case. */
  irreversible?: boolean
  /** False when a deterministic check of the answer failed: it is not accepted. */
  checked?: boolean
}
