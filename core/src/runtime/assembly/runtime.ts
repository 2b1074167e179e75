import { createAnswerEvents } from '../../contracts/log/answer-events.ts'
import type { RunEvent } from '../../contracts/log/event.ts'
import type { Measurement } from '../../contracts/log/measurement.ts'
import { type MemoryApi, MemoryChange, type RuntimeMemory } from '../../contracts/memory/memory.ts'
import { AgentInput } from '../../contracts/plugin/agent-profile.ts'
import type { RunCreate } from '../../contracts/run/run.ts'
import { isTerminal } from '../../contracts/run/run-end.ts'
import type { Caller, EmbeddedRuntime, Runtime } from '../../contracts/runtime/runtime.ts'
import type { Inspection } from '../../contracts/stages/inspection.ts'
import { ConfigError, type ErrorCode, NotFoundError, SvcError } from '../../errors.ts'
import { digest } from '../../support/ids.ts'
import { parse } from '../../validate.ts'
import type { Environment } from '../environment.ts'
import { audit } from '../observe/audit.ts'
import { notify } from '../observe/event-bus.ts'
import { findLowDisk } from '../observe/find-low-disk.ts'
import { UseCounts } from '../observe/use-counts.ts'
import { History } from '../runs/history/history.ts'
import { KeptFiles } from '../runs/history/kept-files.ts'
import { Undo } from '../runs/history/undo.ts'
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
import { findStalled } from '../runs/worker/find-stalled.ts'
import { Worker } from '../runs/worker/worker.ts'
import { toProfile } from './agent-registry.ts'
import { createEnvironment, withRule } from './create-environment.ts'
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
  const approvals = new Approvals(current, (rule, source) => {
    env = withRule(env, rule, source)
  })
  const history = new History(current, runs)
  const undo = new Undo(current, runs)
  const keptFiles = new KeptFiles(current, runs)
  const keyed = new KeyedWork(env)
  const started = clock()
  const use = new UseCounts()
  bus.on('passive', (event) => use.apply(event, env))
  const measuring = new Map<MeasureHandler, ((() => void) | undefined)[]>()
  const timeTaps = (handler: MeasureHandler): (() => void) =>
    env.hooks.onTimed((hook, plugin, durationMs) => handler({ kind: 'tap', hook, plugin, durationMs }))
  const own = settings.caller ?? { who: 'local', from: 'program' }
  let closing: Promise<void> | undefined
  try {
    await worker.start()
  } catch (thrown) {
    await worker.close(0)
    await store.close()
    throw thrown
  }
  const retention = new Retention(env)

  const threads = createThreads(env)

  /** What somebody can do. */
  const actsOf = (caller: Caller): Acts => {
    const write: EmbeddedRuntime['audit'] = (what, details) => audit(env, caller, what, details)
    return {
      runs: {
        create: (create, options) => runs.create(create, caller, options),
        start: (create, options) => runs.start(create, caller, options),
        get: (id, reach) => runs.get(id, reach),
        list: (query) => runs.list(query),
        summary: (filters) => runs.summary(filters),
        costs: (query) => runs.costs(query),
        wait: (id, ms, reach) => runs.wait(id, ms, reach),
        result: (id, reach) => runs.result(id, reach),
        events: (id, options = {}) =>
          readRunEvents(id, { store, bus, queue, failures, clock, find: (id) => runs.row(id, options) }, options),
        cancel: (id, reason, by) => runs.cancel(id, caller, reason, by),
        steer: (id, input, by) => runs.steer(id, caller, input, by),
        async resume(id, input = {}, options = {}) {
          const { addBudget } = input
          const isAnswer = input.input !== undefined || input.results !== undefined
          if (!isAnswer && !isTerminal((await runs.row(id)).status)) {
            write('run.resumed', { run: id, addBudget })
            if (await worker.adopt(id, undefined, addBudget)) return runs.get(id)
          }
          const run = await runs.resume(id, caller, input, options)
          // A run that waited for this input, and that nobody works on, goes on here.
          if (isAnswer) await worker.adopt(id, undefined, addBudget)
          return run
        },
        fork: (id, input, options) => history.fork(id, caller, input, options),
        replay: (id) => history.replay(id),
        diff: (a, b, reach) => history.diff(a, b, reach),
        undo: (id, input) => undo.undo(id, caller, input),
        fileChanges: (id, reach) => keptFiles.changes(id, reach),
        fileContent: (id, sha256, reach) => keptFiles.content(id, sha256, reach),
        export: (id, reach) => history.export(id, reach),
        import: (source) => history.import(source, caller),
        delete: (id) => runs.delete(id, caller),
      },
      approvals: {
        list: (query) => approvals.list(query),
        get: (id, reach) => approvals.get(id, reach),
        resolve: (id, decision, by) => approvals.resolve(id, decision, caller, by),
      },
      agents: {
        list: () => env.agents.api.list(),
        get: (id) => env.agents.api.get(id),
        async put(profile, options) {
          write('agent.saved', { agent: toProfile(parse(AgentInput, profile, 'agent'), clock()).id })
          return env.agents.api.put(profile, options)
        },
        async delete(id) {
          await env.agents.api.get(id)
          write('agent.deleted', { agent: id })
          await env.agents.api.delete(id)
        },
      },
      memory: {
        ...auditedMemory(() => memoryOf(env), write),
        counts: () => memoryOf(env).counts?.() ?? refuse(),
        of: (owner) => {
          const memory = ownMemoryOf(env, owner)
          return auditedMemory(() => memory, write)
        },
      },
      threads: {
        ...threads,
        async delete(id) {
          await threads.get(id)
          write('thread.deleted', { thread: id })
          await threads.delete(id)
        },
      },
      async analyze({ id, description, riskLevel, ...rest }, asker = {}) {
        const request: RunCreate = {
          task: description,
          mode: 'analyze',
          ...(riskLevel && { riskLevel }),
          metadata: { [TASK_METADATA]: rest },
        }
        const ended = await (await runs.start(request, caller, asker)).done
        if (ended.status !== 'completed') {
          throw new SvcError(
            (ended.error?.code ?? 'run_failed') as ErrorCode,
            ended.error?.message ?? 'the analysis failed',
          )
        }
        return { ...(ended.result as Awaited<ReturnType<Runtime['analyze']>>), taskId: id }
      },
      prune: (query) => runs.prune(query, caller),
      audit: write,
    }
  }

  const runtime: ReloadableRuntime = {
    ...actsOf(own),
    as(caller) {
      return { ...this, ...actingAs(this, made, actsOf(caller)) }
    },
    ...(env.files && { files: async (query) => findFiles(env, query) }),
    inspect: async () => env.inspection.get()?.report() ?? HEALTHY,
    describe: () => describe(env, settings, use),
    async health() {
      const { defaultModel, defaultModelError } = await findDefault(env.catalog)
      return {
        status: 'ok',
        version: env.version,
        uptimeSeconds: Math.round((clock() - started) / 1000),
        provider: defaultModelError === undefined ? (defaultModel.split('/')[0] ?? 'none') : 'none',
        warnings: [
          ...env.warnings,
          ...(settings.healthWarnings ?? []),
          ...findLowDisk(env),
          ...(await findStalled(env)),
        ],
        ...(defaultModelError !== undefined && { checks: { provider: defaultModelError.code } }),
      }
    },
    onEvent(handler, { passive = false, begun = false } = {}) {
      const toShown = createAnswerEvents()
      const listener = (event: RunEvent): unknown => {
        const [first = event, second] = passive ? [] : toShown(event)
        return second === undefined ? handler(first) : Promise.all([handler(first), handler(second)])
      }
      const channel = passive ? 'passive' : 'event'
      bus.on(channel, listener)
      if (begun) for (const event of worker.begun) notify(listener, event)
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
    activity: () => worker.activity,
    async assertWritable() {
      if (store.assertWritable === undefined) await store.runs.list({ limit: 1 })
      else await store.assertWritable()
    },
    async reload(next) {
      const made = await createEnvironment(next, env)
      audit(made, own, 'config.reloaded', { configHash: made.configHash })
      env = made
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
  const made = copyOf(runtime)
  return runtime
}

/** What is written down under the name of who does it. */
type Acts = Pick<EmbeddedRuntime, (typeof ACTS)[number]>

const ACTS = ['runs', 'approvals', 'agents', 'memory', 'threads', 'analyze', 'prune', 'audit'] as const

type Part = Readonly<Record<string, unknown>>

const copyOf = (acts: Acts): Part =>
  Object.fromEntries(ACTS.map((name) => [name, typeof acts[name] === 'function' ? acts[name] : { ...acts[name] }]))

/** What somebody can do, but for what a program has put in the place of a runtime's own: that stays the program's. */
function actingAs(now: object, made: Part, acts: Acts): Acts {
  const own = now as Record<(typeof ACTS)[number], unknown>
  const parts: Record<string, unknown> = {}
  for (const name of ACTS) {
    const [current, known, theirs] = [own[name], made[name], acts[name]]
    if (typeof theirs === 'function') parts[name] = current === known ? theirs : current
    else parts[name] = pick(current as Part, known as Part, theirs as unknown as Part)
  }
  return parts as unknown as Acts
}

/** Name by name, what is theirs where the current one is the known one. A server does this for each request. */
function pick(current: Part, known: Part, theirs: Part): Part {
  const picked: Record<string, unknown> = {}
  for (const name in current)
    picked[name] = current[name] === known[name] ? (theirs[name] ?? current[name]) : current[name]
  return picked
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

/** What a memory keeps for good is written down; not its content, which the memory has. */
const auditedMemory = (memory: () => MemoryApi, write: EmbeddedRuntime['audit']): RuntimeMemory => ({
  async write(input, ...more) {
    write('memory.written', { layer: input.layer, contentSha256: digest(input.content) })
    return memory().write(input, ...more)
  },
  query: (...query) => memory().query(...query),
  list: (...query) => memory().list(...query),
  get: (id) => memory().get(id),
  async delete(id) {
    await memory().get(id)
    write('memory.deleted', { memory: id })
    await memory().delete(id)
  },
  async update(id, changed) {
    const change = parse(MemoryChange, changed, 'memory')
    const own = memory()
    await own.get(id)
    if (own.update === undefined) {
      const message = 'the plugin in components.memory changes no records: delete this one, and write another'
      throw new NotFoundError('method_not_allowed', message)
    }
    const { content } = change
    const text = content === undefined ? {} : { contentSha256: digest(content) }
    write('memory.changed', { memory: id, fields: Object.keys(change), ...text })
    return own.update(id, change)
  },
})

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
