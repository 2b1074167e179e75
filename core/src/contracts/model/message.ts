import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Text } from '../schema.ts'

const media = { mimeType: Type.String(), data: Text('base64'), name: Type.Optional(Text('as a person knows it')) }

/** An image: PNG, JPEG, GIF or WebP. */
const ImagePart = Type.Object({ type: Type.Literal('image'), ...media })

/** A PDF. */
const FilePart = Type.Object({ type: Type.Literal('file'), ...media })

/** One piece of a message. */
export const ContentPart = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  ImagePart,
  FilePart,
  Type.Object({ type: Type.Literal('json'), json: Type.Unknown() }),
])
export type ContentPart = Static<typeof ContentPart>

/** A piece that is no text. */
export type MediaPart = Static<typeof ImagePart> | Static<typeof FilePart>

/** A model's wish to call a tool. */
export const ToolCall = Type.Object({
  callId: Text('pairs the call with its result'),
  tool: Text('id of the tool'),
  args: Type.Unknown({ description: "its arguments as parsed JSON; a string when the model's JSON was malformed" }),
})
export type ToolCall = Static<typeof ToolCall>

/** One turn of a conversation with a model. */
export const Message = Type.Object({
  role: Type.Enum(['system', 'user', 'assistant', 'tool']),
  content: Type.Array(ContentPart),
  toolCalls: Type.Optional(Type.Array(ToolCall)),
  toolCallId: Type.Optional(Text('of role tool: which call this answers')),
  state: Type.Optional(Type.Unknown({ description: 'opaque to svc, passed back to the provider unchanged' })),
})
export type Message = Static<typeof Message>
