import {
  ConfigError,
  definePlugin,
  type LoadedConfig,
  type ModelProvider,
  type Plugin,
  type ProviderConfig,
  type Registry,
  type SvcConfig,
  SvcError,
  toSvcError,
  type UnusablePart,
  type Warning,
} from '@svc/core'
import { shown } from '@svc/core/config'
import { createOfflineProvider } from '../offline/index.ts'
import { isAiSdkId } from '../providers/discovery/detect.ts'
import {
  ADAPTERS,
  type Adapters,
  createProvider,
  type DetectedProvider,
  describeUnusedKey,
  detectProvider,
  PRESETS,
  resolveKey,
  unknownProvider,
} from '../providers/index.ts'
import { parseEmbedder, refuse } from './memory-embedder.ts'
import { toUnusable } from './unusable-parts.ts'

/** Where providers come from beside the config. */
export interface ProviderSources {
  env: Readonly<Record<string, string | undefined>>
  /** Keys given by hand, by provider; they win over the environment. */
  apiKeys: Readonly<Record<string, string>>
  fetch: typeof fetch | undefined
  /** Whether the default model's provider has to work, also where only a file names it. Default false. */
  isStrict?: boolean
}

type DescribedProvider = LoadedConfig['providers'][number]

/** The providers of a runtime, as one plugin, and which one speaks when nobody names another. */
export interface AssembledProviders {
  plugin: Plugin
  /** `provider/model`, or a provider's id for its own default. */
  defaultModel: string
  warnings: Warning[]
  /** What the health of the runtime says of the default model. */
  healthWarnings: Warning[]
  /** What of the config cannot be used: these providers, and drop-ins. Complete once the plugin was applied. */
  unusable: UnusablePart[]
  /** Why a provider that svc brings along is not there, such as its missing key. */
  explain(id: string): SvcError | undefined
}

const NOT_A_MODEL = 'answers by extracting from what its tools read. It is not a language model.'

/** Somebody chose the offline provider. */
const OFFLINE_CHOSEN: Warning = {
  code: 'offline_provider',
  message: `the offline provider ${NOT_A_MODEL}`,
}

/** Nobody chose a provider. */
const OFFLINE_FALLBACK: Warning = {
  code: 'offline_provider',
  message: `no model is configured: the built-in offline provider ${NOT_A_MODEL} Set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or describe a provider in .svc/providers/, for answers by one.`,
}

/**
 * Makes every provider that config and environment describe; connections and vendor packages wait for the first call.
 * One that cannot be made stops nothing but what needs it.
 *
 * @param onReady is handed all providers of the runtime, those of earlier plugins too, and why others cannot be used,
 *   before anything runs
 * @throws ConfigError `no_provider`, `unknown_provider`, `config_invalid` when the provider cannot be made that a flag or
 *   the program asked for; `unknown_provider` for one that nobody describes
 */
