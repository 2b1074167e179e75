import type { ErrorInfo, Execution, PlanStep } from '../../../contracts/index.ts'
import { toSvcError } from '../../../errors.ts'
import { isGathering, isOptional } from '../../../plan/roles.ts'
import { withDescendants } from '../../../support/graph.ts'
import { findIdleAgent, nextBest } from '../alternatives.ts'
import { reusableSteps } from '../reuse.ts'
import { runStep } from './agent/run-step.ts'
import { toExecution } from './execution-result.ts'
import { finalize } from './finalize.ts'
import { findStop } from './find-stop.ts'
import { type ReopenRequest, readReopenRequest } from './reopen.ts'
import { reviewStep } from './review-step.ts'
import { Schedule } from './schedule.ts'
import type { ExecutionContext, StepStarter } from './state/execution-context.ts'
import { completeStep, failStep, skipStep, startStep } from './state/outcomes.ts'
import { isOver, isUsable, resetState, type StepState } from './state/step-state.ts'

/** Runs a plan to an answer, its steps side by side: starts what may start, and again whenever one ends. */
export class PlanRunner implements StepStarter {
  readonly #context: ExecutionContext
  readonly #schedule: Schedule<PlanStep>
  /** The steps at work, those that agents have given away among them. */
  readonly #running = new Set<StepState>()
  #isOver = false
  #resolve: () => void = () => undefined
  #reject: (thrown: unknown) => void = () => undefined

  constructor(context: ExecutionContext) {
    this.#context = context
    const { plan, concurrency } = context
    this.#schedule = new Schedule(plan.steps, concurrency, ({ estimatedTokens }) => estimatedTokens + 1)
    context.starter = this
  }

