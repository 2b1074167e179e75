import type { SvcConfig, Tightening } from '../../contracts/config.ts'
import type { MemoryApi } from '../../contracts/memory/memory.ts'
import type { ModelProvider } from '../../contracts/model/model.ts'
import type { ProviderAdapter } from '../../contracts/model/provider-adapter.ts'
import type { OwnTopology } from '../../contracts/plugin/own-topology.ts'
import type { Registry } from '../../contracts/plugin/plugin.ts'
import type { PolicyRule } from '../../contracts/policy-rule.ts'
import type { InspectionApi } from '../../contracts/stages/inspection.ts'
import type { Store, StoreFactory } from '../../contracts/store/store.ts'
import type { CheckedFetch, Tool } from '../../contracts/tool/tool.ts'
import type { ToolSource } from '../../contracts/tool/tool-source.ts'
import { toTopology } from '../../contracts/words.ts'
import { ConfigError, PluginError, PolicyError, SvcError } from '../../errors.ts'
import { fillPlan } from '../../plan/define-plan.ts'
import { describeUnknown } from '../../plan/topology-names.ts'
import { Background } from '../../support/background.ts'
import { digest } from '../../support/ids.ts'
import { PerName } from '../../support/per-name.ts'
import { Deadlines } from '../../support/timers/deadlines.ts'
import { nearest } from '../../text/nearest.ts'
import { Gate } from '../calls/model/admission.ts'
import { Breaker } from '../calls/model/breaker.ts'
import { ModelCatalog } from '../calls/model/model-catalog.ts'
import { withSources } from '../calls/tools/tool-sources.ts'
import type { Environment, Lasting } from '../environment.ts'
import { HookAssembly } from '../hooks/hooks.ts'
import { LOG_LIMITS } from '../journal/log-size.ts'
import { findParametersError } from '../json-schema.ts'
import { createEventBus } from '../observe/event-bus.ts'
import { createMemoryStore } from '../stores/memory-store.ts'
import { VERSION } from '../version.ts'
import { AgentRegistry } from './agent-registry.ts'
import { applyPlugins } from './apply-plugins.ts'
import { assertTopology } from './own-topologies.ts'
import { createRegistry } from './registry.ts'
import type { RuntimeSettings } from './runtime-settings.ts'
import { createSocket } from './socket.ts'

/** Most bytes of one tool result that a model is shown. */
const TOOL_RESULT_BYTES = 65_536

/**
 * Applies the plugins and makes the services that they and the runtime share.
 *
 * @param lasting what another environment of the same runtime has already
 * @throws PluginError `plugin_duplicate`, `plugin_failed`, also for a tool whose parameters are wrong; ConfigError `config_invalid` for a store that nobody provides
 */
export async function createEnvironment(settings: RuntimeSettings, lasting?: Lasting): Promise<Environment> {
  const { config = {}, clock = Date.now, managed, tightening, redact = (text) => text } = settings
  const tapTimes = lasting?.tapTimes ?? new Map()
  const readPlan = (answer: unknown) =>
    fillPlan(answer, {
      ...(config.maxPlanSteps !== undefined && { maxSteps: config.maxPlanSteps }),
      topologies: topologies.ids(),
      isLoose: (name) => topologies.get(name)?.execute !== undefined,
    })
  const hooks = new HookAssembly({ timeoutMs: settings.tapTimeoutMs, times: tapTimes, redact, readPlan })
  const source = (): string => {
    const { name, source: from } = hooks.applying
    return from === 'built in' ? 'built in' : `plugin ${name} (${from})`
  }
  const current = (): string => hooks.applying.name
  const providers = createRegistry<ModelProvider>('provider', source)
  const adapters = createRegistry<ProviderAdapter>('wire format', source)
  const tools = createRegistry<Tool>('tool', source, (id, tool, from) => assertTool(id, tool, from, hooks.applying))
  const toolSources = createRegistry<ToolSource>('tool source', source)
  const stores = createRegistry<StoreFactory>('store', source)
  const topologies = createRegistry<OwnTopology>('topology', source, (name, topology) =>
    assertTopology(name, topology, current()),
  )
  const memory = createSocket<MemoryApi>('memory', current)
  const inspection = createSocket<InspectionApi>('inspection', current)
  const pluginBus = createEventBus()
  let store = lasting?.store ?? settings.store
  await applyPlugins(settings.plugins, hooks, {
    providers,
    adapters,
    tools,
    toolSources,
    stores,
    topologies,
    memory,
    inspection,
    events: pluginBus,
    config,
    records: (kind, space) => {
      // Which store it is, a plugin that is still to be applied may say.
      if (store !== undefined) return store.records(kind, space)
      throw new SvcError('store_unavailable', 'host.records can be asked by taps, and not while plugins are applied')
    },
    space: settings.space ?? '*',
  })
  checkDefault(config.defaultTopology, topologies.ids(), settings.origin)
  store ??= openStore(stores, config.store, clock)
  const shared = lasting ?? {
    store,
    audit: settings.audit ?? (() => {}),
    bus: createEventBus(),
    tapTimes,
    space: settings.space,
    clock,
    claims: settings.claims ?? 'all',
    leaseMs: settings.leaseMs ?? 30_000,
    deadlines: new Deadlines(),
    background: new Background(),
  }
  const { unusable = [] } = settings
  const limits = { ...config.server?.limits, ...managed?.server?.limits }
  return {
    ...shared,
    version: settings.version ?? VERSION,
    config,
    configHash: hashOf(config, tightening),
    origin: settings.origin ?? {},
    managed,
    tightening,
    trustsWorkspace: settings.trustsWorkspace ?? true,
    pluginBus,
    hooks,
    providers,
    catalog: new ModelCatalog(
      providers,
      config.model ?? config.provider ?? settings.defaultModel ?? '',
      clock,
      unusable,
      settings.explainProvider,
    ),
    tools: withSources(tools, toolSources),
    toolSources,
    topologies,
    unusable,
    agents: new AgentRegistry(settings.agents ?? [], shared.store, settings.agentFiles, clock, unusable),
    memory,
    forgetRuns: settings.forgetRuns,
    checkBudget: settings.checkBudget,
    inspection,
    workspace: settings.workspace ?? process.cwd(),
    files: settings.files,
    notes: settings.notes,
    redact,
    fetch: settings.fetch ?? refuseFetch,
    logLimits: { events: limits.runEvents ?? LOG_LIMITS.events, bytes: limits.runBytes ?? LOG_LIMITS.bytes },
    toolOutputBytes: limits.toolResultBytes ?? TOOL_RESULT_BYTES,
    warnings: settings.warnings ?? [],
    rulesFile: settings.rulesFile,
    cassette: settings.cassette,
    gates: new PerName(() => new Gate(clock)),
    breakers: new PerName(() => new Breaker(clock)),
  }
}

