import type Anthropic from '@anthropic-ai/sdk'
import type { AdapterContext, JsonSchema, ModelInfo, ModelRequest, ProviderAdapter } from '@svc/core'
import { ANTHROPIC_DEFAULT_MODEL } from '../discovery/default-models.ts'
import { ANTHROPIC, type Endpoint, requireKey, toEndpoint } from '../discovery/endpoint.ts'
import { toSchemaInstruction } from '../format/output-schema.ts'
import type { ToolNames } from '../format/tool-calls.ts'
import { createTransport } from '../wire/transport.ts'
import type { LoadedClient } from '../wire/vendor-call.ts'
import { bend, outputLimitOf, toolsOf, toWireProvider, type WireQuestion } from '../wire/wire-provider.ts'
import { MessagesAnswer } from './anthropic-answer.ts'
import { markCached } from './anthropic-cache.ts'
import { toMessages } from './anthropic-messages.ts'

/** The format wants a limit in every request; this one stands where neither the request nor the config has one. */
const DEFAULT_MAX_OUTPUT_TOKENS = 32_000

/**
 * Messages over the `@anthropic-ai/sdk` package.
 *
 * Output schemas go as `output_config.format`, which the official package rewrites to what the decoder knows; a model
 * with `json: 'object'` or `'none'` gets the schema in the system text instead. There is no seed in this format, and
 * no temperature for the models that refuse one. What is sent is marked to be cached.
 */
export const anthropic: ProviderAdapter = (id, config, context) => {
  const endpoint = toEndpoint(id, config, context, ANTHROPIC)
  requireKey(id, endpoint)
  return toWireProvider<Anthropic>({
    id,
    config,
    context,
    endpoint,
    vendorModel: ANTHROPIC_DEFAULT_MODEL,
    load: (limitMs) => loadClient(endpoint, context, limitMs),
    toBody: (question) => {
      const schema = question.request.outputSchema
      if (schema === undefined) return toBody(question, undefined)
      return toOutputFormat(schema, question.shape.model).then((format) => toBody(question, format))
    },
    send: (client, body, options) =>
      client.messages.create(body as unknown as Anthropic.MessageCreateParams, options).asResponse(),
    read: (options) => new MessagesAnswer(options),
    list: (client, options) => client.models.list(undefined, options),
  }).provider
}

async function loadClient(
  endpoint: Endpoint,
  context: AdapterContext,
  timeoutMs: number,
): Promise<LoadedClient<Anthropic>> {
  const vendor = await import('@anthropic-ai/sdk')
  const client = new vendor.default({
    // The client adds the version to the path by itself.
    baseURL: endpoint.baseUrl.replace(/\/v1$/, ''),
    // With no key the client would look for one on disk; the header is taken away again.
    apiKey: endpoint.apiKey ?? 'none',
    defaultHeaders: endpoint.headers,
    defaultQuery: endpoint.query,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    fetch: context.fetch ?? createTransport(context.env),
  })
  return { client, vendor }
}

/** The schema as the decoder takes it; undefined where the model, or the decoder, takes none. */
async function toOutputFormat(schema: JsonSchema, model: ModelInfo): Promise<Anthropic.JSONOutputFormat | undefined> {
  if ((model.json ?? 'schema') !== 'schema') return undefined
  const { transformJSONSchema } = await import('@anthropic-ai/sdk/lib/transform-json-schema')
  try {
    return { type: 'json_schema', schema: transformJSONSchema({ ...schema }) }
  } catch {
    // It refuses schemas that leave a type open; the model gets those in words.
    return undefined
  }
}

function toBody(question: WireQuestion, format: Anthropic.JSONOutputFormat | undefined): Record<string, unknown> {
  const { request, names, shape } = question
  const { quirks, model } = shape
  const { outputSchema, toolChoice } = request
  const { system, messages } = toMessages(request, question)
  const instruction = outputSchema === undefined || format !== undefined ? '' : toSchemaInstruction(outputSchema)
  const systemText = [system, instruction].filter((text) => text !== '').join('\n\n')
  const body: Record<string, unknown> = {
    model: model.id,
    max_tokens: outputLimitOf(question) ?? model.maxOutput ?? DEFAULT_MAX_OUTPUT_TOKENS,
    messages,
    stream: request.stream,
  }
  if (systemText !== '') body.system = systemText
  const tools = toolsOf(question)
  if (tools.length > 0) {
    body.tools = tools.map(({ id, description, parameters }) => ({
      name: names.toName(id),
      description,
      input_schema: { type: 'object', ...parameters },
    }))
    const choice = quirks.noToolChoice ? undefined : toToolChoice(toolChoice, names)
    if (quirks.noParallelTools && choice?.type !== 'none') {
      body.tool_choice = { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true }
    } else if (choice !== undefined) body.tool_choice = choice
  }
  const effort = takesEffort(model.id) ? request.effort : undefined
  if (format !== undefined || effort !== undefined)
    body.output_config = { ...(format && { format }), ...(effort && { effort }) }
  const stop = request.stop?.filter((sequence) => sequence.trim() !== '') ?? []
  if (stop.length > 0) body.stop_sequences = stop
  if (request.temperature !== undefined && takesTemperature(model.id))
    body.temperature = Math.min(request.temperature, 1)
  bend(body, quirks)
  // A config that marks by itself knows where.
  const isMarked = 'cache_control' in body || quirks.stripParams?.includes('cache_control')
  return isMarked ? body : markCached(body)
}

function toToolChoice(choice: ModelRequest['toolChoice'], names: ToolNames): Anthropic.ToolChoice | undefined {
  if (choice === undefined) return undefined
  if (typeof choice === 'object') return { type: 'tool', name: names.toName(choice.tool) }
  return choice === 'required' ? { type: 'any' } : { type: choice }
}

/** Claude takes an effort since Opus 4.5 and Sonnet 4.6; other models are not known to refuse one. */
const takesEffort = (model: string): boolean =>
  !/claude-(instant|2|3|opus-4(?!-[5-9])|(sonnet|haiku)-4(?!-[6-9]))/.test(model)

/** Claude takes a temperature up to Opus 4.6 and Sonnet 4.6 and refuses one since; other models are not known to. */
function takesTemperature(model: string): boolean {
  return !model.includes('claude-') || /claude-(instant|2|3|(opus|sonnet|haiku)-4(?!-[7-9]))/.test(model)
}
