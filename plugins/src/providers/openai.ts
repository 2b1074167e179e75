import type { ModelInfo, ModelPart, ModelProvider, ModelRequest, Quirks } from '@svc/core'
import { ProviderError } from '@svc/core'
import type OpenAI from 'openai'
import {
  type AdapterContext,
  DEFAULT_CHUNK_TIMEOUT_MS,
  DEFAULT_TIMEOUT_MS,
  findModel,
  type ProviderAdapter,
  toModelInfos,
  withDefault,
} from './adapter.ts'
import { type Endpoint, OPENAI, toEndpoint } from './endpoint.ts'
import { ChatAnswer } from './openai-answer.ts'
import { toChatMessages } from './openai-messages.ts'
import { isStrictSchema, toSchemaName } from './output-schema.ts'
import { ToolNames } from './tool-calls.ts'
import { once, toVendorCall } from './vendor-call.ts'

/** The general model that the types of the `openai` package name first. */
export const OPENAI_DEFAULT_MODEL: OpenAI.ChatModel = 'gpt-5.6-sol'
const OPENAI_EMBEDDING_MODEL: OpenAI.EmbeddingModel = 'text-embedding-3-small'

/**
 * Chat completions over the `openai` package, of OpenAI or of any server that speaks the format.
 *
 * Defaults where the server is OpenAI's own: `max_completion_tokens`, output schemas as `json_schema`, no temperature
 * for its reasoning models, which refuse one (`reasoning: false` in the model's config sends it). Elsewhere:
 * `max_tokens`, output schemas as `json_object` with the schema in a system message (`json: 'schema'` changes that).
 */
export const openai: ProviderAdapter = (id, config, context) => {
  const endpoint = toEndpoint(id, config, context, OPENAI)
  const known = toModelInfos(config)
  const defaultModel = config.defaultModel ?? known[0]?.id ?? (endpoint.official ? OPENAI_DEFAULT_MODEL : undefined)
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
    const body = toChatBody(request, model, { provider: id, names, quirks, official: endpoint.official })
    const answer = new ChatAnswer({ provider: id, request, names, thinkTags: quirks.thinkTags ?? false })
    yield* call(model.id, signal, async function* (client, wire) {
      const asked = client.chat.completions.create(body, { signal: wire.signal })
      const head = await wire.within(asked, timeoutMs, 'the answer')
      if (!request.stream) {
        yield* answer.take(head)
      } else {
        try {
          for await (const chunk of wire.each(head as AsyncIterable<unknown>, chunkTimeoutMs)) yield* answer.take(chunk)
        } catch (thrown) {
          // Once the model has stopped nothing but the usage can be missing, and that is estimated.
          if (!answer.isFinished || signal.aborted) throw thrown
        }
      }
      yield* answer.finish()
    })
  }

  async function discover(signal: AbortSignal): Promise<ModelInfo[]> {
    const found: ModelInfo[] = []
    const listed = call('models', signal, async function* (client, wire) {
      const page = await wire.within(client.models.list({ signal: wire.signal }), timeoutMs, 'the list of models')
      yield* page.data
    })
    for await (const { id: name } of listed) found.push({ id: name })
    return found
  }

  async function embed(texts: string[], options: { signal: AbortSignal; model?: string }) {
    const model = options.model || known.find((each) => each.embedding)?.id || OPENAI_EMBEDDING_MODEL
    const answers = call(model, options.signal, async function* (client, wire) {
      const asked = client.embeddings.create({ model, input: texts, encoding_format: 'float' }, { signal: wire.signal })
      yield await wire.within(asked, timeoutMs, 'the vectors')
    })
    const { value: answer } = await answers.next()
    await answers.return(undefined)
    const vectors: number[][] = [...(answer?.data ?? [])]
      .sort((left, right) => left.index - right.index)
      .map((each) => each.embedding)
    if (vectors.length !== texts.length) {
      const message = `${id}/${model}: ${vectors.length} vectors came for ${texts.length} texts`
      throw new ProviderError('provider_bad_response', message, { provider: id })
    }
    const inputTokens = Number(answer?.usage?.prompt_tokens ?? 0)
    return { vectors, usage: { inputTokens, outputTokens: 0, estimated: answer?.usage === undefined } }
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
    ...(endpoint.official || known.some((model) => model.embedding) ? { embed } : {}),
  } satisfies ModelProvider
}

async function loadClient(endpoint: Endpoint, context: AdapterContext, timeoutMs: number) {
  const vendor = await import('openai')
  const client = new vendor.default({
    baseURL: endpoint.baseUrl,
    // The client insists on some key; without one the header is taken away again.
    apiKey: endpoint.apiKey ?? 'none',
    adminAPIKey: null,
    organization: endpoint.official ? (context.env.OPENAI_ORG_ID ?? null) : null,
    project: endpoint.official ? (context.env.OPENAI_PROJECT_ID ?? null) : null,
    defaultHeaders: endpoint.headers,
    defaultQuery: endpoint.query,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    ...(context.fetch === undefined ? {} : { fetch: context.fetch }),
  })
  return { client, vendor }
}

function toChatBody(
  request: ModelRequest,
  model: ModelInfo,
  context: { provider: string; names: ToolNames; quirks: Quirks; official: boolean },
): OpenAI.ChatCompletionCreateParams {
  const { names, quirks, official } = context
  const { outputSchema, toolChoice } = request
  const json = model.json ?? (official ? 'schema' : 'object')
  const body: Record<string, unknown> = {
    model: model.id,
    messages: toChatMessages(request, { ...context, instructSchema: json !== 'schema' }),
    stream: request.stream,
  }
  if (request.stream && !quirks.noStreamUsage) body.stream_options = { include_usage: true }
  const tools = model.tools === false || (quirks.noToolChoice && toolChoice === 'none') ? [] : (request.tools ?? [])
  if (tools.length > 0) {
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
  if (request.maxOutputTokens !== undefined) {
    body[quirks.maxTokensField ?? (official ? 'max_completion_tokens' : 'max_tokens')] = request.maxOutputTokens
  }
  const reasons = official && (model.reasoning ?? isReasoningModel(model.id))
  if (request.temperature !== undefined && !reasons) body.temperature = request.temperature
  if (request.stop !== undefined && request.stop.length > 0 && !(reasons && model.id.startsWith('o')))
    body.stop = request.stop
  if (request.seed !== undefined) body.seed = request.seed
  Object.assign(body, quirks.extraBody)
  for (const field of quirks.stripParams ?? []) delete body[field]
  return body as unknown as OpenAI.ChatCompletionCreateParams
}

/** OpenAI's models that reason before they answer and refuse a temperature. */
function isReasoningModel(model: string): boolean {
  return /^(o\d|gpt-[5-9])/.test(model) && !model.includes('-chat')
}
