import type { ModelInfo, ProviderConfig } from '@svc/core'

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
