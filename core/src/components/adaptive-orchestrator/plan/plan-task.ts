import type {
  AgentProfile,
  Allocation,
  Complexity,
  MemoryHit,
  Plan,
  PlanStep,
  Ports,
  RunOptions,
  Task,
  ToolInfo,
  Topology,
  Warning,
} from '../../../contracts/index.ts'
import { toTopology } from '../../../contracts/index.ts'
import { UsageError } from '../../../errors.ts'
import { decompose, type Part } from '../../../text/task/decompose.ts'
import { type AgentSpec, type Candidate, fromProfile, fromSpec, type TeamMember, toPlanAgent } from '../agents.ts'
import { clip } from '../clip.ts'
import { depthOf, sinksOf } from '../graph.ts'
import { quote, ROLES } from '../roles.ts'
import { completeSteps } from './complete-steps.ts'
import { askForWork, placeMarks } from './model-plan.ts'
import { workLimits } from './plan-request.ts'
import { type StepDraft, shape, type WorkItem, withSynthesis } from './shapes.ts'
import { makeTeam } from './team.ts'
import { requirePlan } from './validate-plan.ts'

/** What a plan is made from beside the task: a `RunContext` fits. */
export interface PlanContext {
  /** The tools that the run allows. Default: those that the task names, else all. */
  tools?: readonly ToolInfo[]
  /** Agent profiles, in order; those that `options.agents` asked for, else all that are known. */
  agents?: readonly AgentProfile[]
  options?: RunOptions
  /** What memory knows; a model that plans reads it. */
  recalled?: readonly MemoryHit[]
  /** Whether equal requests give equal answers: such a model is not asked for a plan. */
  deterministic?: boolean
  /** Hears what was done without. */
  warn?(warning: Warning): void
}

/** What is known before the steps are cut: who is there, and how the text alone would cut the task. */
export interface PlanInputs {
  task: Task
  allocation: Allocation
  members: readonly TeamMember[]
  /** The parts by the structure of the text. */
  items: readonly WorkItem[]
  tools: readonly ToolInfo[] | undefined
  warnings: readonly string[]
  /** Whether the run asked for the topology itself. */
  isAsked: boolean
}

/** Picks the members of the team, and cuts the task by the structure of its text. */
export function preparePlan(
  task: Task,
  complexity: Complexity,
  allocation: Allocation,
  registered: readonly AgentSpec[],
  context: PlanContext = {},
): PlanInputs {
  const { topology, shares } = allocation
  const warnings: string[] = []
  const isAsked = isForced(context.options)
  const { items, cut } = itemsOf(task.description, topology, allocation, complexity)
  const profiles = (context.agents ?? []).map(fromProfile)
  const areNamed = (context.options?.agents?.length ?? 0) > 0
  const known: Candidate[] = [...profiles, ...registered.map(fromSpec)]
  const shared = Math.max(1, topology === 'SINGLE' ? 1 : shares.length)
  // Who names a team wants that team; who names one agent wants it as every member.
  const size = areNamed && profiles.length > 1 ? Math.min(shared, profiles.length) : shared
  const [only, second] = profiles
  const members = makeTeam(
    size,
    areNamed && only !== undefined && second === undefined
      ? Array<Candidate>(size).fill(only)
      : areNamed
        ? profiles
        : [],
    known,
    (index) => shares[index]?.role ?? ROLES.worker,
    (index) =>
      topology === 'PARALLEL' || topology === 'SEQUENTIAL'
        ? (items[index]?.objective ?? task.description)
        : task.description,
  )
  if (areNamed && profiles.length > size) {
    warnings.push(
      `${profiles.length} agents were named, the team has room for ${size}: ${profiles
        .slice(size)
        .map(({ id }) => id)
        .join(', ')} stay out`,
    )
  }
  if (!isAsked && items.length === 1 && cut === 'whole' && topology === 'PARALLEL' && size > 1) {
    warnings.push('the task has no parts that could be done side by side: one agent does it')
  }
  return { task, allocation, members, items, tools: context.tools, warnings, isAsked }
}

/** Whether a run asked for a topology itself. */
export const isForced = ({ topology }: Pick<RunOptions, 'topology'> = {}): boolean =>
  topology !== undefined && toTopology(topology) !== 'AUTO'

/**
 * Makes the plan of a topology out of parts: those of the text, or those that a model has cut.
 * SINGLE is one step, the task word for word; so is a task without parts where nobody asked for a team. Where somebody did,
 * the plan has that topology, and every part is in its last step.
 */
