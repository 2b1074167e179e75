import type { RunCreate } from '@svc/core'
import * as Type from 'typebox'
import { MODEL } from '../../shared/begin-once.ts'
import { type ClientMessage, type Conversation, readConversation } from '../../shared/conversation.ts'
import { nullable, parsed, refuse, textOf } from '../../shared/fields.ts'
import type { Shape } from '../../shared/outcome.ts'
import { readContent } from '../asked/content.ts'
import { ReasoningEffort, readFormat, sharedFields, toOptions } from '../asked/options.ts'
import { readTools } from '../asked/tools.ts'

const Message = Type.Object({
  role: Type.Enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: Type.Optional(Type.Unknown({ description: 'a text, or parts: text, image_url and file with data: URLs' })),
  refusal: nullable(Type.String()),
  tool_calls: nullable(
    Type.Array(
      Type.Object({
        id: Type.String(),
        function: Type.Object({ name: Type.String(), arguments: Type.String() }),
      }),
    ),
  ),
  tool_call_id: nullable(Type.String()),
})

/** What is not named here is ignored, but for what would change the answer and cannot be done. */
export const ChatBody = Type.Object({
  ...sharedFields,
  messages: Type.Array(Message, { minItems: 1, maxItems: 10_000 }),
  stream_options: nullable(Type.Object({ include_usage: nullable(Type.Boolean()) })),
  response_format: Type.Optional(Type.Unknown({ description: 'text, json_object, or json_schema with its schema' })),
  max_completion_tokens: nullable(Type.Integer({ minimum: 1 })),
  max_tokens: nullable(Type.Integer({ minimum: 1 })),
  reasoning_effort: nullable(ReasoningEffort),
  seed: nullable(Type.Integer()),
  stop: Type.Optional(Type.Unknown({ description: 'a text, or up to 4: the answer is shown up to the first of them' })),
  n: nullable(Type.Integer({ minimum: 1 })),
})
export type ChatBody = Type.Static<typeof ChatBody>

/** What a request for a chat completion asks for. */
export interface ChatAsked extends Shape {
  /** As the answer names it. */
  model: string
  isStream: boolean
  isUsageAsked: boolean
  conversation: Conversation
  options: Partial<RunCreate>
}

/** @throws ValidationError for what cannot be done */
export function readChat(body: ChatBody): ChatAsked {
  refuseUnknown(body as Record<string, unknown>)
  const { model, messages, stream, stream_options, tools, tool_choice, response_format, seed } = body
  const { clientTools, forced, schema, instructions } = readTools(tools ?? [], tool_choice)
  const format = schema ?? readFormat(response_format, '/response_format')
  const said = messages.map(toMessage)
  if (instructions !== undefined) said.push({ role: 'system', text: instructions })
  return {
    model: model ?? MODEL,
    isStream: stream === true,
    isUsageAsked: stream_options?.include_usage === true,
    stops: readStops(body.stop),
    forced,
    isJson: format !== undefined,
    asksApproval: false,
    conversation: readConversation(said, clientTools),
    options: {
      ...toOptions(body, {
        effort: body.reasoning_effort,
        maxOutputTokens: body.max_completion_tokens ?? body.max_tokens,
      }),
      ...(format && { outputSchema: format }),
      ...(typeof seed === 'number' && { seed }),
    },
  }
}

function readStops(stop: unknown): string[] {
  const stops = stop === undefined || stop === null ? [] : [stop].flat()
  if (stops.length > 4) refuse('/stop', 'may have at most 4 sequences')
  return stops.map((text, index) => {
    const path = typeof stop === 'string' ? '/stop' : `/stop/${index}`
    const sequence = textOf(text, path)
    return sequence === '' || sequence.length > 1_000 ? refuse(path, 'must have 1 to 1000 characters') : sequence
  })
}

function refuseUnknown({ n, functions, modalities, logprobs }: Record<string, unknown>): void {
  if (typeof n === 'number' && n > 1) refuse('/n', 'must be 1: a run has one answer')
  if (functions !== undefined && functions !== null) refuse('/functions', 'is not supported: use tools')
  if (Array.isArray(modalities) && modalities.includes('audio')) refuse('/modalities', 'must be ["text"]')
  if (logprobs === true) refuse('/logprobs', 'is not supported')
}

function toMessage(message: ChatBody['messages'][number], index: number): ClientMessage {
  const { role, content, refusal, tool_calls, tool_call_id } = message
  const path = `/messages/${index}`
  const { text, media } = readContent(content, `${path}/content`)
  if (role === 'user') return { role, text, media }
  if (role === 'tool') {
    if (typeof tool_call_id !== 'string') return refuse(`${path}/tool_call_id`, 'is required')
    return { role, callId: tool_call_id, content: media.length === 0 ? text : [{ type: 'text', text }, ...media] }
  }
  if (media.length > 0) refuse(`${path}/content`, `of the role ${role} must be text`)
  if (role !== 'assistant') return { role: 'system', text }
  const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
    id,
    name,
    args: parsed(args),
  }))
  const said = [text, refusal ?? ''].filter((part) => part !== '').join('\n')
  return { role, text: said, ...(calls.length > 0 && { calls }) }
}
