import type { AgentProfile } from '../../contracts/plugin/agent-profile.ts'
import type { ExecutionResult, PlanResult } from '../../contracts/run/result.ts'
import { hasAnswer } from '../../contracts/run/run-end.ts'
import type { Complexity } from '../../contracts/stages/complexity.ts'
import type { Execution } from '../../contracts/stages/execution.ts'
import type { Plan } from '../../contracts/stages/plan.ts'
import type { Task } from '../../contracts/stages/task.ts'
import type { Mode } from '../../contracts/words.ts'
import { traceIdOf } from '../observe/trace-context.ts'
import { toResultFacts } from './facts/result-facts.ts'
import { describeGiven } from './given-plan.ts'
import type { Outcome } from './outcome.ts'
import type { PipelineAnswers } from './pipeline.ts'
import type { PipelineRun } from './pipeline-run.ts'

/** What a finished run returns, by its mode. */
export function toResult(
  mode: Mode,
  task: Task,
  answers: PipelineAnswers,
  run: PipelineRun,
  outcome: Outcome,
  timing: ExecutionResult['timing'],
): ExecutionResult | PlanResult | Complexity {
  if (mode === 'analyze' && answers.complexity !== undefined && outcome.status === 'completed') {
    return answers.complexity
  }
  if (mode === 'plan') return toPlanResult(task, answers, run, outcome)
  return toExecutionResult(answers, run, outcome, timing)
}

function toExecutionResult(
  { complexity, allocation, plan, execution, reflection, consensus, inspection }: PipelineAnswers,
  run: PipelineRun,
  { status, verdict, claims, warnings, error, reason }: Outcome,
  timing: ExecutionResult['timing'],
): ExecutionResult {
  const { whole: view } = run.recorder
  const { taintedBy } = run.context
  const { data } = execution ?? {}
  const summary = execution?.output ?? view.textSoFar()
  return {
    runId: run.facts.id,
    status,
    verdict,
    claims: [...claims],
    facts: toResultFacts(view.toolCalls, hasAnswer({ status }) ? summary : ''),
    summary,
    ...(data === undefined ? {} : { output: data }),
    ...(complexity && { complexity }),
    ...(allocation && { allocation }),
    ...(plan && { plan }),
    steps: (execution?.steps ?? stepsSoFar(run.recorder)).map((step) => ({
      ...step,
      usage: view.usageOfStep(step.id),
    })),
    agents: (execution?.agents ?? []).map((agent) => ({ ...agent, ...view.usageOfAgent(agent.agentId) })),
    artifacts: execution?.artifacts ?? [],
    ...(reflection && { reflection }),
    ...(consensus && { consensus }),
    ...(inspection && { inspection }),
    ...(taintedBy.length > 0 && { tainted: true, taintedBy: [...taintedBy] }),
    toolCalls: view.toolCallCounts,
    usage: view.usage,
    costUsd: view.costUsd,
    timing,
    warnings: [...run.recorder.warnings, ...warnings],
    ...(error && status !== 'completed' ? { error } : {}),
    ...(status === 'incomplete' ? { incomplete: { reason: reason ?? 'limit' } } : {}),
    traceId: traceIdOf(run.facts.id, run.recorder.events[0]),
    links: linksOf(run.facts.id),
  }
}

function toPlanResult(task: Task, answers: PipelineAnswers, run: PipelineRun, { status, error }: Outcome): PlanResult {
  const { whole: view } = run.recorder
  const plan: Plan = answers.plan ?? {
    id: 'none',
    topology: 'SINGLE',
    agents: [],
    steps: [],
    source: 'deterministic',
    criticalPath: [],
    warnings: [],
  }
  const hasFailed = status !== 'completed'
  return {
    runId: run.facts.id,
    status,
    summary: hasFailed ? (error?.message ?? 'no plan was made') : describePlan(plan),
    topology: plan.topology,
    agents: plan.agents.map((agent) => profileFor(agent, run, plan)),
    budget: answers.allocation ?? {
      total: 0,
      topology: plan.topology,
      shares: [],
      reserves: { coordination: 0, synthesis: 0, reflection: 0, consensus: 0, final: 0, contingency: 0 },
      underfunded: false,
      explanation: [],
    },
    complexity:
      answers.complexity ??
      describeGiven(task.id, { ...plan, agents: [{ agentId: 'agent-1', name: 'none', role: 'none' }] }),
    plan,
    usage: view.usage,
    costUsd: view.costUsd,
    warnings: [...run.recorder.warnings],
    ...(error && { error }),
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

function profileFor(agent: Plan['agents'][number], run: PipelineRun, plan: Plan): AgentProfile {
  const bound = run.facts.agents.find(({ id }) => id === agent.profileId)
  if (bound !== undefined) return bound
  const time = new Date(run.context.now()).toISOString()
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

/** What the log says of the steps, for a run whose `execute` never answered. */
function stepsSoFar({ whole: view }: PipelineRun['recorder']): Execution['steps'] {
  return [...view.steps.values()].map(
    ({ id, agentId, objective, status, output, tries, error, startedAt, endedAt }) => ({
      id,
      agentId,
      objective,
      status: status === 'completed' ? status : ('cancelled' as const),
      output,
      tries,
      usage: view.usageOfStep(id),
      durationMs: Math.max(0, (endedAt ?? startedAt) - startedAt),
      ...(error && { error }),
    }),
  )
}

/** Where a run is found over HTTP. */
export const linksOf = (runId: string): Record<string, string> => ({
  self: `/v1/runs/${runId}`,
  events: `/v1/runs/${runId}/events`,
  result: `/v1/runs/${runId}/result`,
})
