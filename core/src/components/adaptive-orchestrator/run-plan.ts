import type { Allocation, Execution, Plan, Previous, RunContext } from '../../contracts/index.ts'
import { type SvcError, toSvcError } from '../../errors.ts'
import type { AgentSpec } from './agents.ts'
import { canReplan, isGap } from './alternatives.ts'
import { toExecution } from './execution-result.ts'
import { finalize } from './finalize.ts'
import { sinksOf } from './graph.ts'
import { Progress } from './progress.ts'
import { reusableSteps } from './reuse.ts'
import { isGathering, isOptional, ROLES } from './roles.ts'
import { Schedule } from './schedule.ts'
import { userMessage } from './step-messages.ts'
import { isOver, isUsable, newState, type StepState } from './step-state.ts'
import { isLimit, type Stop, whenAborted } from './stop.ts'
import { Tally } from './tally.ts'
import { tryStep } from './try-step.ts'
import { ALL_TOOLS } from './validate-plan.ts'
import { voteAmong } from './vote.ts'
import { type Worker, workersOf } from './workers.ts'

export interface PlanRunOptions {
  run: RunContext
  /** Checked and complete. */
  plan: Plan
  previous?: Previous | undefined
  allocation?: Allocation | undefined
  registered: readonly AgentSpec[]
  /** How many steps at once. */
  concurrency: number
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
  readonly #tally = new Tally()
  readonly #active = new Map<string, Promise<void>>()
  readonly #sinkId: string
  #stop: Stop | undefined
  #fatal: SvcError | undefined

