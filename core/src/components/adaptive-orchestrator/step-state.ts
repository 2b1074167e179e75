import type { ErrorInfo, PlanStep, WorkStatus } from '../../contracts/index.ts'

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
  /** Taken over from an earlier execution: nothing was spent on it in this one. */
  reused: boolean
  /** The longest text that it said on the way, for when it does not get to an answer. */
  best: string
  /** What its tools said, newest last, for an answer made when the budget has ended. */
  evidence: string[]
  /** Why it is done again, and what its earlier answer was. */
  complaint?: { why: string; answer: string }
  /** Tools whose last call broke down, with what they said. */
  broken: Map<string, string>
  /** Something that it builds on is being done again while it runs: so will it be. */
  stale: boolean
}

export const newState = (step: PlanStep): StepState => ({
  step,
  agentId: step.agentId,
  status: 'pending',
  output: '',
  tries: 0,
  reused: false,
  best: '',
  evidence: [],
  broken: new Map(),
  stale: false,
})

/** Whether others can build on it: it is done, or it was stopped with something in hand. */
export const isUsable = ({ status, output }: StepState): boolean =>
  output !== '' && (status === 'completed' || status === 'failed')

export const isOver = ({ status }: StepState): boolean => status !== 'pending' && status !== 'running'

/** Puts a step back to its start; what it has cost stays counted. */
export function resetState(state: StepState): void {
  Object.assign(state, { status: 'pending', output: '', best: '', evidence: [], reused: false, stale: false })
  state.broken.clear()
  delete state.error
  delete state.data
  delete state.endedAt
}
