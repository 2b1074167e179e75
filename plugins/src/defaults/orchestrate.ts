import { AdaptiveOrchestrator, definePlugin, ReflectionEngine, type StepCheck } from '@svc/core'
import { reviewBy } from './review-steps.ts'

export interface OrchestrateOptions {
  /** Who plans and executes. Default: a new `AdaptiveOrchestrator`. */
  orchestrator?: Pick<AdaptiveOrchestrator, 'planAsync' | 'replan' | 'execute'>
  /** How many steps run at once, 1 to 64; for the default orchestrator. Default 8. */
  concurrency?: number
  /**
   * Whether a model is asked for the steps, for the default orchestrator. Default `'auto'`: one call where the run's
   * topology is AUTO and the analysis is unsure (confidence below .70) or the task not small (score from .25), but never
   * for work of one agent that has few signs of several steps. `true`: one call for every task but drafts for a vote. `false`: never. Two calls where the first answer has to be repaired;
   * never of a deterministic model such as `offline`, nor (with `'auto'`) where the run may make fewer than three calls.
   */
  llm?: boolean | 'auto'
  /** Checks of a step's output beside those of its acceptance; what fails is sent back to its agent once. */
  check?: StepCheck
  /**
   * Whose rules hold what the steps of a team say against their own calls: what these refute is marked for those who build on
   * it. Default: a new `ReflectionEngine`, whatever plugin answers `reflect`. `false`: nobody's; so it is in a run with
   * `reflect: false`, and where the config has `components.reflect: false`.
   */
  reviewer?: Pick<ReflectionEngine, 'evaluate'> | false
}

/**
 * Answers `plan` and `execute`: who does what, and what came of it?
 * Leaves an earlier answer to either alone, so a plugin of yours can plan and leave the execution to this one.
 */
export const orchestrate = definePlugin('orchestrate', ({ hooks, config }, options: OrchestrateOptions) => {
  const { orchestrator: own, check, reviewer = new ReflectionEngine(), ...settings } = options
  const { maxPlanSteps: maxSteps } = config
  const review = reviewer === false ? undefined : reviewBy(reviewer)
  const orchestrator = own ?? new AdaptiveOrchestrator({ ...settings, ...(maxSteps !== undefined && { maxSteps }) })
  hooks.plan.tapPromise('orchestrate', async (answer, { task, complexity, allocation, previous }, run) => {
    if (answer !== undefined) return answer
    return previous === undefined
      ? orchestrator.planAsync(task, complexity, allocation, run, run)
      : orchestrator.replan(previous.plan, previous.execution, run)
  })
  hooks.execute.tapPromise('orchestrate', async (answer, { plan, allocation, complexity, previous }, run) => {
    if (answer !== undefined) return answer
    const looks = { ...(check && { check }), ...(review && run.options.reflect !== false && { review }) }
    return orchestrator.execute(plan, run, previous, { allocation, complexity, ...looks })
  })
})
