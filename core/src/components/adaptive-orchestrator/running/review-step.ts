import { toSvcError } from '../../../errors.ts'
import { ROLES } from '../../../plan/roles.ts'
import { abortable } from '../../../support/abortable.ts'
import { withAncestors } from '../../../support/graph.ts'
import { toGiven } from '../../../text/index.ts'
import { markRefuted } from '../refuted.ts'
import type { ExecutionContext } from './state/execution-context.ts'
import type { StepOutput } from './state/outcomes.ts'
import type { StepState } from './state/step-state.ts'

/** Who does no work of its own says nothing that its own calls could refute. */
const WITHOUT_WORK: ReadonlySet<string> = new Set([ROLES.lead, ROLES.critic, ROLES.synthesizer, ROLES.vote])

/**
 * What a worker hands in, with a mark behind each statement that its calls refute, before others build on it. The last
 * step's answer is that of the run, which `reflect` looks at.
 */
export async function reviewStep(context: ExecutionContext, state: StepState, output: StepOutput): Promise<StepOutput> {
  const { review, lastStep, plan, run } = context
  const { step } = state
  if (review === undefined || state === lastStep || WITHOUT_WORK.has(step.role)) return output
  const below = withAncestors(plan.steps, [step.id])
  const given = [...step.dependsOn.map((id) => context.stateOf(id).output), ...toGiven(run)]
  try {
    const events = run.events().filter(({ stepId }) => stepId !== undefined && below.has(stepId))
    const refuted = await abortable(Promise.resolve(review({ step, output: output.text, events, given })), run.signal)
    return refuted.length === 0 ? output : { ...output, text: markRefuted(output.text, refuted) }
  } catch (thrown) {
    const error = toSvcError(thrown)
    if (error.code === 'cancelled' || run.signal.aborted) throw error
    run.warn({ code: error.code, message: `what ${step.id} says was not held against its calls: ${error.message}` })
    return output
  }
}