  async begin(state: StepState): Promise<void> {
    if (!this.#isOver) await this.#begin(state)
  }

  /** @throws CancelledError when the run is cancelled; PluginError when a hook fails inside a call */
  async run(): Promise<Execution> {
    const { run, previous, stalls, progress } = this.#context
    reuseResults(this.#context)
    this.#reschedule()
    progress.introduce(run.agents, new Set(previous?.plan.agents.map(({ agentId }) => agentId)))
    const unsubscribe = run.onEvent((event) => {
      // The inspector's advice to plan again is one sign among others.
      if (event.type === 'inspect.issue' && event.data.action === 'replan') stalls.stall(event.data.id)
    })
    try {
      const ended = new Promise<void>((resolve, reject) => {
        this.#resolve = resolve
        this.#reject = reject
      })
      this.#advance()
      await ended
    } catch (thrown) {
      progress.cancel(toSvcError(thrown).message)
      throw thrown
    } finally {
      this.#isOver = true
      unsubscribe()
    }
    if (this.#context.stop !== undefined) await finalize(this.#context)
    progress.graph(true)
    return toExecution(this.#context)
  }

  /** Starts what may start, and ends the execution where nothing runs then. */
  #advance(): void {
    const context = this.#context
    // While the models of all are down nothing is added to what is under way: that may show that one answers after all.
    const isWaiting = this.#running.size > 0 && context.outage() !== undefined
    const next = (): StepState | undefined => (isWaiting ? undefined : this.#take())
    for (let state = next(); state !== undefined; state = next()) {
      context.stop ??= findStop(context)
      const why = context.stop ?? this.#missingFor(state)
      if (why !== undefined) {
        skipStep(context, state, why)
        this.#schedule.start(state.step.id)
        this.#schedule.end(state.step.id)
        continue
      }
      this.#leaveFailing(state)
      void this.#begin(state)
    }
    context.progress.graph()
    if (this.#running.size === 0) this.#resolve()
  }

  #begin(state: StepState): Promise<void> {
    startStep(this.#context, state)
    this.#running.add(state)
    this.#schedule.start(state.step.id)
    const work = this.#work(state)
    work.catch(this.#reject)
    return work
  }

  /** Takes in where the steps stand, after other changes than a start and an end. */
  #reschedule(): void {
    this.#schedule.reset((id) => {
      const state = this.#context.stateOf(id)
      return isOver(state) ? 'over' : state.status === 'running' ? 'running' : 'waiting'
    })
  }

  /** The next step to start; where only busy agents have one, the least urgent goes to an idle agent that can do it as well. */
  #take(): StepState | undefined {
    const { workers } = this.#context
    const ready = this.#schedule.ready()
    const loads = new Map<string, number>()
    const loadOf = (agentId: string): number => loads.get(agentId) ?? 0
    for (const { agentId } of this.#running) loads.set(agentId, loadOf(agentId) + 1)
    for (const { id } of ready) {
      const state = this.#context.stateOf(id)
      if (loadOf(state.agentId) < this.#context.workerOf(state.agentId).maxConcurrent) return state
    }
    const isIdle = (agentId: string): boolean => loadOf(agentId) === 0 && !this.#context.isFailing(agentId)
    for (const { id } of [...ready].reverse()) {
      const state = this.#context.stateOf(id)
      const idle = findIdleAgent(state.step, state.agentId, workers, isIdle)
      if (idle === undefined) continue
      this.#reassign(state, idle.agentId, `${state.agentId} is busy`)
      return state
    }
    return undefined
  }

  #reassign(state: StepState, agentId: string, reason: string): void {
    const { id } = state.step
    const data = { from: state.agentId, to: agentId, reason: `${reason}: ${agentId} does ${id}`, payloadRef: id }
    this.#context.progress.handOver(data, { agentId, stepId: id })
    state.agentId = agentId
  }

  /** Why a step whose dependencies are over cannot be done; `undefined` when it can. */
  #missingFor(state: StepState): ErrorInfo | undefined {
    const { plan, lastStep } = this.#context
    const { step } = state
    const dependencies = step.dependsOn.map((id) => this.#context.stateOf(id))
    const needed = dependencies.filter((one) => !isUsable(one) && !isOptional(plan, one.step))
    if (needed.length === 0) return undefined
    if ((state === lastStep || isGathering(step)) && dependencies.some(isUsable)) return undefined
    const message = `${needed.map((one) => one.step.id).join(', ')} gave no result`
    return { code: 'run_failed', message, retryable: false }
  }

  /** A step of an agent whose model fails goes to another one that can do it. */
  #leaveFailing(state: StepState): void {
    const isOut = (agentId: string): boolean => this.#context.isFailing(agentId)
    if (!isOut(state.agentId)) return
    const other = nextBest(state.step, state.agentId, this.#context.workers, { code: 'provider_unavailable' }, isOut)
    if (other !== undefined) this.#reassign(state, other.agentId, `the model of ${state.agentId} fails`)
  }

  /** Runs a step to its end, and starts what waited for it. */
  async #work(state: StepState): Promise<void> {
    try {
      let output = await runStep(this.#context, state)
      if (this.#isOver) return
      const request = readReopenRequest(output.text, this.#context.plan, state)
      const isReopened = request !== undefined && this.#reopen(state, request)
      if (request !== undefined && !isReopened) {
        const reason = `${request.stepId} cannot be done again: work with what there is`
        state.redo = { answer: output.text, reason }
        output = await runStep(this.#context, state)
        if (this.#isOver) return
      }
      if (!isReopened) {
        output = await reviewStep(this.#context, state, output)
        if (this.#isOver) return
        completeStep(this.#context, state, output)
      }
    } catch (thrown) {
      if (this.#isOver) return
      const error = toSvcError(thrown)
      const ends = failStep(this.#context, state, error)
      if (ends === 'error') throw error
      if (ends === 'limit') this.#context.stop ??= error.toInfo()
    }
    if (this.#isOver) return
    if (state.stale) resetState(state)
    this.#running.delete(state)
    if (isOver(state)) this.#schedule.end(state.step.id)
    else this.#reschedule()
    this.#advance()
  }

  /**
   * Does a step again that another found unusable, and all that was built on it; what stands beside it stays.
   *
   * @returns false when the step was done again before, or may not be
   */
  #reopen(by: StepState, { stepId, reason }: ReopenRequest): boolean {
    const { plan, run, stalls } = this.#context
    const target = this.#context.stateOf(stepId)
    if (target.status !== 'completed' || target.redo !== undefined || target.step.maxTries < 2) return false
    target.redo = { answer: target.output, reason }
    for (const id of withDescendants(plan.steps, [stepId])) {
      const state = this.#context.stateOf(id)
      if (state !== by && state.status === 'running') state.stale = true
      else resetState(state)
    }
    stalls.stall()
    const check = { id: 'upstream', evidence: `${by.step.id}: ${reason}` }
    run.emit('step.retrying', { tries: target.tries + 1, delayMs: 0, check }, { agentId: target.agentId, stepId })
    const data = {
      from: by.agentId,
      to: target.agentId,
      reason: `${stepId} is done again: ${reason}`,
      payloadRef: stepId,
    }
    run.emit('agent.handoff', data, { agentId: by.agentId, stepId: by.step.id })
    return true
  }
}

/** Fills in what an earlier execution has finished. */
function reuseResults({ plan, previous, states }: ExecutionContext): void {
  if (previous === undefined) return
  const kept = reusableSteps(plan, previous)
  for (const { id, agentId, status, output, tries, error } of previous.execution.steps) {
    const state = states.get(id)
    if (state === undefined || !kept.has(id)) continue
    Object.assign(state, { agentId, status, output, tries, reused: true }, error === undefined ? {} : { error })
  }
}
