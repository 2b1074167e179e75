import {
  type PlanAgent,
  type PlanStep,
  TOPOLOGIES,
  TOPOLOGY_NAME,
  ToolRisk,
  type TopologyName,
  toTopology,
} from '../contracts/index.ts'
import type { FieldError } from '../errors.ts'
import { fits } from '../validate.ts'

/** A plan as it could be read: steps are complete, the graph is not looked at yet. */
export interface ReadPlan {
  id: string
  topology: TopologyName | undefined
  agents: PlanAgent[]
  steps: PlanStep[]
  source: string | undefined
  errors: FieldError[]
  warnings: string[]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => textOf(item) !== undefined) : []
const wholeOf = (value: unknown, low: number, high: number, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(high, Math.max(low, Math.round(value))) : otherwise

/** Tries of a step for which nothing was said. */
export const DEFAULT_TRIES = 2
/** Forecast of a step for which nothing was said. */
const DEFAULT_TOKENS = 2_000

/**
 * Reads anything that looks like a plan. What is left out gets its default; what is needed and not there becomes an error
 * with its pointer. Never throws.
 */
export function readPlan(value: unknown): ReadPlan {
  const errors: FieldError[] = []
  const warnings: string[] = []
  const plan = isObject(value) ? value : {}
  if (!isObject(value)) errors.push({ path: '', message: 'must be an object with `steps`' })
  else if (!Array.isArray(plan.steps) || plan.steps.length === 0) {
    errors.push({ path: '/steps', message: 'must be a list with at least one step' })
  }
  const agents = readAgents(plan.agents, errors)
  const firstAgent = agents[0]?.agentId ?? 'agent-1'
  const steps: PlanStep[] = []
  for (const [index, item] of (Array.isArray(plan.steps) ? plan.steps : []).entries()) {
    const step = readStep(item, index, firstAgent, errors)
    if (step !== undefined) steps.push(step)
  }
  const word = textOf(plan.topology)
  const topology = word && (toTopology(word) ?? toOwn(word))
  if (plan.topology !== undefined && (topology === undefined || topology === 'AUTO'))
    errors.push({ path: '/topology', message: `must be ${TOPOLOGIES.join(', ')}, or a name that a plugin registered` })
  return {
    id: textOf(plan.id) ?? 'plan-1',
    topology: topology === 'AUTO' ? undefined : topology,
    agents,
    steps,
    source: textOf(plan.source),
    errors,
    warnings: [...textsOf(plan.warnings), ...warnings],
  }
}

function toOwn(word: string): string | undefined {
  const name = word.trim().toUpperCase()
  return TOPOLOGY_NAME.test(name) ? name : undefined
}

function readAgents(value: unknown, errors: FieldError[]): PlanAgent[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    errors.push({ path: '/agents', message: 'must be a list' })
    return []
  }
  const agents: PlanAgent[] = []
  for (const [index, item] of value.entries()) {
    const agentId = isObject(item) ? textOf(item.agentId) : undefined
    if (!isObject(item) || agentId === undefined) {
      errors.push({ path: `/agents/${index}/agentId`, message: 'must be a text such as "agent-1"' })
      continue
    }
    if (agents.some((agent) => agent.agentId === agentId)) {
      errors.push({ path: `/agents/${index}/agentId`, message: `must be unique: "${agentId}" is there already` })
      continue
    }
    const profileId = textOf(item.profileId)
    agents.push({
      agentId,
      name: textOf(item.name) ?? agentId,
      role: textOf(item.role) ?? 'worker',
      ...(profileId === undefined ? {} : { profileId }),
    })
  }
  return agents
}

function readStep(item: unknown, index: number, firstAgent: string, errors: FieldError[]): PlanStep | undefined {
  const path = `/steps/${index}`
  if (!isObject(item)) {
    errors.push({ path, message: 'must be an object with `objective`' })
    return undefined
  }
  const objective = textOf(item.objective)
  if (objective === undefined)
    errors.push({ path: `${path}/objective`, message: 'must be a text that says what to do' })
  for (const field of ['dependsOn', 'tools', 'acceptance'] as const) {
    const list = item[field]
    if (list !== undefined && (!Array.isArray(list) || list.some((entry) => typeof entry !== 'string'))) {
      errors.push({ path: `${path}/${field}`, message: 'must be a list of texts' })
    }
  }
  const outputFormat = textOf(item.outputFormat)
  return {
    id: textOf(item.id) ?? `step-${index + 1}`,
    objective: objective ?? '',
    agentId: textOf(item.agentId) ?? firstAgent,
    role: textOf(item.role) ?? 'worker',
    dependsOn: [...new Set(textsOf(item.dependsOn))],
    inputs: textsOf(item.inputs),
    ...(outputFormat === undefined ? {} : { outputFormat }),
    acceptance: textsOf(item.acceptance),
    tools: [...new Set(textsOf(item.tools))],
    estimatedTokens: wholeOf(item.estimatedTokens, 0, Number.MAX_SAFE_INTEGER, DEFAULT_TOKENS),
    risk: fits(ToolRisk, item.risk) ? item.risk : 'read',
    maxTries: wholeOf(item.maxTries, 1, 10, DEFAULT_TRIES),
  }
}
