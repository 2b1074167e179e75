import { ConfigError, type ModelProvider, type ProviderConfig } from '@svc/core'
import { nearest } from '@svc/core/text'
import type { AdapterContext, ProviderAdapter } from './adapter.ts'
import { anthropic } from './anthropic.ts'
import { toLocalPreset } from './detect.ts'
import { ANTHROPIC, OPENAI, toEndpoint } from './endpoint.ts'
import { openai } from './openai.ts'
import { openaiResponses } from './openai-responses.ts'
import { PRESETS } from './presets.ts'

/** The wire formats that a provider's config may name as its `type`. */
export const ADAPTERS: Readonly<Record<'openai' | 'openai-responses' | 'anthropic', ProviderAdapter>> = {
  openai,
  'openai-responses': openaiResponses,
  anthropic,
}

/**
 * Makes a provider that was named explicitly, from its config or, without one, from a preset of this id.
 *
 * @throws ConfigError `unknown_provider` for an id or type that nobody knows, with the known ones;
 * `no_provider` where a key or a setting is missing, with what to type
 */
export function createProvider(id: string, config: ProviderConfig | undefined, context: AdapterContext): ModelProvider {
  const known = withPreset(config, toLocalPreset(id, context.env))
  if (known === undefined) {
    throw new ConfigError(
      'unknown_provider',
      `no provider is called '${id}'${toSuggestion(id, [...Object.keys(PRESETS), 'offline'])}; ` +
        `known are ${[...Object.keys(PRESETS), 'offline'].join(', ')}, and what stands under providers in a config`,
    )
  }
  if (known.create !== undefined) {
    return known.create({ id, env: context.env, fetch: context.fetch ?? globalThis.fetch })
  }
  const adapter = Object.hasOwn(ADAPTERS, known.type) ? ADAPTERS[known.type as keyof typeof ADAPTERS] : undefined
  if (adapter === undefined) {
    const types = [...Object.keys(ADAPTERS), 'offline']
    throw new ConfigError(
      'unknown_provider',
      `provider '${id}' is of type '${known.type}'${toSuggestion(known.type, types)}; built in are ${types.join(', ')}`,
    )
  }
  if (known.proxy !== undefined && context.fetch === undefined) {
    throw new ConfigError(
      'no_provider',
      `provider '${id}' names a proxy, and Node's own fetch takes none. Fix: leave proxy out, or hand in a fetch that goes through it`,
    )
  }
  const endpoint = toEndpoint(id, known, context, known.type === 'anthropic' ? ANTHROPIC : OPENAI)
  if (endpoint.apiKey === undefined && endpoint.keyNeeded) {
    const fixes = endpoint.keyNames.map((name) => `export ${name}=...`)
    throw new ConfigError(
      'no_provider',
      `provider '${id}' has no key. Fix: ${fixes.join(', or ')}; or use --provider offline, which needs none`,
    )
  }
  return adapter(id, known, context)
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
  return toEndpoint(id, config, { env }, config.type === 'anthropic' ? ANTHROPIC : OPENAI).apiKey
}

function toSuggestion(given: string, known: readonly string[]): string {
  const near = nearest(given, known)
  return near === undefined ? '' : ` (did you mean '${near}'?)`
}
