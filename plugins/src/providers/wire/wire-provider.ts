import {
  type AdapterContext,
  generateByCompleting,
  type MaybePromise,
  type ModelCompletion,
  type ModelInfo,
  type ModelPart,
  type ModelProvider,
  type ModelRequest,
  type ProviderConfig,
  ProviderError,
  type Quirks,
  type RateLimits,
  type ToolSpec,
} from '@svc/core'
import type { Endpoint } from '../discovery/endpoint.ts'
import { withFacts } from '../discovery/model-facts.ts'
import { findModel, toModelInfos, withDefault } from '../discovery/models.ts'
import type { Json } from '../format/json.ts'
import type { Shape } from '../format/shape.ts'
import { ToolNames } from '../format/tool-calls.ts'
import type { AnswerReader, ReaderOptions } from './answer-reader.ts'
import { LearntQuirks } from './learnt-quirks.ts'
import { once } from './once.ts'
import { WEB_PAGE, WireFailure } from './provider-error.ts'
import { toRateLimits } from './rate-limits.ts'
import { isEventText, type ReadChunks, readEvents, textChunks } from './response-body.ts'
import { type LoadedClient, toVendorCall, type VendorCall, type WireCall } from './vendor-call.ts'

/** One question, as the wire format wants to be asked. */
export interface WireQuestion {
  readonly provider: string
  readonly request: ModelRequest
  readonly names: ToolNames
  /** The model, and how it is asked. */
  readonly shape: Shape
}

/** The limit on the output that a request sets, no higher than the model's own; undefined where it sets none. */
export function outputLimitOf({ request, shape }: WireQuestion): number | undefined {
  const { maxOutputTokens } = request
  return maxOutputTokens === undefined ? undefined : Math.min(maxOutputTokens, shape.model.maxOutput ?? maxOutputTokens)
}

/** The tools that are offered, none where the model has none or none may be called and that cannot be said. */
export function toolsOf({ request, shape: { quirks, model } }: WireQuestion): readonly ToolSpec[] {
  const isOff = model.tools === false || (quirks.noToolChoice && request.toolChoice === 'none')
  return isOff ? [] : (request.tools ?? [])
}

/** A body with the fields that a config adds, and without those that it leaves out. */
export function bend(body: Record<string, unknown>, { extraBody, stripParams = [] }: Quirks): Record<string, unknown> {
  Object.assign(body, extraBody)
  for (const field of stripParams) delete body[field]
  return body
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
  /** The question as the wire format has it. */
  toBody: (question: WireQuestion) => MaybePromise<Json>
  /** Sends it; the answer's body is read by svc. */
  send: (client: Client, body: Json, options: WireCall['options']) => Promise<Response>
  read: (options: ReaderOptions) => AnswerReader
  list: (client: Client, options: WireCall['options']) => ModelList
}): WireProvider<Client> {
  const { id, config, context, endpoint, vendorModel, toBody, send, read } = options
  const configured = toModelInfos(config)
  const known = withFacts(configured, endpoint.baseUrl)
  const defaultModel = config.defaultModel ?? configured[0]?.id ?? (endpoint.official ? vendorModel : undefined)
  const lessons = new LearntQuirks(`${id} ${endpoint.baseUrl}`, config.quirks ?? {})
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
    const shape = lessons.shapeOf(model)
    const question = { provider: id, request, names, shape }
    const body = await toBody(question)
    const reader = read({ provider: id, request, names, shape, onPart })
    try {
      let limits: RateLimits | undefined
      const answer = await call({ model: model.id, signal, stream: request.stream }, async (client, wire) => {
        const response = await wire.head(send(client, body, wire.options))
        limits = toRateLimits(response.headers)
        if (isEvents(response, request)) await readPieces(reader, wire.body(response), wire.limitMs, signal)
        else await readWhole(reader, await wire.text(response), wire.limitMs, signal)
        return reader.end()
      })
      if (reader.hasNativeCall) lessons.noteNative(model)
      const learnt = reader.lesson && lessons.learn(reader.lesson, shape)
      return { ...answer, ...(learnt && { learnt }), ...(limits && { limits }) }
    } catch (thrown) {
      if (!(thrown instanceof ProviderError)) throw thrown
      const learnt = reader.lesson
        ? lessons.learn(reader.lesson, shape)
        : reader.hasText
          ? undefined
          : lessons.learnFrom(thrown, body, shape)
      throw learnt === undefined ? thrown : withLearntQuirks(thrown, learnt)
    }
  }

  function discover(signal: AbortSignal): Promise<ModelInfo[]> {
    return call({ signal, stream: false }, async (client, wire) => {
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

  const listed = once(async () => {
    const found = await list()
    const unknown = found.filter((model) => findModel(known, model.id) === undefined)
    return withDefault([...known, ...unknown], defaultModel)
  })

  const provider: ModelProvider = {
    id,
    ...(defaultModel === undefined ? {} : { defaultModel }),
    ...(context.source === undefined ? {} : { source: context.source }),
    ...(endpoint.server === undefined ? {} : { server: endpoint.server }),
    ...boundsOf(config),
    models: async () => lessons.addTo(await listed()),
    complete,
    generate: (request, generateOptions) => generateByCompleting(complete, request, generateOptions),
  }
  return { provider, call, known }
}

/** What of a config the gateway goes by. */
export const boundsOf = (
  config: ProviderConfig,
): Pick<ModelProvider, 'maxConcurrency' | 'requestsPerMinute' | 'tokensPerMinute' | 'maxRetries'> =>
  Object.fromEntries(
    (['maxConcurrency', 'requestsPerMinute', 'tokensPerMinute', 'maxRetries'] as const).flatMap((field) =>
      config[field] === undefined ? [] : [[field, config[field]]],
    ),
  )

/** Servers that were asked for one and send the other say so in the type. */
function isEvents(response: Response, { stream }: ModelRequest): boolean {
  const type = response.headers.get('content-type') ?? ''
  if (type.includes('text/event-stream')) return true
  return stream && !type.includes('json')
}

async function readWhole(reader: AnswerReader, text: string, limitMs: number, signal: AbortSignal): Promise<void> {
  if (isEventText(text)) await readPieces(reader, textChunks(text), limitMs, signal)
  else if (text.trimStart().startsWith('<')) throw new WireFailure({ message: text, type: WEB_PAGE })
  else reader.takeWhole(JSON.parse(text))
}

/** The same error, of a request that is made otherwise next time. */
function withLearntQuirks(error: ProviderError, learnt: readonly string[]): ProviderError {
  const { code, message, provider, providerStatus, retryAfterMs, retryable, cause } = error
  return new ProviderError(code, message, { provider, providerStatus, retryAfterMs, retryable, cause, learnt })
}

async function readPieces(reader: AnswerReader, body: ReadChunks, limitMs: number, signal: AbortSignal): Promise<void> {
  try {
    const takeWhole = (text: string): void => reader.takeWhole(JSON.parse(text))
    if (await readEvents(body, limitMs, (piece) => reader.takePiece(piece), takeWhole)) reader.markEnd()
  } catch (thrown) {
    // Once the model has stopped nothing but counts can be missing, and those are estimated.
    if (!reader.isFinished || signal.aborted) throw thrown
  }
}
