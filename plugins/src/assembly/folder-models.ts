import type { LoadedConfig, SvcConfig, Warning } from '@svc/core'

/** Which model speaks when a run names none, and what of the config and which warnings go with it. */
export interface ChosenModels {
  /** `provider/model`, or a provider's id. */
  defaultModel: string
  config: Pick<SvcConfig, 'fallback'>
  warnings: Warning[]
}

/** Takes the models that an untrusted folder names, as far as they are of the provider that speaks without them. */
export function chooseModels({ tightening }: Pick<LoadedConfig, 'tightening'>, defaultModel: string): ChosenModels {
  const [provider = ''] = defaultModel.split('/')
  const toOwn = (model: string): string | undefined =>
    model.startsWith(`${provider}/`) ? model : model.includes('/') ? undefined : `${provider}/${model}`
  const { source = '', model, fallback = [] } = tightening ?? {}
  const own = model === undefined ? defaultModel : toOwn(model)
  const others = fallback.map(toOwn)
  const foreign = [...(own === undefined ? [model] : []), ...fallback.filter((_, index) => others[index] === undefined)]
  const message = `${source} names ${foreign.join(', ')}, and the folder is not trusted: your provider is ${provider}. Run "svc trust" to use what it names`
  return {
    defaultModel: own ?? defaultModel,
    config: others.length > 0 && !others.includes(undefined) ? { fallback: others as string[] } : {},
    warnings: foreign.length === 0 ? [] : [{ code: 'config_restricted', message }],
  }
}
