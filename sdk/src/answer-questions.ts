import type { Decision, JsonSchema, Runtime } from '@svc/core/client'
import { isTerminalEvent, toSvcError, ValidationError } from '@svc/core/client'
import { type ApprovalAnswer, type ClientOptions, describe } from './option-checks.ts'

const denyAll: NonNullable<ClientOptions['onApproval']> = () => 'deny'
const knowNothing: NonNullable<ClientOptions['onInput']> = () => null

/**
 * Asks the caller's function about each tool call that needs approval. A function that throws, or returns no decision,
 * denies; so does none.
 *
 * @returns how to stop
 */
export function answerApprovals(runtime: Runtime, onApproval = denyAll): () => void {
  return runtime.onEvent((event) => {
    if (event.type !== 'approval.requested') return
    const approval = event.data
    const deny = (thrown: unknown): Promise<unknown> =>
      runtime.approvals.resolve(approval.id, {
        decision: 'deny',
        note: `onApproval failed: ${toSvcError(thrown).message}`,
      })
    void Promise.resolve()
      .then(() => onApproval(approval))
      .then((answer) => runtime.approvals.resolve(approval.id, toDecision(answer)))
      .catch(deny)
      .catch(() => {}) // The run has ended meanwhile, or somebody else has answered.
  })
}

/** Programs without types may answer anything. */
function toDecision(answer: ApprovalAnswer): Decision {
  if (answer === 'approve' || answer === 'deny') return { decision: answer }
  if (typeof answer !== 'object' || answer === null)
    throw new ValidationError(
      'validation_failed',
      `it has to return 'approve', 'deny' or { decision, args?, note? }, not ${describe(answer)}`,
    )
  return answer.decision === 'approve' && answer.args !== undefined ? { ...answer, decision: 'edit' } : answer
}

/**
 * Asks the caller's function what an agent asks the user. Where there is none, or it throws, or what it says is no answer
 * to the question, nobody knows. What is to happen after a crash is left to who looks into it.
 *
 * @returns how to stop
 */
export function answerInputs(runtime: Runtime, onInput = knowNothing): () => void {
  /** By run, what it asks now: an answer names no question, and what comes after somebody else has answered would be taken for the next. */
  const open = new Map<string, object>()
  return runtime.onEvent((event) => {
    const { type, data, runId } = event
    if (type === 'run.resumed' || isTerminalEvent(event)) open.delete(runId)
    if (type !== 'run.waiting' || data.reason !== 'input' || !data.input) return
    const { prompt, schema } = data.input
    open.set(runId, data)
    const isOpen = (): boolean => open.get(runId) === data
    const answer = (input: unknown): Promise<unknown> | false =>
      isOpen() && runtime.runs.resume(runId, { input: input ?? null })
    void Promise.resolve()
      .then(() => onInput({ runId, prompt, ...(schema && { schema: schema as JsonSchema }) }))
      .then(answer)
      .catch((thrown: unknown) => {
        const { code, message } = toSvcError(thrown)
        // Somebody else has answered.
        if (!isOpen() || code === 'invalid_transition') return
        globalThis.process?.emitWarning(`onInput gave no answer: ${message}`, 'SvcWarning')
        return answer(null)
      })
      .catch(() => {}) // The run has ended meanwhile, or somebody else has answered.
  })
}
