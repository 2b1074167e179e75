import { RunView } from '../run/run-view.ts'
import type { RunEvent } from './event.ts'
import type { LoggedMessage, PromptMessage } from './prompt.ts'

/**
 * What a model was sent, message by message.
 *
 * @param events the log of the run from its beginning, in order, at least up to `seq`
 * @param seq number of the `model.started` of the call, or of a later event of it
 * @returns undefined where the log does not hold it: the event is none of a model call, was written before svc logged
 *   prompts, or rests on an event that `events` lacks
 */
export function promptOf(events: readonly RunEvent[], seq: number): PromptMessage[] | undefined {
  const at = events.findLastIndex((event) => event.seq === seq)
  return lazyPromptsOf(events.slice(0, at + 1)).get(events[at]?.callId ?? '')?.()
}

/** Messages of a call, after the first so many of the call before. */
interface Part {
  before?: Part | undefined
  from: number
  messages: readonly PromptMessage[]
}

/**
 * What each model call of a log was sent when it began the last time, by its callId; a log from its beginning, read once. A
 * conversation is put together when it is asked for: all of them take the square of the log's length.
 */
export function lazyPromptsOf(events: readonly RunEvent[]): Map<string, () => PromptMessage[]> {
  const parts = new Map<string, Part>()
  const view = new RunView()
  for (const event of events) {
    const { type, callId, agentId = '', data } = event
    if (type === 'model.started' && callId !== undefined && data.prompt !== undefined) {
      const { from, base, messages } = data.prompt
      const before = base === undefined ? undefined : parts.get(base)
      if (from <= (before === undefined ? 0 : lengthOf(before)))
        parts.set(callId, { before, from, messages: messages.map((message) => toWhole(message, agentId, view)) })
    }
    view.apply(event)
  }
  return new Map([...parts].map(([callId, part]) => [callId, () => wholeOf(part)]))
}

/** The same, with all of them put together. */
export const promptsOf = (events: readonly RunEvent[]): Map<string, PromptMessage[]> =>
  new Map([...lazyPromptsOf(events)].map(([callId, prompt]) => [callId, prompt()]))

const lengthOf = ({ from, messages }: Part): number => from + messages.length

function wholeOf(last: Part): PromptMessage[] {
  const whole: PromptMessage[] = new Array(lengthOf(last))
  let end = whole.length
  for (let part: Part | undefined = last; part !== undefined; part = part.before) {
    for (let at = end - 1; at >= part.from; at--) whole[at] = part.messages[at - part.from] as PromptMessage
    end = Math.min(end, part.from)
  }
  return whole
}

function toWhole(
  { role, text, more = '', callId, toolCalls }: LoggedMessage,
  agentId: string,
  view: RunView,
): PromptMessage {
  if (role === 'assistant' && text === undefined) {
    const answer = view.findModelCall(agentId, callId)
    const calls = answer?.toolCalls ?? []
    return { role, text: `${answer?.text ?? ''}${more}`, ...(calls.length > 0 && { toolCalls: calls }) }
  }
  return {
    role,
    text: text ?? `${view.findToolCall(agentId, callId)?.result ?? ''}${more}`,
    ...(callId !== undefined && { callId }),
    ...(toolCalls !== undefined && { toolCalls }),
  }
}