const hashOf = (config: SvcConfig, tightening: Tightening | undefined): string =>
  digest(JSON.stringify([config, tightening])).slice(0, 16)

/** The same under a config with one rule more. @param source that the rule stands in */
export function withRule(env: Environment, rule: PolicyRule, source: string): Environment {
  const { policy, ...rest } = env.config
  const rules = [...(policy?.rules ?? []), rule]
  const config: SvcConfig = { ...rest, policy: { ...policy, rules } }
  const origin = { ...env.origin, [`/policy/rules/${rules.length - 1}`]: source }
  return { ...env, config, configHash: hashOf(config, env.tightening), origin }
}

/** @throws ConfigError `config_invalid` for a default that is no topology of svc, and that no plugin registered */
function checkDefault(word: string | undefined, own: readonly string[], origin: RuntimeSettings['origin'] = {}): void {
  if (word === undefined || toTopology(word, own) !== undefined) return
  const message = describeUnknown(word, own)
  const from = origin['/defaultTopology'] ?? 'config'
  throw new ConfigError('config_invalid', `${from}: /defaultTopology ${message}`, {
    errors: [{ path: '/defaultTopology', message }],
  })
}

/**
 * A tool whose parameters no model can be shown would end each run, so it is not taken.
 *
 * @throws PluginError `plugin_failed` with the place; ConfigError `config_invalid` for a tool of a config, which svc adds
 */
function assertTool(id: string, { parameters }: Tool, from: string, applying: HookAssembly['applying']): void {
  const error = findParametersError(parameters)
  if (error === undefined) return
  const isOfConfig = applying.source === 'built in' && from !== 'built in'
  const whose = isOfConfig ? ` (${from})` : ` of plugin ${applying.name} (${applying.source})`
  const message = `tool "${id}"${whose}: parameters${error.path}: ${error.message}`
  const path = `/parameters${error.path}`
  if (isOfConfig) {
    throw new ConfigError('config_invalid', message, {
      errors: [{ path: `/tools/${id}${path}`, message: error.message }],
    })
  }
  const errors = [{ path, message: error.message }]
  throw new PluginError('plugin_failed', message, { plugin: applying.name, stage: 'apply', errors })
}

/** The store that the config's address names by its scheme, else one in memory. */
function openStore(
  stores: Registry<StoreFactory>,
  { url, dir, fsync, retainRuns }: NonNullable<RuntimeSettings['config']>['store'] & object = {},
  clock: () => number,
): Store {
  const scheme = url === undefined ? 'memory' : (/^([a-z][\w+.-]*):/i.exec(url)?.[1] ?? '')
  if (scheme === 'memory' && stores.get('memory') === undefined)
    return createMemoryStore({ clock, ...(retainRuns !== undefined && { keepRuns: retainRuns }) })
  const factory = stores.get(scheme)
  if (factory === undefined) {
    const ids = ['memory', ...stores.ids()]
    const guess = nearest(scheme, ids)
    const what =
      scheme === '' ? 'it does not begin with the name of a store and ":"' : `no store answers to "${scheme}:"`
    throw new ConfigError(
      'config_invalid',
      `/store/url (or SVC_DATABASE_URL): ${what}${guess === undefined ? '' : `, did you mean "${guess}:"?`}. Known: ${ids.map((id) => `${id}:`).join(' ')}. A plugin adds another with host.stores.add`,
    )
  }
  return factory({ clock, ...(url && { url }), ...(dir && { dir }), ...(fsync && { fsync }) })
}

const refuseFetch: CheckedFetch = async () => {
  throw new PolicyError(
    'ssrf_blocked',
    'this runtime was assembled without a guarded fetch, so its tools cannot use the network',
  )
}
