import type { PlanStep } from '../../../contracts/index.ts'
import { briefOn, finishOf, ROLES, reviewOf, synthesisOf, voteOn } from '../../../plan/roles.ts'
import { sinksOf } from '../../../support/graph.ts'
import { coverageOf } from '../acceptance.ts'
import type { PlanInputs } from './plan-inputs.ts'
import { assign } from './team.ts'

/** What the steps of a topology are made from; at least one member, `agent-1` leads where there is a lead. */
type ShapeInput = Pick<PlanInputs, 'topology' | 'task' | 'items' | 'members' | 'extraTokens' | 'isAsked'>

/** A step without what is the same for every topology. */
export type StepDraft = Pick<
  PlanStep,
  'id' | 'objective' | 'agentId' | 'role' | 'dependsOn' | 'estimatedTokens' | 'acceptance' | 'outputFormat'
> & {
  tools?: readonly string[]
  /** Whether it gets only tools that read, because another step does the same task. */
  readsOnly?: boolean
}

/** The steps of a team of this topology, each after those it depends on. */
export function shape(input: ShapeInput): StepDraft[] {
  const isWhole = input.isAsked && input.items.length === 1 && input.members.length > 1
  switch (input.topology) {
    case 'SINGLE':
      return chain(input)
    case 'SEQUENTIAL':
      return isWhole ? doAndFinish(input) : chain(input)
    case 'PARALLEL':
      return withSynthesis(isWhole ? sideBySide(input) : parallel(input), input)
    case 'DECENTRALIZED':
      return drafts(input)
    case 'CENTRALIZED':
    case 'HYBRID':
      return led(input)
  }
}

const stepId = (index: number): string => `step-${index + 1}`
const first = ({ members }: ShapeInput): string => members[0]?.agentId ?? 'agent-1'

function chain(input: ShapeInput): StepDraft[] {
  const steps = parallel(input)
  return steps.map((step, index) => ({
    ...step,
    // Phases follow one another; a phase that names an earlier one gets its result as well.
    dependsOn: [...new Set([...(input.items[index]?.dependsOn ?? []), ...(index === 0 ? [] : [index - 1])])]
      .sort((a, b) => a - b)
      .map(stepId),
  }))
}

const toWork = ({ objective }: { objective: string }) => ({ objective, role: ROLES.worker })

function parallel({ members, items }: ShapeInput): StepDraft[] {
  // What can start at once is given out first, so that it does not all go to one agent.
  const order = [...items].sort((a, b) => Number(a.dependsOn.length > 0) - Number(b.dependsOn.length > 0))
  const places = assign(members, order.map(toWork))
  return items.map((item, index) => {
    const { objective, dependsOn, estimatedTokens, agentId, acceptance = [], outputFormat, tools } = item
    const step: StepDraft = {
      id: stepId(index),
      objective,
      agentId:
        members.find((member) => member.agentId === agentId)?.agentId ??
        places[order.indexOf(item)]?.agentId ??
        'agent-1',
      role: ROLES.worker,
      dependsOn: dependsOn.map(stepId),
      estimatedTokens,
      acceptance: [...acceptance],
    }
    if (outputFormat !== undefined) step.outputFormat = outputFormat
    if (tools !== undefined) step.tools = tools
    return step
  })
}

/** Several loose ends get one step that ties them together; work that already does so is left alone. */
export function withSynthesis(
  steps: readonly StepDraft[],
  input: Pick<ShapeInput, 'task' | 'items' | 'members' | 'extraTokens'>,
): StepDraft[] {
  const ends = sinksOf(steps)
  return ends.length <= 1 ? [...steps] : [...steps, synthesis(steps.length, ends, steps, input)]
}

/** The step that makes one answer of all results, with a place for each part that it owes one. */
function synthesis(
  index: number,
  gathered: readonly StepDraft[],
  work: readonly StepDraft[],
  { task, items, members, extraTokens }: Pick<ShapeInput, 'task' | 'items' | 'members' | 'extraTokens'>,
): StepDraft {
  const owed = items.length < 2 ? [] : work.filter((_, position) => items[position]?.isOwed === true)
  return {
    id: stepId(index),
    objective: synthesisOf(task),
    agentId: members[0]?.agentId ?? 'agent-1',
    role: ROLES.synthesizer,
    dependsOn: gathered.map(({ id }) => id),
    estimatedTokens: extraTokens,
    acceptance: owed.map(coverageOf),
  }
}

