import type { ProviderConfig } from '../config.ts'
import type { ModelProvider } from './model.ts'

/** What an adapter may use of its surroundings. */
export interface AdapterContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: svc's own transport. */
  readonly fetch?: typeof fetch
  /** A key given by hand; it wins over the environment. */
  readonly apiKey?: string
  /** The model of this provider that `memory.embedder` names. */
  readonly embedder?: string
  /** Where the settings came from, for lists; never a key. */
  readonly source?: string
}

/** Makes a provider of one wire format. It opens no connection and loads no vendor package. */
export type ProviderAdapter = (id: string, config: ProviderConfig, context: AdapterContext) => ModelProvider
