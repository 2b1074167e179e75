import { type AgentResult, type Execution, NO_ANSWER, type StepResult } from '../../../contracts/index.ts'
import { canReplan, isGap } from '../alternatives.ts'
import { clip, oneLine } from '../clip.ts'
import { findLeftOut } from './left-out.ts'
import { findShortfall } from './missing.ts'
import type { ExecutionContext } from './state/execution-context.ts'
import { agentStatus, timeOf } from './state/progress.ts'
import { isUsable, type StepState } from './state/step-state.ts'
import { isLimit } from './state/stop.ts'

/** Puts together what the agents did. */
export function toExecution(context: ExecutionContext): Execution {
  const { run, plan, states, lastStep, stop, artifacts } = context
  const { missing, spared } = findShortfall(plan, states, lastStep.step.id)
  for (const { step, error } of spared) {
    run.warn({ code: 'step_failed', message: `${step.id} (${step.role}) failed: ${error?.message ?? ''}` })
  }
  const isDone = lastStep.status === 'completed'
  const isComplete = isDone && missing.length === 0
  const leavesOut = isComplete && findLeftOut(context, lastStep.output).length > 0
  const failure = missing.find(({ status, error }) => status === 'failed' && error !== undefined)?.error
  const error = isComplete ? undefined : (stop ?? failure ?? missing[0]?.error)
  const isStopped = (stop !== undefined && isLimit(stop)) || (failure !== undefined && isLimit(failure))
  const reason = isComplete ? undefined : !isStopped && wantsPlan(context, missing) ? 'plan_failed' : error?.code
  const output = isDone ? lastStep.output : bestOutput(context, error?.message ?? reason)
  // An answer that says that it is none fits no schema either, and the first is what counts.
  const isNoAnswer = (isComplete || error?.code === 'output_schema_mismatch') && output.startsWith(NO_ANSWER)
  const execution: Execution = {
    status: isComplete ? 'completed' : isNothing(context) && !isStopped ? 'failed' : 'incomplete',
    output,
    steps: [...states.values()].map((state) => toStepResult(state, context)),
    agents: [...context.workers.keys(), ...context.helpers.keys()].map((agentId) => toAgentResult(agentId, context)),
    artifacts: artifacts.all(),
  }
  if (lastStep.data !== undefined) execution.data = lastStep.data
  if (isNoAnswer) return { ...execution, status: 'incomplete', reason: 'not_found' }
  if (leavesOut) return { ...execution, status: 'incomplete', reason: 'checks_failed' }
  if (reason !== undefined) execution.reason = reason
  if (error !== undefined) execution.error = error
  return execution
}

/** Whether another plan could do what is missing. Where no model answers, only one with an agent on another model. */
function wantsPlan(context: ExecutionContext, missing: readonly StepState[]): boolean {
  const { plan, run, models } = context
  const agents = run.agents.filter(({ model }) => model === undefined || !models.isFailing(model))
  return missing.some(
    ({ step, error }) => (!isGap(error) || context.hasAnswered) && canReplan(plan, step, agents, error),
  )
}

const isNothing = ({ states, previous }: ExecutionContext): boolean =>
  (previous === undefined || previous.execution.status === 'failed') &&
  [...states.values()].every((state) => !isUsable(state))

/**
 * The best answer there is when the last step did not give one, never empty: what it had in hand, the answer of an earlier
 * execution, the results that nothing finished was built on, the longest text on the way, a sentence.
 */
function bestOutput({ plan, states, previous, lastStep }: ExecutionContext, why: string | undefined): string {
  if (isUsable(lastStep)) return lastStep.output
  if (previous?.reflection !== undefined && previous.execution.output !== '') return previous.execution.output
  const usable = [...states.values()].filter(isUsable)
  const used = new Set(usable.flatMap(({ step }) => step.dependsOn))
  const frontier = usable.filter(({ step, parent }) => parent === undefined && !used.has(step.id))
  const [only] = frontier
  if (frontier.length === 1 && only !== undefined && plan.steps.length <= 2) return only.output
  if (frontier.length > 0) {
    return frontier.map(({ step, output }) => `${clip(oneLine(step.objective), 300)}\n\n${output}`).join('\n\n')
  }
  const [best] = [...states.values()].map((state) => state.best).sort((a, b) => b.length - a.length)
  if (best !== undefined && best.trim() !== '') return best
  return `No step was finished: ${why ?? 'the run was stopped'}.`.replace(/\.\.$/, '.')
}

function toStepResult(state: StepState, { tally }: ExecutionContext): StepResult {
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

function toAgentResult(agentId: string, context: ExecutionContext): AgentResult {
  const { states, tally } = context
  const worker = context.workerOf(agentId)
  const own = [...states.values()].filter((state) => state.agentId === agentId)
  const summary = own.findLast(isUsable)?.output ?? ''
  return {
    agentId,
    ...(worker.profileId === undefined ? {} : { profileId: worker.profileId }),
    name: worker.name,
    role: worker.role,
    model: tally.modelOf(agentId) ?? context.modelOf(worker),
    // An agent without steps has lost the only one it had to another agent.
    status: own.length === 0 ? 'failed' : agentStatus(own),
    summary,
    usage: tally.ofAgent(agentId),
    costUsd: tally.costOf(agentId),
    durationMs: timeOf(own),
  }
}