export function assembleProviders(
  loaded: LoadedConfig,
  sources: ProviderSources,
  onReady: (providers: Registry<ModelProvider>, failures: ReadonlyMap<string, SvcError>) => void = () => {},
): AssembledProviders {
  const { config } = loaded
  const { env, apiKeys, fetch, isStrict = false } = sources
  const made = new Map<string, { provider: ModelProvider; source: string }>()
  const unusedKey = describeUnusedKey(env, loaded.providers)
  const warnings: Warning[] = unusedKey === undefined ? [] : [{ code: 'no_provider', message: unusedKey }]
  /** Why a provider that is described could not be made. */
  const failures = new Map<string, SvcError>()
  const unusable = loaded.problems.flatMap(toUnusable)
  for (const { kind, id, error } of unusable) if (kind === 'provider') failures.set(id, error)
  const disabled = new Set(config.disabledProviders)
  const embedderName = config.memory?.embedder
  const embedder = embedderName === undefined ? undefined : parseEmbedder(embedderName)
  const contextOf = (id: string, source: string) => ({
    env,
    source,
    ...(embedder?.provider === id ? { embedder: embedder.model } : {}),
    ...(fetch === undefined ? {} : { fetch }),
    ...(apiKeys[id] === undefined ? {} : { apiKey: apiKeys[id] }),
  })
  const configs = Object.fromEntries(loaded.providers.map(({ id, config: described }) => [id, described]))
  const atUrl = detectAtUrl(env)
  const isKnown = (id: string): boolean => Object.hasOwn(configs, id) || failures.has(id)
  const { name, detected } = choose(loaded, env, configs, isKnown, atUrl)
  const wanted = name?.split('/')[0]
  const mustWork = isStrict || isAskedByName(loaded)

  const fail = (id: string, source: string, thrown: unknown): void => {
    const cause = SvcError.isInstance(thrown)
      ? thrown
      : new ConfigError(
          'config_invalid',
          `provider '${id}' cannot be made: ${toSvcError(thrown).message}. Fix: correct or remove it`,
          { cause: thrown },
        )
    const error = source === 'environment' ? cause : atPlace(cause, source)
    if (mustWork && id === wanted) throw error
    if (id === embedder?.provider && isByProgram(loaded, '/memory/embedder'))
      throw refuse(embedderName ?? id, `cannot be used: ${error.message}`)
    failures.set(id, error)
    unusable.push({ kind: 'provider', id, source, error })
    // Where something else was chosen, a provider that nobody names may lack its key.
    if (name === undefined || id === wanted || isNamed(config, id))
      warnings.push({ code: error.code, message: error.message })
  }

  const make = (described: DescribedProvider, adapters?: Adapters): ModelProvider | undefined => {
    const { id, config: settings, source } = described
    try {
      return createProvider(id, settings, contextOf(id, source), adapters)
    } catch (thrown) {
      fail(id, source, thrown)
      return undefined
    }
  }
  // A wire format that svc does not bring along is a plugin's: its providers are made once all plugins before have spoken.
  const late: DescribedProvider[] = []
  for (const described of loaded.providers) {
    const { id, config: settings, source } = described
    if (disabled.has(id)) continue
    if (settings.create === undefined && !Object.hasOwn(ADAPTERS, settings.type)) late.push(described)
    else {
      const provider = make(described)
      if (provider !== undefined) made.set(id, { provider, source })
    }
  }
  const isLate = (id: string): boolean => late.some((described) => described.id === id)
  if (!made.has('offline')) made.set('offline', { provider: createOfflineProvider(), source: 'built in' })
  for (const id of Object.keys(PRESETS)) {
    const preset = PRESETS[id]
    if (preset === undefined || made.has(id) || failures.has(id) || isLate(id) || disabled.has(id)) continue
    try {
      const hasKey = apiKeys[id] !== undefined || resolveKey(id, preset, env) !== undefined
      if (!hasKey && id !== wanted && id !== embedder?.provider) continue
      made.set(id, { provider: createProvider(id, undefined, contextOf(id, 'environment')), source: 'environment' })
    } catch (thrown) {
      fail(id, 'environment', thrown)
    }
  }
  for (const id of namedIn(config, name, embedderName).filter(isAiSdkId)) {
    if (!made.has(id) && !disabled.has(id)) {
      made.set(id, { provider: createProvider(id, undefined, contextOf(id, 'built in')), source: 'built in' })
    }
  }
  if (wanted !== undefined && disabled.has(wanted)) {
    throw new ConfigError(
      'no_provider',
      `provider "${wanted}" is asked for and stands in disabledProviders: take it out there, or choose another`,
    )
  }
  for (const found of [atUrl, detected]) {
    if (found === undefined || made.has(found.id) || isLate(found.id) || disabled.has(found.id)) continue
    const { id, config: described, source } = found
    if (failures.has(id)) continue
    const key = found.apiKey === undefined ? {} : { apiKey: found.apiKey }
    try {
      made.set(id, { provider: createProvider(id, described, { ...contextOf(id, source), ...key }), source })
    } catch (thrown) {
      fail(id, source, thrown)
    }
  }
  const hasOwnKey = ({ id, config: { apiKeyEnv = [] } }: DescribedProvider): boolean =>
    apiKeys[id] !== undefined || [apiKeyEnv].flat().some((variable) => (env[variable] ?? '').trim() !== '')
  const defaultModel = name ?? firstConfigured(loaded, made, failures, hasOwnKey)
  const offline = defaultModel === undefined ? OFFLINE_FALLBACK : OFFLINE_CHOSEN
  const plugin = definePlugin('providers', async ({ hooks, providers, adapters }) => {
    for (const [id, adapter] of Object.entries(ADAPTERS)) {
      if (adapters.get(id) === undefined) adapters.add(id, adapter)
    }
    for (const described of late) {
      const provider = make(described, adapters)
      if (provider !== undefined) made.set(described.id, { provider, source: described.source })
    }
    for (const [id, { provider, source }] of made) providers.add(id, provider, source)
    onReady(providers, failures)
    if (defaultModel !== undefined) await requireProvider(defaultModel, providers, failures, mustWork)
    hooks.execute.tap({ name: 'providers', stage: -1_000 }, (_answer, _input, run) => {
      if (run.defaultModel.startsWith('offline/')) run.warn(offline)
      return undefined
    })
  })()
  const isOffline = defaultModel === undefined || defaultModel.split('/')[0] === 'offline'
  const healthWarnings = isOffline ? [offline] : []
  const explain = (id: string): SvcError | undefined => {
    if (!Object.hasOwn(PRESETS, id) || disabled.has(id)) return undefined
    try {
      createProvider(id, undefined, contextOf(id, 'environment'))
    } catch (thrown) {
      return toSvcError(thrown)
    }
    return undefined
  }
  return { plugin, defaultModel: defaultModel ?? 'offline', warnings, healthWarnings, unusable, explain }
}

/** The providers whose models a config names, beside the default one. */
const namedIn = ({ smallModel, fallback = [], agents = {}, consensus }: SvcConfig, ...more: (string | undefined)[]) =>
  [
    ...more,
    smallModel,
    ...fallback,
    ...(consensus?.models ?? []),
    ...Object.values(agents).flatMap(({ model, fallbackModels = [] }) => [model, ...fallbackModels]),
  ].flatMap((model) => model?.split('/')[0] ?? [])

