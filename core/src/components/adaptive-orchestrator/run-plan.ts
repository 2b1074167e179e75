import type { Allocation, Complexity, Execution, Plan, Previous, RunContext } from '../../contracts/index.ts'
import { type SvcError, toSvcError } from '../../errors.ts'
import type { StepCheck } from './acceptance.ts'
import type { AgentSpec } from './agents.ts'
import { canReplan, nextBest } from './alternatives.ts'
import { ArtifactLog } from './artifacts.ts'
import { doStep } from './do-step.ts'
import { toExecution } from './execution-result.ts'
import { finalize } from './finalize.ts'
import { sinksOf, withDescendants } from './graph.ts'
import { findShortfall } from './missing.ts'
import { Outcomes } from './outcomes.ts'
import { Progress } from './progress.ts'
import { type Complaint, complaintOf } from './reopen.ts'
import { reusableSteps } from './reuse.ts'
import { isGathering, isOptional } from './roles.ts'
import { Schedule } from './schedule.ts'
import { type Site, softTokensOf } from './site.ts'
import { findThief } from './steal.ts'
import { isUsable, newState, resetState, type StepState } from './step-state.ts'
import { isLimit, type Stop, whenAborted } from './stop.ts'
import { Tally } from './tally.ts'
import { maxTurnsOf } from './turns.ts'
import { type Worker, workersOf } from './workers.ts'

export interface PlanRunOptions {
  run: RunContext
  /** Checked and complete. */
  plan: Plan
  previous?: Previous | undefined
  allocation?: Allocation | undefined
  complexity?: Pick<Complexity, 'estimatedTurns'> | undefined
  check?: StepCheck | undefined
  registered: readonly AgentSpec[]
  /** How many steps at once. */
  concurrency: number
  debateRounds: number
  /** Milliseconds; for durations. */
  clock: () => number
}

/** One walk through a plan: starts what may start, waits for whatever ends next, and puts the results together. */
export class PlanRun {
  readonly #options: PlanRunOptions
  readonly #states: ReadonlyMap<string, StepState>
  readonly #workers: ReadonlyMap<string, Worker>
  readonly #schedule: Schedule<Plan['steps'][number]>
  readonly #progress: Progress
  readonly #site: Site
  readonly #tally = new Tally()
  readonly #active = new Map<string, Promise<void>>()
  readonly #outcomes: Outcomes
  readonly #sinkId: string
  readonly #maxTurns: number
  #stop: Stop | undefined
  #fatal: SvcError | undefined

