import type Anthropic from '@anthropic-ai/sdk'
import {
  type JsonSchema,
  type ModelInfo,
  type ModelPart,
  type ModelProvider,
  type ModelRequest,
  ProviderError,
  type Quirks,
} from '@svc/core'
import {
  type AdapterContext,
  DEFAULT_CHUNK_TIMEOUT_MS,
  DEFAULT_TIMEOUT_MS,
  findModel,
  type ProviderAdapter,
  toModelInfos,
  withDefault,
} from './adapter.ts'
import { MessagesAnswer } from './anthropic-answer.ts'
import { toMessages } from './anthropic-messages.ts'
import { ANTHROPIC, type Endpoint, toEndpoint } from './endpoint.ts'
import { toSchemaInstruction } from './output-schema.ts'
import { ToolNames } from './tool-calls.ts'
import { once, toVendorCall } from './vendor-call.ts'

/** The general model that the `@anthropic-ai/sdk` package names in its first example. */
export const ANTHROPIC_DEFAULT_MODEL: Anthropic.Model = 'claude-opus-5-5'

/** The format wants a limit in every request; this one stands where neither the request nor the config has one. */
const DEFAULT_MAX_OUTPUT_TOKENS = 8192

/**
 * Messages over the `@anthropic-ai/sdk` package.
 *
 * Output schemas go as `output_config.format`, which the official package rewrites to what the decoder knows; a model
 * with `json: 'object'` or `'none'` is told the schema in the system text instead. There is no seed in this format, and
 * no temperature for the models that refuse one.
 */
export const anthropic: ProviderAdapter = (id, config, context) => {
  const endpoint = toEndpoint(id, config, context, ANTHROPIC)
  const known = toModelInfos(config)
  const defaultModel = config.defaultModel ?? known[0]?.id ?? (endpoint.official ? ANTHROPIC_DEFAULT_MODEL : undefined)
  const timeoutMs = config.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const chunkTimeoutMs = config.chunkTimeoutMs ?? DEFAULT_CHUNK_TIMEOUT_MS
  const quirks = config.quirks ?? {}
  const load = () => loadClient(endpoint, context, timeoutMs)
  const call = toVendorCall({ provider: id, endpoint, load })

  async function* generate(request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncGenerator<ModelPart> {
    const name = request.model || defaultModel || (await discover(signal))[0]?.id
    if (name === undefined) {
      const message = `${id}: no model is named; set defaultModel, or models, in its config`
      throw new ProviderError('model_not_found', message, { provider: id })
    }
    const model = findModel(known, name) ?? { id: name }
    const names = new ToolNames(request.tools?.map((tool) => tool.id) ?? [])
    const answer = new MessagesAnswer({ provider: id, request, names })
    yield* call(model.id, signal, async function* (client, wire) {
      const format = await toOutputFormat(request.outputSchema, model)
      const body = toBody(request, model, { provider: id, names, quirks, format })
      const asked = client.messages.create(body, { signal: wire.signal })
      const head = await wire.within(asked, timeoutMs, 'the answer')
      if (!request.stream) {
        yield* answer.takeMessage(head)
      } else {
        try {
          for await (const event of wire.each(head as AsyncIterable<unknown>, chunkTimeoutMs)) {
            yield* answer.takeEvent(event)
          }
        } catch (thrown) {
          // Once the stop reason is here the answer is whole.
          if (!answer.isFinished || signal.aborted) throw thrown
        }
      }
      yield* answer.finish()
    })
  }

  async function discover(signal: AbortSignal): Promise<ModelInfo[]> {
    const found: ModelInfo[] = []
    const listed = call('models', signal, async function* (client, wire) {
      const page = await wire.within(client.models.list({}, { signal: wire.signal }), timeoutMs, 'the list of models')
      yield* page.data
    })
    for await (const { id: name } of listed) found.push({ id: name })
    return found
  }

  const listed = once(async (): Promise<ModelInfo[]> => {
    const found = config.discover ? await discover(new AbortController().signal) : []
    const unknown = found.filter((model) => findModel(known, model.id) === undefined)
    return withDefault([...known, ...unknown], defaultModel)
  })

  return {
    id,
    ...(defaultModel === undefined ? {} : { defaultModel }),
    ...(context.source === undefined ? {} : { source: context.source }),
    ...(config.maxConcurrency === undefined ? {} : { maxConcurrency: config.maxConcurrency }),
    models: listed,
    generate,
  } satisfies ModelProvider
}

async function loadClient(endpoint: Endpoint, context: AdapterContext, timeoutMs: number) {
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
    ...(context.fetch === undefined ? {} : { fetch: context.fetch }),
  })
  return { client, vendor }
}

/** The schema as the decoder takes it; undefined where the model, or the decoder, takes none. */
async function toOutputFormat(
  schema: JsonSchema | undefined,
  model: ModelInfo,
): Promise<Anthropic.JSONOutputFormat | undefined> {
  if (schema === undefined || (model.json ?? 'schema') !== 'schema') return undefined
  const { transformJSONSchema } = await import('@anthropic-ai/sdk/lib/transform-json-schema')
  try {
    return { type: 'json_schema', schema: transformJSONSchema({ ...schema }) }
  } catch {
    // It refuses schemas that leave a type open; the model is told those in words.
    return undefined
  }
}

function toBody(
  request: ModelRequest,
  model: ModelInfo,
  context: { provider: string; names: ToolNames; quirks: Quirks; format: Anthropic.JSONOutputFormat | undefined },
): Anthropic.MessageCreateParams {
  const { names, quirks, format } = context
  const { outputSchema, toolChoice } = request
  const { system, messages } = toMessages(request, context)
  const instruction = outputSchema === undefined || format !== undefined ? '' : toSchemaInstruction(outputSchema)
  const systemText = [system, instruction].filter((text) => text !== '').join('\n\n')
  const body: Record<string, unknown> = {
    model: model.id,
    max_tokens: request.maxOutputTokens ?? model.maxOutput ?? DEFAULT_MAX_OUTPUT_TOKENS,
    messages,
    stream: request.stream,
  }
  if (systemText !== '') body.system = systemText
  const tools = model.tools === false || (quirks.noToolChoice && toolChoice === 'none') ? [] : (request.tools ?? [])
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
  if (format !== undefined) body.output_config = { format }
  const stop = request.stop?.filter((sequence) => sequence.trim() !== '') ?? []
  if (stop.length > 0) body.stop_sequences = stop
  if (request.temperature !== undefined && takesTemperature(model.id))
    body.temperature = Math.min(request.temperature, 1)
  Object.assign(body, quirks.extraBody)
  for (const field of quirks.stripParams ?? []) delete body[field]
  return body as unknown as Anthropic.MessageCreateParams
}

function toToolChoice(choice: ModelRequest['toolChoice'], names: ToolNames): Anthropic.ToolChoice | undefined {
  if (choice === undefined) return undefined
  if (typeof choice === 'object') return { type: 'tool', name: names.toName(choice.tool) }
  return choice === 'required' ? { type: 'any' } : { type: choice }
}

/** Claude takes a temperature up to Opus 4.6 and Sonnet 4.6 and refuses one since; other models are not known to. */
function takesTemperature(model: string): boolean {
  return !model.includes('claude-') || /claude-(instant|2|3|(opus|sonnet|haiku)-4(?!-[7-9]))/.test(model)
}
