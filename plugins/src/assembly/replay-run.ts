import { ConfigError, type LoadedConfig, type RunCreate, type RunLock, SvcError } from '@svc/core'
import { type ReplayedRun, type RunCassette, replayIn, standInsOf } from '@svc/core/recordings'
import { type CreateRuntimeOptions, createRuntime } from './create-runtime.ts'

export interface ReplayOptions
  extends Omit<CreateRuntimeOptions, 'cassette' | 'clock' | 'fetch' | 'lock' | 'persist' | 'store'> {
  /** What of the recorded request is to be otherwise. */
  changes?: Partial<RunCreate>
  /** Ends the replay. */
  signal?: AbortSignal
}

/**
 * Goes over a recorded run again: every stage is asked, and models, tools, people and memory answer as they did. Nothing is
 * called, and neither the recorded run's providers and tools nor its config need be here; its plugins must.
 *
 * @param loaded whose plugins, slots and managed bounds count; what else a config says is the recording's
 * @throws ConfigError `plugin_load_failed` for a plugin of the recorded run that is not here
 */
export async function replayRun(
  cassette: RunCassette,
  loaded: LoadedConfig,
  { changes = {}, signal, ...options }: ReplayOptions = {},
): Promise<ReplayedRun> {
  const { recording } = cassette
  const { row, lock } = recording
  if (lock === undefined) {
    throw new ConfigError(
      'config_invalid',
      `run ${row.id} was exported under another config than it was made with, so its file does not say what it was made with: export it with the config that it had`,
    )
  }
  const here = underLock(loaded, lock)
  return replayIn(cassette, changes, async (store, runId) => {
    for (const agent of lock.agents) await store.agents.put(agent.id, agent)
    const runtime = await createRuntime(here, {
      ...options,
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
      const { plugins } = await runtime.describe()
      assertPlugins(lock, new Set(plugins.map(({ name }) => name)))
      signal?.addEventListener('abort', stop, { once: true })
      await runtime.runs.resume(runId)
      // Through any waiting for people, to the end.
      const events = runtime.runs.events(runId, { deltas: false })[Symbol.asyncIterator]()
      while (!(await events.next()).done) {}
    } finally {
      signal?.removeEventListener('abort', stop)
      await runtime.close()
    }
  })
}

async function refuseNetwork(): Promise<never> {
  throw new SvcError('replay_diverged', 'a recorded run is gone over without a network')
}

/** The recording's settings, with the plugins that are here. */
function underLock(loaded: LoadedConfig, lock: RunLock): LoadedConfig {
  const { components = {}, ...config } = lock.config
  const off = Object.keys(components).map((slot) => [slot, false])
  // The offline provider says in each result whether somebody chose it.
  const isUnchosen = config.model === undefined && lock.defaultModel.startsWith('offline/')
  return {
    ...loaded,
    config: { ...config, ...(!isUnchosen && { model: lock.defaultModel }), store: { url: 'memory:' } },
    slots: { ...Object.fromEntries(off), ...loaded.slots },
    providers: standInsOf(lock)
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

function assertPlugins({ plugins }: RunLock, here: ReadonlySet<string>): void {
  // A part of svc's own that is left out was left out here.
  const missing = plugins.filter(({ name, source }) => source !== 'built in' && !here.has(name))
  if (missing.length === 0) return
  const named = missing.map(({ name, source }) => `"${name}" (${source})`).join(', ')
  throw new ConfigError(
    'plugin_load_failed',
    `the recorded run was made with ${missing.length === 1 ? 'a plugin that is' : 'plugins that are'} not here: ${named}. Name a config that has ${missing.length === 1 ? 'it' : 'them'} with --config`,
  )
}
