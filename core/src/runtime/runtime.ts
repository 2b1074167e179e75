import type { Inspection } from '../contracts/inspection.ts'
import type { ModelProvider } from '../contracts/model.ts'
import type { Host, Plugin } from '../contracts/plugin.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Runtime } from '../contracts/runtime.ts'
import type { StoredRun, StoreFactory } from '../contracts/store.ts'
import type { Tool } from '../contracts/tool.ts'
import { ConfigError, NotFoundError, PluginError, PolicyError, SvcError, toSvcError } from '../errors.ts'
import { AgentBook } from './agent-registry.ts'
import { ApprovalsDesk } from './runs/approvals.ts'
import { describe, nameOfDefault } from './describe.ts'
import { createEventBus, deliver, notify } from './event-bus.ts'
import { History } from './runs/history.ts'
import { createHooks, type HookAssembly, type TapObserver } from './pipeline/hooks.ts'
import { createMemoryStore } from './stores/memory-store.ts'
import { ModelCatalog } from './calls/model-catalog.ts'
import { createRegistry } from './registry.ts'
import { RunFactory } from './runs/prepare-run.ts'
import { Runs } from './runs/run-service.ts'
import type { RuntimeSettings } from './runtime-settings.ts'
import { createThreads } from './runs/threads.ts'
import { VERSION } from './version.ts'

/**
 * Assembles a runtime from plugins: applies them in order, opens the store, goes on with what was left unfinished.
 *
 * @throws PluginError `plugin_duplicate` for two plugins of one name, `plugin_failed` when one fails to apply
 */
export async function startRuntime(settings: RuntimeSettings): Promise<Runtime> {
  const { config = {}, clock = Date.now, workspace = process.cwd(), leaseMs = 30_000, version = VERSION } = settings
  const store = settings.store ?? createMemoryStore({ clock })
  const bus = createEventBus()
  const assembly = createHooks({
    observerOf: (run: RunContext) => ('tapped' in run ? (run as RunContext & TapObserver) : undefined),
    ...(settings.tapTimeoutMs === undefined ? {} : { timeoutMs: settings.tapTimeoutMs }),
  })
  const source = (): string =>
    assembly.applying.source === 'built in'
      ? 'built in'
      : `plugin ${assembly.applying.name} (${assembly.applying.source})`
  const providers = createRegistry<ModelProvider>('provider', source)
  const tools = createRegistry<Tool>('tool', source)
  const stores = createRegistry<StoreFactory>('store', source)
  await applyAll(settings.plugins, assembly, { hooks: assembly.hooks, providers, tools, stores, events: bus, config })

  const catalog = new ModelCatalog(providers, config.model ?? config.provider ?? settings.defaultModel ?? '')
  const approvals = new ApprovalsDesk(store, clock)
  const agents = new AgentBook(settings.agents ?? [], store, settings.agentFiles, clock)
  const listeners = new Set<Parameters<Runtime['onEvent']>[0]>()
  const listen: Runtime['onEvent'] = (handler) => {
    listeners.add(handler)
    return () => listeners.delete(handler)
  }
  const complain = (thrown: unknown): void =>
    process.emitWarning(`an event handler threw: ${toSvcError(thrown).message}`, 'SvcWarning')

  const factory = new RunFactory({
    assembly,
    config,
    managed: settings.managed,
    catalog,
    tools,
    agents,
    approvals,
    workspace,
    fetch: settings.fetch ?? refuseFetch,
    clock,
    leaseMs,
    warnings: settings.warnings ?? [],
    versions: { svc: version },
    onTap: settings.onTap,
    publish: (event) => {
      deliver(bus, event, complain)
      for (const listener of listeners) notify(listener, event, complain)
    },
    listen,
    isRead: () => listeners.size > 0 || bus.listenerCount('event') > 0,
    keep: (bytes) => store.payloads.put(bytes),
    messagesOf: (threadId) => threads.messages(threadId),
  })
  await store.open()
  const runs = new Runs(store, factory)
  const runsOf = async (threadId: string): Promise<StoredRun[]> => {
    const found: StoredRun[] = []
    for (let after: string | undefined; ; ) {
      const page = await runs.list({ threadId, limit: 100, order: 'asc', ...(after === undefined ? {} : { after }) })
      found.push(...page.data.map((run) => ({ run, create: { task: run.task } })))
      if (page.nextCursor === undefined) return found
      after = page.nextCursor
    }
  }
  const threads = createThreads(store, runsOf, clock)
  const history = new History(store, runs, factory)
  const started = clock()
  await runs.recover()

  return {
    runs: {
      create: (create, options) => runs.create(create, options),
      get: (id) => runs.get(id),
      list: (query) => runs.list(query),
      wait: (id, ms) => runs.wait(id, ms),
      result: (id) => runs.result(id),
      events: (id, options) => runs.events(id, options),
      cancel: (id, reason) => runs.cancel(id, reason),
      resume: (id, input) => runs.resume(id, input),
      fork: (id, input) => history.fork(id, input),
      replay: (id) => history.replay(id),
      diff: (a, b) => history.diff(a, b),
      export: (id) => history.export(id),
      delete: (id) => runs.delete(id),
    },
    approvals: {
      list: (query) => approvals.list(query),
      get: (id) => approvals.get(id),
      resolve: (id, decision) => approvals.resolve(id, decision),
    },
    agents: agents.api,
    memory: settings.memory ?? NO_MEMORY,
    threads,
    async analyze(task) {
      const { riskLevel, description } = task
      const run = await runs.create({ task: description, mode: 'analyze', ...(riskLevel && { riskLevel }) })
      const ended = await runs.wait(run.id)
      if (ended.status !== 'completed')
        throw new SvcError(codeOf(ended.error?.code), ended.error?.message ?? 'the analysis failed')
      return { ...((await runs.result(run.id)) as Awaited<ReturnType<Runtime['analyze']>>), taskId: task.id }
    },
    inspect: async () => settings.inspect?.() ?? HEALTHY,
    describe: () =>
      describe({
        version,
        defaultModel: () => nameOfDefault(catalog),
        assembly,
        plugins: settings.plugins,
        providers,
        catalog,
        tools,
        config,
        origin: settings.origin ?? {},
      }),
    async health() {
      const provider = (await nameOfDefault(catalog)).split('/')[0] ?? 'none'
      return {
        status: 'ok',
        version,
        uptimeSeconds: Math.round((clock() - started) / 1000),
        provider,
        warnings: [...(settings.warnings ?? []), ...(settings.healthWarnings ?? [])],
      }
    },
    onEvent: listen,
    async close() {
      await runs.close()
      await store.close()
      listeners.clear()
    },
  }
}

