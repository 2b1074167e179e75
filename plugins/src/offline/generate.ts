import type { JsonSchema, ModelPart, ModelRequest, ToolCall } from '@svc/core'
import { CancelledError, estimateTokens, NO_ANSWER, SvcError, toText } from '@svc/core'
import { answer } from './answer.ts'
import type { Wish } from './look.ts'
import { OfferedTools } from './offered-tools.ts'
import { type Conversation, callKey, NOT_CALLED, readConversation, type ToolOutcome } from './question/conversation.ts'

/** Turns with tool calls after which it answers with what it has. */
const MOST_TURNS = 8

/** The calls that are wanted next, or the answer. */
export async function* generate(request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncGenerator<ModelPart> {
  throwIfAborted(signal)
  const conversation = readConversation(request)
  const mayCall = request.toolChoice !== 'none' && (request.tools ?? []).length > 0 && conversation.turns < MOST_TURNS
  const inputTokens = countInput(request)
  const turn = takeTurn(conversation, request, mayCall)
  if (turn.calls.length > 0) {
    for (const call of turn.calls) yield { type: 'toolCall', call }
    const outputTokens = estimateTokens(JSON.stringify(turn.calls.map(({ tool, args }) => ({ tool, args }))))
    yield { type: 'finish', finishReason: 'toolCalls', usage: { inputTokens, outputTokens, estimated: true } }
    return
  }
  const whole = withUnseen(turn.text, conversation, request)
  const { text, isCut } = cut(carryOn(whole, conversation.said), request.maxOutputTokens)
  for (const piece of request.stream ? text.split(/(?<=\n)/) : [text]) {
    throwIfAborted(signal)
    yield { type: 'text', text: piece }
  }
  const usage = { inputTokens, outputTokens: estimateTokens(text), estimated: true }
  yield { type: 'finish', finishReason: isCut ? 'length' : 'stop', usage }
}

/** Says of what came along that it was not looked at; what has a shape of its own, and is an answer, is left as it is. */
function withUnseen(text: string, { unseen }: Conversation, { outputSchema }: ModelRequest): string {
  if (unseen.length === 0 || (outputSchema !== undefined && !text.startsWith(NO_ANSWER))) return text
  return `${text}\n\nI am no language model and cannot see images or PDFs. Not looked at: ${unseen.join('; ')}.`
}

/** Plays the work forward over the outcomes that are known, to the calls that are not, or to its end. */
function takeTurn(
  conversation: Conversation,
  request: ModelRequest,
  mayCall: boolean,
): { calls: ToolCall[]; text: string } {
  const offered = request.tools ?? []
  const looks = answer(conversation, new OfferedTools(offered), request.outputSchema as JsonSchema | undefined)
  let step = looks.next()
  while (!step.done) {
    const wishes = step.value
    const unknown = wishes.filter((wish) => !conversation.outcomes.has(callKey(wish.tool, wish.args)))
    if (unknown.length > 0 && mayCall) return { calls: toCalls(unknown, conversation), text: '' }
    step = looks.next(wishes.map((wish) => outcomeOf(wish, conversation)))
  }
  return { calls: [], text: step.value }
}

function outcomeOf(wish: Wish, { outcomes }: Conversation): ToolOutcome {
  return outcomes.get(callKey(wish.tool, wish.args)) ?? { ok: false, reason: NOT_CALLED }
}

/** Each wish once, under an id that says the turn and the place in it. */
function toCalls(wishes: readonly Wish[], { turns, objective }: Conversation): ToolCall[] {
  const byKey = new Map(wishes.map((wish) => [callKey(wish.tool, wish.args), wish]))
  const mark = hash(objective)
  return [...byKey.values()].map(({ tool, args }, index) => ({
    callId: `call-${mark}-${turns + 1}-${index + 1}`,
    tool,
    args,
  }))
}

/** A short mark of a text (FNV-1a, Fowler, Noll and Vo, 1991), so that calls of different questions differ. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0
  return value.toString(36)
}

function countInput(request: ModelRequest): number {
  const messages = request.messages.reduce((sum, message) => {
    const calls = message.toolCalls ? estimateTokens(JSON.stringify(message.toolCalls)) : 0
    return sum + estimateTokens(toText(message.content)) + calls + 4
  }, 0)
  return messages + (request.tools ? estimateTokens(JSON.stringify(request.tools)) : 0)
}

/** What is left of an answer, the beginning of which was said before. */
const carryOn = (text: string, said: string): string => (text.startsWith(said) ? text.slice(said.length) : text)

/** At most so many tokens, cut after a whole line where there is one. */
function cut(text: string, maxOutputTokens: number | undefined): { text: string; isCut: boolean } {
  if (maxOutputTokens === undefined || estimateTokens(text) <= maxOutputTokens) return { text, isCut: false }
  let kept = ''
  for (const line of text.split(/(?<=\n)/)) {
    if (estimateTokens(kept + line) > maxOutputTokens) break
    kept += line
  }
  if (kept === '') kept = text.slice(0, maxOutputTokens * 2)
  return { text: kept.trimEnd(), isCut: true }
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted)
    throw signal.reason instanceof SvcError ? signal.reason : new CancelledError('cancelled', 'the call was cancelled')
}
