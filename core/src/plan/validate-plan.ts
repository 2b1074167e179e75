import { isTopology, type Plan, type PlanStep, type ToolInfo, type TopologyName } from '../contracts/index.ts'
import { type FieldError, RunError } from '../errors.ts'
import { depthOf, findCycle, heaviestPath, sinksOf } from '../support/graph.ts'
import { describeErrors } from '../text/describe-errors.ts'
import { marksOf } from './marks.ts'
import { type ReadPlan, readPlan } from './read-plan.ts'
import { ROLES, synthesisOf } from './roles.ts'
import { describeUnknown } from './topology-names.ts'
import { topologyOf } from './topology-of.ts'

/** Stands in `tools` for every tool that the run allows. */
export const ALL_TOOLS = '*'

/** Steps of a plan in all, where no setting says otherwise. */
export const MAX_STEPS = 256
/** Steps one after the other. */
export const MAX_DEPTH = 6

export interface PlanRules {
  /** The tools that the run allows; without it tools are not checked. */
  tools?: readonly Pick<ToolInfo, 'id'>[]
  /** Ids of the agent profiles that are known; without it they are not checked. */
  profiles?: readonly string[]
  /** The task, for the synthesis that loose ends get. Default: the objectives. */
  task?: string
  /** Steps in all. Default 256. */
  maxSteps?: number
  /** Topologies that plugins have registered; without it any other name than svc's own is taken to be one. */
  topologies?: readonly string[]
  /** Whether the steps of a topology may end loose, without one that makes one answer out of them. Default: no. */
  isLoose?: (topology: TopologyName) => boolean
  /** The steps are the work alone, to which a topology adds its own: loose ends stay loose, and these limits are errors. */
  work?: { maxSteps: number; maxDepth: number }
  /** Where the plan is from, when it does not say. Default `user`. */
  source?: Plan['source']
  /**
   * Whether mistakes in the graph (unknown ids, cycles, ids twice) are mended with a warning.
   * Default: false for a user's plan, which is executed as it was written or not at all; else true.
   */
  mend?: boolean
}

export interface PlanFindings {
  /** The plan, complete and with its critical path; `undefined` when there are errors. */
  plan: Plan | undefined
  /** What makes it impossible to execute: JSON pointers and sentences. */
  errors: FieldError[]
  /** What was repaired or left out. */
  warnings: string[]
}

/**
 * Checks a plan of any origin and repairs what can be repaired: unique ids, known dependencies, no cycle, not too many
 * steps, an acceptance for every step, only allowed tools, one last step. Never throws.
 */
export function validatePlan(value: unknown, rules: PlanRules = {}): PlanFindings {
  const read = readPlan(value)
  const source = sourceOf(read.source) ?? rules.source ?? 'user'
  const draft: Draft = { ...read, mend: rules.mend ?? source !== 'user' }
  const { isLoose = () => false } = rules
  const most = rules.work?.maxSteps ?? rules.maxSteps ?? MAX_STEPS
  const hint = rules.work === undefined ? ': maxPlanSteps of the config says how many' : ''
  // What is far too long is not looked at any further.
  if (!checkCount(draft, most, hint) && draft.steps.length > most * 4)
    return { plan: undefined, errors: draft.errors, warnings: draft.warnings }
  checkTopology(draft, rules.topologies)
  checkIds(draft)
  checkDependencies(draft)
  checkCycles(draft)
  if (draft.errors.length === 0) {
    if (rules.work === undefined && !(draft.topology !== undefined && isLoose(draft.topology)))
      tieLooseEnds(draft, rules.task)
    checkCount(draft, most, hint)
    checkDepth(draft, rules.work?.maxDepth)
  }
  const tools = rules.tools && new Set(rules.tools.map(({ id }) => id))
  for (const step of draft.steps) {
    if (step.acceptance.length === 0) step.acceptance = [`answers: ${step.objective}`]
    if (tools !== undefined) checkTools(step, draft, tools)
  }
  addAgents(draft)
  checkProfiles(draft, rules.profiles)
  if (draft.errors.length > 0) return { plan: undefined, errors: draft.errors, warnings: draft.warnings }
  const plan: Plan = {
    id: draft.id,
    topology: draft.topology ?? topologyOf(draft.steps),
    agents: draft.agents,
    steps: draft.steps,
    source,
    criticalPath: heaviestPath(draft.steps, ({ estimatedTokens }) => estimatedTokens + 1),
    warnings: [...new Set(draft.warnings)],
  }
  return { plan, errors: [], warnings: plan.warnings }
}

/**
 * The plan, checked and complete.
 *
 * @throws RunError `plan_invalid` with everything that is wrong
 */
export function requirePlan(value: unknown, rules: PlanRules = {}): Plan {
  const { plan, errors } = validatePlan(value, rules)
  if (plan === undefined) throw toInvalid(errors)
  return plan
}

const MOST_SAID = 10

/** The error of a plan with all that is wrong in `errors`; its message says the first ten. */
export function toInvalid(errors: FieldError[]): RunError {
  const more = errors.length > MOST_SAID ? ` (and ${errors.length - MOST_SAID} more)` : ''
  const said = describeErrors(errors.slice(0, MOST_SAID))
  return new RunError('plan_invalid', `the plan cannot be executed: ${said}${more}`, { errors })
}

interface Draft extends ReadPlan {
  mend: boolean
}

const sourceOf = (word: string | undefined): Plan['source'] | undefined =>
  (['llm', 'llm-repaired', 'deterministic', 'user'] as const).find((source) => source === word)

/** A mistake that a mended plan survives: a warning there, an error in a plan that is executed as written. */
function mistake(draft: Draft, path: string, error: string, repair: string): void {
  if (draft.mend) draft.warnings.push(repair)
  else draft.errors.push({ path, message: error })
}

