import {
  type JsonSchema,
  type Message,
  type Plan,
  type RunContext,
  type ToolInfo,
  textMessage,
  toText,
} from '../../contracts/index.ts'
import { toSvcError } from '../../errors.ts'
import { type FailedCheck, failedAcceptance, type StepCheck } from './acceptance.ts'
import { nextBest } from './alternatives.ts'
import type { ArtifactLog } from './artifacts.ts'
import type { Handoff } from './handoff.ts'
import { runStep, type StepAnswer } from './run-step.ts'
import { quoteFailures, systemMessage } from './step-messages.ts'
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
  handoff: Handoff
  artifacts: ArtifactLog
  stream: boolean
  outputSchema?: JsonSchema | undefined
  workers: ReadonlyMap<string, Worker>
  /** Checks beside those of the acceptance. */
  check?: StepCheck | undefined
  /** Whether an agent has been lost in this execution, its model being out. */
  isOut: (agentId: string) => boolean
  softTokensOf: (agentId: string) => number | undefined
  turnsLeft: () => number
  tally: Tally
  /** Hears of everything that did not get the step on: failures, and answers that do not pass. */
  onStall: (agentId: string, error: { code: string }) => void
}

/**
 * Does a step. What was transient the doors have retried, so it is tried again only where something is new: another agent,
 * once, when this one cannot; the same agent, once, told which checks its answer fails.
 *
 * @throws the last error when there is nothing new to try, or `maxTries` is reached
 */
export async function tryStep(work: StepWork): Promise<StepAnswer> {
  const { run, state, workers } = work
  const { step } = state
  let answer: StepAnswer
  try {
    answer = await tryOnce(work, work.user)
  } catch (thrown) {
    const error = toSvcError(thrown)
    const other = state.tries < step.maxTries ? nextBest(step, state.agentId, workers, error, work.isOut) : undefined
    if (other === undefined || run.signal.aborted) throw thrown
    work.onStall(state.agentId, error)
    const at = { stepId: step.id, agentId: state.agentId }
    const reason = `${error.code}: another agent tries ${step.id}`
    run.emit('step.retrying', { tries: state.tries, delayMs: 0, error: error.toInfo() }, at)
    run.emit('agent.failed', { error: error.toInfo(), willRetry: true }, at)
    run.emit('agent.handoff', { from: state.agentId, to: other.agentId, reason, payloadRef: step.id }, at)
    run.warn({
      code: 'agent_replaced',
      message: `${state.agentId} could not do ${step.id}, so ${other.agentId} did: ${error.message}`,
    })
    state.agentId = other.agentId
    answer = await tryOnce(work, work.user)
  }
  return repair(work, answer)
}

/** Sends an answer that fails its checks back once, with what was found, and keeps the better of both. */
async function repair(work: StepWork, first: StepAnswer): Promise<StepAnswer> {
  const { run, state } = work
  const { step, agentId } = state
  const failed = await findFailed(work, first)
  if (failed.length === 0) return first
  let kept = { answer: first, failed }
  if (state.tries < step.maxTries && !run.signal.aborted && !run.budget.exhausted && work.turnsLeft() > 0) {
    const error = { code: 'acceptance_failed', message: describe(failed), retryable: true }
    run.emit('step.retrying', { tries: state.tries, delayMs: 0, error }, { stepId: step.id, agentId })
    try {
      const user = textMessage('user', `${toText(work.user.content)}\n\n${quoteFailures(first.text, failed)}`)
      const second = await tryOnce(work, user)
      const left = await findFailed(work, second)
      if (left.length < failed.length) kept = { answer: second, failed: left }
    } catch (thrown) {
      // The first answer is there, so a second try that breaks off costs no more than itself.
      if (run.signal.aborted || toSvcError(thrown).code === 'cancelled') throw thrown
    }
  }
  if (kept.failed.length > 0) {
    work.onStall(agentId, { code: 'acceptance_failed' })
    run.warn({ code: 'acceptance_failed', message: `${step.id}: ${describe(kept.failed)}` })
  }
  return kept.answer
}

async function findFailed({ state: { step }, check }: StepWork, { text }: StepAnswer): Promise<FailedCheck[]> {
  return [...failedAcceptance(step, text), ...((await check?.(step, text)) ?? [])]
}

const describe = (failed: readonly FailedCheck[]): string =>
  failed.map(({ check, evidence }) => `${check} (found: ${evidence})`).join('; ')

/** Failures of a tool that are neither the model's mistake nor a refusal. */
const BREAKDOWNS: ReadonlySet<string> = new Set(['tool_failed', 'tool_timeout', 'tool_output_too_large'])

function tryOnce(work: StepWork, user: Message): Promise<StepAnswer> {
  const { run, state } = work
  const { step } = state
  const worker = workerOf(work, state.agentId)
  state.tries++
  return runStep({
    run,
    stepId: step.id,
    worker,
    key: `execute/agent:${worker.agentId}/step:${step.id}/attempt:${run.attempt}/try:${state.tries}`,
    messages: [systemMessage(worker, step), user],
    tools: work.tools,
    handoff: work.handoff,
    onTried: (tool, error) => {
      if (error === undefined) state.broken.delete(tool)
      else if (BREAKDOWNS.has(error.code)) state.broken.set(tool, error.message)
    },
    onWritten: (call) => work.artifacts.note(step.id, call),
    stream: work.stream,
    outputSchema: work.outputSchema ?? worker.profile?.outputSchema,
    softTokens: work.softTokensOf(worker.agentId),
    tally: work.tally,
    turnsLeft: work.turnsLeft,
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
