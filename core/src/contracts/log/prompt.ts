import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ToolCall } from '../model/message.ts'
import { Count, Text } from '../schema.ts'

/** One message of a prompt as the log keeps it: a text that other events of the call `callId` hold is not kept twice. */
export const LoggedMessage = Type.Object({
  role: Type.Enum(['system', 'user', 'assistant', 'tool']),
  text: Type.Optional(
    Text(
      'with images and PDFs in words; absent where it is what the tool call `callId` returned, or what the model call `callId` answered',
    ),
  ),
  more: Type.Optional(Text('what follows the text that stands elsewhere')),
  callId: Type.Optional(
    Text(
      'of role tool: the tool call that it answers; of role assistant without `text`: the model call whose answer it is',
    ),
  ),
  toolCalls: Type.Optional(Type.Array(ToolCall)),
})
export type LoggedMessage = Static<typeof LoggedMessage>

/** What a model was sent, without what the log holds already; `promptOf` makes it whole. */
export const LoggedPrompt = Type.Object({
  from: Count('index of the first of `messages`: those before it are those of the prompt of `base`'),
  base: Type.Optional(Text('callId of an earlier model call of the same agent; absent where `from` is 0')),
  messages: Type.Array(LoggedMessage),
})
export type LoggedPrompt = Static<typeof LoggedPrompt>

/** One message of a prompt, whole. */
export interface PromptMessage {
  role: LoggedMessage['role']
  /** With images and PDFs in words. */
  text: string
  /** Of role tool: the call that it answers. */
  callId?: string
  /** Of role assistant: what it asked for. */
  toolCalls?: readonly ToolCall[]
}
