import type Anthropic from '@anthropic-ai/sdk'
import { type ContentPart, type Message, type ModelRequest, toText } from '@svc/core'
import type { Json } from '../format/json.ts'
import { type ToolNames, toArgsObject } from '../format/tool-calls.ts'
import { hasCalls, statesOf, type TurnState } from '../format/turn-state.ts'

type Block = Anthropic.ContentBlockParam

/** An answer's blocks as they came, where more than text and tool calls: thinking is refused unless it comes back as it was. */
export interface MessagesState extends TurnState {
  readonly content: readonly Json[]
}

const THINKING = new Set(['thinking', 'redacted_thinking'])

/**
 * A conversation for the messages format: system messages go to the top, in order; the results of one turn's calls
 * stand together in one message of the user, before whatever the user says next.
 */
export function toMessages(
  request: ModelRequest,
  context: { provider: string; names: ToolNames },
): { system: string; messages: Anthropic.MessageParam[] } {
  const stateOf = statesOf<MessagesState>(request, context.provider, ({ content }) => Array.isArray(content))
  const system: string[] = []
  const messages: { role: 'user' | 'assistant'; content: Block[] }[] = []
  const add = (role: 'user' | 'assistant', content: Block[]) => {
    const last = messages.at(-1)
    if (content.length === 0) return
    if (role === 'user' && last?.role === 'user') last.content.push(...content)
    else messages.push({ role, content })
  }
  for (const message of request.messages) {
    if (message.role === 'system') system.push(toText(message.content))
    else if (message.role === 'user') add('user', toBlocks(message.content))
    else if (message.role === 'tool') {
      const content = toBlocks(message.content)
      add('user', [
        { type: 'tool_result', tool_use_id: message.toolCallId ?? '', ...(content.length > 0 ? { content } : {}) },
      ])
    } else add('assistant', toAssistantBlocks(message, context.names, stateOf(message)))
  }
  return { system: system.filter((text) => text !== '').join('\n\n'), messages }
}

function toAssistantBlocks(message: Message, names: ToolNames, state: MessagesState | undefined): Block[] {
  const ids = (state?.content ?? []).filter((block) => block.type === 'tool_use').map((block) => block.id)
  if (state !== undefined && hasCalls(ids, message)) return state.content as unknown as Block[]
  const thinking = (state?.content ?? []).filter((block) => THINKING.has(String(block.type))) as unknown as Block[]
  const calls = (message.toolCalls ?? []).map(
    (call): Block => ({
      type: 'tool_use',
      id: call.callId,
      name: names.toName(call.tool),
      input: toArgsObject(call.args),
    }),
  )
  return [...thinking, ...toBlocks(message.content).filter((block) => block.type === 'text'), ...calls]
}

type Shown = Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam

function toBlocks(content: readonly ContentPart[]): Shown[] {
  return content.flatMap((part): Shown[] => {
    if (part.type === 'file') {
      const source = { type: 'base64' as const, media_type: 'application/pdf' as const, data: part.data }
      return [{ type: 'document', source, ...(part.name === undefined ? {} : { title: part.name }) }]
    }
    if (part.type === 'image') {
      const media_type = part.mimeType as Anthropic.Base64ImageSource['media_type']
      return [{ type: 'image', source: { type: 'base64', media_type, data: part.data } }]
    }
    const text = toText([part])
    // A block of nothing but space is refused.
    return text.trim() === '' ? [] : [{ type: 'text', text }]
  })
}
