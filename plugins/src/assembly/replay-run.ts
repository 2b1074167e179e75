import {
  ConfigError,
  type LoadedConfig,
  type ModelProvider,
  type Plugin,
  type RunCreate,
  type RunLock,
  type Runtime,
  SvcError,
} from '@svc/core'
import { assertNoneMissing, type ReplayedRun, type RunCassette, replayIn, standInsOf } from '@svc/core/recordings'
import { type CreateRuntimeOptions, createRuntime } from './create-runtime.ts'

export interface ReplayOptions
  extends Omit<CreateRuntimeOptions, 'cassette' | 'clock' | 'fetch' | 'lock' | 'persist' | 'store'> {
  /** What of the recorded request is to be otherwise. */
  changes?: Partial<RunCreate>
  /** Ends the replay. */
  signal?: AbortSignal
  /** Awaited once the run has ended, with the runtime that went over it, such as to export it. */
  atEnd?: (runtime: Runtime, runId: string) => Promise<void>
}

/**
 * Goes over a recorded run again: every stage is asked, and models, tools, people and memory answer as they did. Nothing is
 * called, and neither the recorded run's providers and tools nor its config need be here; its plugins must, those of the
 * config or `options.plugins`.
 *
 * @param loaded whose plugins, slots and managed bounds count; what else a config says is the recording's
 * @throws ConfigError `plugin_load_failed` for a plugin of the recorded run that is not here
 */
export async function replayRun(
  cassette: RunCassette,
  loaded: LoadedConfig,
  { changes = {}, signal, atEnd, plugins = [], ...options }: ReplayOptions = {},
): Promise<ReplayedRun> {
  const { recording } = cassette
  const { row, lock } = recording
  if (lock === undefined) {
    throw new ConfigError(
      'config_invalid',
      `run ${row.id} was exported under another config than it was made with, so its file does not say what it was made with: export it with the config that it had`,
    )
  }
  const standIns = new Map(standInsOf(lock).map((provider) => [provider.id, provider]))
  const here = underLock(loaded, lock, standIns)
  return replayIn(cassette, changes, async (store, runId) => {
    for (const agent of lock.agents) await store.agents.put(agent.id, agent)
    const runtime = await createRuntime(here, {
      ...options,
      plugins: plugins.map((plugin) => withoutProviders(plugin, standIns)),
      env: {},
      // A provider that is built in asks none for its models either.
      fetch: refuseNetwork,
      cassette,
      clock: cassette.clock,
      lock,
      persist: false,
      store,
      claims: 'own',
    })
    const stop = (): void => void runtime.runs.cancel(runId, 'the replay was stopped').catch(() => {})
    try {
      const names = new Set((await runtime.describe()).plugins.map(({ name }) => name))
      // A part of svc's own that is left out was left out here.
      const missing = lock.plugins.filter(({ name, source }) => source !== 'built in' && !names.has(name))
      assertNoneMissing(missing.map(({ name, source }) => ({ kind: 'plugin' as const, name, source })))
      signal?.addEventListener('abort', stop, { once: true })
      await runtime.runs.resume(runId)
      // Through any waiting for people, to the end.
      const events = runtime.runs.events(runId, { deltas: false })[Symbol.asyncIterator]()
      while (!(await events.next()).done) {}
      await atEnd?.(runtime, runId)
    } finally {
      signal?.removeEventListener('abort', stop)
      await runtime.close()
    }
  })
}

async function refuseNetwork(): Promise<never> {
  throw new SvcError('replay_diverged', 'a recorded run is gone over without a network')
}

/**
 * The plugin with the recording's providers in place of those that it adds: what they were is in the recording, and none is
 * asked.
 */
function withoutProviders(plugin: Plugin, standIns: ReadonlyMap<string, ModelProvider>): Plugin {
  return {
    ...plugin,
    apply({ providers, ...host }) {
      const own = new Map(standIns)
      return plugin.apply({
        ...host,
        providers: {
          ...providers,
          add: (id, provider) => void (own.has(id) || own.set(id, provider)),
          get: (id) => own.get(id) ?? providers.get(id),
        },
      })
    },
  }
}

/** The recording's settings, with the plugins that are here. */
function underLock(loaded: LoadedConfig, lock: RunLock, standIns: ReadonlyMap<string, ModelProvider>): LoadedConfig {
  const { components = {}, ...config } = lock.config
  const off = Object.keys(components).map((slot) => [slot, false])
  // The offline provider says in each result whether somebody chose it.
  const isUnchosen = config.model === undefined && lock.defaultModel.startsWith('offline/')
  return {
    ...loaded,
    config: { ...config, ...(!isUnchosen && { model: lock.defaultModel }), store: { url: 'memory:' } },
    slots: { ...Object.fromEntries(off), ...loaded.slots },
    plugins: loaded.plugins.map((each) => ({ ...each, plugin: withoutProviders(each.plugin, standIns) })),
    providers: [...standIns.values()]
      .filter(({ id }) => id !== 'offline')
      .map((provider) => ({
        id: provider.id,
        config: { type: 'recorded', create: () => provider },
        source: 'recorded run',
      })),
    tools: [],
    agents: [],
    tightening: lock.tightening,
    trustsFolder: lock.trustsWorkspace,
    variables: {},
    problems: [],
    warnings: [],
  } as LoadedConfig
}
