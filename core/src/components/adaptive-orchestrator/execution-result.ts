import type { AgentResult, Artifact, Execution, Plan, Previous, StepResult } from '../../contracts/index.ts'
import { clip, oneLine } from './clip.ts'
import { sinksOf } from './graph.ts'
import { agentStatus, timeOf } from './progress.ts'
import { isUsable, type StepState } from './step-state.ts'
import { isLimit, type Stop } from './stop.ts'
import type { Tally } from './tally.ts'
import type { Worker } from './workers.ts'

export interface Ending {
  plan: Plan
  states: ReadonlyMap<string, StepState>
  tally: Tally
  workers: ReadonlyMap<string, Worker>
  artifacts: Artifact[]
  defaultModel: string
  previous: Previous | undefined
  /** A limit that stopped everything. */
  stop: Stop | undefined
  /** Steps whose result the answer needs and that failed or were skipped. */
  missing: readonly StepState[]
  /** Whether another plan could help. */
  wantsPlan: boolean
}

/** Puts together what the agents did. */
export function toExecution(ending: Ending): Execution {
  const { plan, states, stop, missing, wantsPlan, artifacts } = ending
  const last = lastState(ending)
  const failure =
    missing.find(({ status, error }) => status === 'failed' && error !== undefined)?.error ?? missing[0]?.error
  const isDone = last?.status === 'completed'
  const isStopped = (stop !== undefined && stop.code !== 'plan_failed') || (failure !== undefined && isLimit(failure))
  const status =
    isDone && missing.length === 0 ? 'completed' : isNothing(ending) && !isStopped ? 'failed' : 'incomplete'
  const reason = status === 'completed' ? undefined : (stop?.code ?? (wantsPlan ? 'plan_failed' : failure?.code))
  const error =
    status === 'completed'
      ? undefined
      : stop === undefined
        ? failure
        : { code: stop.code, message: stop.message, retryable: false }
  return {
    status,
    output: isDone ? last.output : bestOutput(ending, reason, error?.message),
    ...(last?.data === undefined ? {} : { data: last.data }),
    steps: [...states.values()].map((state) => toStepResult(state, ending)),
    agents: plan.agents.map(({ agentId }) => toAgentResult(agentId, ending)),
    artifacts,
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error }),
  }
}

const lastState = ({ plan, states }: Ending): StepState | undefined => states.get(sinksOf(plan.steps).at(-1)?.id ?? '')

const isNothing = ({ states, previous }: Ending): boolean =>
  previous === undefined && [...states.values()].every((state) => !isUsable(state))

/**
 * The best answer there is when the last step did not give one, never empty: what it had in hand, the answer of an earlier
 * execution, the results that nothing finished was built on, the longest text that was said, a sentence.
 */
function bestOutput(ending: Ending, reason: string | undefined, message: string | undefined): string {
  const { plan, states, previous } = ending
  const last = lastState(ending)
  if (last !== undefined && isUsable(last)) return last.output
  if (previous?.reflection !== undefined && previous.execution.output !== '') return previous.execution.output
  const usable = [...states.values()].filter(isUsable)
  const used = new Set(usable.flatMap(({ step }) => step.dependsOn))
  const frontier = usable.filter(({ step }) => !used.has(step.id))
  const [only] = frontier
  if (frontier.length === 1 && only !== undefined && plan.steps.length <= 2) return only.output
  if (frontier.length > 0) {
    return frontier.map(({ step, output }) => `${clip(oneLine(step.objective), 300)}\n\n${output}`).join('\n\n')
  }
  const [best] = [...states.values()].map((state) => state.best).sort((a, b) => b.length - a.length)
  if (best !== undefined && best.trim() !== '') return best
  return `No step was finished: ${message ?? reason ?? 'the run was stopped'}.`.replace(/\.\.$/, '.')
}

function toStepResult(state: StepState, { tally }: Ending): StepResult {
  const { step, agentId, status, output, tries, startedAt, endedAt, error } = state
  return {
    id: step.id,
    agentId,
    objective: step.objective,
    status,
    output,
    tries,
    usage: tally.ofStep(step.id),
    durationMs: startedAt === undefined ? 0 : Math.max(0, (endedAt ?? startedAt) - startedAt),
    ...(error === undefined ? {} : { error }),
  }
}

function toAgentResult(agentId: string, ending: Ending): AgentResult {
  const { plan, states, tally, workers, defaultModel } = ending
  const agent = plan.agents.find((candidate) => candidate.agentId === agentId)
  const own = [...states.values()].filter((state) => state.agentId === agentId)
  const summary = own.findLast(isUsable)?.output ?? ''
  return {
    agentId,
    ...(agent?.profileId === undefined ? {} : { profileId: agent.profileId }),
    name: agent?.name ?? agentId,
    role: agent?.role ?? 'worker',
    model: tally.modelOf(agentId) ?? (workers.get(agentId)?.model || defaultModel),
    // Whose only step went to another agent has failed.
    status: own.length === 0 ? 'failed' : agentStatus(own),
    summary,
    usage: tally.ofAgent(agentId),
    costUsd: tally.costOf(agentId),
    durationMs: timeOf(own),
  }
}
