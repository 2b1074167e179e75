import type OpenAI from 'openai'
import { isStrictSchema, toSchemaName } from '../format/output-schema.ts'
import { describeTools, isInWords } from '../format/tools-in-words.ts'
import { bend, outputLimitOf, type WireQuestion } from '../wire/wire-provider.ts'
import { toOpenaiAdapter } from './openai-adapter.ts'
import { ChatAnswer } from './openai-answer.ts'
import { markPrefix } from './openai-cache.ts'
import { isReasoningModel } from './openai-client.ts'
import { toChatMessages } from './openai-messages.ts'

/**
 * Chat completions over the `openai` package, of OpenAI or of any server that speaks the format.
 *
 * Defaults where the server is OpenAI's own: `max_completion_tokens`, output schemas as `json_schema`, no temperature
 * for its reasoning models, which refuse one (`reasoning: false` in the model's config sends it). Elsewhere:
 * `max_tokens`, output schemas as `json_object` with the schema in a system message (`json: 'schema'` changes that).
 */
export const openai = toOpenaiAdapter({
  toBody,
  send: (client, body, options) =>
    client.chat.completions.create(body as OpenAI.ChatCompletionCreateParams, options).asResponse(),
  read: (options) => new ChatAnswer(options),
})

function toBody(question: WireQuestion, official: boolean): Record<string, unknown> {
  const { request, names, provider, shape } = question
  const { quirks, model } = shape
  const { outputSchema, toolChoice } = request
  const json = model.json ?? (official ? 'schema' : 'object')
  const inWords = isInWords(shape)
  const isOff = (model.tools === false || quirks.noToolChoice || inWords) && toolChoice === 'none'
  const tools = (model.tools === false && !inWords) || isOff ? [] : (request.tools ?? [])
  const mustCall = toolChoice === 'required' || typeof toolChoice === 'object'
  const instruction = inWords && tools.length > 0 ? describeTools(tools, names, mustCall) : ''
  const instructSchema = json !== 'schema'
  const body: Record<string, unknown> = {
    model: model.id,
    messages: toChatMessages(request, {
      ...{ provider, names, quirks, instructSchema, instruction },
      isInWords: inWords,
      keepsParts: official,
    }),
    stream: request.stream,
  }
  if (request.stream && !quirks.noStreamUsage) body.stream_options = { include_usage: true }
  if (tools.length > 0 && !inWords) {
    body.tools = tools.map(({ id, description, parameters }) => ({
      type: 'function',
      function: { name: names.toName(id), description, parameters },
    }))
    if (toolChoice !== undefined && !quirks.noToolChoice) {
      body.tool_choice =
        typeof toolChoice === 'string'
          ? toolChoice
          : { type: 'function', function: { name: names.toName(toolChoice.tool) } }
    }
    if (quirks.noParallelTools) body.parallel_tool_calls = false
  }
  if (outputSchema !== undefined && json === 'schema') {
    const strict = isStrictSchema(outputSchema)
    body.response_format = {
      type: 'json_schema',
      json_schema: { name: toSchemaName(outputSchema), schema: outputSchema, strict },
    }
  } else if (outputSchema !== undefined && json === 'object') body.response_format = { type: 'json_object' }
  const limit = outputLimitOf(question)
  if (limit !== undefined) {
    body[quirks.maxTokensField ?? (official ? 'max_completion_tokens' : 'max_tokens')] = limit
  }
  const reasons = official && (model.reasoning ?? isReasoningModel(model.id))
  if (request.temperature !== undefined && !reasons) body.temperature = request.temperature
  if (request.effort !== undefined && (reasons || !official)) body.reasoning_effort = request.effort
  if (request.stop !== undefined && request.stop.length > 0 && !(reasons && model.id.startsWith('o')))
    body.stop = request.stop
  if (request.seed !== undefined) body.seed = request.seed
  return bend(official ? markPrefix(body, model.id, quirks) : body, quirks)
}
