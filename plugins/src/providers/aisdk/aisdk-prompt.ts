import { type ContentPart, type MediaPart, type Message, type ModelRequest, toText } from '@svc/core'
import { isMedia, mediaOf } from '@svc/core/text'
import { isRecord, type Json, toList } from '../format/json.ts'
import { toSchemaInstruction, toSchemaName } from '../format/output-schema.ts'
import { hasCalls, statesOf, type TurnState } from '../format/turn-state.ts'
import { outputLimitOf, toolsOf, type WireQuestion } from '../wire/wire-provider.ts'
import type { versionOf } from './aisdk-model.ts'

type Version = ReturnType<typeof versionOf>

/** An answer's parts as a prompt has them, where they say more than text and calls: signatures, reasoning, what is opaque. */
export interface AiSdkState extends TurnState {
  readonly content: readonly Json[]
}

/** What a model is called with, in the words of its specification. */
export function toCallOptions(question: WireQuestion, version: Version, abortSignal: AbortSignal): Json {
  const { request, names, shape } = question
  const { outputSchema, toolChoice, temperature, effort, stop = [], seed } = request
  const { quirks, model } = shape
  const tools = toolsOf(question)
  const json = model.json ?? 'schema'
  const maxOutputTokens = outputLimitOf(question)
  return {
    prompt: toPrompt(question, version, json === 'schema'),
    abortSignal,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(effort !== undefined && version === 4 && { reasoning: effort }),
    ...(stop.length > 0 && { stopSequences: stop }),
    ...(seed !== undefined && { seed }),
    ...(outputSchema !== undefined &&
      json !== 'none' && {
        responseFormat: {
          type: 'json',
          ...(json === 'schema' && { schema: outputSchema, name: toSchemaName(outputSchema) }),
        },
      }),
    ...(tools.length > 0 && {
      tools: tools.map(({ id, description, parameters }) => ({
        type: 'function',
        name: names.toName(id),
        description,
        inputSchema: { type: 'object', ...parameters },
      })),
      ...(toolChoice !== undefined &&
        !quirks.noToolChoice && {
          toolChoice:
            typeof toolChoice === 'string'
              ? { type: toolChoice }
              : { type: 'tool', toolName: names.toName(toolChoice.tool) },
        }),
    }),
    ...(quirks.extraBody !== undefined && { providerOptions: quirks.extraBody }),
  }
}

function toPrompt({ request, provider, names }: WireQuestion, version: Version, takesSchema: boolean): Json[] {
  const stateOf = statesOf<AiSdkState>(request, provider, ({ content }) => Array.isArray(content))
  const toolOf = new Map<string, string>()
  const prompt: Json[] = []
  for (const message of request.messages) {
    for (const { callId, tool } of message.toolCalls ?? []) toolOf.set(callId, names.toName(tool))
    if (message.role === 'system') prompt.push({ role: 'system', content: toText(message.content) })
    else if (message.role === 'user') prompt.push({ role: 'user', content: toParts(message.content, version) })
    else if (message.role === 'assistant') {
      prompt.push({ role: 'assistant', content: toAssistant(message, toolOf, stateOf(message)) })
    } else {
      const { toolCallId = '', content } = message
      const output = toOutput(content, version)
      const result = { type: 'tool-result', toolCallId, toolName: toolOf.get(toolCallId) ?? 'tool', output }
      const last = prompt.at(-1)
      if (last?.role === 'tool') prompt[prompt.length - 1] = { ...last, content: [...toList(last.content), result] }
      else prompt.push({ role: 'tool', content: [result] })
    }
  }
  const system = instructionOf(request, takesSchema)
  if (system === '') return prompt
  const place = prompt.findIndex(({ role }) => role !== 'system')
  return prompt.toSpliced(place < 0 ? prompt.length : place, 0, { role: 'system', content: system })
}

const instructionOf = ({ outputSchema }: ModelRequest, takesSchema: boolean): string =>
  outputSchema === undefined || takesSchema ? '' : toSchemaInstruction(outputSchema)

function toAssistant(
  message: Message,
  toolOf: ReadonlyMap<string, string>,
  state: AiSdkState | undefined,
): readonly Json[] {
  const ids = (state?.content ?? []).filter(({ type }) => type === 'tool-call').map(({ toolCallId }) => toolCallId)
  if (state !== undefined && hasCalls(ids, message)) return state.content
  const text = toText(message.content)
  const calls = (message.toolCalls ?? []).map(({ callId, args }) => ({
    type: 'tool-call',
    toolCallId: callId,
    toolName: toolOf.get(callId),
    input: isRecord(args) ? args : { arguments: args ?? null },
  }))
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...calls]
}

/** Data stands bare in the older specifications. */
const toFile = ({ mimeType, data, name }: MediaPart, version: Version): Json => ({
  type: 'file',
  mediaType: mimeType,
  data: version === 4 ? { type: 'data', data } : data,
  ...(name !== undefined && { filename: name }),
})

function toParts(content: readonly ContentPart[], version: Version): Json[] {
  return content.flatMap((part): Json[] => {
    if (isMedia(part)) return [toFile(part, version)]
    const text = toText([part])
    return text === '' ? [] : [{ type: 'text', text }]
  })
}

const RESULT_MEDIA: Readonly<Record<Version, (part: MediaPart) => Json>> = {
  2: ({ mimeType, data }) => ({ type: 'media', mediaType: mimeType, data }),
  3: ({ type, mimeType, data }) => ({ type: `${type}-data`, mediaType: mimeType, data }),
  4: (part) => toFile(part, 4),
}

/** What a tool returned: text, or text with images and files. */
function toOutput(content: readonly ContentPart[], version: Version): Json {
  const media = mediaOf(content)
  const text = toText(content)
  if (media.length === 0) return { type: 'text', value: text }
  return {
    type: 'content',
    value: [...(text === '' ? [] : [{ type: 'text', text }]), ...media.map(RESULT_MEDIA[version])],
  }
}
