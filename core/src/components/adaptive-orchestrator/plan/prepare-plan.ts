import {
  type Allocation,
  type Complexity,
  isTopology,
  type Task,
  type Topology,
  toTopology,
} from '../../../contracts/index.ts'
import { ValidationError } from '../../../errors.ts'
import { ROLES } from '../../../plan/roles.ts'
import { depthOf } from '../../../support/graph.ts'
import { atMost, type Decomposition, decompose } from '../../../text/task/decompose.ts'
import { decomposeForTeam } from '../../../text/task/decompose-for-team.ts'
import type { Candidate, RegisteredAgent } from '../agents.ts'
import type { PlanContext, PlanInputs, WorkItem } from './plan-inputs.ts'
import { workLimits } from './plan-request.ts'
import { makeTeam } from './team.ts'

/** Picks the members of the team, and cuts the task by the structure of its text. */
export function preparePlan(
  task: Task,
  complexity: Complexity,
  allocation: Allocation,
  registered: readonly RegisteredAgent[],
  { options = {}, agents = [], tools }: PlanContext = {},
): PlanInputs {
  const { topology, shares } = allocation
  if (!isTopology(topology)) {
    throw new ValidationError(
      'validation_failed',
      `${topology}: only the plugin that registered this topology plans it`,
    )
  }
  const { description } = task
  const warnings: string[] = []
  const isAsked = options.topology !== undefined && toTopology(options.topology) !== 'AUTO'
  const tokens = shares.reduce((sum, share) => sum + share.tokens, 0)
  const { parts, by } = partsOf(description, topology, isAsked)
  const divisor = topology === 'DECENTRALIZED' ? Math.max(1, shares.length) : parts.length
  // What the agents get in all, over the parts; a floor where nothing was allocated.
  const estimatedTokens = Math.max(1, Math.floor(tokens / divisor), Math.round(1_000 * complexity.score))
  const items = parts.map((part) => ({ ...part, estimatedTokens }))

  const areNamed = (options.agents?.length ?? 0) > 0
  const known: Candidate[] = [...agents, ...registered]
  const shared = topology === 'SINGLE' ? 1 : Math.max(1, shares.length)
  // Who names a team wants that team; who names one agent wants it as every member.
  const size = areNamed && agents.length > 1 ? Math.min(shared, agents.length) : shared
  const [only] = agents
  const named = !areNamed ? [] : agents.length === 1 && only !== undefined ? Array<Candidate>(size).fill(only) : agents
  const members = makeTeam(
    size,
    named,
    known,
    (index) => shares[index]?.role ?? ROLES.worker,
    (index) =>
      topology === 'PARALLEL' || topology === 'SEQUENTIAL' ? (items[index]?.objective ?? description) : description,
  )
  if (areNamed && agents.length > size) {
    const out = agents.slice(size).map(({ id }) => id)
    warnings.push(`${agents.length} agents were named, the team has room for ${size}: ${out.join(', ')} stay out`)
  }
  if (!isAsked && by === 'whole' && topology === 'PARALLEL' && size > 1) {
    warnings.push('the task has no parts that could be done side by side: one agent does it')
  }
  const extraTokens = Math.max(1, allocation.reserves.synthesis)
  const namedTools = task.tools
  return { task: description, topology, members, items, tokens, extraTokens, tools, namedTools, warnings, isAsked }
}

function partsOf(
  description: string,
  topology: Topology,
  isAsked: boolean,
): Pick<Decomposition, 'by'> & { parts: readonly Omit<WorkItem, 'estimatedTokens'>[] } {
  if (topology === 'SINGLE' || topology === 'DECENTRALIZED')
    return { parts: [{ objective: description, dependsOn: [] }], by: 'whole' }
  const { parts, by } = isAsked ? decomposeForTeam(description) : decompose(description)
  const nodes = parts.map(({ dependsOn }, index) => ({ id: String(index), dependsOn: dependsOn.map(String) }))
  const length = topology === 'SEQUENTIAL' ? parts.length : depthOf(nodes)
  const { maxDepth } = workLimits(topology)
  // Where more would wait in a row, the last ones are done together.
  return { parts: length <= maxDepth ? parts : atMost(parts, maxDepth), by }
}

/** All work as one part, word for word. */
export const wholeOf = ({ task, items, tokens }: PlanInputs): WorkItem => ({
  objective: task,
  dependsOn: [],
  estimatedTokens: Math.max(1, tokens, items[0]?.estimatedTokens ?? 0),
})
