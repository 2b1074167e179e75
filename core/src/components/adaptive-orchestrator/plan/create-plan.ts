import { type Plan, type Topology, toTopology } from '../../../contracts/index.ts'
import { ValidationError } from '../../../errors.ts'
import { replaceMarks } from '../../../plan/marks.ts'
import { ROLES } from '../../../plan/roles.ts'
import { topologyOf } from '../../../plan/topology-of.ts'
import { findCycle, topologicalOrder } from '../../../support/graph.ts'
import { estimateTokens } from '../../../text/index.ts'
import { bestCandidate, type Candidate, type RegisteredAgent } from '../agents.ts'
import { completePlan, draftSteps, isLed } from './build-plan.ts'
import type { PlanInputs } from './plan-inputs.ts'
import { makeTeam } from './team.ts'

/** A task of a plan that is made by hand. */
export interface PlanTask {
  /** Unique; other tasks name it in `dependsOn` and in `{{id}}`. */
  id: string
  /** What to do, in plain language. */
  description: string
  /** How hard, in [0, 1]. */
  complexity: number
  /** Ids of the tasks whose results it needs. */
  dependsOn?: readonly string[]
}

/** Agents of a team for which nobody was registered. */
const DEFAULT_TEAM = 3
const MAX_TEAM = 20

/**
 * Turns tasks into a plan of this topology, without clock, chance or model.
 *
 * @throws ValidationError `validation_failed` for no task, an empty or double id, an unknown or circular dependency
 */
export function createPlan(
  tasks: readonly PlanTask[],
  word: string,
  agents: readonly RegisteredAgent[],
  maxSteps: number,
): Plan {
  checkTasks(tasks)
  const asked = toTopology(word)
  if (asked === undefined) {
    throw new ValidationError(
      'validation_failed',
      `topology: "${word}" is unknown; use SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED, HYBRID or AUTO`,
    )
  }
  const ordered = topologicalOrder(tasks.map((task) => ({ ...task, dependsOn: task.dependsOn ?? [] })))
  const topology =
    asked === 'AUTO'
      ? topologyOf(ordered.map((task) => ({ ...task, role: ROLES.worker, dependsOn: [...task.dependsOn] })))
      : asked
  const positions = new Map(ordered.map(({ id }, index) => [id, index]))
  const items = ordered.map(({ description, dependsOn, complexity }) => ({
    // A plan names steps, not tasks.
    objective: replaceMarks(description, (id) => (positions.has(id) ? `{{#${positions.get(id)}}}` : undefined)),
    dependsOn: dependsOn.map((id) => positions.get(id) ?? 0),
    estimatedTokens: estimateTokens(description) + 1_000 + Math.round(4_000 * complexity),
  }))
  const task =
    ordered.length === 1
      ? (ordered[0]?.description ?? '')
      : ordered.map(({ description }, index) => `${index + 1}. ${description}`).join('\n')
  const members = makeTeam(
    teamSize(topology, items.length, agents.length),
    topology === 'SINGLE' ? soleAgent(agents, task) : agents,
    agents,
    (index) => (index === 0 && isLed(topology) ? ROLES.lead : ROLES.worker),
    () => task,
  )
  const estimates = items.map(({ estimatedTokens }) => estimatedTokens)
  const inputs: PlanInputs = {
    task,
    topology,
    members,
    items,
    tokens: estimates.reduce((sum, tokens) => sum + tokens, 0),
    extraTokens: Math.max(...estimates),
    tools: undefined,
    namedTools: undefined,
    warnings: [],
    isAsked: false,
  }
  const drafts = draftSteps(inputs, items)
  if (drafts.length > maxSteps) {
    throw new ValidationError(
      'validation_failed',
      `tasks: ${tasks.length} tasks make ${drafts.length} steps as ${topology}; at most ${maxSteps} are possible`,
    )
  }
  return completePlan(inputs, { items, source: 'deterministic', warnings: [] }, drafts)
}

function checkTasks(tasks: readonly PlanTask[]): void {
  const fail = (path: string, message: string): never => {
    throw new ValidationError('validation_failed', `tasks: ${path} ${message}`, { errors: [{ path, message }] })
  }
  if (tasks.length === 0) fail('/', 'must have at least one task')
  const ids = new Set<string>()
  for (const [index, { id, description, complexity }] of tasks.entries()) {
    if (id.trim() === '') fail(`/${index}/id`, 'must not be empty')
    if (ids.has(id)) fail(`/${index}/id`, `must be unique: "${id}" is there already`)
    if (description.trim() === '') fail(`/${index}/description`, 'must say what to do')
    if (!(complexity >= 0 && complexity <= 1)) fail(`/${index}/complexity`, 'must be a number from 0 to 1')
    ids.add(id)
  }
  for (const [index, { dependsOn = [] }] of tasks.entries()) {
    const unknown = dependsOn.find((id) => !ids.has(id))
    if (unknown !== undefined) fail(`/${index}/dependsOn`, `names "${unknown}", which is not a task`)
  }
  const cycle = findCycle(tasks.map(({ id, dependsOn = [] }) => ({ id, dependsOn })))
  if (cycle !== undefined) fail('/', `must not wait for each other in a circle: ${[...cycle, cycle[0]].join(' → ')}`)
}

/** Who does it alone: the best of the registered, else the first of them. */
function soleAgent(candidates: readonly Candidate[], objective: string): Candidate[] {
  const best = bestCandidate(candidates, { objective, role: ROLES.worker }, () => 0) ?? candidates[0]
  return best === undefined ? [] : [best]
}

function teamSize(topology: Topology, items: number, agents: number): number {
  if (topology === 'SINGLE') return 1
  if (agents > 0) return Math.min(agents, MAX_TEAM)
  if (topology === 'DECENTRALIZED') return DEFAULT_TEAM
  const workers = Math.min(4, items)
  return isLed(topology) ? workers + 1 : workers
}
