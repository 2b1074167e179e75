import { toSvcError } from '../../../../errors.ts'
import { ROLES } from '../../../../plan/roles.ts'
import { abortable } from '../../../../support/abortable.ts'
import { type FailedCheck, failedAcceptance } from '../../acceptance.ts'
import { nextBest } from '../../alternatives.ts'
import { isMarked } from '../../refuted.ts'
import { findLeftOut } from '../left-out.ts'
import type { ExecutionContext } from '../state/execution-context.ts'
import { noteStall, type StepOutput } from '../state/outcomes.ts'
import { isUsable, type StepState } from '../state/step-state.ts'
import type { StepAnswer } from './answer-draft.ts'
import { runAgent } from './run-agent.ts'
import { type StepInput, toInput } from './step-input.ts'
import { quoteFailures } from './step-messages.ts'
import { type VoteRecord, voteAmong } from './vote.ts'

/**
 * Runs one step: counts the votes of the drafts before it, or asks its agent. The gateways have retried what may pass, so
 * it is tried again only where something is new: by another agent, once, when this one cannot; by the same agent, once,
 * with the checks that its answer fails.
 *
 * @throws the last error when there is nothing new to try, or `maxTries` is reached
 */
export async function runStep(context: ExecutionContext, state: StepState): Promise<StepOutput> {
  const { run, previous, lastStep } = context
  const { step } = state
  const outputSchema = state === lastStep ? run.options.outputSchema : undefined
  const reflection = state === lastStep && previous?.reflection?.retry !== undefined ? previous.reflection : undefined
  let handedOver = step.dependsOn.map((id) => context.stateOf(id))
  let vote: VoteRecord | undefined
  if (step.role === ROLES.vote && reflection === undefined && outputSchema === undefined) {
    handedOver = handedOver.filter(isUsable)
    // A draft that the log refutes has no vote.
    const held = handedOver.filter(({ output }) => !isMarked(output))
    const { answer, clusters } = voteAmong(held.map(({ output }) => output))
    const groups = clusters.map((cluster) => cluster.flatMap((index) => held[index]?.step.id ?? []))
    vote = { decidedBy: answer === undefined ? 'model' : 'majority', clusters: groups }
    if (answer !== undefined) {
      state.tries++
      return { text: answer, vote }
    }
  }

  const input = toInput(context, state, handedOver, outputSchema, reflection)
  let answer: StepAnswer
  try {
    answer = await runAgent(context, state, input, input.user)
  } catch (thrown) {
    if (!passOn(context, state, thrown)) throw thrown
    answer = await runAgent(context, state, input, input.user)
  }
  const failed = await findFailed(context, state, answer)
  if (failed.length > 0) answer = await repair(context, state, input, { answer, failed })
  return vote === undefined ? answer : { ...answer, vote }
}

/** Gives the step to the agent that suits it next best, where that one may do better. */
function passOn(context: ExecutionContext, state: StepState, thrown: unknown): boolean {
  const { run, workers } = context
  const { step, agentId, tries } = state
  const error = toSvcError(thrown)
  // Who gave it away decides what becomes of it.
  if (run.signal.aborted || tries >= step.maxTries || state.parent !== undefined) return false
  const other = nextBest(step, agentId, workers, error, (id) => context.isFailing(id))
  if (other === undefined) return false
  noteStall(context, error)
  const at = { stepId: step.id, agentId }
  const info = error.toInfo()
  const reason = `${error.code}: another agent tries ${step.id}`
  run.emit('step.retrying', { tries: tries + 1, delayMs: 0, error: info }, at)
  run.emit('agent.failed', { error: info, willRetry: true }, at)
  context.progress.handOver({ from: agentId, to: other.agentId, reason, payloadRef: step.id }, at)
  const message = `${agentId} could not do ${step.id}, so ${other.agentId} did: ${error.message}`
  run.warn({ code: 'agent_replaced', message })
  state.agentId = other.agentId
  context.progress.startAgent(state, context.softTokensOf(other.agentId))
  return true
}

interface Checked {
  answer: StepAnswer
  failed: readonly FailedCheck[]
}

/** Sends an answer that fails its checks back once, with what was found, and keeps the better of both. */
async function repair(
  context: ExecutionContext,
  state: StepState,
  input: StepInput,
  first: Checked,
): Promise<StepAnswer> {
  const { run } = context
  const { step, agentId, tries } = state
  let best = first
  // After a No the step cannot do better: it would want the same call again.
  const mayRetry = tries < step.maxTries && !state.refused
  if (mayRetry && !run.signal.aborted && !run.budget.exhausted && context.turnsLeft > 0) {
    const check = { id: first.failed.map((one) => one.check).join('; '), evidence: evidenceOf(first) }
    run.emit('step.retrying', { tries: tries + 1, delayMs: 0, check }, { stepId: step.id, agentId })
    try {
      const text = `\n${quoteFailures(first.answer.text, first.failed)}`
      const content = [...input.user.content, { type: 'text' as const, text }]
      const answer = await runAgent(context, state, input, { ...input.user, content })
      const failed = await findFailed(context, state, answer)
      if (failed.length < best.failed.length) best = { answer, failed }
    } catch (thrown) {
      // The first answer is there, so a second try that fails costs no more than itself.
      if (run.signal.aborted || toSvcError(thrown).code === 'cancelled') throw thrown
    }
  }
  if (best.failed.length > 0) {
    noteStall(context, ACCEPTANCE_FAILED)
    const message = `${step.id}: ${best.failed.map(({ check, evidence }) => `${check} (found: ${evidence})`).join('; ')}`
    run.warn({ code: ACCEPTANCE_FAILED.code, message })
  }
  return best.answer
}

const ACCEPTANCE_FAILED = { code: 'acceptance_failed' }

const evidenceOf = ({ failed }: Checked): string => failed.map(({ evidence }) => evidence).join('; ')

async function findFailed(
  context: ExecutionContext,
  state: StepState,
  { text }: StepAnswer,
): Promise<readonly FailedCheck[]> {
  const { check, run, lastStep } = context
  const { step } = state
  const failed = [...failedAcceptance(step, text), ...(state === lastStep ? findLeftOut(context, text) : [])]
  if (check === undefined) return failed
  return [...failed, ...(await abortable(Promise.resolve(check(step, text)), run.signal))]
}
