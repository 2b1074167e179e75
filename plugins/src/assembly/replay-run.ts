import {
  ConfigError,
  createMemoryStore,
  isTerminalEvent,
  type LoadedConfig,
  type ModelProvider,
  type RunCreate,
  type RunEvent,
  type RunLock,
  type RunResult,
  type RunRow,
  SvcError,
} from '@svc/core'
import { comparableResult, findFirstDifference } from '@svc/core/recordings'
import type { RunCassette } from '../providers/index.ts'
import { type CreateRuntimeOptions, createRuntime } from './create-runtime.ts'

/** How a recorded run went this time. */
export interface ReplayedRun {
  runId: string
  /** True where everything is as recorded; then `events` and `result` are the recorded ones, with the times measured then. */
  identical: boolean
  events: readonly RunEvent[]
  result: RunResult
  /** The log of the recording. */
  recorded: readonly RunEvent[]
  /** Numbers of the first events that differ, in the recording and now. */
  firstDifference?: readonly [recorded: number, now: number]
}

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
  const store = createMemoryStore({ clock: cassette.clock })
  for (const agent of lock.agents) await store.agents.put(agent.id, agent)
  const here = underLock(loaded, lock)
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
  try {
    assertPlugins(
      lock,
      (await runtime.describe()).plugins.map(({ name }) => name),
    )
    await store.create(asQueued(row, changes), recording.events.slice(0, 1))
    for (const bytes of recording.payloads) await store.payloads.put(row.id, bytes)
    const stop = (): void => void runtime.runs.cancel(row.id, 'the replay was stopped').catch(() => {})
    signal?.addEventListener('abort', stop, { once: true })
    await runtime.runs.resume(row.id)
    const events: RunEvent[] = []
    for await (const event of runtime.runs.events(row.id, { deltas: false })) events.push(event)
    signal?.removeEventListener('abort', stop)
    return compare(recording.events, events, row.id)
  } finally {
    await runtime.close()
  }
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
    providers: lock.providers
      .filter(({ id }) => id !== 'offline')
      .map((provider) => ({
        id: provider.id,
        config: { type: 'recorded', create: () => toStandIn(provider) },
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

/** A provider that is known and cannot be called. */
function toStandIn({ id, models, ...facts }: RunLock['providers'][number]): ModelProvider {
  const refuse = (): SvcError =>
    new SvcError('replay_diverged', `${id} is not called: it stands in for the provider of a recorded run`)
  return {
    id,
    ...facts,
    models: async () => [...models],
    // biome-ignore lint/correctness/useYield: it has nothing to give
    async *generate() {
      throw refuse()
    },
    embed: async () => {
      throw refuse()
    },
  }
}

function assertPlugins({ plugins }: RunLock, here: readonly string[]): void {
  // A part of svc's own that is left out was left out here.
  const missing = plugins.filter(({ name, source }) => source !== 'built in' && !here.includes(name))
  if (missing.length === 0) return
  const named = missing.map(({ name, source }) => `"${name}" (${source})`).join(', ')
  throw new ConfigError(
    'plugin_load_failed',
    `the recorded run was made with ${missing.length === 1 ? 'a plugin that is' : 'plugins that are'} not here: ${named}. Name a config that has ${missing.length === 1 ? 'it' : 'them'} with --config`,
  )
}

/** The run as it was when it was made. */
function asQueued(
  { id, task, mode, createdAt, threadId, configHash, create, originRunId }: RunRow,
  changes: Partial<RunCreate>,
): RunRow {
  return {
    id,
    status: 'queued',
    mode,
    task,
    recoveries: 0,
    version: 1,
    createdAt,
    ...(threadId !== undefined && { threadId }),
    ...(originRunId !== undefined && { originRunId }),
    lastSeq: 0,
    agents: [],
    usage: { inputTokens: 0, outputTokens: 0, estimated: false, modelCalls: 0 },
    costUsd: null,
    links: {},
    format: 1,
    create: { ...create, ...changes },
    configHash,
  }
}

function compare(recorded: readonly RunEvent[], now: readonly RunEvent[], runId: string): ReplayedRun {
  const [before, after] = [resultOf(recorded), resultOf(now)]
  const parted = findFirstDifference(recorded, now, true)
  if (parted === undefined && comparableResult(before) === comparableResult(after))
    return { runId, identical: true, recorded, events: recorded, result: before }
  return {
    runId,
    identical: false,
    recorded,
    events: now,
    result: after,
    firstDifference: parted ?? [recorded.length, now.length],
  }
}

function resultOf(events: readonly RunEvent[]): RunResult {
  const last = events.at(-1)
  if (last !== undefined && isTerminalEvent(last)) return last.data.result as RunResult
  throw new SvcError('internal_error', 'a run ended without its last event')
}
