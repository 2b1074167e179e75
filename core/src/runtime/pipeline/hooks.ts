import { AsyncSeriesWaterfallHook } from 'tapable'
import type { TSchema } from 'typebox'
import { ModelAnswer, ModelRequest } from '../../contracts/model.ts'
import type { Hooks } from '../../contracts/plugin.ts'
import type { RunContext } from '../../contracts/run-context.ts'
import type { TapInfo } from '../../contracts/runtime.ts'
import { ANSWERS } from '../../contracts/stages.ts'
import { ToolAnswer, ToolDecision } from '../../contracts/tool.ts'
import { PluginError, SvcError } from '../../errors.ts'
import { findErrors } from '../../validate.ts'
import { AMEND } from '../plugin.ts'

/** Who is tapping: the plugin that is being applied. */
export interface Applying {
  name: string
  mandatory: boolean
  source: string
}

/** What one tap did to one answer. */
export interface TapTrace {
  runId: string
  hook: string
  plugin: string
  tap: string
  durationMs: number
  /** Whether it gave or changed the answer. */
  answered: boolean
  before: unknown
  after: unknown
}

/** Is told of every tap; the run keeps one, and `svc run --trace-hooks` another. */
export interface TapObserver {
  tapped(trace: TapTrace): void
}

/** How long a tap may take. `execute` is bounded by the run's own time alone. */
export const TAP_TIMEOUT_MS = 60_000

/** How long a tap may still tidy up after its run was stopped. */
const GRACE_MS = { cancelled: 60, limited: 2_000 }

const SCHEMAS: Readonly<Record<keyof Hooks, TSchema>> = {
  ...ANSWERS,
  modelRequest: ModelRequest,
  modelResponse: ModelAnswer,
  toolRequest: ToolDecision,
  toolResult: ToolAnswer,
}

/** Taps of a mandatory plugin come after everyone else's, whatever stage either names. */
const MANDATORY = 1_000_000
const FURTHEST_STAGE = 400_000
const within = (stage: number): number => Math.max(-FURTHEST_STAGE, Math.min(FURTHEST_STAGE, stage))

type Tapped = (answer: unknown, input: unknown, run: RunContext) => unknown

export interface HookAssembly {
  hooks: Hooks
  /** Every tap, by hook in the order of the corridor, in the order in which it is asked. */
  taps(): TapInfo[]
  /** The plugins that tap a hook, in the order in which they are asked. */
  pluginsOf(hook: keyof Hooks): string[]
  /** Whom taps registered from now on belong to. */
  applying: Applying
}

export interface HookSettings {
  timeoutMs?: number
  observerOf(run: RunContext): TapObserver | undefined
}

/** Makes the seven stage hooks and the four call hooks, each of whose taps is timed, bounded, checked and named. */
export function createHooks(settings: HookSettings): HookAssembly {
  const infos: TapInfo[] = []
  const tapping = new Map<keyof Hooks, string[]>()
  const tapsOf = (name: keyof Hooks): TapInfo[] => infos.filter(({ hook }) => hook === name).sort(byTurn)
  const assembly = { applying: { name: 'unknown', mandatory: false, source: 'built in' } } as HookAssembly
  const timeoutMs = settings.timeoutMs ?? TAP_TIMEOUT_MS

  const make = (name: keyof Hooks): AsyncSeriesWaterfallHook<[unknown, unknown, RunContext]> => {
    const hook = new AsyncSeriesWaterfallHook<[unknown, unknown, RunContext]>(['answer', 'input', 'run'], name)
    hook.intercept({
      name: 'svc',
      register(tap) {
        const plugin = assembly.applying
        if (tap.type === 'async') {
          throw new PluginError(
            'plugin_failed',
            `plugin "${plugin.name}" taps ${name} with tapAsync: use tap or tapPromise`,
            {
              plugin: plugin.name,
              stage: name,
            },
          )
        }
        const stage = tap.stage ?? 0
        const info: TapInfo = {
          hook: name,
          plugin: plugin.name,
          name: tap.name,
          stage,
          mandatory: plugin.mandatory,
          source: plugin.source,
        }
        infos.push(info)
        tapping.delete(name)
        return {
          ...tap,
          type: 'promise',
          stage: plugin.mandatory ? MANDATORY + within(stage) : within(stage),
          fn: wrap(
            tap.fn as Tapped,
            info,
            SCHEMAS[name],
            name === 'execute' ? Number.POSITIVE_INFINITY : timeoutMs,
            settings,
          ),
        }
      },
    })
    return hook
  }

  const names = Object.keys(SCHEMAS) as (keyof Hooks)[]
  const made = Object.fromEntries(names.map((name) => [name, make(name)]))
  assembly.hooks = Object.freeze(made) as unknown as Hooks
  assembly.taps = () => names.flatMap(tapsOf)
  assembly.pluginsOf = (name) => {
    const plugins = tapping.get(name) ?? [...new Set(tapsOf(name).map(({ plugin }) => plugin))]
    tapping.set(name, plugins)
    return plugins
  }
  return assembly
}

