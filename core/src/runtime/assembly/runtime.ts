import type { Measurement } from '../../contracts/log/measurement.ts'
import type { MemoryApi } from '../../contracts/memory/memory.ts'
import type { EmbeddedRuntime, Runtime } from '../../contracts/runtime/runtime.ts'
import type { Inspection } from '../../contracts/stages/inspection.ts'
import { ConfigError, type ErrorCode, SvcError } from '../../errors.ts'
import type { Environment } from '../environment.ts'
import { UseCounts } from '../observe/use-counts.ts'
import { History } from '../runs/history/history.ts'
import { Retention } from '../runs/retention/retention.ts'
import { Approvals } from '../runs/service/approvals.ts'
import { Failures } from '../runs/service/failures.ts'
import { KeyedWork } from '../runs/service/keyed-work.ts'
import { TASK_METADATA } from '../runs/service/prepare-run.ts'
import { RunQueue } from '../runs/service/queue.ts'
import { readRunEvents } from '../runs/service/run-events.ts'
import { RunService } from '../runs/service/run-service.ts'
import { watchRuns } from '../runs/service/shared-events.ts'
import { createThreads } from '../runs/service/threads.ts'
import { findFiles } from '../runs/service/workspace-files.ts'
import { Worker } from '../runs/worker/worker.ts'
import { createEnvironment } from './create-environment.ts'
import { describe, findDefault } from './describe.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

type MeasureHandler = (measured: Measurement) => void

/** A runtime whose config can be replaced while runs are at work. */
export interface ReloadableRuntime extends EmbeddedRuntime {
  /**
   * Goes on under other settings: runs that begin from now on use them, runs at work end under those that they began with.
   * The store, and what else a process has one of, stays.
   *
   * @throws as `startRuntime`; then nothing has changed
   */
  reload(settings: RuntimeSettings): Promise<void>
}

/**
 * Assembles a runtime from plugins: applies them in order, opens the store, and goes on with what was left unfinished.
 * It is a service and a worker in one process.
 *
 * @throws PluginError `plugin_duplicate` for two plugins of one name, `plugin_failed` when one fails to apply;
 *   ConfigError `config_invalid` for a store that nobody provides
 */