/** A task of one part as a chain: one agent does it, the next one checks the result and gives the finished answer. */
function doAndFinish(input: ShapeInput): StepDraft[] {
  const [work] = parallel(input)
  if (work === undefined) return []
  const finish: StepDraft = {
    ...work,
    id: stepId(1),
    objective: finishOf(input.task),
    agentId: input.members.find(({ agentId }) => agentId !== work.agentId)?.agentId ?? work.agentId,
    dependsOn: [work.id],
    estimatedTokens: input.extraTokens,
    acceptance: [],
    readsOnly: true,
  }
  return [work, finish]
}

/** A task of one part by everybody at once, unseen by the others. One of them alone changes things, so that it is done once. */
function sideBySide(input: ShapeInput): StepDraft[] {
  const [work] = parallel(input)
  if (work === undefined) return []
  const first = input.members.filter(({ agentId }) => agentId === work.agentId)
  const others = input.members.filter(({ agentId }) => agentId !== work.agentId)
  return [...first, ...others].map(({ agentId }, index) => ({
    ...work,
    id: stepId(index),
    agentId,
    ...(index > 0 && { readsOnly: true }),
  }))
}

/** Everybody drafts the whole answer unseen by the others (all agents drafting: Kaesberg et al., 2025), then a vote. */
function drafts(input: ShapeInput): StepDraft[] {
  const steps: StepDraft[] = input.members.map(({ agentId }, index) => ({
    id: stepId(index),
    objective: input.task,
    agentId,
    role: ROLES.worker,
    dependsOn: [],
    estimatedTokens: input.items.reduce((sum, item) => sum + item.estimatedTokens, 0),
    acceptance: [],
  }))
  if (steps.length < 2) return steps
  const vote: StepDraft = {
    id: stepId(steps.length),
    objective: voteOn(input.task),
    agentId: first(input),
    role: ROLES.vote,
    dependsOn: steps.map(({ id }) => id),
    estimatedTokens: input.extraTokens,
    acceptance: [],
  }
  return [...steps, vote]
}

/** A lead briefs, workers work, and the lead puts their results together; HYBRID adds a review of each by the next worker. */
function led(input: ShapeInput): StepDraft[] {
  const [lead, ...others] = input.members
  const workers = others.length > 0 ? others : input.members
  const leadId = lead?.agentId ?? 'agent-1'
  const brief: StepDraft = {
    id: stepId(0),
    objective: briefOn(
      input.task,
      input.items.map(({ objective }) => objective),
    ),
    agentId: leadId,
    role: ROLES.lead,
    dependsOn: [],
    estimatedTokens: input.extraTokens,
    acceptance: [],
  }
  const work = parallel({ ...input, members: workers }).map((step, index) => ({
    ...step,
    id: stepId(index + 1),
    dependsOn: [brief.id, ...(input.items[index]?.dependsOn ?? []).map((position) => stepId(position + 1))],
  }))
  const reviews = input.topology === 'HYBRID' ? reviewRing(work, leadId, input.extraTokens) : []
  const steps = [brief, ...work, ...reviews]
  return [...steps, synthesis(steps.length, [...work, ...reviews], work, input)]
}

/** Each result is reviewed by the agent of the next one, the last by that of the first; nobody reviews its own. */
function reviewRing(work: readonly StepDraft[], leadId: string, estimatedTokens: number): StepDraft[] {
  return work.map((step, index) => {
    const ring = [...work.slice(index + 1), ...work.slice(0, index)]
    return {
      id: stepId(work.length + 1 + index),
      objective: reviewOf(step.objective),
      agentId: ring.find(({ agentId }) => agentId !== step.agentId)?.agentId ?? leadId,
      role: ROLES.critic,
      dependsOn: [step.id],
      estimatedTokens,
      acceptance: ['Each mistake, gap or unsupported statement is named with its correction, or that there is none.'],
    }
  })
}
