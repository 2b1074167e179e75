import type {
  Allocation,
  Complexity,
  ErrorInfo,
  ModelAnswer,
  Plan,
  Previous,
  RunContext,
} from '../../../../contracts/index.ts'
import { InternalError } from '../../../../errors.ts'
import { sinksOf } from '../../../../support/graph.ts'
import type { StepCheck } from '../../acceptance.ts'
import type { RegisteredAgent } from '../../agents.ts'
import type { StepReview } from '../../refuted.ts'
import { type Worker, workersOf } from '../../workers.ts'
import { maxTurnsOf } from '../max-turns.ts'
import { ArtifactLog } from './artifacts.ts'
import { ModelHealth } from './model-health.ts'
import { Progress } from './progress.ts'
import { StallCounter } from './stalls.ts'
import { newState, type StepState } from './step-state.ts'
import type { Stop } from './stop.ts'
import { Tally } from './tally.ts'

export interface ExecutionInput {
  run: RunContext
  /** Checked and complete. */
  plan: Plan
  previous: Previous | undefined
  allocation: Allocation | undefined
  complexity: Pick<Complexity, 'estimatedTurns'> | undefined
  check: StepCheck | undefined
  review: StepReview | undefined
  registered: readonly RegisteredAgent[]
  /** How many steps may run at once. */
  concurrency: number
  /** Milliseconds; for durations. */
  clock: () => number
}

/** One execution of a plan: what its steps share. Everything that runs a step is handed this object. */
export class ExecutionContext {
  readonly run: RunContext
  readonly plan: Plan
  readonly previous: Previous | undefined
  readonly check: StepCheck | undefined
  readonly review: StepReview | undefined
  readonly concurrency: number
  readonly clock: () => number
  readonly states: ReadonlyMap<string, StepState>
  /** The last step, whose output is the answer. */
  readonly lastStep: StepState
  readonly workers: ReadonlyMap<string, Worker>
  readonly tally = new Tally()
  readonly models = new ModelHealth()
  readonly stalls = new StallCounter()
  readonly artifacts: ArtifactLog
  readonly progress: Progress
  /** Model calls that the execution may take. */
  readonly maxTurns: number
  /** Why nothing more is started; set once. */
  stop: Stop | undefined
  readonly #allocation: Allocation | undefined

  constructor(input: ExecutionInput) {
    const { run, plan, previous, allocation } = input
    this.run = run
    this.plan = plan
    this.previous = previous
    this.check = input.check
    this.review = input.review
    this.concurrency = input.concurrency
    this.clock = input.clock
    this.states = new Map(plan.steps.map((step) => [step.id, newState(step)]))
    this.lastStep = this.stateOf(sinksOf(plan.steps).at(-1)?.id ?? '')
    this.workers = workersOf(plan, run.agents, input.registered)
    this.artifacts = new ArtifactLog(previous?.execution.artifacts)
    this.progress = new Progress(run, plan, this.states, this.tally)
    this.maxTurns = maxTurnsOf(plan, input.complexity, run.options)
    this.#allocation = allocation
  }

  stateOf(id: string): StepState {
    const state = this.states.get(id)
    if (state === undefined) throw new InternalError('internal_error', `the plan has no step "${id}"`)
    return state
  }

  workerOf(agentId: string): Worker {
    const worker = this.workers.get(agentId)
    if (worker === undefined) throw new InternalError('internal_error', `the plan has no agent "${agentId}"`)
    return worker
  }

  /** `provider/model` of a worker. */
  modelOf({ model }: Worker): string {
    return model === '' ? this.run.defaultModel : model
  }

  /** Whether the last call of an agent's model failed: its work goes to an agent on another model, if there is one. */
  isFailing(agentId: string): boolean {
    const worker = this.workers.get(agentId)
    return worker !== undefined && this.models.isFailing(this.modelOf(worker))
  }

  /** Why no agent of the plan can work: the models of all are down. `undefined` while one of them is not. */
  outage(): ErrorInfo | undefined {
    let outage: ErrorInfo | undefined
    for (const worker of this.workers.values()) {
      outage = this.models.outageOf(this.modelOf(worker))
      if (outage === undefined) return undefined
    }
    return outage
  }

  /** Whether a model has answered anything, in this execution or in the one before it. */
  get hasAnswered(): boolean {
    if (this.tally.count > 0) return true
    const { steps = [], agents = [] } = this.previous?.execution ?? {}
    return steps.some(({ output }) => output !== '') || agents.some(({ usage }) => usage.outputTokens > 0)
  }

  /** Tokens that an agent should take at most, input and output together. */
  softTokensOf(agentId: string): number | undefined {
    return this.#allocation?.shares.find((share) => share.agentId === agentId)?.tokens
  }

  /** How many model calls the execution may still take. */
  get turnsLeft(): number {
    return this.maxTurns - this.tally.count
  }

  /**
   * Counts an answer for a worker.
   *
   * @param isOwn whether its own model gave it, and not that of small work
   */
  noteAnswer({ step }: StepState, worker: Worker, answer: ModelAnswer, isOwn = true): void {
    this.tally.add(step.id, worker.agentId, answer, isOwn)
    if (isOwn) this.models.noteAnswer(this.modelOf(worker))
  }
}