/** Whether a config names a model of a provider that is not the default one. */
const isNamed = (config: SvcConfig, id: string): boolean => namedIn(config).includes(id)

/**
 * Who starts svc with a provider that does not exist learns it then, not with the first run. One that is described and
 * cannot be used stops only the runs that need it, unless it was asked for by name.
 *
 * @throws ConfigError
 */
async function requireProvider(
  model: string,
  providers: Registry<ModelProvider>,
  failures: ReadonlyMap<string, SvcError>,
  mustWork: boolean,
): Promise<void> {
  const [id = ''] = model.split('/')
  if (providers.get(id) !== undefined) return
  const failure = failures.get(id)
  if (failure !== undefined && mustWork) throw failure
  if (failure !== undefined) return
  for (const each of providers.ids()) {
    const models =
      (await providers
        .get(each)
        ?.models()
        .catch(() => [])) ?? []
    if (models.some((info) => info.id === model || info.alias?.includes(model))) return
  }
  throw unknownProvider(id, providers.ids())
}

/** Says where a provider is described, before what to do. */
function atPlace(cause: SvcError, source: string): SvcError {
  const [what = '', ...fixes] = cause.message.replace(/\.$/, '').split('. Fix: ')
  return new ConfigError(cause.code, [`${what} (${shown(source)})`, ...fixes].join('. Fix: '), { cause })
}

/** Whether a flag or the program itself names the model or its provider, and so cannot do without it. */
const isAskedByName = ({ config, origin }: LoadedConfig): boolean =>
  (['model', 'provider'] as const).some((field) => config[field] !== undefined && isByProgram({ origin }, `/${field}`))

/** Whether a setting comes from a flag, or from a config by hand. */
const isByProgram = ({ origin }: Pick<LoadedConfig, 'origin'>, pointer: string): boolean =>
  (origin[pointer] ?? 'flags') === 'flags'

/** The provider that `SVC_MODEL_BASE_URL` describes. */
const detectAtUrl = ({ SVC_MODEL_BASE_URL, SVC_MODEL_API_KEY }: ProviderSources['env']): DetectedProvider | undefined =>
  detectProvider({ SVC_MODEL_BASE_URL, SVC_MODEL_API_KEY })

/**
 * Which model speaks when a run names none, as `provider/model` or a provider's id. A model whose name starts with no
 * known provider belongs to the `provider` that is set; one from the environment, to the provider found there. A provider
 * that flags or environment name alone counts more than a weaker layer's model.
 */
function choose(
  { config: { model, provider }, origin }: LoadedConfig,
  env: ProviderSources['env'],
  configs: Readonly<Record<string, ProviderConfig>>,
  isDescribed: (id: string) => boolean,
  atUrl: DetectedProvider | undefined,
): { name?: string; detected?: DetectedProvider } {
  const head = model?.includes('/') === true ? model.slice(0, model.indexOf('/')) : undefined
  const isKnown = (id: string): boolean =>
    isDescribed(id) || isAiSdkId(id) || Object.hasOwn(PRESETS, id) || ['offline', atUrl?.id, provider].includes(id)
  const outranked = rankOf(origin['/provider']) > rankOf(origin['/model']) && head !== provider
  if (provider !== undefined && outranked) return { name: provider }
  if (model !== undefined && head !== undefined && isKnown(head)) return { name: model }
  if (provider !== undefined) return { name: model === undefined ? provider : `${provider}/${model}` }
  if (model === undefined) {
    const detected = detectProvider(env, configs)
    return detected === undefined ? {} : { name: nameOf(detected), detected }
  }
  const detected = isVariable(origin['/model'] ?? '')
    ? detectProvider({ ...env, SVC_MODEL: undefined }, configs)
    : undefined
  return detected === undefined ? { name: model } : { name: `${detected.id}/${model}`, detected }
}

/** Flags before the environment before files: a provider named alone does not mean a file's model. */
const rankOf = (source = ''): number => (source === 'flags' ? 2 : isVariable(source) ? 1 : 0)

const isVariable = (source: string): boolean => source.startsWith('environment variable ')

const nameOf = ({ id, model }: DetectedProvider): string => (model === undefined ? id : `${id}/${model}`)

/**
 * A provider that somebody described is meant to be used, also where no key in the environment names one. Of several: the
 * first by whose key is set, then the first that can be made, then the first.
 */
function firstConfigured(
  { providers }: LoadedConfig,
  made: ReadonlyMap<string, { provider: ModelProvider }>,
  failures: ReadonlyMap<string, SvcError>,
  hasKey: (described: DescribedProvider) => boolean,
): string | undefined {
  const named = providers.filter(
    ({ id, config }) => id !== 'offline' && (made.get(id)?.provider ?? config).defaultModel !== undefined,
  )
  return (named.find(hasKey) ?? named.find(({ id }) => !failures.has(id)) ?? named[0])?.id
}
