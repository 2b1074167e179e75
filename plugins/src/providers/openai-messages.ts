import { type ContentPart, type Message, type ModelRequest, type Quirks, toText } from '@svc/core'
import type OpenAI from 'openai'
import { isRecord, type Json, toRecord } from './json.ts'
import { toSchemaInstruction } from './output-schema.ts'
import { type ToolNames, toArgsText } from './tool-calls.ts'

type WireMessage = OpenAI.ChatCompletionMessageParam

/**
 * What the chat format has no place for and some servers want back with an assistant's turn that called tools:
 * reasoning text or details, and fields that came with a call.
 */
export interface ChatState {
  /** Id of the provider that made it: another one does not understand it. */
  readonly provider: string
  /** Fields of the assistant's message. */
  readonly message: Json
  /** Fields of its calls, by call id. */
  readonly calls: Readonly<Record<string, Json>>
}

/** A conversation as chat messages. */
export function toChatMessages(
  request: ModelRequest,
  context: { provider: string; names: ToolNames; quirks: Quirks; instructSchema: boolean },
): WireMessage[] {
  const { provider, names, quirks, instructSchema } = context
  const lastAssistant = request.messages.findLastIndex((message) => message.role === 'assistant')
  const wire: WireMessage[] = []
  // Tool messages hold text alone, and nothing may stand between them: their images follow the last of them.
  let images: ContentPart[] = []
  const flushImages = () => {
    if (images.length > 0) wire.push({ role: 'user', content: toContent(images) })
    images = []
  }
  request.messages.forEach((message, index) => {
    if (message.role !== 'tool') flushImages()
    if (message.role === 'tool') {
      images.push(...message.content.filter((part) => part.type === 'image'))
      wire.push({ role: 'tool', tool_call_id: message.toolCallId ?? '', content: toText(message.content) })
    } else if (message.role === 'assistant') {
      const state = message.state ?? (index === lastAssistant ? request.state : undefined)
      wire.push(toAssistant(message, names, isChatState(state) && state.provider === provider ? state : undefined))
    } else if (message.role === 'system') {
      wire.push({ role: quirks.systemRole ?? 'system', content: toText(message.content) })
    } else {
      wire.push({ role: 'user', content: toContent(message.content) })
    }
  })
  flushImages()
  if (instructSchema && request.outputSchema !== undefined) {
    const place = request.messages.findIndex((message) => message.role !== 'system')
    const content = toSchemaInstruction(request.outputSchema)
    wire.splice(place === -1 ? wire.length : place, 0, { role: quirks.systemRole ?? 'system', content })
  }
  return quirks.mergeSystem ? mergeSystem(wire, quirks.systemRole ?? 'system') : wire
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

function toContent(content: readonly ContentPart[]): string | OpenAI.ChatCompletionContentPart[] {
  if (content.every((part) => part.type !== 'image')) return toText(content)
  return content.flatMap((part): OpenAI.ChatCompletionContentPart[] => {
    if (part.type === 'image') {
      return [{ type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } }]
    }
    const text = toText([part])
    return text === '' ? [] : [{ type: 'text', text }]
  })
}

/** One system message at the start, for servers that take no other. */
function mergeSystem(wire: WireMessage[], role: 'system' | 'developer' | 'user'): WireMessage[] {
  const isSystem = (message: WireMessage) => message.role === 'system' || message.role === 'developer'
  const texts = wire.filter(isSystem).map((message) => message.content)
  if (texts.length < 2) return wire
  return [{ role, content: texts.join('\n\n') }, ...wire.filter((message) => !isSystem(message))]
}

function isChatState(state: unknown): state is ChatState {
  return isRecord(state) && typeof state.provider === 'string' && isRecord(state.message) && isRecord(state.calls)
}
