import type OpenAI from 'openai'
import { isStrictSchema, toSchemaName } from '../format/output-schema.ts'
import { bend, outputLimitOf, toolsOf, type WireQuestion } from '../wire/wire-provider.ts'
import { toOpenaiAdapter } from './openai-adapter.ts'
import { markPrefix } from './openai-cache.ts'
import { isReasoningModel } from './openai-client.ts'
import { ResponsesAnswer } from './responses-answer.ts'
import { toInput } from './responses-input.ts'

/**
 * Responses over the `openai` package.
 *
 * Nothing is stored on the server: every request carries the whole conversation, and what a reasoning model thought
 * goes back encrypted, as `state`. This format has neither a seed nor stop sequences.
 */
export const openaiResponses = toOpenaiAdapter({
  toBody,
  send: (client, body, options) =>
    client.responses.create(body as OpenAI.Responses.ResponseCreateParams, options).asResponse(),
  read: (options) => new ResponsesAnswer(options),
})

function toBody(question: WireQuestion, official: boolean): Record<string, unknown> {
  const { request, names, provider, shape } = question
  const { quirks, model } = shape
  const { outputSchema, toolChoice } = request
  const json = model.json ?? 'schema'
  const reasons = official && (model.reasoning ?? isReasoningModel(model.id))
  const body: Record<string, unknown> = {
    model: model.id,
    input: toInput(request, { provider, names, quirks, instructSchema: json !== 'schema', keepsParts: official }),
    stream: request.stream,
    store: false,
  }
  if (reasons || model.reasoning) body.include = ['reasoning.encrypted_content']
  const tools = toolsOf(question)
  if (tools.length > 0) {
    body.tools = tools.map(({ id, description, parameters }) => ({
      type: 'function',
      name: names.toName(id),
      description,
      parameters,
      strict: false,
    }))
    if (toolChoice !== undefined && !quirks.noToolChoice) {
      body.tool_choice =
        typeof toolChoice === 'string' ? toolChoice : { type: 'function', name: names.toName(toolChoice.tool) }
    }
    if (quirks.noParallelTools) body.parallel_tool_calls = false
  }
  if (outputSchema !== undefined && json === 'schema') {
    const strict = isStrictSchema(outputSchema)
    body.text = { format: { type: 'json_schema', name: toSchemaName(outputSchema), schema: outputSchema, strict } }
  } else if (outputSchema !== undefined && json === 'object') body.text = { format: { type: 'json_object' } }
  const limit = outputLimitOf(question)
  if (limit !== undefined) body.max_output_tokens = limit
  if (request.temperature !== undefined && !reasons) body.temperature = request.temperature
  if (request.effort !== undefined && (reasons || !official)) body.reasoning = { effort: request.effort }
  return bend(official ? markPrefix(body, model.id, quirks) : body, quirks)
}
