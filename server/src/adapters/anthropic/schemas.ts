import type { Static } from 'typebox'
import * as Type from 'typebox'
import { nullable } from '../shared/fields.ts'

const { Optional } = Type

/** Of what a client sends, what svc reads; other fields of Anthropic's are taken and ignored. */
const Block = Type.Object(
  { type: Type.String({ maxLength: 200 }) },
  { description: 'text, image, document, search_result, tool_use, tool_result; thinking is ignored' },
)
export type Block = Record<string, unknown> & Static<typeof Block>

const Message = Type.Object({
  role: Type.Enum(['user', 'assistant', 'system']),
  content: Type.Union([Type.String(), Type.Array(Block)], { description: 'a text, or blocks' }),
})
export type MessageParam = { role: 'user' | 'assistant' | 'system'; content: string | Block[] }

const Tool = Type.Object(
  {
    type: Optional(Type.Union([Type.String(), Type.Null()], { description: '`custom`, or none' })),
    name: Optional(Type.String()),
    description: Optional(Type.Union([Type.String(), Type.Null()])),
    input_schema: Optional(Type.Object({}, { description: 'JSON Schema of an object' })),
  },
  { description: 'a tool of the client' },
)
export type ToolParam = Static<typeof Tool>

const ToolChoice = Type.Object({
  type: Type.Enum(['auto', 'any', 'tool', 'none']),
  name: Optional(Type.String({ description: 'of type `tool`' })),
  disable_parallel_tool_use: Optional(Type.Boolean({ description: 'true: at most one call in an answer' })),
})
export type ToolChoice = Static<typeof ToolChoice>

const Format = Type.Object({
  type: Type.Literal('json_schema'),
  schema: Type.Object({}, { description: 'JSON Schema of the answer' }),
})

/** What is counted, and what is asked. */
const asked = {
  model: Type.String({
    minLength: 1,
    maxLength: 300,
    description: '`svc`: the default of the config; or `provider/model`',
  }),
  messages: Type.Array(Message, { minItems: 1, maxItems: 10_000, description: 'the last one is the task' }),
  system: Optional(
    Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.Literal('text'), text: Type.String() }))], {
      description: 'instructions: a text, or blocks of text',
    }),
  ),
  tools: Optional(Type.Array(Tool)),
  tool_choice: Optional(ToolChoice),
  output_config: nullable(
    Type.Object({
      effort: nullable(Type.Enum(['low', 'medium', 'high', 'xhigh', 'max'])),
      format: nullable(Format),
    }),
  ),
  output_format: nullable(Format),
}

export const CountTokensBody = Type.Object(asked)
export type CountTokensBody = Omit<Static<typeof CountTokensBody>, 'messages'> & { messages: MessageParam[] }

export const MessagesBody = Type.Object({
  ...asked,
  max_tokens: Type.Integer({ minimum: 1, description: 'longest answer of one model call' }),
  stream: Optional(Type.Boolean({ description: 'true: events of the answer as it is said' })),
  temperature: Optional(Type.Number({ minimum: 0, maximum: 1 })),
  stop_sequences: Optional(Type.Array(Type.String(), { description: 'the answer ends before the first of them' })),
  metadata: Optional(Type.Object({ user_id: nullable(Type.String({ description: 'kept with the run' })) })),
  thread: Optional(
    Type.Union([
      Type.Null(),
      Type.Object({ type: Type.Literal('create') }),
      Type.Object({ type: Type.Literal('continue'), previous_message_id: Type.String({ maxLength: 200 }) }),
    ]),
  ),
})
export type MessagesBody = Omit<Static<typeof MessagesBody>, 'messages'> & { messages: MessageParam[] }

const Tokens = Type.Integer({ minimum: 0 })

const Usage = Type.Object({
  input_tokens: Type.Integer({ minimum: 0, description: 'without those read from, or written to, a cache' }),
  output_tokens: Tokens,
  cache_read_input_tokens: Tokens,
  cache_creation_input_tokens: Tokens,
})

export const Message200 = Type.Object({
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String(),
  content: Type.Array(Type.Object({ type: Type.Enum(['text', 'tool_use']) })),
  stop_reason: Type.Enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal']),
  stop_sequence: Type.Union([Type.String(), Type.Null()]),
  usage: Usage,
  svc: Type.Object({ run_id: Type.String(), status: Type.String(), verdict: Optional(Type.String()) }),
})

export const CountTokens200 = Type.Object({ input_tokens: Tokens })