export async function startRuntime(first: RuntimeSettings): Promise<ReloadableRuntime> {
  let settings = first
  let env = await createEnvironment(settings)
  const { store, bus, clock, background, deadlines } = env
  await store.open()
  const queue = new RunQueue(...queueLimits(env))
  const failures = new Failures()
  const current = (): Environment => env
  const worker = new Worker(current, queue, failures)
  const runs = new RunService(current, queue, failures, worker)
  const approvals = new Approvals(current)
  const history = new History(current, runs)
  const keyed = new KeyedWork(env)
  const started = clock()
  const use = new UseCounts()
  bus.on('passive', (event) => use.apply(event, env))
  const measuring = new Map<MeasureHandler, ((() => void) | undefined)[]>()
  const timeTaps = (handler: MeasureHandler): (() => void) =>
    env.hooks.onTimed((hook, plugin, durationMs) => handler({ kind: 'tap', hook, plugin, durationMs }))
  let closing: Promise<void> | undefined
  try {
    await worker.start()
  } catch (thrown) {
    await worker.close(0)
    await store.close()
    throw thrown
  }
  const retention = new Retention(env)

  return {
    runs: {
      create: (create, options) => runs.create(create, options),
      start: runs.start.bind(runs),
      get: (id, reach) => runs.get(id, reach),
      list: (query) => runs.list(query),
      summary: (filters) => runs.summary(filters),
      wait: (id, ms, reach) => runs.wait(id, ms, reach),
      result: (id, reach) => runs.result(id, reach),
      events: (id, options = {}) =>
        readRunEvents(id, { store, bus, queue, failures, clock, find: (id) => runs.row(id, options) }, options),
      cancel: (id, reason, by) => runs.cancel(id, reason, by),
      async resume(id, input = {}, options = {}) {
        const { addBudget } = input
        if (input.input === undefined && (await worker.adopt(id, undefined, addBudget))) return runs.get(id)
        const run = await runs.resume(id, input, options)
        // A run that waited for this input, and that nobody works on, goes on here.
        if (input.input !== undefined) await worker.adopt(id, undefined, addBudget)
        return run
      },
      fork: (id, input, options) => history.fork(id, input, options),
      replay: (id) => history.replay(id),
      diff: (a, b, reach) => history.diff(a, b, reach),
      export: (id, reach) => history.export(id, reach),
      import: (source) => history.import(source),
      delete: (id) => runs.delete(id),
    },
    approvals: {
      list: (query) => approvals.list(query),
      get: (id, reach) => approvals.get(id, reach),
      resolve: (id, decision, by) => approvals.resolve(id, decision, by),
    },
    agents: {
      list: () => env.agents.api.list(),
      get: (id) => env.agents.api.get(id),
      put: (profile) => env.agents.api.put(profile),
      delete: (id) => env.agents.api.delete(id),
    },
    memory: {
      write: (...input) => memoryOf(env).write(...input),
      query: (...query) => memoryOf(env).query(...query),
      list: (...query) => memoryOf(env).list(...query),
      get: (id) => memoryOf(env).get(id),
      delete: (id) => memoryOf(env).delete(id),
      counts: () => memoryOf(env).counts?.() ?? refuse(),
      of: (owner) => ownMemoryOf(env, owner),
    },
    threads: createThreads(env),
    ...(env.files && { files: async (query) => findFiles(env, query) }),
    async analyze({ id, description, riskLevel, ...rest }, asker = {}) {
      const metadata = { [TASK_METADATA]: rest }
      const asked = { task: description, mode: 'analyze' as const, ...(riskLevel && { riskLevel }), metadata }
      const { done } = await runs.start(asked, asker)
      const ended = await done
      if (ended.status !== 'completed') {
        throw new SvcError(
          (ended.error?.code ?? 'run_failed') as ErrorCode,
          ended.error?.message ?? 'the analysis failed',
        )
      }
      return { ...(ended.result as Awaited<ReturnType<Runtime['analyze']>>), taskId: id }
    },
    inspect: async () => env.inspection.get()?.report() ?? HEALTHY,
    describe: () => describe(env, settings, use),
    async health() {
      const { defaultModel, defaultModelError } = await findDefault(env.catalog)
      return {
        status: 'ok',
        version: env.version,
        uptimeSeconds: Math.round((clock() - started) / 1000),
        provider: defaultModelError === undefined ? (defaultModel.split('/')[0] ?? 'none') : 'none',
        warnings: [...env.warnings, ...(settings.healthWarnings ?? [])],
      }
    },
    onEvent(handler, { passive = false } = {}) {
      const listener: typeof handler = (event) => handler(event)
      const channel = passive ? 'passive' : 'event'
      bus.on(channel, listener)
      return () => bus.off(channel, listener)
    },
    onRunEvent(handler, { onOpen, ...reach } = {}) {
      if (onOpen !== undefined) queueMicrotask(onOpen)
      return watchRuns(env, handler, reach)
    },
    once: (request, work) => keyed.once(request, work),
    onMeasure(handler) {
      const stops = [timeTaps(handler), store.measure?.(handler), worker.measure(handler)]
      measuring.set(handler, stops)
      return () => {
        measuring.delete(handler)
        for (const stop of stops) stop?.()
      }
    },
    prune: (query) => runs.prune(query),
    activity: () => worker.activity,
    async assertWritable() {
      if (store.assertWritable === undefined) await store.runs.list({ limit: 1 })
      else await store.assertWritable()
    },
    async reload(next) {
      env = await createEnvironment(next, env)
      settings = next
      ;[queue.limit, queue.mostQueued] = queueLimits(env)
      for (const [handler, stops] of measuring) stops.push(timeTaps(handler))
      worker.reload()
    },
    close() {
      closing ??= (async () => {
        runs.close()
        retention.stop()
        await worker.close(settings.drainMs ?? 2_000)
        await background.settle()
        await first.onDrained?.()
        await store.close()
        bus.removeAllListeners()
        env.pluginBus.removeAllListeners()
        deadlines.close()
      })()
      return closing
    },
  }
}

/** How many runs may be at work, and may wait. */
function queueLimits({ config, managed }: Environment): [running: number, queued: number] {
  const { runningRuns = 8, queuedRuns = 1_000 } = { ...config.server?.limits, ...managed?.server?.limits }
  return [runningRuns, queuedRuns]
}

const HEALTHY: Inspection = { grade: 'healthy', score: 1, issues: [], signals: {} }

/** A memory that is switched off says so. */
const refuse = async (): Promise<never> => {
  throw new ConfigError('config_invalid', 'memory is switched off: components.memory is false')
}

const memoryOf = (env: Environment): MemoryApi => env.memory.get() ?? NO_MEMORY

/** A memory that keeps nobody apart is not handed to one of several owners. */
function ownMemoryOf(env: Environment, owner: string): MemoryApi {
  const memory = memoryOf(env)
  if (owner === '' || memory === NO_MEMORY) return memory
  const own = memory.of?.(owner)
  if (own !== undefined) return own
  const message =
    'the plugin in components.memory keeps the memories of several keys not apart: use one key, named shared'
  throw new ConfigError('config_invalid', message)
}

const NO_MEMORY: MemoryApi = { write: refuse, query: refuse, list: refuse, get: refuse, delete: refuse }