const HEALTHY: Inspection = { grade: 'healthy', score: 1, issues: [], signals: {} }

const codeOf = (code: string | undefined): ConstructorParameters<typeof SvcError>[0] =>
  (code ?? 'run_failed') as ConstructorParameters<typeof SvcError>[0]

const refuseFetch: typeof fetch = async () => {
  throw new PolicyError(
    'ssrf_blocked',
    'this runtime was assembled without a guarded fetch, so its tools cannot use the network',
  )
}

/** A memory that is switched off says so. */
const off = async (): Promise<never> => {
  throw new ConfigError('config_invalid', 'memory is switched off: components.memory is false')
}
const NO_MEMORY: Runtime['memory'] = {
  write: off,
  query: off,
  list: off,
  get: async (id) => {
    throw new NotFoundError('memory_not_found', `there is no memory "${id}": memory is switched off`)
  },
  delete: off,
}

async function applyAll(plugins: RuntimeSettings['plugins'], assembly: HookAssembly, host: Host): Promise<void> {
  const seen = new Map<string, string>()
  for (const { plugin, source = 'built in' } of plugins) {
    const { name } = plugin
    const earlier = seen.get(name)
    if (earlier !== undefined) {
      throw new PluginError(
        'plugin_duplicate',
        `two plugins are called "${name}": one from ${earlier}, one from ${source}. Rename one, or put it into a slot of \`components\``,
        { plugin: name, stage: 'apply' },
      )
    }
    seen.set(name, source)
    assembly.applying = { name, mandatory: plugin.mandatory === true, source }
    await applyOne(plugin, host)
  }
  assembly.applying = { name: 'unknown', mandatory: false, source: 'registered after start' }
}

async function applyOne(plugin: Plugin, host: Host): Promise<void> {
  try {
    await plugin.apply(host)
  } catch (thrown) {
    if (SvcError.isInstance(thrown)) throw thrown
    throw new PluginError('plugin_failed', `plugin "${plugin.name}" failed to apply: ${toSvcError(thrown).message}`, {
      plugin: plugin.name,
      stage: 'apply',
      cause: thrown,
    })
  }
}
