import { ConfigError, type ModelInfo, type ModelProvider, type ProviderConfig } from '@svc/core'

/** What an adapter may use of its surroundings. */
export interface AdapterContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: the global one. */
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

/** Default of `timeoutMs`: how long an unstreamed answer, or the head of a streamed one, may take. */
export const DEFAULT_TIMEOUT_MS = 300_000
/** Default of `chunkTimeoutMs`: how long a stream may be silent. */
export const DEFAULT_CHUNK_TIMEOUT_MS = 120_000

/** The models that a config names; the key becomes an alias where `id` differs from it. */
export function toModelInfos(config: ProviderConfig): ModelInfo[] {
  return Object.entries(config.models ?? {}).map(([key, { id = key, alias = [], ...rest }]) => {
    const names = id === key ? alias : [key, ...alias]
    return { id, ...(names.length > 0 ? { alias: names } : {}), ...rest }
  })
}

/** A model by its id or another of its names. */
export function findModel(models: readonly ModelInfo[], name: string): ModelInfo | undefined {
  return models.find((model) => model.id === name) ?? models.find((model) => model.alias?.includes(name))
}

/** What is listed: the known models, and the default where nothing is said of it. */
export function withDefault(models: readonly ModelInfo[], defaultModel: string | undefined): ModelInfo[] {
  if (defaultModel === undefined || findModel(models, defaultModel) !== undefined) return [...models]
  return [{ id: defaultModel }, ...models]
}

/** Headers or query with `{env:X}` replaced, and the values that were put in. */
export function fillFromEnv(
  provider: string,
  map: Readonly<Record<string, string>> | undefined,
  env: AdapterContext['env'],
): { values: Record<string, string>; secrets: string[] } {
  const secrets: string[] = []
  const values: Record<string, string> = {}
  for (const [name, template] of Object.entries(map ?? {})) {
    values[name] = template.replace(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_all, variable: string) => {
      const value = env[variable]
      if (value === undefined || value === '') {
        throw new ConfigError(
          'no_provider',
          `provider '${provider}': '${name}' needs the environment variable ${variable}, which is not set. Fix: export ${variable}=...`,
        )
      }
      secrets.push(value)
      return value
    })
  }
  return { values, secrets }
}

/** Values long enough that replacing them in a message hides a secret and nothing else. */
export function toSecrets(...values: readonly (string | undefined)[]): string[] {
  return values.filter((value): value is string => value !== undefined && value.length >= 6)
}
