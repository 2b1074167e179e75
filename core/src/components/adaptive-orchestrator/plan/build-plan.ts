import type { Plan, PlanStep, Topology } from '../../../contracts/index.ts'
import { replaceMarks } from '../../../plan/marks.ts'
import { quote, ROLES } from '../../../plan/roles.ts'
import { requirePlan } from '../../../plan/validate-plan.ts'
import { sinksOf } from '../../../support/graph.ts'
import { toPlanAgent } from '../agents.ts'
import { clip } from '../clip.ts'
import { completeSteps } from './complete-steps.ts'
import type { PlanInputs, WorkItem } from './plan-inputs.ts'
import { wholeOf } from './prepare-plan.ts'
import { type StepDraft, shape, withSynthesis } from './shapes.ts'

/** Parts of the work: those of the text, or those that a model has cut. */
export interface Work {
  items: readonly WorkItem[]
  source: Plan['source']
  warnings: readonly string[]
}

/**
 * Makes the plan of a topology out of parts.
 * SINGLE is one step, the task word for word; so is a task without parts where nobody asked for a team. Where somebody did,
 * the plan has that topology, and every part is in its last step.
 */
export const buildPlan = (inputs: PlanInputs, work: Work): Plan =>
  completePlan(inputs, work, draftSteps(inputs, work.items))

/** The steps of a team of this topology, without what is the same for every topology. */
export function draftSteps(inputs: PlanInputs, work: readonly WorkItem[]): StepDraft[] {
  const { topology, isAsked } = inputs
  // The lead's brief stands before the parts.
  const offset = isLed(topology) ? 2 : 1
  const parts = isAsked ? toAsked(inputs, work) : work
  const items = parts.map((item) => ({ ...item, objective: placeMarks(item.objective, offset) }))
  const input = { ...inputs, items }
  const drafts = shape(input)
  if (isAsked && (topology === 'SEQUENTIAL' || topology === 'PARALLEL') && items.length > 1 && !endsTogether(items)) {
    const workers = drafts.filter(({ role }) => role === ROLES.worker)
    return gather(workers, input)
  }
  return (topology === 'SEQUENTIAL' || topology === 'SINGLE') && !isPipeline(items) ? gather(drafts, input) : drafts
}

/** Checks the steps of a plan, and fills in the rest. */
export function completePlan(inputs: PlanInputs, { source, warnings }: Work, drafts: readonly StepDraft[]): Plan {
  const { task, topology, members, tools, namedTools } = inputs
  const completed = completeSteps(drafts, members, tools)
  const steps =
    tools === undefined && namedTools !== undefined
      ? completed.map((step) => ({ ...step, tools: step.tools.length > 0 ? [...namedTools] : [] }))
      : completed
  const plan = requirePlan(
    {
      id: 'plan-1',
      topology: steps.length === 1 ? 'SINGLE' : topology,
      agents: members.filter((member) => drafts.some(({ agentId }) => agentId === member.agentId)).map(toPlanAgent),
      steps,
      source,
      warnings,
    },
    { mend: true, task, ...(tools === undefined ? {} : { tools }) },
  )
  return source === 'deterministic' || steps.length === 1 ? plan : { ...plan, steps: withTask(plan.steps, task) }
}

/** Puts the final ids of the steps into marks that name a part by its position: `{{#0}}`. */
const placeMarks = (objective: string, offset: number): string =>
  replaceMarks(objective, (id) => (/^#\d{1,3}$/.test(id) ? `{{step-${Number(id.slice(1)) + offset}}}` : undefined))

const MAX_TASK = 4_000

/** The words of a model are not those of the task: what it left out stands behind them. */
function withTask(steps: readonly PlanStep[], task: string): PlanStep[] {
  const whole = `This is part of: ${quote(clip(task, MAX_TASK))}`
  return steps.map((step) =>
    step.role !== ROLES.worker || step.objective.includes(task)
      ? step
      : { ...step, objective: `${step.objective}\n${whole}` },
  )
}

/**
 * The parts as a team that was asked for does them: each waits for what it needs. Side by side they wait for nothing else
 * where they would all stand in a row; parts that need each other are done as one.
 */
function toAsked(inputs: PlanInputs, work: readonly WorkItem[]): readonly WorkItem[] {
  const waiting = work.map((item) => ({ ...item, dependsOn: union(item.dependsOn, needsOf(item)) }))
  if (inputs.topology !== 'PARALLEL' || startApart(waiting)) return waiting
  const needing = work.map((item) => ({ ...item, dependsOn: needsOf(item) }))
  return startApart(needing) ? needing : [wholeOf(inputs)]
}

const needsOf = ({ needs, dependsOn }: WorkItem): readonly number[] => needs ?? dependsOn
const union = (some: readonly number[], others: readonly number[]): number[] =>
  [...new Set([...some, ...others])].sort((a, b) => a - b)

/** Whether two parts at least wait for none: else there is nothing to do side by side. */
const startApart = (items: readonly WorkItem[]): boolean =>
  items.filter(({ dependsOn }) => dependsOn.length === 0).length > 1

/** Whether a lead briefs the workers. */
export const isLed = (topology: Topology): boolean => topology === 'CENTRALIZED' || topology === 'HYBRID'

/** Whether the last part makes one thing out of the results of all others, and gets each of them. */
function endsTogether(items: readonly WorkItem[]): boolean {
  const last = items.at(-1)
  return last !== undefined && items.length > 2 && new Set(needsOf(last)).size === items.length - 1
}

/** Whether the last phase stands on all others: otherwise the chain's last result would lose those of the others. */
const isPipeline = (items: readonly WorkItem[]): boolean =>
  sinksOf(items.map(({ dependsOn }, index) => ({ id: String(index), dependsOn: dependsOn.map(String) }))).length <= 1

function gather(drafts: readonly StepDraft[], input: Parameters<typeof withSynthesis>[1]): StepDraft[] {
  // All phases count as loose ends, though each also feeds the next.
  const loose = drafts.map((draft) => ({ ...draft, dependsOn: [] }))
  return [...drafts, ...withSynthesis(loose, input).slice(drafts.length)]
}
