import { mustFit, SLUG } from '../../contracts/ids.ts'
import type {
  Allocation,
  Complexity,
  Execution,
  Plan,
  Ports,
  Previous,
  RunContext,
  Task,
  Topology,
} from '../../contracts/index.ts'
import { ValidationError } from '../../errors.ts'
import { ALL_TOOLS, MAX_STEPS, requirePlan } from '../../plan/validate-plan.ts'
import type { StepCheck } from './acceptance.ts'
import type { AgentSpec, RegisteredAgent } from './agents.ts'
import { createPlan, type PlanTask } from './plan/create-plan.ts'
import { type ModelPlanning, wantsModelPlan } from './plan/model-plan.ts'
import type { PlanContext } from './plan/plan-inputs.ts'
import { planTask, planWithModel } from './plan/plan-task.ts'
import { preparePlan } from './plan/prepare-plan.ts'
import { type ReplanContext, replanSteps } from './plan/replan.ts'
import type { StepReview } from './refuted.ts'
import { PlanRunner } from './running/plan-runner.ts'
import { ExecutionContext } from './running/state/execution-context.ts'

export {
  ALL_TOOLS,
  MAX_DEPTH as MAX_PLAN_DEPTH,
  MAX_STEPS as MAX_PLAN_STEPS,
  type PlanFindings,
  type PlanRules,
  validatePlan,
} from '../../plan/validate-plan.ts'
export type { FailedCheck, StepCheck } from './acceptance.ts'
export type { AgentSpec } from './agents.ts'
export type { PlanTask } from './plan/create-plan.ts'
export type { ModelPlanning } from './plan/model-plan.ts'
export type { PlanContext } from './plan/plan-inputs.ts'
export type { Refutation, StepRecord, StepReview } from './refuted.ts'
export { delegateTool } from './running/agent/delegate.ts'
export { type SimulatedSchedule, scheduleDag, type TimedNode } from './running/schedule.ts'

export interface AdaptiveOrchestratorOptions {
  /** How many steps run at once, 1 to 64. Default 8. */
  concurrency?: number
  /**
   * Whether a model is asked for the steps: `true` for every task, `'auto'` where the run's topology is AUTO and the
   * analysis is unsure (confidence below .70) or the task not small (score from .25), but not for work of one agent
   * that has few signs of several steps. One call, two where the first
   * answer has to be repaired. Never of a deterministic model, and never for DECENTRALIZED, whose drafts have no steps.
   * Default `'auto'`.
   */
  llm?: ModelPlanning
  /** Steps that a plan may have. Default 256. */
  maxSteps?: number
  /** Milliseconds, for durations. Default: the run's clock. */
  clock?: () => number
}

/** What `execute` may be given beside plan and run. */
export interface ExecuteContext {
  /** Its shares are what the agents should take at most. */
  allocation?: Allocation
  /** Its `estimatedTurns`, doubled, bounds the model calls of the execution, where that leaves each step enough. */
  complexity?: Pick<Complexity, 'estimatedTurns'>
  /** Checks of a step's output beside those of its acceptance; what fails is sent back once. */
  check?: StepCheck
  /** Holds what the steps of a team say against their calls: what is refuted is marked for those that build on it. */
  review?: StepReview
}

/**
 * Plans who does what, and runs it: cuts a task into steps, gives each to the agent that suits it, runs them without
 * barriers, and puts one answer together.
 *
 * @see Kim et al., Towards a Science of Scaling Agent Systems, 2025 (arXiv 2512.08296), for the topologies and when they pay
 */
export class AdaptiveOrchestrator {
  readonly #agents = new Map<string, RegisteredAgent>()
  readonly #concurrency: number
  readonly #clock: (() => number) | undefined
  readonly #llm: ModelPlanning
  readonly #maxSteps: number

