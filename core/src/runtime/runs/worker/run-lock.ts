import type { RunEvent } from '../../../contracts/log/event.ts'
import type { ModelProvider } from '../../../contracts/model/model.ts'
import type { RunLock } from '../../../contracts/run/run-lock.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import { redact } from '../../../support/secrets.ts'
import type { Environment } from '../../environment.ts'
import { toJsonSchema } from '../../standard-schema.ts'
import { resolveSmall } from '../service/prepare-run.ts'

/** What a config says that belongs to one machine, or that the lock says in its own way. */
const NOT_LOCKED: ReadonlySet<string> = new Set([
  '$schema',
  'extends',
  'agents',
  'components',
  'disabledProviders',
  'log',
  'mcpServers',
  'memory',
  'plugins',
  'provider',
  'providers',
  'server',
  'store',
  'telemetry',
  'tools',
])

/** The settings of a config that a lock may hold. A file of somebody else's gets no further with others. */
export const lockedSettings = (config: object): [name: string, value: unknown][] =>
  Object.entries(config).filter(([name]) => !NOT_LOCKED.has(name))

/**
 * What a run was made with.
 *
 * @returns undefined where the config in force is another than the run's, so that nobody can tell any more
 */
export const lockOf = async (
  env: Environment,
  row: RunRow,
  events: readonly RunEvent[],
): Promise<RunLock | undefined> =>
  // A recorded run keeps its hash, and is gone over with what is here.
  env.cassette?.isStrict === true || row.configHash === env.configHash ? lockHere(env, events) : undefined

/** What a run would be made with here and now. */
export async function lockHere(env: Environment, events: readonly RunEvent[]): Promise<RunLock> {
  const { config, configHash, version, catalog, providers, tools, hooks, agents, tightening } = env
  const taps = hooks.taps()
  const { provider, model } = await catalog.resolve('')
  const small = await resolveSmall(env).catch(() => undefined) // the run says what is wrong with it
  const { policy, ...rest } = config
  const { root: _root, ...rules } = policy ?? {}
  const off = Object.entries(config.components ?? {}).filter(([, chosen]) => chosen === false)
  const locked = lockedSettings({ ...rest, policy: rules })
  const used = new Set(
    events.flatMap(({ type, data }) => (type === 'model.started' || type === 'model.completed' ? data.provider : [])),
  )
  return {
    configHash,
    versions: { svc: version, node: process.versions.node },
    config: redact(Object.fromEntries([...locked, ['components', Object.fromEntries(off)]])) as RunLock['config'],
    defaultModel: `${provider.id}/${model}`,
    plugins: [...new Map(taps.map((tap) => [tap.plugin, tap.source]))].map(([name, source]) => ({
      name,
      source,
      stages: [...new Set(taps.filter(({ plugin }) => plugin === name).map(({ hook }) => hook))],
    })),
    providers: await Promise.all(
      [...used.add(provider.id).add(small?.provider.id ?? provider.id)].map(async (id) =>
        toLocked(id, providers.get(id), await catalog.infos(id)),
      ),
    ),
    tools: tools.ids().flatMap((id) => {
      const tool = tools.get(id)
      if (tool === undefined) return []
      const { description, parameters, risk } = tool
      return [{ id, description, parameters: toJsonSchema(parameters), risk, source: tools.source(id) ?? 'built in' }]
    }),
    agents: [...(await agents.resolve(undefined))],
    warnings: [...env.warnings],
    trustsWorkspace: env.trustsWorkspace,
    ...(tightening && { tightening }),
  }
}

function toLocked(
  id: string,
  { deterministic, defaultModel, maxRetries }: Partial<ModelProvider> = {},
  models: RunLock['providers'][number]['models'],
): RunLock['providers'][number] {
  return {
    id,
    models,
    ...(deterministic !== undefined && { deterministic }),
    ...(defaultModel !== undefined && { defaultModel }),
    ...(maxRetries !== undefined && { maxRetries }),
  }
}
