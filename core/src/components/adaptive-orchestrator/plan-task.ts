import type {
  AgentProfile,
  Allocation,
  Complexity,
  Plan,
  RunOptions,
  Task,
  ToolInfo,
  Topology,
} from '../../contracts/index.ts'
import { type AgentSpec, type Candidate, fromProfile, fromSpec, toPlanAgent } from './agents.ts'
import { completeSteps } from './complete-steps.ts'
import { decompose, type Part } from './decompose.ts'
import { sinksOf } from './graph.ts'
import { ROLES } from './roles.ts'
import { type StepDraft, shape, type WorkItem, withSynthesis } from './shapes.ts'
import { makeTeam } from './team.ts'
import { MAX_DEPTH, requirePlan } from './validate-plan.ts'

/** What a plan is made from beside the task: a `RunContext` fits. */
export interface PlanContext {
  /** The tools that the run allows. Default: those that the task names, else all. */
  tools?: readonly ToolInfo[]
  /** Agent profiles, in order; those that `options.agents` asked for, else all that are known. */
  agents?: readonly AgentProfile[]
  options?: RunOptions
}

/**
 * Plans a task for the topology and the places of its allocation, by the structure of its text alone.
 * SINGLE is one step, the task word for word; so is a task without parts, whatever the topology of independent work.
 */
export function planTask(
  task: Task,
  complexity: Complexity,
  allocation: Allocation,
  registered: readonly AgentSpec[],
  context: PlanContext = {},
): Plan {
  const { topology, shares } = allocation
  const warnings: string[] = []
  const { items, cut } = itemsOf(task.description, topology, allocation, complexity)
  const profiles = (context.agents ?? []).map(fromProfile)
  const areNamed = (context.options?.agents?.length ?? 0) > 0
  const known: Candidate[] = [...profiles, ...registered.map(fromSpec)]
  const places = Math.max(1, topology === 'SINGLE' ? 1 : shares.length)
  // Who names a team wants that team; who names one agent wants it in every place.
  const size = areNamed && profiles.length > 1 ? Math.min(places, profiles.length) : places
  const slots = makeTeam(
    size,
    areNamed && profiles.length === 1 ? Array.from({ length: size }, () => profiles).flat() : areNamed ? profiles : [],
    known,
    (index) => shares[index]?.role ?? ROLES.worker,
    (index) =>
      topology === 'PARALLEL' || topology === 'SEQUENTIAL'
        ? (items[index]?.objective ?? task.description)
        : task.description,
  )
  if (areNamed && profiles.length > size) {
    warnings.push(
      `${profiles.length} agents were named, ${size} found a place: ${profiles
        .slice(size)
        .map(({ id }) => id)
        .join(', ')} stay out`,
    )
  }
  const extraTokens = Math.max(1, allocation.reserves.synthesis)
  const input = { topology, task: task.description, items, slots, extraTokens }
  let drafts = shape(input)
  if (topology === 'SEQUENTIAL' && !isPipeline(items)) drafts = gather(drafts, input)
  if (items.length === 1 && cut === 'whole' && topology === 'PARALLEL' && size > 1) {
    warnings.push('the task has no parts that could be done side by side: one agent does it')
  }
  const tools = context.tools ?? undefined
  const used = new Set(drafts.map(({ agentId }) => agentId))
  const steps = completeSteps(drafts, slots, tools)
  return requirePlan(
    {
      id: 'plan-1',
      topology,
      agents: slots.filter(({ agentId }) => used.has(agentId)).map(toPlanAgent),
      steps:
        tools === undefined && task.tools !== undefined
          ? steps.map((step) => ({ ...step, tools: step.tools.length > 0 ? (task.tools ?? []) : [] }))
          : steps,
      source: 'deterministic',
      warnings,
    },
    { mend: true, task: task.description, ...(tools === undefined ? {} : { tools }) },
  )
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
  const fitting = topology === 'SEQUENTIAL' ? inPhases(parts) : parts
  // What the places get in all, over the parts; a floor where nothing was allocated.
  const tokens = allocation.shares.reduce((sum, share) => sum + share.tokens, 0)
  const divisor = topology === 'DECENTRALIZED' ? Math.max(1, allocation.shares.length) : fitting.length
  const estimatedTokens = Math.max(1, Math.floor(tokens / divisor), Math.round(1_000 * complexity.score))
  return { items: fitting.map((part) => ({ ...part, estimatedTokens })), cut: by }
}

/** At most as many phases as may follow one another, the synthesis among them: the last ones are done together. */
function inPhases(parts: readonly Part[]): readonly Part[] {
  const most = MAX_DEPTH - 1
  if (parts.length <= most) return parts
  const rest = parts.slice(most - 1)
  const dependsOn = [...new Set(rest.flatMap((part) => part.dependsOn).filter((index) => index < most - 1))]
  return [...parts.slice(0, most - 1), { objective: rest.map(({ objective }) => objective).join('\n'), dependsOn }]
}

/** Whether the last phase stands on all others: otherwise the chain's last result would lose those of the others. */
function isPipeline(items: readonly WorkItem[]): boolean {
  const nodes = items.map(({ dependsOn }, index) => ({ id: String(index), dependsOn: dependsOn.map(String) }))
  return sinksOf(nodes).length <= 1
}

function gather(drafts: readonly StepDraft[], input: Parameters<typeof withSynthesis>[1]): StepDraft[] {
  // All phases count as loose ends, though each also feeds the next.
  const loose = drafts.map((draft) => ({ ...draft, dependsOn: [] }))
  const synthesis = withSynthesis(loose, input).slice(drafts.length)
  return [...drafts, ...synthesis]
}