export function buildPlan(
  inputs: PlanInputs,
  work: { items: readonly WorkItem[]; source: Plan['source']; warnings: readonly string[] },
): Plan {
  const { task, allocation, members, tools, isAsked } = inputs
  const { topology } = allocation
  // The lead's brief stands before the parts.
  const offset = isLed(topology) ? 2 : 1
  const apart = isAsked && topology === 'PARALLEL' && !startApart(work.items) ? [wholeOf(inputs)] : work.items
  const items = apart.map((item) => withMarks(item, offset))
  const extraTokens = Math.max(1, allocation.reserves.synthesis)
  const input = { topology, task: task.description, items, members, extraTokens, isAsked }
  let drafts = shape(input)
  if (isAsked && (topology === 'SEQUENTIAL' || topology === 'PARALLEL') && items.length > 1 && !endsTogether(items)) {
    drafts = gather(
      drafts.filter(({ role }) => role === ROLES.worker),
      input,
    )
  } else if ((topology === 'SEQUENTIAL' || topology === 'SINGLE') && !isPipeline(items)) drafts = gather(drafts, input)
  const completed = completeSteps(drafts, members, tools)
  const steps =
    tools === undefined && task.tools !== undefined
      ? completed.map((step) => ({ ...step, tools: step.tools.length > 0 ? (task.tools ?? []) : [] }))
      : completed
  const plan: Plan = {
    id: 'plan-1',
    topology: steps.length === 1 ? 'SINGLE' : topology,
    agents: members.filter((member) => drafts.some(({ agentId }) => agentId === member.agentId)).map(toPlanAgent),
    steps,
    source: work.source,
    criticalPath: steps.map(({ id }) => id),
    warnings: [...work.warnings],
  }
  const [only, second] = steps
  // A step alone has no graph that could be wrong.
  if (only !== undefined && second === undefined) {
    if (only.acceptance.length === 0) only.acceptance = [`answers: ${only.objective}`]
    return plan
  }
  const checked = requirePlan(plan, { mend: true, task: task.description, ...(tools === undefined ? {} : { tools }) })
  return work.source === 'deterministic' ? checked : { ...checked, steps: withTask(checked.steps, task.description) }
}

function withMarks(item: WorkItem, offset: number): WorkItem {
  const objective = placeMarks(item.objective, offset)
  return objective === item.objective ? item : { ...item, objective }
}

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

/** Plans a task for the topology and the agents of its allocation, by the structure of its text alone. */
export function planTask(...known: Parameters<typeof preparePlan>): Plan {
  return planByText(preparePlan(...known), known[4]?.options)
}

/** The parts of the text; all of them in one step where the run may not make a call for each. */
function planByText(inputs: PlanInputs, { budget }: Pick<RunOptions, 'budget'> = {}): Plan {
  const work = { items: inputs.items, source: 'deterministic', warnings: inputs.warnings } as const
  const plan = buildPlan(inputs, work)
  const { topology } = inputs.allocation
  const most = budget?.maxSteps
  if (most === undefined || plan.steps.length <= most) return plan
  if (topology === 'DECENTRALIZED' && !inputs.isAsked) return plan
  const who = inputs.isAsked ? 'the parts are done as one' : 'one agent does it'
  const warning = `the run may make ${most} model calls and its parts need ${plan.steps.length}: ${who}`
  const members = inputs.isAsked && !isLed(topology) ? inputs.members.slice(0, 2) : inputs.members
  const whole = buildPlan(
    { ...inputs, members },
    { ...work, items: [wholeOf(inputs)], warnings: [...inputs.warnings, warning] },
  )
  if (inputs.isAsked && whole.steps.length > most)
    throw new UsageError(
      'budget_too_small',
      `a ${topology} team needs at least ${whole.steps.length} model calls, and budget.maxSteps allows ${most}: allow more, or leave the topology to svc (AUTO)`,
    )
  return whole
}

/**
 * Plans a task with the help of a model: its steps where they can be executed, else those of the text, with a warning
 * `plan_llm_failed` that says why.
 */
