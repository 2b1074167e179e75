import type { ErrorInfo, PlanStep, WorkStatus } from '../../../../contracts/index.ts'

/** Where a step stands while its plan is executed. */
export interface StepState {
  readonly step: PlanStep
  /** Who does it; changes when another agent takes over. */
  agentId: string
  status: WorkStatus
  output: string
  data?: unknown
  error?: ErrorInfo
  tries: number
  startedAt?: number
  endedAt?: number
  /** Its result is that of an earlier execution: nothing was spent on it in this one. */
  reused: boolean
  /** The longest text that its agent wrote on the way, for when it does not reach an answer. */
  best: string
  /** What its tools returned, newest last, for an answer made when the budget has ended. */
  evidence: string[]
  /** Why it is done again, and what its earlier answer was. */
  redo?: { reason: string; answer: string }
  /** Tools whose last call failed, with their messages. */
  failedTools: Map<string, string>
  /** A person refused one of its tool calls, or nobody was there to allow it. */
  refused: boolean
  /** The step whose agent gave it away, for one that is not in the plan. */
  readonly parent?: StepState
  /** Steps that its agent gave to others in this execution. */
  delegations: number
  /** Those of them whose results it has not got. */
  untold: Delegation[]
  /** Something that it builds on is being done again while it runs: it has to be done again as well. */
  stale: boolean
}

/** Work that an agent gave to another one. */
export interface Delegation {
  readonly state: DelegatedState
  /** Resolves when it is over, whichever way. Rejects with what stops the whole execution. */
  readonly done: Promise<void>
}

export type DelegatedState = StepState & { readonly parent: StepState }

export const newState = (step: PlanStep): StepState => ({
  step,
  agentId: step.agentId,
  status: 'pending',
  output: '',
  tries: 0,
  reused: false,
  best: '',
  evidence: [],
  failedTools: new Map(),
  refused: false,
  delegations: 0,
  untold: [],
  stale: false,
})

/** Whether others can build on it: it is done, or it was stopped with something in hand. */
export const isUsable = ({ status, output }: StepState): boolean =>
  output !== '' && (status === 'completed' || status === 'failed')

export const isOver = ({ status }: StepState): boolean => status !== 'pending' && status !== 'running'

/** Puts a step back to its start; what it has cost stays counted. */
export function resetState(state: StepState): void {
  state.status = 'pending'
  state.output = ''
  state.best = ''
  state.evidence = []
  state.reused = false
  state.refused = false
  state.stale = false
  state.failedTools.clear()
  delete state.error
  delete state.data
  delete state.endedAt
}
