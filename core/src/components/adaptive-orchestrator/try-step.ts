import type { JsonSchema, Message, Plan, RunContext, ToolInfo } from '../../contracts/index.ts'
import { toSvcError } from '../../errors.ts'
import { isGap, otherAgent } from './alternatives.ts'
import { runStep, type StepAnswer } from './run-step.ts'
import { systemMessage } from './step-messages.ts'
import type { StepState } from './step-state.ts'
import type { Tally } from './tally.ts'
import type { Worker } from './workers.ts'

/** What a step needs to be done, whoever does it. */
export interface StepWork {
  run: RunContext
  plan: Plan
  state: StepState
  user: Message
  tools: readonly ToolInfo[]
  stream: boolean
  outputSchema?: JsonSchema | undefined
  workers: ReadonlyMap<string, Worker>
  softTokensOf: (agentId: string) => number | undefined
  tally: Tally
}

/**
 * Does a step. What was transient the doors have retried, so it is tried again only where something is new: another agent of
 * the team, once, when this one cannot.
 *
 * @throws the last error when there is nothing new to try, or `maxTries` is reached
 */
export async function tryStep(work: StepWork): Promise<StepAnswer> {
  const { run, state, plan } = work
  const { step } = state
  try {
    return await tryOnce(work)
  } catch (thrown) {
    const error = toSvcError(thrown)
    const other = isGap(error) && state.tries < step.maxTries ? otherAgent(plan, state.agentId) : undefined
    if (other === undefined || run.signal.aborted) throw thrown
    const at = { stepId: step.id, agentId: state.agentId }
    const reason = `${error.code}: another agent tries ${step.id}`
    run.emit('step.retrying', { tries: state.tries, delayMs: 0, error: error.toInfo() }, at)
    run.emit('agent.failed', { error: error.toInfo(), willRetry: true }, at)
    run.emit('agent.handoff', { from: state.agentId, to: other.agentId, reason, payloadRef: step.id }, at)
    state.agentId = other.agentId
    return tryOnce(work)
  }
}

function tryOnce(work: StepWork): Promise<StepAnswer> {
  const { run, state } = work
  const { step } = state
  const worker = workerOf(work, state.agentId)
  state.tries++
  return runStep({
    run,
    stepId: step.id,
    worker,
    key: `execute/agent:${worker.agentId}/step:${step.id}/attempt:${run.attempt}/try:${state.tries}`,
    messages: [systemMessage(worker, step), work.user],
    tools: work.tools,
    stream: work.stream,
    outputSchema: work.outputSchema ?? worker.profile?.outputSchema,
    softTokens: work.softTokensOf(worker.agentId),
    tally: work.tally,
    onText: (text) => {
      if (text.length > state.best.length) state.best = text
    },
    onEvidence: (text) => {
      state.evidence.push(text.slice(0, 4_000))
      if (state.evidence.length > 8) state.evidence.shift()
    },
  })
}

function workerOf({ workers, plan }: StepWork, agentId: string): Worker {
  const agent = plan.agents.find((candidate) => candidate.agentId === agentId)
  return (
    workers.get(agentId) ?? {
      agentId,
      name: agent?.name ?? agentId,
      role: agent?.role ?? 'worker',
      model: '',
      maxConcurrent: Number.POSITIVE_INFINITY,
    }
  )
}