  constructor(options: PlanRunOptions) {
    const { plan, run, concurrency, registered, previous, allocation, check, debateRounds } = options
    this.#options = options
    this.#states = new Map(plan.steps.map((step) => [step.id, newState(step)]))
    this.#workers = workersOf(plan, run.agents, registered)
    this.#sinkId = sinksOf(plan.steps).at(-1)?.id ?? ''
    this.#maxTurns = maxTurnsOf(plan, options.complexity, run.options)
    this.#schedule = new Schedule(plan.steps, {
      concurrency,
      estimateOf: ({ estimatedTokens }) => estimatedTokens + 1,
      laneOf: ({ id }) => this.#state(id).agentId,
      laneLimitOf: (agentId) => this.#workers.get(agentId)?.maxConcurrent ?? Number.POSITIVE_INFINITY,
    })
    this.#progress = new Progress(run, plan, this.#states, this.#tally)
    this.#outcomes = new Outcomes({ run, states: this.#states, progress: this.#progress, clock: options.clock })
    this.#site = {
      run,
      plan,
      previous,
      allocation,
      sinkId: this.#sinkId,
      states: this.#states,
      workers: this.#workers,
      tally: this.#tally,
      artifacts: new ArtifactLog(previous?.execution.artifacts),
      debateRounds,
      check,
      turnsLeft: () => this.#maxTurns - this.#tally.count,
      isOut: (agentId) => this.#outcomes.out.has(agentId),
      onStall: (agentId, error) => this.#outcomes.stall(agentId, error),
    }
  }

  /**
   * @throws CancelledError when the run is cancelled; PluginError when a hook fails inside a call
   */
  async walk(): Promise<Execution> {
    const { run, plan, previous } = this.#options
    this.#takeOver()
    this.#progress.agents(run.agents, new Set(previous?.plan.agents.map(({ agentId }) => agentId)))
    const abort = whenAborted(run.signal)
    const unwatch = run.onEvent(({ type, data }) => {
      // The inspector's advice to plan again is one sign among others.
      if (type === 'inspect.issue' && data.action === 'replan') this.#outcomes.stalls.stall(String(data.id))
    })
    try {
      for (;;) {
        this.#startReady()
        this.#progress.graph()
        if (this.#active.size === 0) break
        await Promise.race([...this.#active.values(), abort.promise])
        if (this.#fatal !== undefined) throw this.#fatal
      }
    } catch (thrown) {
      const error = toSvcError(thrown)
      this.#progress.cancel(error.message)
      if (!isLimit(error)) throw error
      this.#stop ??= error
      this.#outcomes.abandon(error)
    } finally {
      unwatch()
      abort.release()
    }
    await this.#finalize()
    this.#progress.graph()
    const { missing, spared } = findShortfall(plan, this.#states, this.#sinkId)
    for (const { step, error } of spared) {
      run.warn({ code: 'step_failed', message: `${step.id} (${step.role}) failed: ${error?.message ?? ''}` })
    }
    return toExecution({
      plan,
      states: this.#states,
      tally: this.#tally,
      workers: this.#workers,
      artifacts: this.#site.artifacts.all(),
      defaultModel: run.defaultModel,
      previous,
      stop: this.#stop,
      missing,
      wantsPlan: missing.some(({ step, error }) => canReplan(plan, step, run.agents, error)),
    })
  }

  /** Fills in what an earlier execution has finished. */
  #takeOver(): void {
    const { plan, previous } = this.#options
    const kept = reusableSteps(plan, previous)
    for (const result of previous?.execution.steps ?? []) {
      const state = this.#states.get(result.id)
      if (state === undefined || !kept.has(result.id)) continue
      const { agentId, status, output, tries, error } = result
      Object.assign(state, { agentId, status, output, tries, reused: true }, error === undefined ? {} : { error })
    }
  }

  #startReady(): void {
    for (let step = this.#take(); step !== undefined; step = this.#take()) {
      const state = this.#state(step.id)
      if (!state.reused) {
        this.#stop ??= this.#findStop()
        const why = this.#stop?.message ?? this.#whyNot(state)
        if (why === undefined) {
          this.#start(state)
          continue
        }
        state.status = 'skipped'
        state.error = { code: this.#stop?.code ?? 'run_failed', message: why, retryable: false }
        this.#progress.end(state)
      }
      this.#schedule.end(step.id)
    }
  }

  /** The next step to start; where only busy agents have one, the least urgent goes to an idle agent that can do it as well. */
  #take(): Plan['steps'][number] | undefined {
    const next = this.#schedule.take()
    if (next !== undefined) return next
    for (const step of this.#schedule.blocked()) {
      const state = this.#state(step.id)
      const isIdle = (agentId: string): boolean =>
        this.#schedule.loadOf(agentId) === 0 && !this.#outcomes.out.has(agentId)
      const thief = findThief(step, state.agentId, this.#workers, isIdle)
      if (thief === undefined) continue
      this.#handOver(state, thief.agentId, `${state.agentId} is busy`)
      return this.#schedule.take()
    }
    return undefined
  }

  #handOver(state: StepState, agentId: string, reason: string): void {
    const { run } = this.#options
    const { id } = state.step
    const data = { from: state.agentId, to: agentId, reason: `${reason}: ${agentId} does ${id}`, payloadRef: id }
    run.emit('agent.handoff', data, { agentId, stepId: id })
    state.agentId = agentId
  }

  /** A reason to start nothing more; what runs comes to its end. */
  #findStop(): Stop | undefined {
    if (this.#options.run.budget.exhausted) {
      return { code: 'budget_exhausted', message: 'the token budget is used up, so no further step was started' }
    }
    if (this.#tally.count >= this.#maxTurns) {
      const message = `the agents have taken ${this.#tally.count} model calls, twice what was forecast, so no further step was started`
      return { code: 'max_steps', message }
    }
    if (this.#outcomes.stalls.isStuck) {
      return {
        code: 'plan_failed',
        message: 'three steps in a row did not get on, so the rest has to be planned again',
      }
    }
    return undefined
  }

  /** Why a step whose dependencies are over cannot be done; `undefined` when it can. */
  #whyNot({ step }: StepState): string | undefined {
    const dependencies = step.dependsOn.map((id) => this.#state(id))
    const lacking = dependencies.filter((state) => !isUsable(state))
    const needed = lacking.filter((state) => !isOptional(this.#options.plan, state.step))
    if (needed.length === 0) return undefined
    const isLast = step.id === this.#sinkId
    if ((isLast || isGathering(step)) && dependencies.some(isUsable)) return undefined
    return `${needed.map((state) => state.step.id).join(', ')} gave no result`
  }

  #start(state: StepState): void {
    const { clock } = this.#options
    if (this.#outcomes.out.has(state.agentId)) {
      const other = nextBest(
        state.step,
        state.agentId,
        this.#workers,
        { code: 'provider_unavailable' },
        this.#site.isOut,
      )
      if (other !== undefined) this.#handOver(state, other.agentId, `the model of ${state.agentId} is out`)
    }
    state.status = 'running'
    state.startedAt ??= clock()
    this.#progress.start(state, softTokensOf(this.#site, state.agentId))
    const work = this.#do(state).catch((thrown: unknown) => this.#fail(state, toSvcError(thrown)))
    this.#active.set(
      state.step.id,
      work.then(() => {
        this.#active.delete(state.step.id)
        this.#schedule.end(state.step.id)
        if (state.stale || state.status === 'pending') this.#putBack(new Set([state.step.id]))
      }),
    )
  }

  async #do(state: StepState): Promise<void> {
    const { plan } = this.#options
    let done = await doStep(this.#site, state)
    const complaint = complaintOf(done.text, plan, state)
    if (complaint !== undefined) {
      if (this.#reopen(state, complaint)) return
      state.complaint = { answer: done.text, why: `${complaint.about} cannot be done again: work with what there is` }
      done = await doStep(this.#site, state)
    }
    this.#outcomes.complete(state, done)
  }

  /**
   * Does a step again that another found unusable, and all that was built on it; what stands beside it stays.
   *
   * @returns false when the step was done again before, or may not be
   */
  #reopen(by: StepState, { about, why }: Complaint): boolean {
    const { plan, run } = this.#options
    const target = this.#state(about)
    if (target.status !== 'completed' || target.complaint !== undefined || target.step.maxTries < 2) return false
    target.complaint = { answer: target.output, why }
    const ids = withDescendants(plan.steps, [about])
    for (const id of ids) {
      const state = this.#state(id)
      if (state !== by && state.status === 'running') state.stale = true
      else resetState(state)
    }
    this.#outcomes.stalls.stall()
    const error = { code: 'upstream_wrong', message: `${by.step.id}: ${why}`, retryable: true }
    run.emit('step.retrying', { tries: target.tries, delayMs: 0, error }, { agentId: target.agentId, stepId: about })
    const data = { from: by.agentId, to: target.agentId, reason: `${about} is done again: ${why}`, payloadRef: about }
    run.emit('agent.handoff', data, { agentId: by.agentId, stepId: by.step.id })
    this.#putBack(new Set([...ids].filter((id) => this.#state(id).status === 'pending')))
    return true
  }

  /** Steps wait again for what they depend on. */
  #putBack(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      const state = this.#state(id)
      if (state.stale) resetState(state)
      this.#progress.reopen(state.agentId)
    }
    this.#schedule.reopen(ids)
  }

  #fail(state: StepState, error: SvcError): void {
    const stops = this.#outcomes.fail(state, error)
    if (stops === 'error') this.#fatal ??= error
    if (stops === 'limit') this.#stop ??= error
  }

  /** The budget has ended before the answer: one small last call makes it from what is there. */
  async #finalize(): Promise<void> {
    const { run } = this.#options
    const sink = this.#state(this.#sinkId)
    const stop = this.#stop
    if (stop?.code !== 'budget_exhausted' && stop?.code !== 'max_steps') return
    if (sink.status === 'completed' || run.signal.aborted) return
    if (this.#options.previous?.reflection !== undefined) return // the answer of the earlier attempt stands
    const text = await finalize({
      run,
      sink,
      states: [...this.#states.values()],
      worker: this.#workers.get(sink.agentId),
      tally: this.#tally,
    })
    const how = text === undefined ? 'put together from the finished steps without a model' : 'made in one last call'
    run.warn({ code: stop.code, message: `${stop.message}; the answer was ${how}` })
    if (text !== undefined) {
      sink.output = text
      sink.status = 'failed'
    }
  }

  #state(id: string): StepState {
    const state = this.#states.get(id)
    if (state === undefined) throw toSvcError(`no step "${id}"`)
    return state
  }
}
