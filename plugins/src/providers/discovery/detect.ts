import { type AdapterContext, ConfigError, type ProviderConfig, redact } from '@svc/core'
import { splitModelName } from '@svc/core/schema'
import { toPackage } from '../aisdk/load-package.ts'
import { readEnv } from './endpoint.ts'
import { keyVariablesOf, PRESETS } from './presets.ts'

/** A provider that the environment names. */
export interface DetectedProvider {
  readonly id: string
  readonly config: ProviderConfig
  /** The provider's own id of a model, where the environment names one. */
  readonly model?: string
  readonly apiKey?: string
  /** Which variable it was found by; never a value. */
  readonly source: string
}

/** Id of the provider that `SVC_MODEL_BASE_URL` describes. */
export const CUSTOM_ID = 'custom'

const KEYLESS = 'ollama'

const AISDK = 'aisdk:'
/** Whether an id is short for a provider of the AI SDK: `aisdk:google` for the package `@ai-sdk/google`. */
export const isAiSdkId = (id: string): boolean => /^aisdk:[a-z0-9][a-z0-9.-]*$/.test(id)

/**
 * The provider that the environment names, first hit: `SVC_MODEL` (`provider/model`), `SVC_MODEL_BASE_URL` with
 * `SVC_MODEL_API_KEY`, then a key of `PRESETS` in their order, then `OLLAMA_HOST`. An empty variable counts as not set.
 * Nothing is probed. A `SVC_MODEL` that names no provider that is known is the model of what is found otherwise.
 *
 * @param configured providers of the config by id, which `SVC_MODEL` may name as well
 * @throws ConfigError `unknown_provider` when `SVC_MODEL` names a provider that does not exist and nothing else is set
 */
export function detectProvider(
  env: AdapterContext['env'],
  configured: Readonly<Record<string, ProviderConfig>> = {},
): DetectedProvider | undefined {
  const wanted = readEnv(env, 'SVC_MODEL')
  if (wanted !== undefined) {
    const { provider: id = '', model } = splitModelName(wanted)
    const config = configured[id] ?? (id === 'offline' ? { type: 'offline' } : toLocalPreset(id, env))
    if (config !== undefined && model !== undefined) {
      return { id, config, model, ...findKey(config, env), source: 'SVC_MODEL' }
    }
  }
  const found = detectByUrl(env) ?? detectByKey(env) ?? detectLocal(env)
  if (wanted === undefined) return found
  if (found !== undefined) {
    const model = wanted.startsWith(`${found.id}/`) ? wanted.slice(found.id.length + 1) : wanted
    return { ...found, model }
  }
  const ids = [...Object.keys(configured), ...Object.keys(PRESETS), 'offline']
  throw new ConfigError(
    'unknown_provider',
    `SVC_MODEL is '${wanted}', which names no known provider; write provider/model with one of ${ids.join(', ')}, or set SVC_MODEL_BASE_URL`,
  )
}

function detectByUrl(env: AdapterContext['env']): DetectedProvider | undefined {
  const baseUrl = readEnv(env, 'SVC_MODEL_BASE_URL')
  if (baseUrl === undefined) return undefined
  if (!/^https?:\/\//.test(baseUrl)) {
    throw new ConfigError(
      'config_invalid',
      `SVC_MODEL_BASE_URL is '${redact(baseUrl)}'; it must start with http:// or https://`,
    )
  }
  const apiKey = readEnv(env, 'SVC_MODEL_API_KEY')
  const config: ProviderConfig = { type: 'openai', baseUrl, discover: true }
  if (apiKey === undefined) return { id: CUSTOM_ID, config, source: 'SVC_MODEL_BASE_URL' }
  return { id: CUSTOM_ID, config: { ...config, apiKeyEnv: 'SVC_MODEL_API_KEY' }, apiKey, source: 'SVC_MODEL_BASE_URL' }
}

/** What to say of a `SVC_MODEL_API_KEY` that nothing uses; undefined where there is none. */
export function describeUnusedKey(
  env: AdapterContext['env'],
  described: readonly { config: ProviderConfig }[],
): string | undefined {
  const isUsed = described.some(({ config }) => keyVariablesOf(config).includes('SVC_MODEL_API_KEY'))
  if (isUsed || readEnv(env, 'SVC_MODEL_API_KEY') === undefined || readEnv(env, 'SVC_MODEL_BASE_URL') !== undefined)
    return undefined
  return 'SVC_MODEL_API_KEY is set without SVC_MODEL_BASE_URL, so nothing uses it: set SVC_MODEL_BASE_URL to the address that the key is for'
}

function detectByKey(env: AdapterContext['env']): DetectedProvider | undefined {
  for (const [id, config] of Object.entries(PRESETS)) {
    const name = keyVariablesOf(config).find((each) => readEnv(env, each) !== undefined)
    if (name !== undefined) return { id, config, ...findKey(config, env), source: name }
  }
  return undefined
}

function detectLocal(env: AdapterContext['env']): DetectedProvider | undefined {
  const config = readEnv(env, 'OLLAMA_HOST') === undefined ? undefined : toLocalPreset(KEYLESS, env)
  return config === undefined ? undefined : { id: KEYLESS, config, source: 'OLLAMA_HOST' }
}

/** A preset, with the address that the environment has for it. */
export function toLocalPreset(id: string, env: AdapterContext['env']): ProviderConfig | undefined {
  if (isAiSdkId(id)) return { type: 'aisdk', package: toPackage(id.slice(AISDK.length)) }
  const preset = Object.hasOwn(PRESETS, id) ? PRESETS[id] : undefined
  const host = id === KEYLESS ? readEnv(env, 'OLLAMA_HOST') : undefined
  return preset === undefined || host === undefined ? preset : { ...preset, baseUrl: toOllamaUrl(host) }
}

/** `host`, `host:port`, `:port` or an address. What a server listens on everywhere is reached on this machine. */
function toOllamaUrl(host: string): string {
  const address = /^https?:\/\//.test(host) ? host : `http://${host.startsWith(':') ? `127.0.0.1${host}` : host}`
  if (!URL.canParse(address)) {
    throw new ConfigError(
      'config_invalid',
      `OLLAMA_HOST is '${redact(host)}'; write it as host:port, e.g. 127.0.0.1:11434`,
    )
  }
  const url = new URL(address)
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  if (url.port === '' && url.protocol === 'http:' && !/:80(\/|$)/.test(address)) url.port = '11434'
  const path = url.pathname.replace(/\/$/, '')
  return `${url.origin}${path.endsWith('/v1') ? path : `${path}/v1`}`
}

function findKey(config: ProviderConfig, env: AdapterContext['env']): { apiKey?: string } {
  const apiKey = keyVariablesOf(config)
    .map((name) => readEnv(env, name))
    .find((value) => value !== undefined)
  return apiKey === undefined ? {} : { apiKey }
}
