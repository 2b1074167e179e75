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
import { Semaphore } from '../../../../support/concurrency.ts'
import { sinksOf } from '../../../../support/graph.ts'
import type { StepCheck } from '../../acceptance.ts'
import type { RegisteredAgent } from '../../agents.ts'
import type { StepReview } from '../../refuted.ts'
import { type Worker, workersOf } from '../../workers.ts'
import { maxTurnsOf, TURNS_PER_STEP } from '../max-turns.ts'
import { ArtifactLog } from './artifacts.ts'
import { ModelHealth } from './model-health.ts'
import { Progress } from './progress.ts'
import { StallCounter } from './stalls.ts'
import { type DelegatedState, newState, type StepState } from './step-state.ts'
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

/** Starts steps that are not in the plan. */
export interface StepStarter {
  /** @returns when the step is over; rejects with what stops the execution */
  begin(state: DelegatedState): Promise<void>
}

const NO_STARTER: StepStarter = {
  begin: () => Promise.reject(new InternalError('internal_error', 'no plan is run')),
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
  readonly states: Map<string, StepState>
  /** The last step, whose output is the answer. */
  readonly lastStep: StepState
  readonly workers: ReadonlyMap<string, Worker>
  /** Agents that others have given work to, beside those of the plan. */
  readonly helpers = new Map<string, Worker>()
  readonly tally = new Tally()
  readonly models = new ModelHealth()
  readonly stalls = new StallCounter()
  readonly artifacts: ArtifactLog
  readonly progress: Progress
  /** Model calls that the execution may take. */
  maxTurns: number
  /** Why nothing more is started; set once. */
  stop: Stop | undefined
  /** An object: a closure of the run in its place keeps the run in memory until the next full collection. */
  starter: StepStarter = NO_STARTER
  /** Where work that is not in the plan waits for its turn. */
  readonly places: Semaphore
  /** Tokens that agents have got from others, or have given away. */
  readonly #given = new Map<string, number>()
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
    this.places = new Semaphore(input.concurrency)
    this.#allocation = allocation
  }

  stateOf(id: string): StepState {
    const state = this.states.get(id)
    if (state === undefined) throw new InternalError('internal_error', `the plan has no step "${id}"`)
    return state
  }

  workerOf(agentId: string): Worker {
    const worker = this.workers.get(agentId) ?? this.helpers.get(agentId)
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
    const share = this.#allocation?.shares.find((one) => one.agentId === agentId)?.tokens
    const given = this.#given.get(agentId)
    return given === undefined ? share : Math.max(0, (share ?? 0) + given)
  }

  /** Takes in a step that an agent gives to another one, with a part of its tokens. */
  join(state: DelegatedState, worker: Worker, tokens: number): void {
    const { agentId, profileId } = worker
    const from = state.parent.agentId
    this.states.set(state.step.id, state)
    this.helpers.set(agentId, worker)
    const got = this.run.join({ agentId, ...(profileId !== undefined && { profileId }) }, { agentId: from, tokens })
    this.#given.set(agentId, got)
    if (this.softTokensOf(from) !== undefined) this.#given.set(from, (this.#given.get(from) ?? 0) - got)
    this.maxTurns += TURNS_PER_STEP
    this.progress.join(state, worker)
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
