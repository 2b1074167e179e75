import type { Plan, Ports, RunOptions } from '../../../contracts/index.ts'
import { UsageError } from '../../../errors.ts'
import { buildPlan, isLed } from './build-plan.ts'
import { askForWork } from './model-plan.ts'
import type { PlanContext, PlanInputs } from './plan-inputs.ts'
import { preparePlan, wholeOf } from './prepare-plan.ts'

/** Plans a task for the topology and the agents of its allocation, by the structure of its text alone. */
export function planTask(...known: Parameters<typeof preparePlan>): Plan {
  return planByText(preparePlan(...known), known[4]?.options)
}

/** The parts of the text; all of them in one step where the run may not make a call for each. */
function planByText(inputs: PlanInputs, { budget }: Pick<RunOptions, 'budget'> = {}): Plan {
  const { topology, isAsked, warnings } = inputs
  const work = { items: inputs.items, source: 'deterministic', warnings } as const
  const plan = buildPlan(inputs, work)
  const most = budget?.maxSteps
  if (most === undefined || plan.steps.length <= most) return plan
  if (topology === 'DECENTRALIZED' && !isAsked) return plan
  const who = isAsked ? 'the parts are done as one' : 'one agent does it'
  const warning = `the run may make ${most} model calls and its parts need ${plan.steps.length}: ${who}`
  const members = isAsked && !isLed(topology) ? inputs.members.slice(0, 2) : inputs.members
  const whole = buildPlan(
    { ...inputs, members },
    { ...work, items: [wholeOf(inputs)], warnings: [...warnings, warning] },
  )
  if (isAsked && whole.steps.length > most)
    throw new UsageError(
      'budget_too_small',
      `a ${topology} team needs at least ${whole.steps.length} model calls, and budget.maxSteps allows ${most}: allow more, or leave the topology to svc (AUTO)`,
    )
  return whole
}

/** Model calls for a plan: the first answer, and one that is repaired. */
const MOST_PLANNING = 2

/**
 * Plans a task with the help of a model: its steps where they can be executed, else those of the text, with a warning
 * `plan_llm_failed` that says why.
 */
export async function planWithModel(inputs: PlanInputs, ports: Ports, context: PlanContext): Promise<Plan> {
  // Refuses a team that the run cannot pay before a model is asked.
  const byText = inputs.isAsked ? planByText(inputs, context.options) : undefined
  const most = context.options?.budget?.maxSteps ?? Number.POSITIVE_INFINITY
  if (byText !== undefined && byText.steps.length + MOST_PLANNING > most) return byText
  const { thread, recalled } = context
  const work = await askForWork({ ...inputs, thread, recalled }, ports, 'plan/llm')
  if (work.items === undefined) {
    context.warn?.({ code: 'plan_llm_failed', message: `the plan was made from the text alone: ${work.why}` })
    return planByText(inputs, context.options)
  }
  // One step is the task word for word, whatever words the model had for it.
  if (work.items.length === 1)
    return buildPlan(inputs, { ...work, items: [wholeOf(inputs)], warnings: inputs.warnings })
  const plan = buildPlan(inputs, { ...work, warnings: [...inputs.warnings, ...work.warnings] })
  return byText !== undefined && plan.steps.length + MOST_PLANNING > most ? byText : plan
}
