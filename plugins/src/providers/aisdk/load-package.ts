import { ConfigError } from '@svc/core'
import { isRecord } from '../format/json.ts'
import type { AiSdkModels } from './aisdk-model.ts'

/** The package of a provider: what stands behind `aisdk:` is short for one of the AI SDK's own. */
export const toPackage = (name: string): string => (name.startsWith('@') ? name : `@ai-sdk/${name}`)

/**
 * Loads a package of the AI SDK, as svc itself sees it: never from the folder of a run, which may be anybody's.
 *
 * @param settings for the function of the package that makes its models, such as `createGoogle`
 * @throws ConfigError `no_provider` naming what to install, or what the package lacks
 */
export async function loadModels(provider: string, name: string, settings: object): Promise<AiSdkModels> {
  let loaded: Record<string, unknown>
  try {
    loaded = await import(name)
  } catch (thrown) {
    const { code, message } = thrown as { code?: unknown; message?: unknown }
    const isAbsent = code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${name}'`)
    const finding = isAbsent ? 'is not installed' : `cannot be loaded (${String(message ?? thrown).split('\n')[0]})`
    throw new ConfigError(
      'no_provider',
      `provider '${provider}' needs the package ${name}, which ${finding}. Fix: npm install ${name}, where svc is installed`,
      { cause: thrown },
    )
  }
  for (const [, make] of Object.entries(loaded).filter(([field]) => /^create[A-Z]/.test(field))) {
    const models: unknown = typeof make === 'function' ? make(settings) : undefined
    if (isModels(models)) return models
  }
  throw new ConfigError(
    'no_provider',
    `provider '${provider}': the package ${name} has no function create… that makes models of the AI SDK`,
  )
}

export const isModels = (value: unknown): value is AiSdkModels =>
  (typeof value === 'function' || isRecord(value)) &&
  typeof (value as { languageModel?: unknown }).languageModel === 'function'
