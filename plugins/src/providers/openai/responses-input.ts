import { type ContentPart, type Message, type ModelRequest, type Quirks, toText } from '@svc/core'
import { isMedia } from '@svc/core/text'
import type OpenAI from 'openai'
import type { Json } from '../format/json.ts'
import { toSchemaInstruction } from '../format/output-schema.ts'
import { type ToolNames, toArgsText } from '../format/tool-calls.ts'
import { hasCalls, statesOf, type TurnState } from '../format/turn-state.ts'
import { toWireFile } from '../wire/wire-file.ts'

type Item = OpenAI.Responses.ResponseInputItem
type Role = 'system' | 'developer' | 'user'

/** An answer's items as they came, where more than messages and calls: reasoning comes back encrypted and unchanged. */
export interface ResponsesState extends TurnState {
  readonly output: readonly Json[]
}

/** A conversation as the input items of the responses format; nothing is kept on the server between two requests. */
export function toInput(
  request: ModelRequest,
  context: {
    provider: string
    names: ToolNames
    quirks: Quirks
    instructSchema: boolean
    /** Whether the texts of a question stay apart. */
    keepsParts: boolean
  },
): Item[] {
  const { provider, names, quirks, instructSchema, keepsParts } = context
  const role: Role = quirks.systemRole ?? 'system'
  const stateOf = statesOf<ResponsesState>(request, provider, ({ output }) => Array.isArray(output))
  const systemTexts: string[] = []
  const items = request.messages.flatMap((message): Item[] => {
    if (message.role === 'system' && quirks.mergeSystem) {
      systemTexts.push(toText(message.content))
      return []
    }
    if (message.role === 'system') return [{ role, content: toText(message.content) }]
    if (message.role === 'user') return [{ role: 'user', content: toContent(message.content, keepsParts) }]
    if (message.role === 'tool') {
      return [{ type: 'function_call_output', call_id: message.toolCallId ?? '', output: toContent(message.content) }]
    }
    return toAssistant(message, names, stateOf(message))
  })
  if (instructSchema && request.outputSchema !== undefined) systemTexts.push(toSchemaInstruction(request.outputSchema))
  return systemTexts.length === 0 ? items : [{ role, content: systemTexts.join('\n\n') }, ...items]
}

function toAssistant(message: Message, names: ToolNames, state: ResponsesState | undefined): Item[] {
  const ids = (state?.output ?? []).filter((item) => item.type === 'function_call').map((item) => item.call_id)
  if (state !== undefined && hasCalls(ids, message)) return state.output as unknown as Item[]
  const text = toText(message.content)
  const calls = (message.toolCalls ?? []).map(
    ({ callId, tool, args }): Item => ({
      type: 'function_call',
      call_id: callId,
      name: names.toName(tool),
      arguments: toArgsText(args),
    }),
  )
  return [...(text === '' ? [] : [{ role: 'assistant' as const, content: text }]), ...calls]
}

type Shown =
  | OpenAI.Responses.ResponseInputText
  | OpenAI.Responses.ResponseInputImage
  | OpenAI.Responses.ResponseInputFile

function toContent(content: readonly ContentPart[], keepsParts = false): string | Shown[] {
  if (!content.some(isMedia) && !(keepsParts && content.length > 1)) return toText(content)
  return content.flatMap((part): Shown[] => {
    if (part.type === 'file') return [{ type: 'input_file', ...toWireFile(part) }]
    if (part.type === 'image') {
      return [{ type: 'input_image', detail: 'auto', image_url: `data:${part.mimeType};base64,${part.data}` }]
    }
    const text = toText([part])
    return text === '' ? [] : [{ type: 'input_text', text }]
  })
}
