import type { Message, ToolCall } from '../../../contracts/model/message.ts'
import type { ModelCompletion, ModelPart, ModelProvider, ModelRequest } from '../../../contracts/model/model.ts'
import { ProviderError, SvcError } from '../../../errors.ts'
import { abortable } from '../../../support/abortable.ts'
import { nameOf } from '../../../support/ids.ts'
import { isDeeper } from '../../../support/is-deeper.ts'
import { usableUsage } from '../../budget/usable-usage.ts'
import type { CallStop } from '../call-context.ts'
import { AnswerFold, findExcess } from './answer-fold.ts'
import { estimateOutput, estimateRequest } from './estimate-request.ts'

/** As deep as the body of a request over HTTP may be. */
const MAX_ARGS_DEPTH = 64
/** What a provider wants back holds the arguments as they were sent. */
const MAX_STATE_DEPTH = 200

/** A provider's answer, with what svc can rely on: ids that differ, usage that can be. */
export interface ReadAnswer extends ModelCompletion {
  reasoning: string
}

/**
 * Reads one answer of a provider to its end.
 *
 * @param onText is handed each piece of text as it comes
 * @throws ProviderError for whatever the provider threw, `provider_bad_response` when it broke its contract;
 *   the signal's reason on abort, at once, whether the provider listens or not
 */
export async function readAnswer(
  provider: ModelProvider,
  request: ModelRequest,
  stop: CallStop,
  onText: (type: 'text' | 'reasoning', text: string) => void,
): Promise<ReadAnswer> {
  const { signal } = stop
  const onPart = (part: ModelPart): void => {
    if ((part.type === 'text' || part.type === 'reasoning') && !stop.isStopped) onText(part.type, part.text)
  }
  let answer: ModelCompletion
  try {
    answer = await (provider.complete === undefined
      ? foldParts(provider, request, signal, onPart)
      : abortable(provider.complete(request, { signal, onPart }), signal))
  } catch (thrown) {
    if (stop.isStopped) throw stop.reason
    if (SvcError.isInstance(thrown)) throw thrown
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw new ProviderError('provider_bad_response', `provider "${provider.id}" failed: ${why}`, {
      provider: provider.id,
      cause: thrown,
      retryable: false,
    })
  }
  const { text, reasoning = '', finishReason, usage, state, ttftMs, responseId, learnt, limits } = answer
  const isDeep = isDeeper(state, MAX_STATE_DEPTH)
  const toolCalls = answer.toolCalls.map(withFlatArgs)
  const excess = isDeep
    ? `sent a state that is nested more than ${MAX_STATE_DEPTH} levels deep`
    : findExcess({ ...answer, toolCalls })
  if (excess !== undefined) {
    const message = `provider "${provider.id}" ${excess}`
    throw new ProviderError('provider_bad_response', message, { provider: provider.id, retryable: false })
  }
  const read: ReadAnswer = {
    text,
    reasoning,
    toolCalls: withUniqueIds(toolCalls, request),
    finishReason,
    usage: usableUsage(
      usage,
      () => ({
        inputTokens: estimateRequest(request),
        outputTokens: estimateOutput({ text, reasoning, toolCalls }),
        estimated: true,
      }),
      text === '',
    ),
  }
  if (state !== undefined) read.state = state
  if (ttftMs !== undefined) read.ttftMs = ttftMs
  if (responseId !== undefined) read.responseId = responseId
  if (learnt !== undefined) read.learnt = learnt
  if (limits !== undefined) read.limits = limits
  return read
}

async function foldParts(
  provider: ModelProvider,
  request: ModelRequest,
  signal: AbortSignal,
  onPart: (part: ModelPart) => void,
): Promise<ModelCompletion> {
  const fold = new AnswerFold(provider.id, onPart)
  const parts = provider.generate(request, { signal })[Symbol.asyncIterator]()
  const read = async (): Promise<void> => {
    while (!fold.isFinished) {
      const next = await parts.next()
      if (next.done === true || signal.aborted) return
      fold.add(next.value)
    }
  }
  try {
    await abortable(read(), signal)
  } catch (thrown) {
    void parts.return?.().then(undefined, () => {})
    throw thrown
  }
  finish(parts)
  return fold.end()
}

/** Lets a provider that has answered come to its end and tidy up; nobody waits for it. */
function finish(parts: AsyncIterator<ModelPart>): void {
  void parts
    .next()
    .then(({ done }) => (done === true ? undefined : parts.return?.()))
    .then(undefined, () => {})
}

/** Arguments that nothing could show, record or check are none; the model reads that in the place of a result. */
const withFlatArgs = (call: ToolCall): ToolCall =>
  isDeeper(call.args, MAX_ARGS_DEPTH) ? { ...call, args: `nested more than ${MAX_ARGS_DEPTH} levels deep` } : call

/** Pairs of call and result hang on the ids, so an empty or repeated one gets another. */
function withUniqueIds(calls: ToolCall[], { messages }: ModelRequest): ToolCall[] {
  if (calls.length === 0) return calls
  const used = new Set<string>()
  return calls.map((call, index) => {
    const isUsed = call.callId === '' || used.has(call.callId) || isAmong(messages, call.callId)
    const callId = isUsed ? `call_${nameOf(24, messages.length, index, call.tool)}` : call.callId
    used.add(callId)
    return callId === call.callId ? call : { ...call, callId }
  })
}

/** Whether an earlier call has the id. Collects nothing: a long conversation is asked about in each of its turns. */
function isAmong(messages: readonly Message[], callId: string): boolean {
  for (const { toolCalls } of messages) {
    if (toolCalls !== undefined) for (const call of toolCalls) if (call.callId === callId) return true
  }
  return false
}
