import type { RequestContent } from '../../../contracts/log/cassette.ts'
import type { EventData } from '../../../contracts/log/event.ts'
import type { PromptMessage } from '../../../contracts/log/prompt.ts'
import type { Message } from '../../../contracts/model/message.ts'
import type { ModelRequest, ToolSpec } from '../../../contracts/model/model.ts'
import { canonicalJson } from '../../../support/canonical-json.ts'
import { digest } from '../../../support/ids.ts'
import { type Redactor, redactTexts } from '../../../support/secrets.ts'
import { toFullText } from '../../../text/media/media.ts'
import { requestMark } from '../../journal/keyed-journal.ts'

/** What a request says beside its messages, as the log has it. */
export function paramsOf(request: ModelRequest): EventData['model.started']['params'] {
  const { temperature, effort, maxOutputTokens, seed, toolChoice, tools, stop, outputSchema } = request
  const params: EventData['model.started']['params'] = {}
  if (temperature !== undefined) params.temperature = temperature
  if (effort !== undefined) params.effort = effort
  if (maxOutputTokens !== undefined) params.maxOutputTokens = maxOutputTokens
  if (seed !== undefined) params.seed = seed
  if (toolChoice !== undefined) params.toolChoice = toolChoice
  if (tools !== undefined) params.tools = tools.map(({ id }) => id)
  if (stop !== undefined) params.stop = [...stop]
  if (outputSchema !== undefined) {
    params.outputSchema = true
    params.outputSchemaSha256 = digest(canonicalJson(outputSchema))
  }
  return params
}

/** A run, or an event of one: the inspector names them in its notes to agents. */
const RUN_ID = /\brun_[0-9A-HJKMNP-TV-Z]{26}(?::\d+)?/g

/** A message without what differs from run to run, but the ids of its calls. */
const toPlain = (message: PromptMessage): PromptMessage => ({ ...message, text: message.text.replace(RUN_ID, 'run') })

/** Messages as they were shown, by redactor: a conversation is sent again with each turn, and most of it is as it was. */
const shown = new WeakMap<Redactor, WeakMap<Message, PromptMessage>>()

/** A conversation as `promptOf` reads it from a log, without what differs from run to run. */
export function toPrompt(messages: readonly Message[], redact: Redactor): PromptMessage[] {
  const known = shown.get(redact) ?? new WeakMap<Message, PromptMessage>()
  shown.set(redact, known)
  return numberCalls(
    messages.map((message) => {
      const before = known.get(message)
      if (before !== undefined) return before
      const { role, content, toolCalls = [], toolCallId } = message
      const plain = toPlain({
        role,
        text: redact(toFullText(content)),
        ...(toolCallId !== undefined && { callId: toolCallId }),
        ...(toolCalls.length > 0 && { toolCalls: redactTexts(toolCalls, redact) }),
      })
      known.set(message, plain)
      return plain
    }),
  )
}

/** A conversation of a log, in the same form. */
export const withoutIds = (messages: readonly PromptMessage[]): PromptMessage[] => numberCalls(messages.map(toPlain))

/** Tool calls are numbered: what their ids are means nothing. */
function numberCalls(messages: readonly PromptMessage[]): PromptMessage[] {
  const numbers = new Map<string, string>()
  const toNumber = (callId: string): string => {
    const known = numbers.get(callId) ?? `call ${numbers.size + 1}`
    numbers.set(callId, known)
    return known
  }
  return messages.map((message) => {
    const { callId, toolCalls } = message
    if (callId === undefined && toolCalls === undefined) return message
    return {
      ...message,
      ...(callId !== undefined && { callId: toNumber(callId) }),
      ...(toolCalls && { toolCalls: toolCalls.map((call) => ({ ...call, callId: toNumber(call.callId) })) }),
    }
  })
}

const marks = new WeakMap<Message, string>()

/** What a conversation asks: without instructions, which may be worded anew, as tools, models and limits may change. */
export function conversationMark(messages: readonly Message[]): string {
  const asked = messages.filter(({ role }) => role !== 'system')
  return requestMark(
    ...asked.map((message) => {
      const { role, content, toolCalls, toolCallId } = message
      const mark = marks.get(message) ?? requestMark(role, content, toolCalls, toolCallId)
      marks.set(message, mark)
      return mark
    }),
  )
}

/** The descriptions of offered tools, each as a hash; of those that the registry has. */
export function hashTools(
  offered: readonly string[],
  find: (id: string) => ToolSpec | undefined,
): RequestContent['tools'] {
  const known = offered.flatMap((id) => find(id) ?? [])
  return Object.fromEntries(
    known.map(({ id, description, parameters }) => [id, digest(canonicalJson({ id, description, parameters }))]),
  )
}

/** Whether two calls ask the same of the same model. */
export function isSameContent(one: RequestContent, other: RequestContent): boolean {
  const { messages, ...rest } = one
  const { messages: others, ...otherRest } = other
  return (
    messages.length === others.length &&
    // The newest differ first, where any do.
    messages.findLastIndex((message, index) => !isSameMessage(message, others[index] as PromptMessage)) === -1 &&
    canonicalJson(rest) === canonicalJson(otherRest)
  )
}

/** Texts are compared as they are: a long conversation is compared with each of its turns. */
const isSameMessage = (one: PromptMessage, other: PromptMessage): boolean =>
  one.role === other.role &&
  one.text === other.text &&
  one.callId === other.callId &&
  (one.toolCalls === other.toolCalls || canonicalJson(one.toolCalls ?? []) === canonicalJson(other.toolCalls ?? []))
