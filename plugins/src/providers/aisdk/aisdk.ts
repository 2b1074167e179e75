import {
  type AdapterContext,
  ConfigError,
  estimateTokens,
  generateByCompleting,
  type ModelCompletion,
  type ModelPart,
  type ModelProvider,
  type ModelRequest,
  type ProviderAdapter,
  type ProviderConfig,
  ProviderError,
  type Usage,
} from '@svc/core'
import { NO_VENDOR, requireKey, toEndpoint } from '../discovery/endpoint.ts'
import { findModel, toModelInfos, withDefault } from '../discovery/models.ts'
import { ToolNames } from '../format/tool-calls.ts'
import { createFetch } from '../wire/transport.ts'
import { toVendorCall, type WireCall } from '../wire/vendor-call.ts'
import { boundsOf } from '../wire/wire-provider.ts'
import { AiSdkAnswer } from './aisdk-answer.ts'
import { AISDK_ERRORS, fromAiSdk } from './aisdk-error.ts'
import { type AiSdkModel, type AiSdkModels, versionOf } from './aisdk-model.ts'
import { toCallOptions } from './aisdk-prompt.ts'
import { isModels, loadModels } from './load-package.ts'

/** Texts in one request, where a model does not say. */
const BATCH = 96

/**
 * Models over a package of the AI SDK, of any vendor that has one.
 *
 * The package gets `baseURL`, `apiKey`, `headers`, `fetch` and what stands in `options`; without `apiKeyEnv` it looks for
 * a key in its own variable, at its own address alone.
 */
export const aisdk: ProviderAdapter = (id, config, context) => {
  const { package: name, baseUrl, apiKeyEnv, options } = config
  if (name === undefined) {
    throw new ConfigError(
      'config_invalid',
      `provider '${id}' is of type 'aisdk' and names no package, such as @ai-sdk/google`,
    )
  }
  const endpoint = toEndpoint(id, config, context, NO_VENDOR)
  if (apiKeyEnv !== undefined) requireKey(id, endpoint)
  const headers = Object.entries(endpoint.headers).filter(([, value]) => value !== null)
  const apiKey = endpoint.apiKey ?? (baseUrl === undefined ? undefined : 'none')
  const settings = {
    name: id,
    ...(baseUrl !== undefined && { baseURL: endpoint.baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    // Of the one package that counts no stream otherwise.
    includeUsage: true,
    fetch: context.fetch ?? createFetch(context.env),
    ...options,
  }
  return toProvider(id, config, context, () => loadModels(id, name, settings))
}

/**
 * A provider over a model of the AI SDK, or over what a package of it makes, such as `google`: specification v2, v3 or v4.
 *
 * @param config facts and bounds as of a provider in a config; without `defaultModel` the model's own name stands there
 */
export function createAiSdkProvider(
  id: string,
  source: AiSdkModel | AiSdkModels,
  config: Omit<ProviderConfig, 'type' | 'create' | 'package'> = {},
): ModelProvider {
  if (isModels(source)) return toProvider(id, { ...config, type: 'aisdk' }, { env: {} }, async () => source)
  const models: AiSdkModels = { languageModel: () => source }
  return toProvider(id, { defaultModel: source.modelId, ...config, type: 'aisdk' }, { env: {} }, async () => models)
}

function toProvider(
  id: string,
  config: ProviderConfig,
  context: AdapterContext,
  loadClient: () => Promise<AiSdkModels>,
): ModelProvider {
  const known = toModelInfos(config)
  const defaultModel = config.defaultModel ?? known[0]?.id
  const endpoint = toEndpoint(id, config, context, NO_VENDOR)
  const call = toVendorCall<AiSdkModels>({
    provider: id,
    config,
    // Bounds are kept here: a package hands them to nobody.
    context: { ...context, fetch: globalThis.fetch },
    endpoint,
    load: async () => ({ client: await loadClient(), vendor: AISDK_ERRORS }),
  })

  async function complete(
    request: ModelRequest,
    { signal, onPart }: { signal: AbortSignal; onPart?: (part: ModelPart) => void },
  ): Promise<ModelCompletion> {
    const name = request.model || defaultModel
    if (name === undefined) {
      const message = `${id}: no model is named; set defaultModel, or models, in its config`
      throw new ProviderError('model_not_found', message, { provider: id })
    }
    const model = findModel(known, name) ?? { id: name }
    const names = new ToolNames(request.tools?.map((tool) => tool.id) ?? [])
    const shape = { quirks: config.quirks ?? {}, model, learnt: new Set<string>(), isNative: true }
    const reader = new AiSdkAnswer({ provider: id, request, names, shape, onPart })
    return call({ model: model.id, signal, stream: request.stream }, (models, wire) =>
      asThrown(id, async () => {
        const asked = models.languageModel(model.id)
        const options = toCallOptions({ provider: id, request, names, shape }, versionOf(asked), signal)
        if (request.stream) await readStream(await wire.head(asked.doStream(options)), wire, reader)
        else reader.takeWhole(await wire.head(asked.doGenerate(options)))
        return reader.end()
      }),
    )
  }

  const embedder = known.find((model) => model.embedding)?.id ?? context.embedder
  async function embed(texts: string[], { signal, model }: { signal: AbortSignal; model?: string }) {
    const name = model || embedder || ''
    return call({ model: name, signal, stream: false }, (models, wire) =>
      asThrown(id, async () => {
        const asked = (models.embeddingModel ?? models.textEmbeddingModel)?.call(
          models,
          findModel(known, name)?.id ?? name,
        )
        if (asked === undefined)
          throw new ProviderError('model_not_found', `${id} offers no embeddings`, { provider: id })
        const most = (await asked.maxEmbeddingsPerCall) ?? BATCH
        const vectors: number[][] = []
        const usage: Usage = { inputTokens: 0, outputTokens: 0, estimated: false }
        for (let from = 0; from < texts.length; from += most) {
          const values = texts.slice(from, from + most)
          const made = await wire.head(asked.doEmbed({ values, abortSignal: signal }))
          if (made.embeddings.length !== values.length) {
            const message = `${id}/${name}: ${made.embeddings.length} vectors came for ${values.length} texts`
            throw new ProviderError('provider_bad_response', message, { provider: id })
          }
          vectors.push(...made.embeddings)
          const tokens = made.usage?.tokens
          usage.inputTokens += tokens ?? values.reduce((sum, text) => sum + estimateTokens(text), 0)
          usage.estimated ||= tokens === undefined
        }
        return { vectors, usage }
      }),
    )
  }

  return {
    id,
    ...(defaultModel !== undefined && { defaultModel }),
    ...(context.source !== undefined && { source: context.source }),
    ...(endpoint.server !== undefined && { server: endpoint.server }),
    ...boundsOf(config),
    models: async () => withDefault(known, defaultModel),
    complete,
    generate: (request, options) => generateByCompleting(complete, request, options),
    ...(embedder !== undefined && { embed }),
  }
}

async function asThrown<T>(provider: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    throw fromAiSdk(thrown, provider)
  }
}

async function readStream(
  { stream }: { stream: ReadableStream<object> },
  wire: WireCall,
  reader: AiSdkAnswer,
): Promise<void> {
  const read = wire.body({ body: stream } as unknown as Response)
  await read((part) => reader.takePiece(part))
}