  constructor(options: PlanRunOptions) {
    const { plan, run, concurrency, registered } = options
    this.#options = options
    this.#states = new Map(plan.steps.map((step) => [step.id, newState(step)]))
    this.#workers = workersOf(plan, run.agents, registered)
    this.#sinkId = sinksOf(plan.steps).at(-1)?.id ?? ''
    this.#schedule = new Schedule(plan.steps, {
      concurrency,
      estimateOf: ({ estimatedTokens }) => estimatedTokens + 1,
      laneOf: ({ agentId }) => agentId,
      laneLimitOf: (agentId) => this.#workers.get(agentId)?.maxConcurrent ?? Number.POSITIVE_INFINITY,
    })
    this.#progress = new Progress(run, plan, this.#states, this.#tally)
  }

  /**
   * @throws CancelledError when the run is cancelled; PluginError when a hook fails inside a call
   */
  async walk(): Promise<Execution> {
    const { run, plan, previous } = this.#options
    this.#takeOver()
    this.#progress.agents(run.agents, new Set(previous?.plan.agents.map(({ agentId }) => agentId)))
    const abort = whenAborted(run.signal)
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
      this.#abandon(error)
    } finally {
      abort.release()
    }
    await this.#finalize()
    this.#progress.graph()
    const missing = this.#missing()
    return toExecution({
      plan,
      states: this.#states,
      tally: this.#tally,
      workers: this.#workers,
      defaultModel: run.defaultModel,
      previous,
      stop: this.#stop,
      missing,
      wantsPlan: missing.some(({ step, error }) => isGap(error) && canReplan(plan, step, run.agents)),
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
    const { run } = this.#options
    for (let step = this.#schedule.take(); step !== undefined; step = this.#schedule.take()) {
      const state = this.#state(step.id)
      if (!state.reused) {
        if (this.#stop === undefined && run.budget.exhausted) {
          this.#stop = {
            code: 'budget_exhausted',
            message: 'the token budget is used up, so no further step was started',
          }
        }
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
    state.status = 'running'
    state.startedAt = clock()
    this.#progress.start(state, this.#softTokensOf(state.agentId))
    const work = this.#do(state).catch((thrown: unknown) => this.#fail(state, toSvcError(thrown)))
    this.#active.set(
      state.step.id,
      work.then(() => {
        this.#active.delete(state.step.id)
        this.#schedule.end(state.step.id)
      }),
    )
  }

  async #do(state: StepState): Promise<void> {
    const { run, plan, previous } = this.#options
    const { step } = state
    const isSink = step.id === this.#sinkId
    const dependencies = step.dependsOn.map((id) => this.#state(id))
    const reflection = isSink && previous?.reflection?.retry !== undefined ? previous.reflection : undefined
    const outputSchema = isSink ? run.options.outputSchema : undefined
    if (step.role === ROLES.vote && reflection === undefined && outputSchema === undefined) {
      const drafts = dependencies.filter(isUsable)
      const { answer, clusters } = voteAmong(drafts.map(({ output }) => output))
      const groups = clusters.map((cluster) => cluster.map((index) => drafts[index]?.step.id))
      if (answer !== undefined) {
        state.tries = 1
        this.#complete(state, answer, { vote: { decidedBy: 'majority', clusters: groups } })
        return
      }
      const { text, data } = await this.#ask(state, dependencies)
      this.#complete(state, text, { vote: { decidedBy: 'model', clusters: groups } }, data)
      return
    }
    const retry =
      reflection === undefined || previous === undefined ? undefined : { answer: previous.execution.output, reflection }
    const { text, data } = await this.#ask(state, dependencies, retry)
    this.#complete(
      state,
      text,
      plan.steps.length > 1 && state.agentId !== step.agentId ? { by: state.agentId } : {},
      data,
    )
  }

  #ask(
    state: StepState,
    dependencies: readonly StepState[],
    retry?: { answer: string; reflection: NonNullable<Previous['reflection']> },
  ): ReturnType<typeof tryStep> {
    const { run, plan } = this.#options
    const isSink = state.step.id === this.#sinkId
    const wanted = new Set(state.step.tools)
    return tryStep({
      run,
      plan,
      state,
      user: userMessage(state.step, { dependencies, context: run.options.context, recalled: run.recalled, retry }),
      tools: run.tools.filter(({ id }) => wanted.has(id) || wanted.has(ALL_TOOLS)),
      stream: isSink,
      outputSchema: isSink ? run.options.outputSchema : undefined,
      workers: this.#workers,
      softTokensOf: (agentId) => this.#softTokensOf(agentId),
      tally: this.#tally,
    })
  }

  #complete(state: StepState, output: string, more: object, data?: unknown): void {
    state.status = 'completed'
    state.output = output
    if (data !== undefined) state.data = data
    state.endedAt = this.#options.clock()
    this.#progress.end(state, more)
  }

  #fail(state: StepState, error: SvcError): void {
    if (isOver(state)) return // given up already: the run was stopped while the call was on its way
    if (error.code === 'cancelled' || error.name === 'PluginError' || error.exitCode === 2) {
      this.#fatal ??= error
      return
    }
    state.status = 'failed'
    state.error = error.toInfo()
    state.endedAt = this.#options.clock()
    if (isLimit(error)) {
      state.output = state.best
      if (!this.#isOwnLimit(state, error)) this.#stop ??= error
    }
    this.#progress.end(state)
  }

  /** Limits of one step or one agent leave the others alone. */
  #isOwnLimit({ agentId }: StepState, { code, details }: SvcError): boolean {
    const { budget } = this.#options.run
    if (code === 'budget_exhausted') return budget.remaining(agentId) < budget.remaining()
    return details?.scope === 'step' || code === 'output_schema_mismatch'
  }

  /** Everything that still runs is over: its calls have been aborted. */
  #abandon(error: SvcError): void {
    for (const state of this.#states.values()) {
      if (isOver(state)) continue
      state.output = state.status === 'running' ? state.best : ''
      state.endedAt = this.#options.clock()
      state.error = error.toInfo()
      state.status = state.status === 'running' ? 'failed' : 'skipped'
      this.#progress.end(state)
    }
  }

  /** The budget has ended before the answer: one small last call makes it from what is there. */
  async #finalize(): Promise<void> {
    const { run } = this.#options
    const sink = this.#state(this.#sinkId)
    if (this.#stop?.code !== 'budget_exhausted' || sink.status === 'completed' || run.signal.aborted) return
    if (this.#options.previous?.reflection !== undefined) return // the answer of the earlier attempt stands
    const text = await finalize({
      run,
      sink,
      states: [...this.#states.values()],
      worker: this.#workers.get(sink.agentId),
      tally: this.#tally,
    })
    if (text !== undefined) {
      sink.output = text
      sink.status = 'failed'
    }
  }

  /** What the answer needed and did not get: steps stopped half-way, failed or skipped. */
  #missing(): StepState[] {
    const lost = [...this.#states.values()].filter(({ step, status }) => {
      if (status === 'completed') return false
      if (step.id === this.#sinkId) return true
      return !isOptional(this.#options.plan, step) && !this.#isDraft(step.id)
    })
    for (const { step, status, error } of this.#states.values()) {
      if (status !== 'failed' || lost.some((state) => state.step.id === step.id)) continue
      this.#options.run.warn({
        code: 'step_failed',
        message: `${step.id} (${step.role}) failed: ${error?.message ?? ''}`,
      })
    }
    return lost
  }

  /** A draft for a vote can be missed while others are there. */
  #isDraft(id: string): boolean {
    const vote = this.#options.plan.steps.find(({ role }) => role === ROLES.vote)
    return (
      vote?.dependsOn.includes(id) === true && vote.dependsOn.some((other) => this.#state(other).status === 'completed')
    )
  }

  #softTokensOf(agentId: string): number | undefined {
    return this.#options.allocation?.shares.find((share) => share.agentId === agentId)?.tokens
  }

  #state(id: string): StepState {
    const state = this.#states.get(id)
    if (state === undefined) throw toSvcError(`no step "${id}"`)
    return state
  }
}