export async function planWithModel(inputs: PlanInputs, ports: Ports, context: PlanContext): Promise<Plan> {
  // Refuses a team that the run cannot pay before a model is asked.
  const byText = inputs.isAsked ? planByText(inputs, context.options) : undefined
  const most = context.options?.budget?.maxSteps ?? Number.POSITIVE_INFINITY
  if (byText !== undefined && byText.steps.length + MOST_PLANNING > most) return byText
  const work = await askForWork({ ...inputs, recalled: context.recalled }, ports, 'plan/llm')
  if (work.items !== undefined && work.items.length === 1) {
    // One step is the task word for word, whatever words the model had for it.
    return buildPlan(inputs, { ...work, items: [wholeOf(inputs)], warnings: inputs.warnings })
  }
  if (work.items !== undefined) {
    const plan = buildPlan(inputs, { ...work, warnings: [...inputs.warnings, ...work.warnings] })
    return byText !== undefined && plan.steps.length + MOST_PLANNING > most ? byText : plan
  }
  context.warn?.({ code: 'plan_llm_failed', message: `the plan was made from the text alone: ${work.why}` })
  return planByText(inputs, context.options)
}

/** Model calls for a plan: the first answer, and one that is repaired. */
const MOST_PLANNING = 2

function wholeOf({ task, items, allocation }: PlanInputs): WorkItem {
  const tokens = allocation.shares.reduce((sum, share) => sum + share.tokens, 0)
  return {
    objective: task.description,
    dependsOn: [],
    estimatedTokens: Math.max(1, tokens, items[0]?.estimatedTokens ?? 0),
  }
}

function itemsOf(
  description: string,
  topology: Topology,
  allocation: Allocation,
  complexity: Complexity,
): { items: WorkItem[]; cut: string } {
  const isWhole = topology === 'SINGLE' || topology === 'DECENTRALIZED'
  const { parts, by } = isWhole
    ? { parts: [{ objective: description, dependsOn: [] }], by: 'whole' }
    : decompose(description)
  const nodes = parts.map(({ dependsOn }, index) => ({ id: String(index), dependsOn: dependsOn.map(String) }))
  const length = topology === 'SEQUENTIAL' ? parts.length : depthOf(nodes)
  const fitting = inRow(parts, length, workLimits(topology).maxDepth)
  // What the agents get in all, over the parts; a floor where nothing was allocated.
  const tokens = allocation.shares.reduce((sum, share) => sum + share.tokens, 0)
  const divisor = topology === 'DECENTRALIZED' ? Math.max(1, allocation.shares.length) : fitting.length
  const estimatedTokens = Math.max(1, Math.floor(tokens / divisor), Math.round(1_000 * complexity.score))
  return { items: fitting.map((part) => ({ ...part, estimatedTokens })), cut: by }
}

/** At most so many parts in a row: where there are more, the last ones are done together. */
function inRow(parts: readonly Part[], length: number, most: number): readonly Part[] {
  if (length <= most) return parts
  const rest = parts.slice(most - 1)
  const dependsOn = [...new Set(rest.flatMap((part) => part.dependsOn).filter((index) => index < most - 1))]
  return [...parts.slice(0, most - 1), { objective: rest.map(({ objective }) => objective).join('\n'), dependsOn }]
}

/** Whether two parts at least wait for none: else there is nothing to do side by side. */
const startApart = (items: readonly WorkItem[]): boolean =>
  items.filter(({ dependsOn }) => dependsOn.length === 0).length > 1

/** Whether a lead briefs the workers. */
const isLed = (topology: Topology): boolean => topology === 'CENTRALIZED' || topology === 'HYBRID'

/** Whether the last part makes one thing out of the results of all others, and gets each of them. */
const endsTogether = (items: readonly Pick<WorkItem, 'dependsOn'>[]): boolean =>
  items.length > 2 && new Set(items.at(-1)?.dependsOn).size === items.length - 1

/** Whether the last phase stands on all others: otherwise the chain's last result would lose those of the others. */
function isPipeline(items: readonly Pick<WorkItem, 'dependsOn'>[]): boolean {
  if (items.length < 2) return true
  const nodes = items.map(({ dependsOn }, index) => ({ id: String(index), dependsOn: dependsOn.map(String) }))
  return sinksOf(nodes).length <= 1
}

function gather(drafts: readonly StepDraft[], input: Parameters<typeof withSynthesis>[1]): StepDraft[] {
  // All phases count as loose ends, though each also feeds the next.
  const loose = drafts.map((draft) => ({ ...draft, dependsOn: [] }))
  const synthesis = withSynthesis(loose, input).slice(drafts.length)
  return [...drafts, ...synthesis]
}
