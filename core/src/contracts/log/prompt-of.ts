import { RunView } from '../run/run-view.ts'
import type { EventOf, RunEvent } from './event.ts'
import type { LoggedMessage, PromptMessage } from './prompt.ts'

type Started = EventOf<'model.started'>

/**
 * What a model was sent, message by message.
 *
 * @param events the log of the run from its beginning, in order, at least up to `seq`
 * @param seq number of the `model.started` of the call, or of a later event of it
 * @returns undefined where the log does not hold it: the event is none of a model call, was written before svc logged
 *   prompts, or rests on an event that `events` lacks
 */
export function promptOf(events: readonly RunEvent[], seq: number): PromptMessage[] | undefined {
  const chain = findChain(events, seq)
  let next = chain.pop()
  if (next === undefined) return undefined
  const view = new RunView()
  let prompt: PromptMessage[] = []
  for (const event of events) {
    if (event === next) {
      const { agentId = '', data } = next
      const { from = 0, messages = [] } = data.prompt ?? {}
      prompt = [...prompt.slice(0, from), ...messages.map((message) => toWhole(message, agentId, view))]
      next = chain.pop()
      if (next === undefined) break
    }
    view.apply(event)
  }
  return prompt
}

/** What each model call of a log was sent when it began, by its callId; a log from its beginning, read once. */
export function promptsOf(events: readonly RunEvent[]): Map<string, PromptMessage[]> {
  const prompts = new Map<string, PromptMessage[]>()
  const view = new RunView()
  for (const event of events) {
    const { type, callId, agentId = '', data } = event
    if (type === 'model.started' && callId !== undefined && data.prompt !== undefined && !prompts.has(callId)) {
      const { from, base, messages } = data.prompt
      const before = base === undefined ? [] : prompts.get(base)?.slice(0, from)
      if (before?.length === from)
        prompts.set(callId, [...before, ...messages.map((message) => toWhole(message, agentId, view))])
    }
    view.apply(event)
  }
  return prompts
}

/** The beginning of the call and those that its prompt rests on, the newest first; empty where one of them is not there. */
function findChain(events: readonly RunEvent[], seq: number): Started[] {
  const at = events.findLastIndex((event) => event.seq === seq)
  let wanted = events[at]?.callId
  const chain: Started[] = []
  for (let index = at; index >= 0 && wanted !== undefined; index--) {
    const event = events[index]
    if (event?.type !== 'model.started' || event.callId !== wanted) continue
    if (event.data.prompt === undefined) return []
    chain.push(event)
    wanted = event.data.prompt.base
  }
  return wanted === undefined ? chain : []
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
