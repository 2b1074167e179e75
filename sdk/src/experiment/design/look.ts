import { ConfigError, createMemoryStore, type LoadedConfig, type RuntimeInfo } from '@svc/core'
import { nearest } from '@svc/core/text'
import { createProvider, createRuntime, PRESETS } from '@svc/plugins'
import type { Arm } from './arms.ts'
import { type ArmPrices, hardLimitOf, pricesOf } from './limits.ts'

/** Starts an arm's runtime once, to see that it can be started, and what its models cost. @param options of its runs */
export async function look(
  options: Arm['options'],
  arm: Arm,
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Promise<{ defaultModel: string; prices: ArmPrices; mostTokens: number }> {
  const { model } = options
  const info = await describeWith(model, loaded, env)
  return {
    defaultModel: model ?? info.defaultModel,
    prices: pricesOf(arm, loaded, options, info),
    mostTokens: hardLimitOf(options, loaded),
  }
}

/**
 * What a runtime of a config says of itself.
 *
 * @throws ConfigError `no_provider`, `unknown_provider` where it has not the model, or no default where none is named
 */
export async function describeWith(
  model: string | undefined,
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Promise<RuntimeInfo> {
  const runtime = await createRuntime(loaded, { env, persist: false, store: createMemoryStore(), claims: 'none' })
  try {
    const info = await runtime.describe()
    const ids = info.providers.map(({ id }) => id)
    const [provider = ''] = model?.split('/') ?? []
    const failure = info.providers.find(({ id }) => id === provider)?.error
    if (model !== undefined && failure !== undefined) throw new ConfigError('no_provider', failure)
    if (model !== undefined && !ids.includes(provider)) {
      // Throws where svc knows the provider, and something such as its key is missing.
      if (Object.hasOwn(PRESETS, provider)) createProvider(provider, undefined, { env })
      const guess = nearest(provider, ids)
      const hint = guess === undefined ? `there are ${ids.join(', ')}` : `did you mean ${guess}?`
      throw new ConfigError('unknown_provider', `model "${model}" must be written provider/model: ${hint}`)
    }
    if (model === undefined && info.defaultModelError !== undefined)
      throw new ConfigError('no_provider', info.defaultModelError.message)
    return info
  } finally {
    await runtime.close()
  }
}
