import type { Execution } from '../../../contracts/index.ts'
import { type SvcError, toSvcError } from '../../../errors.ts'
import { reusableSteps } from '../reuse.ts'
import type { ExecutionContext } from './execution-context.ts'
import { toExecution } from './execution-result.ts'
import { finalize } from './finalize.ts'
import { findStop } from './find-stop.ts'
import { completeStep, failStep, skipStep, startStep } from './outcomes.ts'
import { PlanRunner } from './plan-runner.ts'
import { runStep } from './run-step.ts'

/**
 * Runs a plan to an answer.
 *
 * @throws CancelledError when the run is cancelled; PluginError when a hook fails inside a call
 */
export async function executePlan(context: ExecutionContext): Promise<Execution> {
  const { run, plan, previous, progress } = context
  reuseResults(context)
  progress.introduce(run.agents, new Set(previous?.plan.agents.map(({ agentId }) => agentId)))
  try {
    if (plan.steps.length > 1) await new PlanRunner(context).run()
    else {
      const only = startOnlyStep(context)
      try {
        if (only !== undefined) completeStep(context, only, await runStep(context, only))
      } catch (thrown) {
        failOnlyStep(context, toSvcError(thrown))
      }
    }
  } catch (thrown) {
    progress.cancel(toSvcError(thrown).message)
    throw thrown
  }
  if (context.stop !== undefined) await finalize(context)
  progress.graph()
  return toExecution(context)
}

/** A plan of one step needs no schedule. @returns the step, where there is a reason to run it and none against */
function startOnlyStep(context: ExecutionContext): ExecutionContext['sink'] | undefined {
  const { sink, progress } = context
  if (sink.reused) return undefined
  context.stop = findStop(context)
  if (context.stop !== undefined) {
    skipStep(context, sink, context.stop)
    return undefined
  }
  startStep(context, sink)
  progress.graph()
  return sink
}

/** @throws the error, where it ends the run */
function failOnlyStep(context: ExecutionContext, error: SvcError): void {
  const ends = failStep(context, context.sink, error)
  if (ends === 'error') throw error
  if (ends === 'limit') context.stop = error.toInfo()
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
