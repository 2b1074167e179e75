import { type Plan, toTopology } from '../../../contracts/index.ts'
import { ValidationError } from '../../../errors.ts'
import { estimateTokens } from '../../../text/index.ts'
import { type AgentSpec, bestCandidate, type Candidate, fromSpec, toPlanAgent } from '../agents.ts'
import { findCycle } from '../graph.ts'
import { ROLES } from '../roles.ts'
import { completeSteps } from './complete-steps.ts'
import { shape, type WorkItem, withSynthesis } from './shapes.ts'
import { makeTeam } from './team.ts'
import { topologyOf } from './topology-of.ts'
import { MAX_STEPS, requirePlan } from './validate-plan.ts'

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
export function createPlan(tasks: readonly PlanTask[], topologyWord: string, agents: readonly AgentSpec[]): Plan {
  checkTasks(tasks)
  const ordered = inOrder(tasks)
  const positions = new Map(ordered.map(({ id }, index) => [id, index]))
  const items: WorkItem[] = ordered.map((task) => ({
    objective: task.description,
    dependsOn: (task.dependsOn ?? []).map((id) => positions.get(id) ?? 0),
    estimatedTokens: estimateTokens(task.description) + 1_000 + Math.round(4_000 * task.complexity),
  }))
  const topology = toTopology(topologyWord)
  if (topology === undefined) {
    throw new ValidationError(
      'validation_failed',
      `topology: "${topologyWord}" is unknown; use SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED, HYBRID or AUTO`,
    )
  }
  const chosen = topology === 'AUTO' ? topologyOfItems(items) : topology
  const task =
    ordered.length === 1
      ? (ordered[0]?.description ?? '')
      : ordered.map(({ description }, index) => `${index + 1}. ${description}`).join('\n')
  const candidates = agents.map(fromSpec)
  const members = makeTeam(
    teamSize(chosen, items.length, agents.length),
    chosen === 'SINGLE' ? soleAgent(candidates, task) : candidates,
    candidates,
    (index) => (index === 0 && (chosen === 'CENTRALIZED' || chosen === 'HYBRID') ? ROLES.lead : ROLES.worker),
    () => task,
  )
  const extraTokens = Math.max(...items.map(({ estimatedTokens }) => estimatedTokens))
  const input = { topology: chosen, task, items, members, extraTokens }
  const drafts = chosen === 'SINGLE' || chosen === 'SEQUENTIAL' ? shape(input) : withSynthesis(shape(input), input)
  if (drafts.length > MAX_STEPS) {
    throw new ValidationError(
      'validation_failed',
      `tasks: ${tasks.length} tasks make ${drafts.length} steps as ${chosen}; at most ${MAX_STEPS} are possible`,
    )
  }
  // A plan names steps, not tasks.
  const offset = chosen === 'CENTRALIZED' || chosen === 'HYBRID' ? 2 : 1
  const steps = completeSteps(drafts, members).map((step) => ({
    ...step,
    objective: step.objective.replace(/\{\{\s*([^{}\s]{1,200})\s*\}\}/g, (mark, id: string) => {
      const position = positions.get(id)
      return position === undefined || chosen === 'DECENTRALIZED' ? mark : `{{step-${position + offset}}}`
    }),
  }))
  const used = new Set(steps.map(({ agentId }) => agentId))
  return requirePlan(
    {
      id: 'plan-1',
      topology: steps.length === 1 ? 'SINGLE' : chosen,
      agents: members.filter(({ agentId }) => used.has(agentId)).map(toPlanAgent),
      steps,
      source: 'deterministic',
      warnings: [],
    },
    { mend: true, task },
  )
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

/** Each task after those it depends on, otherwise as given. */
function inOrder(tasks: readonly PlanTask[]): PlanTask[] {
  const left = [...tasks]
  const done = new Set<string>()
  const order: PlanTask[] = []
  while (left.length > 0) {
    const index = left.findIndex(({ dependsOn = [] }) => dependsOn.every((id) => done.has(id)))
    const [task] = left.splice(Math.max(0, index), 1)
    if (task === undefined) break
    done.add(task.id)
    order.push(task)
  }
  return order
}

/** Who does it alone: the best of the registered, else the first of them. */
function soleAgent(candidates: readonly Candidate[], objective: string): Candidate[] {
  const best = bestCandidate(candidates, { objective, role: ROLES.worker }, () => 0) ?? candidates[0]
  return best === undefined ? [] : [best]
}

function teamSize(topology: Plan['topology'], items: number, agents: number): number {
  if (topology === 'SINGLE') return 1
  if (agents > 0) return Math.min(agents, MAX_TEAM)
  if (topology === 'DECENTRALIZED') return DEFAULT_TEAM
  const workers = Math.min(4, items)
  return topology === 'CENTRALIZED' || topology === 'HYBRID' ? workers + 1 : workers
}

function topologyOfItems(items: readonly WorkItem[]): Plan['topology'] {
  const steps = shape({
    topology: 'PARALLEL',
    task: '',
    items,
    members: [{ agentId: 'agent-1', name: '', role: ROLES.worker }],
    extraTokens: 0,
  })
  return topologyOf(completeSteps(steps.slice(0, items.length), []))
}
