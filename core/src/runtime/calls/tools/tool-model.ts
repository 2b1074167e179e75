import type { ModelAnswer } from '../../../contracts/model/model.ts'
import type { ToolModelRequest } from '../../../contracts/tool/tool.ts'
import { LimitError } from '../../../errors.ts'
import { estimateMessageTokens } from '../../../text/compact-messages.ts'
import type { CallContext, CallSite } from '../call-context.ts'

/** What of a run's soft budget its tools may spend on models. */
const SHARE = 0.1

/** Tokens that the tools of each run have spent. */
const spent = new WeakMap<CallContext, number>()

/** Asks a model for a tool. @param key of the call in the journal */
export async function askModel(
  run: CallContext,
  { agentId, stepId }: CallSite,
  key: string,
  { model = run.facts.defaultModel, maxOutputTokens = Number.POSITIVE_INFINITY, ...request }: ToolModelRequest,
): Promise<ModelAnswer> {
  const share = Math.floor(SHARE * run.ledger.softTokens)
  const place = { key, agentId, model, stream: false, ...(stepId !== undefined && { stepId }) }
  const asked = request.messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0)
  const left = share - (spent.get(run) ?? 0) - asked
  if (left <= 0) {
    const message = `the tools of this run may use ${share} tokens of models together, and this would be more`
    throw new LimitError('budget_exhausted', message, { details: { scope: 'tools' } })
  }
  const most = Math.min(maxOutputTokens, left)
  const answer = await run.context.model({ ...request, ...place, maxOutputTokens: most })
  const { inputTokens, outputTokens } = answer.usage
  spent.set(run, (spent.get(run) ?? 0) + inputTokens + outputTokens)
  return answer
}
