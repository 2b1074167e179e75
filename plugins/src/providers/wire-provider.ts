import {
  type AdapterContext,
  generateByCompleting,
  type ModelCompletion,
  type ModelInfo,
  type ModelPart,
  type ModelProvider,
  type ModelRequest,
  type ProviderConfig,
  ProviderError,
} from '@svc/core'
import type { AnswerReader, ReaderOptions } from './answer-reader.ts'
import type { Endpoint } from './endpoint.ts'
import { findModel, toModelInfos, withDefault } from './models.ts'
import { once } from './once.ts'
import { type ReadChunks, readEvents } from './response-body.ts'
import { ToolNames } from './tool-calls.ts'
import { type LoadedClient, toVendorCall, type VendorCall, type WireCall } from './vendor-call.ts'

/** One question, as the wire format wants to be asked. */
export interface WireQuestion {
  readonly provider: string
  readonly request: ModelRequest
  readonly model: ModelInfo
  readonly names: ToolNames
}

/** The models of a server, as both official clients list them. */
type ModelList = PromiseLike<{ readonly data: readonly { readonly id: string }[] }>

export interface WireProvider<Client> {
  readonly provider: ModelProvider
  readonly call: VendorCall<Client>
  readonly known: readonly ModelInfo[]
}

/** A provider over an official client: everything but the wire format itself. */
export function toWireProvider<Client>(options: {
  id: string
  config: ProviderConfig
  context: AdapterContext
  endpoint: Endpoint
  /** The vendor's own model, used at its own endpoint when the config names none. */
  vendorModel: string
  load: (timeoutMs: number) => Promise<LoadedClient<Client>>
  /** Sends the question; the answer's body is read by svc. */
  ask: (client: Client, question: WireQuestion, options: WireCall['options']) => Promise<Response>
  read: (options: ReaderOptions) => AnswerReader
  list: (client: Client, options: WireCall['options']) => ModelList
}): WireProvider<Client> {
  const { id, config, context, endpoint, vendorModel, ask, read } = options
  const known = toModelInfos(config)
  const defaultModel = config.defaultModel ?? known[0]?.id ?? (endpoint.official ? vendorModel : undefined)
  const call = toVendorCall({ provider: id, config, context, endpoint, load: options.load })

  async function complete(
    request: ModelRequest,
    { signal, onPart }: { signal: AbortSignal; onPart?: (part: ModelPart) => void },
  ): Promise<ModelCompletion> {
    const name = request.model || defaultModel || (await discover(signal))[0]?.id
    if (name === undefined) {
      const message = `${id}: no model is named; set defaultModel, or models, in its config`
      throw new ProviderError('model_not_found', message, { provider: id })
    }
    const model = findModel(known, name) ?? { id: name }
    const names = new ToolNames(request.tools?.map((tool) => tool.id) ?? [])
    return call({ model: model.id, signal, stream: request.stream }, async (client, wire) => {
      const reader = read({ provider: id, request, names, onPart })
      const response = await wire.head(ask(client, { provider: id, request, model, names }, wire.options))
      if (isEvents(response, request)) await readPieces(reader, wire.body(response), signal)
      else reader.takeWhole(JSON.parse(await wire.text(response)))
      return reader.end()
    })
  }

  function discover(signal: AbortSignal): Promise<ModelInfo[]> {
    return call({ model: 'models', signal, stream: false }, async (client, wire) => {
      const { data } = await wire.head(options.list(client, wire.options))
      return data.map((each) => ({ id: each.id }))
    })
  }

  /** What the server lists, where it is to be asked; behind the vendor's own variable, at least the vendor's model. */
  async function list(): Promise<ModelInfo[]> {
    const { signal } = new AbortController()
    if (config.discover) return discover(signal)
    if (!endpoint.fromEnv || defaultModel !== undefined) return []
    const found = await discover(signal).catch(() => [])
    return found.length === 0 ? [{ id: vendorModel }] : found
  }

  const models = once(async () => {
    const found = await list()
    const unknown = found.filter((model) => findModel(known, model.id) === undefined)
    return withDefault([...known, ...unknown], defaultModel)
  })

  const provider: ModelProvider = {
    id,
    ...(defaultModel === undefined ? {} : { defaultModel }),
    ...(context.source === undefined ? {} : { source: context.source }),
    ...(endpoint.server === undefined ? {} : { server: endpoint.server }),
    ...(config.maxConcurrency === undefined ? {} : { maxConcurrency: config.maxConcurrency }),
    ...(config.maxRetries === undefined ? {} : { maxRetries: config.maxRetries }),
    models,
    complete,
    generate: (request, generateOptions) => generateByCompleting(complete, request, generateOptions),
  }
  return { provider, call, known }
}

/** Servers that were asked for one and send the other say so in the type. */
function isEvents(response: Response, { stream }: ModelRequest): boolean {
  const type = response.headers.get('content-type') ?? ''
  if (type.includes('text/event-stream')) return true
  return stream && !type.includes('json')
}

async function readPieces(reader: AnswerReader, body: ReadChunks, signal: AbortSignal): Promise<void> {
  try {
    await readEvents(body, (piece) => reader.takePiece(piece))
  } catch (thrown) {
    // Once the model has stopped nothing but counts can be missing, and those are estimated.
    if (!reader.isFinished || signal.aborted) throw thrown
  }
}
