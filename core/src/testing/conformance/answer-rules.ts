import { ModelAnswer, ModelRequest } from '../../contracts/model/model.ts'
import type { Hooks } from '../../contracts/plugin/plugin.ts'
import type { Allocation } from '../../contracts/stages/allocation.ts'
import type { Consensus } from '../../contracts/stages/consensus.ts'
import type { Execution } from '../../contracts/stages/execution.ts'
import type { Inspection } from '../../contracts/stages/inspection.ts'
import type { Plan } from '../../contracts/stages/plan.ts'
import type { Reflection } from '../../contracts/stages/reflection.ts'
import { ANSWERS, type Inputs } from '../../contracts/stages/stages.ts'
import { ToolAnswer, ToolDecision } from '../../contracts/tool/tool.ts'
import { findCycle } from '../../support/graph.ts'
import { findErrors } from '../../validate.ts'

const SCHEMAS: Readonly<Record<keyof Hooks, object>> = {
  ...ANSWERS,
  modelRequest: ModelRequest,
  modelResponse: ModelAnswer,
  toolRequest: ToolDecision,
  toolResult: ToolAnswer,
}

/** What keeps an answer from the schema of its hook. */
export const findSchemaErrors = (hook: keyof Hooks, answer: unknown): string[] =>
  findErrors(SCHEMAS[hook], answer).map(({ path, message }) => `${path || '/'} ${message}`)

/** What in an answer that fits its schema contradicts itself, or the answers before it. */
export function findContradictions(hook: keyof Hooks, answer: unknown, input: unknown): string[] {
  const find = FINDERS[hook as keyof typeof FINDERS]
  return find === undefined ? [] : find(answer as never, input as never)
}

const FINDERS = {
  analyze: ({ taskId }: { taskId: string }, { task }: Inputs['analyze']) =>
    taskId === task.id ? [] : [`taskId is "${taskId}", the task's id is "${task.id}"`],
  allocate: findInAllocation,
  plan: findInPlan,
  execute: findInExecution,
  reflect: ({ retry, verdict }: Reflection) => [
    ...(retry !== undefined && retry.evidence.length === 0 ? ['retry.evidence is empty'] : []),
    ...(retry !== undefined && verdict === 'pass' ? ['it passes the answer and asks for a retry'] : []),
  ],
  consensus: findInConsensus,
  inspect: findInInspection,
}

const repeated = (ids: readonly string[]): string[] => [...new Set(ids.filter((id, index) => ids.indexOf(id) < index))]
const unknownOf = (ids: readonly string[], known: readonly string[]): string[] =>
  [...new Set(ids)].filter((id) => !known.includes(id))

function findInAllocation({ shares, reserves, total }: Allocation): string[] {
  const sum =
    shares.reduce((all, { tokens }) => all + tokens, 0) + Object.values(reserves).reduce((all, each) => all + each, 0)
  return [
    ...(sum === total ? [] : [`shares and reserves add up to ${sum}, total is ${total}`]),
    ...repeated(shares.map(({ agentId }) => agentId)).map((id) => `two shares are of ${id}`),
  ]
}

function findInPlan(plan: Plan, { allocation }: Inputs['plan']): string[] {
  const ids = plan.steps.map(({ id }) => id)
  const agents = plan.agents.map(({ agentId }) => agentId)
  const slots = allocation.shares.map(({ agentId }) => agentId)
  const needed = new Set(plan.steps.flatMap(({ dependsOn }) => dependsOn))
  const sinks = ids.filter((id) => !needed.has(id))
  const cycle = findCycle(plan.steps)
  return [
    ...repeated(ids).map((id) => `two steps are called ${id}`),
    ...unknownOf([...needed], ids).map((id) => `a step depends on ${id}, which is no step`),
    ...(cycle === undefined ? [] : [`its steps wait for each other: ${cycle.join(', ')}`]),
    // A cycle has no end of its own.
    ...(sinks.length === 1 || cycle !== undefined ? [] : [`${sinks.length} steps are last (${sinks}), not one`]),
    ...unknownOf(
      plan.steps.map(({ agentId }) => agentId),
      agents,
    ).map((id) => `a step is for ${id}, which is no agent`),
    ...unknownOf(agents, slots).map((id) => `the agent ${id} has no share in the allocation`),
    ...unknownOf(plan.criticalPath, ids).map((id) => `criticalPath names ${id}, which is no step`),
    ...(plan.topology === allocation.topology
      ? []
      : [`topology is ${plan.topology}, the allocation's is ${allocation.topology}`]),
  ]
}

function findInExecution({ steps }: Execution, { plan }: Inputs['execute']): string[] {
  const ids = plan.steps.map(({ id }) => id)
  return [
    ...repeated(steps.map(({ id }) => id)).map((id) => `two results are of ${id}`),
    ...unknownOf(
      steps.map(({ id }) => id),
      ids,
    ).map((id) => `a result is of ${id}, which is no step of the plan`),
  ]
}

function findInConsensus({ votes, clusters, minority, decision, ...rest }: Consensus): string[] {
  const voters = votes.map(({ voter }) => voter)
  return [
    ...unknownOf([...clusters.flatMap((cluster) => cluster.voters), ...minority.map(({ voter }) => voter)], voters).map(
      (voter) => `"${voter}" is counted and is none of the votes`,
    ),
    ...(decision === 'accept' && rest.answer === undefined ? ['it accepts and names no answer'] : []),
  ]
}

function findInInspection({ grade, score, issues }: Inspection): string[] {
  const fitting = score >= 0.9 ? 'healthy' : score >= 0.7 ? 'degraded' : 'unhealthy'
  return [
    ...(grade === fitting ? [] : [`grade is ${grade} with a score of ${score}, which is ${fitting}`]),
    ...repeated(issues.map(({ id }) => id)).map((id) => `two issues are called ${id}`),
  ]
}
