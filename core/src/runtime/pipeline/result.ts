import type { AgentProfile } from '../../contracts/agent-profile.ts'
import type { Complexity } from '../../contracts/complexity.ts'
import type { Execution } from '../../contracts/execution.ts'
import type { Plan } from '../../contracts/plan.ts'
import type { ExecutionResult, PlanResult } from '../../contracts/result.ts'
import type { Task } from '../../contracts/task.ts'
import type { Mode } from '../../contracts/words.ts'
import type { SvcError } from '../../errors.ts'
import { countToolCalls } from '../account.ts'
import type { Walk } from './pipeline.ts'
import { describeGiven } from './given-plan.ts'
import { digest } from '../ids.ts'
import type { LiveRun } from '../runs/session.ts'

/** How a walk ended. */
export interface Ending {
  status: ExecutionResult['status']
  error?: SvcError
}

/** What decides how a run ended: an error of the walk first, then what the agents say. */
export function endingOf(walk: Walk, thrown: SvcError | undefined): Ending {
  const error = thrown
  if (error?.code === 'cancelled') return { status: 'cancelled', error }
  if (error !== undefined) return { status: error.exitCode === 6 ? 'incomplete' : 'failed', error }
  return { status: walk.execution?.status ?? 'completed' }
}

/** What a finished run returns, by its mode. */
export function toResult(
  mode: Mode,
  task: Task,
  walk: Walk,
  run: LiveRun,
  ending: Ending,
  timing: ExecutionResult['timing'],
): ExecutionResult | PlanResult | Complexity {
  if (mode === 'analyze' && walk.complexity !== undefined && ending.status === 'completed') return walk.complexity
  if (mode === 'plan') return toPlanResult(task, walk, run, ending)
  return toExecutionResult(walk, run, ending, timing)
}

function toExecutionResult(
  walk: Walk,
  run: LiveRun,
  ending: Ending,
  timing: ExecutionResult['timing'],
): ExecutionResult {
  const { complexity, allocation, plan, execution, reflection, consensus, inspection } = walk
  const { account } = run
  const error = ending.error?.toInfo() ?? execution?.error
  const reason = ending.status === 'incomplete' ? (execution?.reason ?? ending.error?.code ?? 'limit') : undefined
  const { data } = execution ?? {}
  return {
    runId: run.id,
    status: ending.status,
    summary: execution?.output ?? partialOutput(run),
    ...(data === undefined ? {} : { output: data }),
    ...(complexity && { complexity }),
    ...(allocation && { allocation }),
    ...(plan && { plan }),
    steps: (execution?.steps ?? stepsSoFar(plan, run)).map((step) => ({ ...step, usage: account.ofStep(step.id) })),
    agents: (execution?.agents ?? []).map((agent) => ({ ...agent, ...account.ofAgent(agent.agentId) })),
    artifacts: execution?.artifacts ?? [],
    ...(reflection && { reflection }),
    ...(consensus && { consensus }),
    ...(inspection && { inspection }),
    toolCalls: countToolCalls(run.events()),
    usage: account.total(),
    costUsd: account.costUsd(),
    timing,
    warnings: [...run.warnings],
    ...(error && ending.status !== 'completed' ? { error } : {}),
    ...(reason === undefined ? {} : { incomplete: { reason } }),
    traceId: digest(run.id).slice(0, 32),
    links: linksOf(run.id),
  }
}

function toPlanResult(task: Task, walk: Walk, run: LiveRun, ending: Ending): PlanResult {
  const { account } = run
  const plan: Plan = walk.plan ?? {
    id: 'none',
    topology: 'SINGLE',
    agents: [],
    steps: [],
    source: 'deterministic',
    criticalPath: [],
    warnings: [],
  }
  const failed = ending.status !== 'completed'
  return {
    runId: run.id,
    status: failed ? 'failed' : 'completed',
    summary: failed ? (ending.error?.message ?? 'no plan was made') : describePlan(plan),
    topology: plan.topology,
    agents: plan.agents.map((agent) => profileFor(agent, run, plan)),
    budget: walk.allocation ?? {
      total: 0,
      topology: plan.topology,
      shares: [],
      reserves: { coordination: 0, synthesis: 0, reflection: 0, consensus: 0, final: 0, contingency: 0 },
      underfunded: false,
      explanation: [],
    },
    complexity:
      walk.complexity ?? describeGiven(task, { ...plan, agents: [{ agentId: 'agent-1', name: 'none', role: 'none' }] }),
    plan,
    usage: account.total(),
    costUsd: account.costUsd(),
    warnings: [...run.warnings],
    ...(ending.error && { error: ending.error.toInfo() }),
  }
}

function describePlan({ topology, steps, agents }: Plan): string {
  const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
  const lines = steps.map(
    ({ id, agentId, objective, dependsOn }) =>
      `${id} (${agentId}${dependsOn.length > 0 ? `, after ${dependsOn.join(', ')}` : ''}): ${objective}`,
  )
  return [`${topology}: ${count(steps.length, 'step')} by ${count(agents.length, 'agent')}.`, ...lines].join('\n')
}

function profileFor(agent: Plan['agents'][number], run: LiveRun, plan: Plan): AgentProfile {
  const bound = run.agents.find(({ id }) => id === agent.profileId)
  if (bound !== undefined) return bound
  const time = new Date(run.now()).toISOString()
  return {
    id: agent.agentId,
    name: agent.name,
    role: agent.role,
    instructions: '',
    fallbackModels: [],
    tools: [...new Set(plan.steps.filter(({ agentId }) => agentId === agent.agentId).flatMap(({ tools }) => tools))],
    memory: { layers: [], scope: 'run' },
    budget: {},
    capabilities: [],
    handoffs: [],
    tags: [],
    metadata: {},
    version: 1,
    createdAt: time,
    updatedAt: time,
  }
}

/** The answers of finished steps and the beginning of others, for a run that ended before its agents could finish. */
function partialOutput(run: LiveRun): string {
  const outputs = run
    .events()
    .flatMap(({ type, data }) =>
      type === 'step.completed' && typeof data.output === 'string' && data.output !== '' ? [data.output] : [],
    )
  return [...outputs, run.unfinishedText()].filter((text) => text !== '').join('\n\n')
}

/** What the log says of the steps, for a run whose `execute` never answered. */
function stepsSoFar(plan: Plan | undefined, run: LiveRun): Execution['steps'] {
  const events = run.events()
  return (plan?.steps ?? []).flatMap(({ id, agentId, objective }) => {
    const own = events.filter(({ stepId }) => stepId === id)
    if (!own.some(({ type }) => type === 'step.started')) return []
    const done = own.find(({ type }) => type === 'step.completed')
    const output = typeof done?.data.output === 'string' ? done.data.output : ''
    const status = done === undefined ? ('cancelled' as const) : ('completed' as const)
    return [
      {
        id,
        agentId,
        objective,
        status,
        output,
        tries: 1,
        usage: { inputTokens: 0, outputTokens: 0, estimated: false },
        durationMs: 0,
      },
    ]
  })
}

/** Where a run is found over HTTP. */
export const linksOf = (runId: string): Record<string, string> => ({
  self: `/v1/runs/${runId}`,
  events: `/v1/runs/${runId}/events`,
  result: `/v1/runs/${runId}/result`,
})