const byTurn = (a: TapInfo, b: TapInfo): number => Number(a.mandatory) - Number(b.mandatory) || a.stage - b.stage

function wrap(fn: Tapped, info: TapInfo, schema: TSchema, timeoutMs: number, settings: HookSettings): Tapped {
  // Whoever must not be replaced is asked as if nobody had answered yet, unless it amends.
  const asksAfresh = info.mandatory && info.stage < AMEND
  return async (answer, input, run) => {
    const started = performance.now()
    const observer = settings.observerOf(run)
    let result: unknown
    try {
      const returned = fn(asksAfresh ? undefined : answer, input, run)
      result = isThenable(returned) ? await bounded(returned, info, timeoutMs, run.signal) : returned
    } catch (thrown) {
      throw named(thrown, info)
    }
    if (result !== undefined) assertAnswer(result, schema, info)
    if (info.hook === 'toolRequest')
      result = tightened(answer as ToolDecision | undefined, result as ToolDecision | undefined)
    observer?.tapped({
      runId: run.id,
      hook: info.hook,
      plugin: info.plugin,
      tap: info.name,
      durationMs: performance.now() - started,
      answered: result !== undefined && result !== answer,
      before: answer,
      after: result === undefined ? answer : result,
    })
    return result
  }
}

const STRICTNESS: Readonly<Record<ToolDecision['decision'], number>> = { allow: 0, ask: 1, deny: 2 }

/** Decisions about a tool may only tighten, and the newest arguments stand. */
function tightened(before: ToolDecision | undefined, after: ToolDecision | undefined): ToolDecision | undefined {
  if (before === undefined || after === undefined) return after
  const stricter = STRICTNESS[before.decision] > STRICTNESS[after.decision] ? before : after
  const args = after.args ?? before.args
  return args === undefined ? stricter : { ...stricter, args }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** Settles as the tap does, or fails when its time is up or its run was stopped. */
function bounded(work: PromiseLike<unknown>, info: TapInfo, timeoutMs: number, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timers: NodeJS.Timeout[] = []
    const stop = (): void => {
      const limited = SvcError.isInstance(signal.reason) && signal.reason.code !== 'cancelled'
      timers.push(
        setTimeout(() => settle(() => reject(signal.reason)), limited ? GRACE_MS.limited : GRACE_MS.cancelled),
      )
    }
    const settle = (how: () => void): void => {
      for (const timer of timers) clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      how()
    }
    if (timeoutMs !== Number.POSITIVE_INFINITY) {
      const message = `plugin "${info.plugin}" did not answer ${info.hook} within ${timeoutMs / 1000} s`
      timers.push(
        setTimeout(
          () =>
            settle(() => reject(new PluginError('plugin_timeout', message, { plugin: info.plugin, stage: info.hook }))),
          timeoutMs,
        ),
      )
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
    work.then(
      (value) => settle(() => resolve(value)),
      (thrown) => settle(() => reject(thrown)),
    )
  })
}

const PASSED_ON: ReadonlySet<string> = new Set([
  'budget_too_small',
  'plan_invalid',
  'cancelled',
  'config_invalid',
  'replay_diverged',
])

/** What the doors threw goes on as it is; everything else is the plugin's failure and says so. */
function named(thrown: unknown, info: TapInfo): SvcError {
  if (SvcError.isInstance(thrown)) {
    const { code, exitCode } = thrown
    if (code.startsWith('plugin_') || code === 'stage_unanswered' || PASSED_ON.has(code)) return thrown
    if (exitCode === 5 || exitCode === 6 || exitCode === 7) return thrown
  }
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  return new PluginError('plugin_failed', `plugin "${info.plugin}" failed in ${info.hook}: ${why}`, {
    plugin: info.plugin,
    stage: info.hook,
    cause: thrown,
  })
}

function assertAnswer(answer: unknown, schema: TSchema, info: TapInfo): void {
  const errors = findErrors(schema, answer)
  if (errors.length === 0) return
  const [first] = errors
  throw new PluginError(
    'plugin_answer_invalid',
    `plugin "${info.plugin}" failed in ${info.hook}: ${first?.path || '/'} ${first?.message}`,
    { plugin: info.plugin, stage: info.hook, errors },
  )
}