  /** @throws ValidationError `validation_failed` when `concurrency` is no whole number from 1 to 64, or `maxSteps` none from 1 */
  constructor({ concurrency = 8, clock, llm = 'auto', maxSteps = MAX_STEPS }: AdaptiveOrchestratorOptions = {}) {
    if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 64) {
      throw new ValidationError(
        'validation_failed',
        `concurrency must be a whole number from 1 to 64, not ${concurrency}`,
      )
    }
    if (!Number.isInteger(maxSteps) || maxSteps < 1)
      throw new ValidationError('validation_failed', `maxSteps must be a whole number from 1, not ${maxSteps}`)
    this.#concurrency = concurrency
    this.#maxSteps = maxSteps
    this.#clock = clock
    this.#llm = llm
  }

  /**
   * Makes an agent known, so that plans may give it work that suits it.
   *
   * @throws ValidationError `validation_failed` for an id that is no slug or is there already, or an empty name
   */
  registerAgent(agent: AgentSpec): void {
    const fail = (path: string, message: string): never => {
      throw new ValidationError('validation_failed', `agent: ${path} ${message}`, { errors: [{ path, message }] })
    }
    const { id, name, maxConcurrent = 1 } = agent
    if (!SLUG.test(id)) fail('/id', `must ${mustFit(SLUG.source)}`)
    if (this.#agents.has(id)) fail('/id', `must be unique: "${id}" is registered already`)
    if (name.trim() === '') fail('/name', 'must not be empty')
    if (!Number.isInteger(maxConcurrent) || maxConcurrent < 1) fail('/maxConcurrent', 'must be a whole number from 1')
    this.#agents.set(id, { tools: [ALL_TOOLS], ...agent })
  }

  /**
   * Turns tasks into a plan of this topology, or of the one that their dependencies have for `AUTO`.
   * Synchronous; reads no clock and no random number.
   *
   * @throws ValidationError `validation_failed` for no task, an empty or double id, an unknown or circular dependency
   */
  createPlan(tasks: readonly PlanTask[], topology: Topology | (string & {})): Plan {
    return createPlan(tasks, topology, [...this.#agents.values()], this.#maxSteps)
  }

  /**
   * Plans a task for the topology and the agents of its allocation, by the structure of its text, which takes no tokens;
   * with `llm` by the steps of a model: one call, one more with the errors, then the text's own structure with the warning
   * `plan_llm_failed`. `source` of the plan says which.
   *
   * @throws CancelledError when the run ends while the model is asked
   */
  async planAsync(
    task: Task,
    complexity: Complexity,
    allocation: Allocation,
    ports?: Ports,
    context: PlanContext = {},
  ): Promise<Plan> {
    const known = [task, complexity, allocation, [...this.#agents.values()], context] as const
    const asks = ports !== undefined && context.deterministic !== true
    return !asks || !wantsModelPlan(this.#llm, complexity, allocation, context.options, ports.budget.remaining())
      ? planTask(...known)
      : planWithModel(preparePlan(...known), ports, context)
  }

  /**
   * Runs a plan, which is checked first, also where it was made here.
   *
   * @param previous an earlier execution: what it finished is not done again
   * @returns always an answer: `incomplete` with the best so far and the reason when a limit or a failure came in between
   * @throws RunError `plan_invalid` with all findings; CancelledError; PluginError of a call hook
   */
  async execute(
    plan: Plan,
    run: RunContext,
    previous?: Previous,
    { allocation, complexity, check, review }: ExecuteContext = {},
  ): Promise<Execution> {
    const context = new ExecutionContext({
      run,
      plan: this.#check(plan, run),
      previous,
      allocation,
      complexity,
      check,
      review,
      registered: [...this.#agents.values()],
      concurrency: this.#concurrency,
      clock: this.#clock ?? (() => run.now()),
    })
    return new PlanRunner(context).run()
  }

  /** Plans the unfinished part again; finished steps stay as they are. Another agent or smaller pieces for what failed. */
  async replan(plan: Plan, execution: Execution, ports?: Partial<Ports> & ReplanContext): Promise<Plan> {
    return replanSteps(plan, execution, ports)
  }

  #check(plan: Plan, run: RunContext): Plan {
    const profiles = [...run.agents.map(({ id }) => id), ...this.#agents.keys()]
    const checked = requirePlan(plan, {
      mend: false,
      tools: run.tools,
      profiles,
      maxSteps: this.#maxSteps,
    })
    for (const message of checked.warnings) {
      if (!plan.warnings?.includes(message)) run.warn({ code: 'plan_repaired', message })
    }
    return checked
  }
}
