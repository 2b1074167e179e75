import {
  type AdapterContext,
  ConfigError,
  type ModelProvider,
  type ProviderAdapter,
  type ProviderConfig,
  type Registry,
} from '@svc/core'
import { nearest } from '@svc/core/text'
import { ADAPTERS } from './adapters.ts'
import { toLocalPreset } from './discovery/detect.ts'
import { ANTHROPIC, NO_VENDOR, OPENAI, toEndpoint } from './discovery/endpoint.ts'
import { PRESETS } from './discovery/presets.ts'
import { readProxies } from './discovery/proxies.ts'

/** Wire formats by the `type` that names them, such as `Host.adapters`. */
export type Adapters = Pick<Registry<ProviderAdapter>, 'get' | 'ids'>

const BUILT_IN: Adapters = {
  get: (type) => (Object.hasOwn(ADAPTERS, type) ? ADAPTERS[type as keyof typeof ADAPTERS] : undefined),
  ids: () => Object.keys(ADAPTERS),
}

/**
 * Makes a provider that was named explicitly, from its config or, without one, from a preset of this id.
 *
 * @throws ConfigError `unknown_provider` for an id or type that nobody knows, with the known ones;
 * `no_provider` where a key or a setting is missing, with what to type; `config_invalid` for a proxy that is none
 */
export function createProvider(
  id: string,
  config: ProviderConfig | undefined,
  context: AdapterContext,
  adapters: Adapters = BUILT_IN,
): ModelProvider {
  const known = withPreset(config, toLocalPreset(id, context.env))
  if (known === undefined) throw unknownProvider(id)
  if (known.create !== undefined) {
    return known.create({ id, env: context.env, fetch: keepAtHome(context.fetch ?? globalThis.fetch) })
  }
  const adapter = adapters.get(known.type)
  if (adapter === undefined) {
    const types = adapters.ids()
    throw new ConfigError(
      'unknown_provider',
      `provider '${id}' is of type '${known.type}'${toSuggestion(known.type, types)}; known are ${types.join(', ')}`,
    )
  }
  if (known.proxy !== undefined && context.fetch === undefined) {
    throw new ConfigError(
      'no_provider',
      `provider '${id}' names a proxy, which svc takes from the environment alone. Fix: set HTTPS_PROXY instead, or pass a fetch of your own that uses the proxy`,
    )
  }
  if (context.fetch === undefined) readProxies(context.env)
  return adapter(id, known, context.fetch === undefined ? context : { ...context, fetch: keepAtHome(context.fetch) })
}

/** Follows no redirect by itself: it would take the provider's key to another origin, under whatever header's name. */
function keepAtHome(fetcher: typeof fetch): typeof fetch {
  return (input, init) => fetcher(input, { redirect: 'manual', ...init })
}

/** @param others ids of providers beside those that svc brings along */
export function unknownProvider(id: string, others: readonly string[] = []): ConfigError {
  const ids = [...new Set([...others, ...Object.keys(PRESETS), 'offline'])]
  return new ConfigError(
    'unknown_provider',
    `no provider is called '${id}'${toSuggestion(id, ids)}; known are ${ids.join(', ')}, and what stands under providers in a config; a model is written provider/model`,
  )
}

/** A config under a preset's id that names no address of its own is about that preset's. */
function withPreset(
  config: ProviderConfig | undefined,
  preset: ProviderConfig | undefined,
): ProviderConfig | undefined {
  if (config === undefined || preset === undefined) return config ?? preset
  return config.baseUrl === undefined && config.type === preset.type ? { ...preset, ...config } : config
}

/** The key that a provider's requests would carry; undefined when there is none for its address. */
export function resolveKey(id: string, config: ProviderConfig, env: AdapterContext['env']): string | undefined {
  const { type } = config
  return toEndpoint(id, config, { env }, type === 'anthropic' ? ANTHROPIC : type === 'aisdk' ? NO_VENDOR : OPENAI)
    .apiKey
}

function toSuggestion(given: string, known: readonly string[]): string {
  const near = nearest(given, known)
  return near === undefined ? '' : ` (did you mean '${near}'?)`
}
