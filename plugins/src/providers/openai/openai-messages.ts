import { type ContentPart, type Message, type ModelRequest, type Quirks, toText } from '@svc/core'
import { isMedia, mediaOf, toFullText } from '@svc/core/text'
import type OpenAI from 'openai'
import { isRecord, type Json, toRecord } from '../format/json.ts'
import { toSchemaInstruction } from '../format/output-schema.ts'
import { type ToolNames, toArgsText } from '../format/tool-calls.ts'
import { toResultInWords, toTurnInWords } from '../format/tools-in-words.ts'
import { statesOf, type TurnState } from '../format/turn-state.ts'
import { toWireFile } from '../wire/wire-file.ts'

type WireMessage = OpenAI.ChatCompletionMessageParam

/**
 * What the chat format has no place for and some servers want back with an assistant's turn that called tools:
 * reasoning text or details, and fields that came with a call.
 */
export interface ChatState extends TurnState {
  /** Fields of the assistant's message. */
  readonly message: Json
  /** Fields of its calls, by call id. */
  readonly calls: Readonly<Record<string, Json>>
}

/** A conversation as chat messages. */
export function toChatMessages(
  request: ModelRequest,
  context: {
    provider: string
    names: ToolNames
    quirks: Quirks
    instructSchema: boolean
    /** Whether calls and results are words, as the model has no tools. */
    isInWords: boolean
    /** Whether the texts of a question stay apart; most servers want one. */
    keepsParts: boolean
    /** Told to the model after the system messages. */
    instruction: string
  },
): WireMessage[] {
  const { provider, names, quirks, instructSchema, isInWords, keepsParts } = context
  const stateOf = statesOf<ChatState>(request, provider, ({ message, calls }) => isRecord(message) && isRecord(calls))
  const wire: WireMessage[] = []
  // Tool messages hold text alone, and nothing may stand between them: what they show follows the last of them.
  let shown: ContentPart[] = []
  const flushShown = () => {
    if (shown.length > 0) wire.push({ role: 'user', content: toContent(shown, true) })
    shown = []
  }
  for (const message of request.messages) {
    if (message.role !== 'tool') flushShown()
    if (message.role === 'tool') {
      for (const part of mediaOf(message.content)) shown.push({ type: 'text', text: toFullText([part]) }, part)
      if (isInWords) wire.push({ role: 'user', content: toResultInWords(message) })
      else wire.push({ role: 'tool', tool_call_id: message.toolCallId ?? '', content: toFullText(message.content) })
    } else if (message.role === 'assistant' && isInWords) {
      wire.push({ role: 'assistant', content: toTurnInWords(message, names) })
    } else if (message.role === 'assistant') {
      wire.push(toAssistant(message, names, stateOf(message)))
    } else if (message.role === 'system') {
      wire.push({ role: 'system', content: toText(message.content) })
    } else {
      wire.push({ role: 'user', content: toContent(message.content, keepsParts) })
    }
  }
  flushShown()
  const instructions = context.instruction === '' ? [] : [context.instruction]
  if (instructSchema && request.outputSchema !== undefined) instructions.push(toSchemaInstruction(request.outputSchema))
  const place = request.messages.findIndex((message) => message.role !== 'system')
  const added = instructions.map((content): WireMessage => ({ role: 'system', content }))
  wire.splice(place === -1 ? wire.length : place, 0, ...added)
  return arrange(wire, quirks, isInWords)
}

function toAssistant(message: Message, names: ToolNames, state: ChatState | undefined): WireMessage {
  const text = toText(message.content)
  const calls = (message.toolCalls ?? []).map((call) => ({
    ...toRecord(state?.calls[call.callId]),
    id: call.callId,
    type: 'function' as const,
    function: { name: names.toName(call.tool), arguments: toArgsText(call.args) },
  }))
  return {
    ...toRecord(state?.message),
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

function toContent(content: readonly ContentPart[], keepsParts: boolean): string | OpenAI.ChatCompletionContentPart[] {
  if (!content.some(isMedia) && !(keepsParts && content.length > 1)) return toText(content)
  return content.flatMap((part): OpenAI.ChatCompletionContentPart[] => {
    if (part.type === 'file') return [{ type: 'file', file: toWireFile(part) }]
    if (part.type === 'image') {
      return [{ type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } }]
    }
    const text = toText([part])
    return text === '' ? [] : [{ type: 'text', text }]
  })
}

/** System messages where, and in the role in which, the server takes them. */
function arrange(
  wire: WireMessage[],
  { mergeSystem, systemRole = 'system' }: Quirks,
  isInWords: boolean,
): WireMessage[] {
  const isSystem = ({ role }: WireMessage): boolean => role === 'system'
  const system = wire.filter(isSystem).map(({ content }) => content)
  const text = system.join('\n\n')
  const ordered: WireMessage[] =
    mergeSystem && system.length > 0
      ? [{ role: 'system', content: text }, ...wire.filter((message) => !isSystem(message))]
      : wire
  const named =
    systemRole === 'system' ? ordered : ordered.map((each) => (isSystem(each) ? rename(each, systemRole) : each))
  return mergeSystem || systemRole === 'user' || isInWords ? joinNeighbours(named) : named
}

const rename = ({ content }: WireMessage, role: 'developer' | 'user'): WireMessage => ({ role, content }) as WireMessage

/** What a user says in several messages as one: models without a system role want the roles to alternate. */
function joinNeighbours(wire: readonly WireMessage[]): WireMessage[] {
  const joined: WireMessage[] = []
  for (const message of wire) {
    const last = joined.at(-1)
    if (message.role !== 'user' || last?.role !== 'user') joined.push(message)
    else joined[joined.length - 1] = { role: 'user', content: join(last.content, message.content) }
  }
  return joined
}

type UserContent = OpenAI.ChatCompletionUserMessageParam['content']

function join(first: UserContent, second: UserContent): UserContent {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`
  const toParts = (content: UserContent) =>
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  return [...toParts(first), ...toParts(second)]
}
