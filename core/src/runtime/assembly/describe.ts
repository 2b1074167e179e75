import type { SvcConfig } from '../../contracts/config.ts'
import type { ErrorInfo } from '../../contracts/error-info.ts'
import type { RuntimeInfo } from '../../contracts/runtime/runtime.ts'
import { toSvcError } from '../../errors.ts'
import { redact } from '../../support/secrets.ts'
import type { ModelCatalog } from '../calls/model/model-catalog.ts'
import { describePolicy } from '../calls/policy/describe-policy.ts'
import type { Environment } from '../environment.ts'
import type { UseCounts } from '../observe/use-counts.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

/** What the runtime is made of, for `svc plugins`, `svc models`, `svc tools` and `svc config show`. */
export async function describe(
  env: Environment,
  { plugins }: Pick<RuntimeSettings, 'plugins'>,
  use: UseCounts,
): Promise<RuntimeInfo> {
  const { version, catalog, hooks, providers, tools, config, origin, breakers } = env
  const taps = hooks.taps()
  return {
    version,
    ...(await findDefault(catalog)),
    providers: [
      ...(await Promise.all(
        providers.ids().map(async (id) => {
          const provider = providers.get(id)
          const models = await catalog.infos(id)
          const source = provider?.source ?? providers.source(id) ?? 'built in'
          return {
            id,
            models,
            source,
            health: use.healthOf(id, breakers.of(id).waitMs > 0),
            ...(provider?.defaultModel === undefined ? {} : { defaultModel: provider.defaultModel }),
          }
        }),
      )),
      ...env.unusable.flatMap(({ kind, id, source, error }) =>
        kind === 'provider' ? [{ id, source, error: error.message, models: [] }] : [],
      ),
    ],
    tools: [
      ...tools.ids().map((id) => {
        const { description = '', risk = 'execute' as const } = tools.get(id) ?? {}
        return { id, description, risk, source: tools.source(id) ?? 'built in', use: use.useOf(id) }
      }),
      ...notYetKnown(env),
    ],
    plugins: plugins.map(({ plugin, source = 'built in' }) => ({
      name: plugin.name,
      stages: [...new Set(taps.filter((tap) => tap.plugin === plugin.name).map(({ hook }) => hook))],
      mandatory: plugin.mandatory === true,
      source,
    })),
    taps,
    config: { value: redact(config) as SvcConfig, origin: { ...origin } },
    policy: describePolicy(env),
  }
}

/** Sources whose tools are not known yet, each by the glob of their ids. */
const notYetKnown = ({ toolSources }: Environment): RuntimeInfo['tools'] =>
  toolSources.ids().flatMap((name) => {
    const source = toolSources.get(name)
    if (source === undefined || source.tools().length > 0) return []
    const description = 'Tools that are known once a run has used them.'
    return [{ id: source.pattern, description, risk: 'execute' as const, source: name }]
  })

/** The default model's name, or why there is none. */
export async function findDefault(
  catalog: ModelCatalog,
): Promise<{ defaultModel: string; defaultModelError?: ErrorInfo }> {
  try {
    const { provider, model } = await catalog.resolve('')
    return { defaultModel: `${provider.id}/${model}` }
  } catch (thrown) {
    const error = toSvcError(thrown).toInfo()
    return { defaultModel: `none: ${error.message}`, defaultModelError: error }
  }
}