function checkTopology({ topology, errors }: Draft, own: readonly string[] | undefined): void {
  if (topology === undefined || own === undefined || isTopology(topology) || own.includes(topology)) return
  errors.push({ path: '/topology', message: describeUnknown(topology, own) })
}

function checkIds(draft: Draft): void {
  const seen = new Set<string>()
  draft.steps = draft.steps.filter((step, index) => {
    if (!seen.has(step.id)) {
      seen.add(step.id)
      return true
    }
    mistake(
      draft,
      `/steps/${index}/id`,
      `must be unique: "${step.id}" is there already`,
      `left out a second step with the id "${step.id}"`,
    )
    // Pointers to the steps behind it stay right.
    return !draft.mend
  })
}

function checkDependencies(draft: Draft): void {
  const ids = new Set(draft.steps.map(({ id }) => id))
  for (const [index, step] of draft.steps.entries()) {
    step.dependsOn = step.dependsOn.filter((id) => {
      if (ids.has(id) && id !== step.id) return true
      mistake(
        draft,
        `/steps/${index}/dependsOn`,
        id === step.id ? `"${id}" cannot wait for itself` : `"${id}" is not a step of this plan`,
        `${step.id} does not wait for "${id}", which ${id === step.id ? 'is the step itself' : 'is not a step'}`,
      )
      return false
    })
    for (const id of marksOf(step.objective)) {
      if (!ids.has(id) || id === step.id || step.dependsOn.includes(id)) continue
      step.dependsOn.push(id)
      draft.warnings.push(`${step.id} names the output of ${id} and now waits for it`)
    }
  }
}

function checkCycles(draft: Draft): void {
  const steps = [...new Map(draft.steps.map((step) => [step.id, step])).values()]
  for (let cycle = findCycle(steps); cycle !== undefined; cycle = findCycle(steps)) {
    const path = [...cycle, cycle[0]].join(' → ')
    const edges = cycle.map((from, index) => ({ from, to: cycle[(index + 1) % cycle.length] ?? from }))
    // An edge that no objective names is a dependency that was only declared.
    const weakest =
      edges.find(({ from, to }) => !marksOf(steps.find(({ id }) => id === to)?.objective ?? '').includes(from)) ??
      edges[0]
    const step = steps.find(({ id }) => id === weakest?.to)
    if (step === undefined || weakest === undefined) return
    step.dependsOn = step.dependsOn.filter((id) => id !== weakest.from)
    mistake(
      draft,
      '/steps',
      `must not wait for each other in a circle: ${path}`,
      `cut the circle ${path}: ${weakest.to} does not wait for ${weakest.from}`,
    )
  }
}

function tieLooseEnds(draft: Draft, task: string | undefined): void {
  const ends = sinksOf(draft.steps)
  if (ends.length <= 1) return
  const ids = new Set(draft.steps.map(({ id }) => id))
  let number = draft.steps.length + 1
  while (ids.has(`step-${number}`)) number++
  draft.warnings.push(`added step-${number}, which makes one answer out of ${ends.map(({ id }) => id).join(', ')}`)
  draft.steps.push({
    id: `step-${number}`,
    objective: synthesisOf(task ?? draft.steps.map(({ objective }) => objective.slice(0, 200)).join(' ')),
    agentId: draft.agents[0]?.agentId ?? draft.steps[0]?.agentId ?? 'agent-1',
    role: ROLES.synthesizer,
    dependsOn: ends.map(({ id }) => id),
    inputs: [],
    acceptance: [],
    tools: [],
    estimatedTokens: Math.max(...draft.steps.map(({ estimatedTokens }) => estimatedTokens)),
    risk: 'read',
    maxTries: 2,
  })
}

/** @returns whether there are not too many steps */
function checkCount({ steps, errors }: Draft, most: number, hint: string): boolean {
  if (steps.length <= most) return true
  errors.push({ path: '/steps', message: `must have at most ${most} steps, not ${steps.length}${hint}` })
  return false
}

function checkDepth(draft: Draft, maxDepth: number | undefined): void {
  const depth = depthOf(draft.steps)
  if (maxDepth !== undefined && depth > maxDepth) {
    draft.errors.push({ path: '/steps', message: `at most ${maxDepth} steps may wait in a row, not ${depth}` })
  } else if (depth > MAX_DEPTH) {
    draft.warnings.push(`${depth} steps wait for one another in a row; beyond ${MAX_DEPTH} much gets lost`)
  }
}

function checkTools(step: PlanStep, draft: Draft, allowed: ReadonlySet<string>): void {
  const unknown = step.tools.filter((id) => id !== ALL_TOOLS && !allowed.has(id))
  if (unknown.length > 0)
    draft.warnings.push(`${step.id} asks for tools that this run does not allow: ${unknown.join(', ')}`)
  step.tools = step.tools.includes(ALL_TOOLS) ? [...allowed] : step.tools.filter((id) => allowed.has(id))
}

function checkProfiles(draft: Draft, known: readonly string[] | undefined): void {
  if (known === undefined) return
  draft.agents = draft.agents.map((agent, index) => {
    const { profileId, ...generalist } = agent
    if (profileId === undefined || known.includes(profileId)) return agent
    mistake(
      draft,
      `/agents/${index}/profileId`,
      `names "${profileId}", which is not an agent of this run`,
      `${agent.agentId} has no profile: "${profileId}" is not known`,
    )
    return generalist
  })
}

function addAgents(draft: Draft): void {
  for (const { agentId, role } of draft.steps) {
    if (draft.agents.some((agent) => agent.agentId === agentId)) continue
    draft.agents.push({ agentId, name: agentId.replace(/^agent-(\d+)$/, 'Agent $1'), role })
  }
}
