import {
  type ModelInfo,
  type ModelPart,
  type ModelProvider,
  type ModelRequest,
  type ProviderConfig,
  ProviderError,
} from '@svc/core'
import {
  type AdapterContext,
  DEFAULT_CHUNK_TIMEOUT_MS,
  DEFAULT_TIMEOUT_MS,
  findModel,
  toModelInfos,
  withDefault,
} from './adapter.ts'
import type { Endpoint } from './endpoint.ts'
import { ToolNames } from './tool-calls.ts'
import { type LoadedClient, once, toVendorCall, type VendorCall } from './vendor-call.ts'

/** Reads the answers of one wire format, piece by piece or whole. */
export interface AnswerReader {
  /** Whether the model has said that it stopped. */
  readonly isFinished: boolean
  /** The parts of a whole answer but the last ones. */
  takeWhole(answer: unknown): ModelPart[]
  /** The parts that a further piece of a stream completes. */
  takePiece(piece: unknown): ModelPart[]
  /** The last parts, of which the last is the finish. */
  finish(): ModelPart[]
}

/** One question, as the wire format wants to be asked. */
export interface WireQuestion {
  readonly provider: string
  readonly request: ModelRequest
  readonly model: ModelInfo
  readonly names: ToolNames
}

/** What is the same for both official clients. */
export interface WireClient {
  readonly models: {
    list(
      query: undefined,
      options: { signal: AbortSignal },
    ): Promise<{ readonly data: readonly { readonly id: string }[] }>
  }
}

export interface WireProvider<Client> {
  readonly provider: ModelProvider
  readonly call: VendorCall<Client>
  readonly known: readonly ModelInfo[]
  readonly timeoutMs: number
}

/** A provider over an official client: everything but the wire format itself. */
export function toWireProvider<Client extends WireClient>(options: {
  id: string
  config: ProviderConfig
  context: AdapterContext
  endpoint: Endpoint
  /** The vendor's own model, used at its own endpoint when the config names none. */
  vendorModel: string
  load: (timeoutMs: number) => Promise<LoadedClient<Client>>
  ask: (client: Client, question: WireQuestion, signal: AbortSignal) => Promise<unknown>
  read: (question: WireQuestion) => AnswerReader
}): WireProvider<Client> {
  const { id, config, context, endpoint, vendorModel, load, ask, read } = options
  const known = toModelInfos(config)
  const defaultModel = config.defaultModel ?? known[0]?.id ?? (endpoint.official ? vendorModel : undefined)
  const timeoutMs = config.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const chunkTimeoutMs = config.chunkTimeoutMs ?? DEFAULT_CHUNK_TIMEOUT_MS
  const call = toVendorCall({ provider: id, endpoint, load: () => load(timeoutMs) })

  async function* generate(request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncGenerator<ModelPart> {
    const name = request.model || defaultModel || (await discover(signal))[0]?.id
    if (name === undefined) {
      const message = `${id}: no model is named; set defaultModel, or models, in its config`
      throw new ProviderError('model_not_found', message, { provider: id })
    }
    const model = findModel(known, name) ?? { id: name }
    const names = new ToolNames(request.tools?.map((tool) => tool.id) ?? [])
    const question: WireQuestion = { provider: id, request, model, names }
    const answer = read(question)
    yield* call(model.id, signal, async function* (client, wire) {
      const head = await wire.within(ask(client, question, wire.signal), timeoutMs, 'the answer')
      if (!request.stream) {
        yield* answer.takeWhole(head)
      } else {
        try {
          for await (const piece of wire.each(head as AsyncIterable<unknown>, chunkTimeoutMs)) {
            yield* answer.takePiece(piece)
          }
        } catch (thrown) {
          // Once the model has stopped nothing but counts can be missing, and those are estimated.
          if (!answer.isFinished || signal.aborted) throw thrown
        }
      }
      yield* answer.finish()
    })
  }

  async function discover(signal: AbortSignal): Promise<ModelInfo[]> {
    const found: ModelInfo[] = []
    const listed = call('models', signal, async function* (client, wire) {
      const asked = client.models.list(undefined, { signal: wire.signal })
      yield* (await wire.within(asked, timeoutMs, 'the list of models')).data
    })
    for await (const { id: each } of listed) found.push({ id: each })
    return found
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
    ...(config.maxConcurrency === undefined ? {} : { maxConcurrency: config.maxConcurrency }),
    models,
    generate,
  }
  return { provider, call, known, timeoutMs }
}
