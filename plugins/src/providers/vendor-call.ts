import { ProviderError } from '@svc/core'
import { type Endpoint, toKeyHint } from './endpoint.ts'
import { toProviderError, type VendorErrors } from './provider-error.ts'
import { openCall, type WireCall } from './wire-call.ts'

/** An official client, and the package that it came from. */
export interface LoadedClient<Client> {
  readonly client: Client
  readonly vendor: VendorErrors
}

/** Runs work over an official client, with every failure as a `ProviderError`. */
export type VendorCall<Client> = <T>(
  model: string,
  signal: AbortSignal,
  work: (client: Client, wire: WireCall) => AsyncIterable<T>,
) => AsyncGenerator<T>

/** How long the official package may take to load; it is apart from the time that an answer may take. */
const LOAD_TIMEOUT_MS = 60_000

/** Loads the official package with the first call. A load that failed is tried again by the next call. */
export function toVendorCall<Client>(options: {
  provider: string
  endpoint: Endpoint
  load: () => Promise<LoadedClient<Client>>
}): VendorCall<Client> {
  const { provider, endpoint } = options
  const load = once(options.load)
  let loaded: LoadedClient<Client> | undefined
  const keyHint = toKeyHint(endpoint.keyNames)
  return async function* call(model, signal, work) {
    const wire = openCall(provider, signal)
    let isWhole = false
    try {
      if (endpoint.apiKey === undefined && endpoint.keyNeeded) {
        throw new ProviderError('provider_auth', `${provider}: no key is set; ${keyHint}`, { provider })
      }
      loaded ??= await wire.within(load(), LOAD_TIMEOUT_MS, 'the client package')
      const { client, vendor } = loaded
      try {
        yield* work(client, wire)
        isWhole = true
      } catch (thrown) {
        throw toProviderError(thrown, { provider, model, secrets: endpoint.secrets, keyHint, vendor })
      }
    } finally {
      wire.close(isWhole)
    }
  }
}

/** The first success is kept; a failure is not. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined
  return () => {
    kept ??= make().catch((thrown) => {
      kept = undefined
      throw thrown
    })
    return kept
  }
}
