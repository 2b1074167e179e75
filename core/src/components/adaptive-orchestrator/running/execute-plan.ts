import type { Execution } from '../../../contracts/index.ts'
import { toSvcError } from '../../../errors.ts'
import { reusableSteps } from '../reuse.ts'
import { toExecution } from './execution-result.ts'
import { finalize } from './finalize.ts'
import { PlanRunner } from './plan-runner.ts'
import type { ExecutionContext } from './state/execution-context.ts'

/**
 * Runs a plan to an answer.
 *
 * @throws CancelledError when the run is cancelled; PluginError when a hook fails inside a call
 */
export async function executePlan(context: ExecutionContext): Promise<Execution> {
  const { run, previous, progress } = context
  reuseResults(context)
  progress.introduce(run.agents, new Set(previous?.plan.agents.map(({ agentId }) => agentId)))
  try {
    await new PlanRunner(context).run()
  } catch (thrown) {
    progress.cancel(toSvcError(thrown).message)
    throw thrown
  }
  if (context.stop !== undefined) await finalize(context)
  progress.graph()
  return toExecution(context)
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
