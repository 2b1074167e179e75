import type { AdapterContext, ProviderConfig } from '@svc/core'
import { type Endpoint, toKeyHint } from '../discovery/endpoint.ts'
import type { CallTerms, Exchange } from './exchange.ts'
import { once } from './once.ts'
import { toProviderError, type VendorErrors } from './provider-error.ts'
import { type ReadChunks, readAll } from './response-body.ts'
import { toCancelled, within } from './within.ts'

/** An official client, and the package that it came from. */
export interface LoadedClient<Client> {
  readonly client: Client
  readonly vendor: VendorErrors
}

/** One call of an official client. */
export interface WireCall {
  /** To be handed to the client's method. */
  readonly options: { readonly fetchOptions?: object; readonly signal?: AbortSignal }
  /** The client's promise, bounded in time. */
  head<T>(asked: PromiseLike<T>): PromiseLike<T>
  /** How long nothing of an answer may come, in milliseconds. */
  readonly limitMs: number
  /** The body of its response, bounded in its silences. */
  body(response: Response): ReadChunks
  /** The whole body, bounded in time as a whole. */
  text(response: Response): Promise<string>
}

/** Runs work over an official client, with every failure as a `ProviderError` or as the abort's reason. */
export type VendorCall<Client> = <T>(
  request: { model?: string; signal: AbortSignal; stream: boolean },
  work: (client: Client, call: WireCall) => Promise<T>,
) => Promise<T>

/** Default of `timeoutMs`: how long an unstreamed answer, or the head of a streamed one, may take. */
const DEFAULT_TIMEOUT_MS = 300_000
/** Default of `chunkTimeoutMs`: how long a stream may be silent. */
const DEFAULT_CHUNK_TIMEOUT_MS = 120_000
/** How long the official package may take to load; it is apart from the time that an answer may take. */
const LOAD_TIMEOUT_MS = 60_000

/** Loads the official package with the first call. A load that failed is tried again by the next call. */
export function toVendorCall<Client>(options: {
  provider: string
  config: ProviderConfig
  context: AdapterContext
  endpoint: Endpoint
  load: (timeoutMs: number) => Promise<LoadedClient<Client>>
}): VendorCall<Client> {
  const { provider, config, context, endpoint } = options
  const { timeoutMs = DEFAULT_TIMEOUT_MS, chunkTimeoutMs = DEFAULT_CHUNK_TIMEOUT_MS } = config
  const load = once(() => options.load(timeoutMs))
  const { baseUrl, secrets, keyNames } = endpoint
  const keyHint = toKeyHint(keyNames)
  let loaded: LoadedClient<Client> | undefined

  return async (request, work) => {
    const { model, signal, stream } = request
    if (signal.aborted) throw toCancelled(signal)
    loaded ??= await within(load(), { provider, signal, limitMs: LOAD_TIMEOUT_MS, what: 'the client package' })
    const { client, vendor } = loaded
    const silenceMs = stream ? chunkTimeoutMs : timeoutMs
    const bounds = { signal, headMs: timeoutMs, silenceMs }
    const call = context.fetch === undefined ? toOwnCall(bounds) : toForeignCall(provider, bounds)
    try {
      return await work(client, call)
    } catch (thrown) {
      if (signal.aborted) throw toCancelled(signal)
      throw toProviderError(thrown, { provider, model, baseUrl, secrets, keyHint, vendor, timeoutMs })
    }
  }
}

interface Bounds {
  readonly signal: AbortSignal
  readonly headMs: number
  readonly silenceMs: number
}

/** A call over svc's transport, which keeps the bounds itself. */
function toOwnCall({ signal, headMs, silenceMs }: Bounds): WireCall {
  const terms: CallTerms = { signal, headTimeoutMs: headMs, silenceTimeoutMs: silenceMs }
  const body = (response: Response): ReadChunks => {
    const exchange = response as unknown as Exchange
    return (onChunk) => exchange.read(onChunk)
  }
  return {
    options: { fetchOptions: { terms } },
    head: (asked) => asked,
    limitMs: headMs,
    body,
    text: (response) => readAll(body(response), headMs),
  }
}

/** A call over a `fetch` that a user handed in: it may know neither time-outs nor the abort. */
function toForeignCall(provider: string, { signal, headMs, silenceMs }: Bounds): WireCall {
  const body =
    (response: Response): ReadChunks =>
    async (onChunk) => {
      const reader = response.body?.getReader()
      const what = 'the next piece of the answer'
      try {
        while (reader !== undefined) {
          const { done, value } = await within(reader.read(), { provider, signal, limitMs: silenceMs, what })
          if (done) return
          onChunk(value)
        }
      } catch (thrown) {
        reader?.cancel().catch(() => {}) // the failure itself is thrown
        throw thrown
      }
    }
  return {
    options: { signal },
    head: (asked) => within(Promise.resolve(asked), { provider, signal, limitMs: headMs, what: 'the answer' }),
    limitMs: headMs,
    body,
    text: (response) => readAll(body(response), headMs),
  }
}
