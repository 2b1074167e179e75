import { AsyncSeriesWaterfallHook } from 'tapable'
import type { TSchema } from 'typebox'
import type { StageTap } from '../../contracts/log/stage-tap.ts'
import { ModelAnswer, ModelRequest } from '../../contracts/model/model.ts'
import type { Hooks } from '../../contracts/plugin/plugin.ts'
import type { RunContext } from '../../contracts/run/run-context.ts'
import type { TapInfo } from '../../contracts/runtime/runtime.ts'
import { ANSWERS } from '../../contracts/stages/stages.ts'
import { ToolAnswer, ToolDecision } from '../../contracts/tool/tool.ts'
import { PluginError, SvcError } from '../../errors.ts'
import { type Redactor, redactError } from '../../support/secrets.ts'
import { findErrors } from '../../validate.ts'
import { AMEND } from './plugin.ts'
import type { TapGuard } from './tap-guard.ts'
import { TapRecord } from './tap-record.ts'

/** Who is tapping: the plugin that is being applied. */
export interface Applying {
  name: string
  mandatory: boolean
  source: string
}

/** How often a tap was asked, and what that took together. */
export interface TapTime {
  calls: number
  totalMs: number
}

type TapTimer = (hook: string, plugin: string, durationMs: number) => void

/** What the hooks need of a run beyond what plugins see of it. */
export interface TappedRun extends RunContext {
  readonly taps: TapGuard
  /** The plugin whose answer stands in the hook that is being asked. */
  answeredBy: string
  /** What the taps of the stage that is being asked did so far. */
  readonly tapped: StageTap[]
}

/** How long a tap may take. `execute` is bounded by the run's own time alone. */
export const TAP_TIMEOUT_MS = 60_000

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

type Tapped = (answer: unknown, input: unknown, run: TappedRun) => unknown
type AnyHook = AsyncSeriesWaterfallHook<[unknown, unknown, RunContext]>

export interface HookOptions {
  timeoutMs?: number | undefined
  /** Takes secrets out of what plugins fail with. */
  redact?: Redactor | undefined
  /** Of the taps of this process so far, by what names each; kept when the config is replaced. */
  times?: Map<string, TapTime> | undefined
}

/** The seven stage hooks and the four call hooks; each tap is bounded, checked and named. */
export class HookAssembly {
  readonly hooks: Hooks
  /** Whom taps registered from now on belong to. */
  applying: Applying = { name: 'unknown', mandatory: false, source: 'built in' }
  readonly #settings: HookOptions
  readonly #timers = new Set<TapTimer>()
  readonly #infos: Tap[] = []
  readonly #plugins = new Map<keyof Hooks, string[]>()

  constructor(settings: HookOptions = {}) {
    this.#settings = settings
    const names = Object.keys(SCHEMAS) as (keyof Hooks)[]
    this.hooks = Object.freeze(Object.fromEntries(names.map((name) => [name, this.#make(name)]))) as unknown as Hooks
  }

  /** Calls a handler with how long each tap took. @returns how to stop */
  onTimed(timer: TapTimer): () => void {
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Every tap, by hook in the order of the pipeline, in the order in which it is asked. */
  taps(): TapInfo[] {
    return (Object.keys(SCHEMAS) as (keyof Hooks)[]).flatMap((name) =>
      this.#tapsOf(name).map(({ time, ...tap }) => ({ ...tap, calls: time.calls, totalMs: round(time.totalMs) })),
    )
  }

  /** The plugins that tap a hook, in the order in which they are asked. */
  pluginsOf(name: keyof Hooks): string[] {
    let plugins = this.#plugins.get(name)
    if (plugins === undefined) {
      plugins = [...new Set(this.#tapsOf(name).map(({ plugin }) => plugin))]
      this.#plugins.set(name, plugins)
    }
    return plugins
  }

  /** Asks the taps of a hook in turn: each gets the answer so far, and what it returns stands in its place. */
  ask<H extends keyof Hooks>(
    name: H,
    input: Parameters<Hooks[H]['promise']>[1],
    run: TappedRun,
  ): ReturnType<Hooks[H]['promise']> {
    // The type of a hook depends on its name; the compiler cannot follow the union, hence this one cast.
    const hook = this.hooks[name] as unknown as AnyHook
    return hook.promise(undefined, input, run) as ReturnType<Hooks[H]['promise']>
  }

  #tapsOf(name: keyof Hooks): Tap[] {
    return this.#infos.filter(({ hook }) => hook === name).sort(byTurn)
  }

  #make(name: keyof Hooks): AnyHook {
    const hook: AnyHook = new AsyncSeriesWaterfallHook(['answer', 'input', 'run'], name)
    hook.intercept({
      name: 'svc',
      register: (tap) => {
        const plugin = this.applying
        if (tap.type === 'async') {
          throw new PluginError(
            'plugin_failed',
            `plugin "${plugin.name}" taps ${name} with tapAsync: use tap or tapPromise`,
            { plugin: plugin.name, stage: name },
          )
        }
        const stage = tap.stage ?? 0
        const { mandatory, source } = plugin
        const facts = { hook: name, plugin: plugin.name, name: tap.name, stage, mandatory, source }
        const info: Tap = { ...facts, time: this.#timeOf(facts) }
        this.#infos.push(info)
        this.#plugins.delete(name)
        return {
          ...tap,
          type: 'promise',
          stage: mandatory ? MANDATORY + within(stage) : within(stage),
          fn: this.#bound(tap.fn as Tapped, info),
        }
      },
    })
    return hook
  }

  /** Where a tap's time is counted; one plugin may tap a hook twice in the same way. */
  #timeOf({ hook, plugin, name, stage }: Omit<Tap, 'time'>): TapTime {
    const alike = this.#infos.filter((tap) => tap.hook === hook && tap.plugin === plugin && tap.name === name)
    const key = JSON.stringify([hook, plugin, name, stage, alike.length])
    const { times } = this.#settings
    const time = times?.get(key) ?? { calls: 0, totalMs: 0 }
    times?.set(key, time)
    return time
  }

  /** A tap that is bounded in time, whose answers are checked, and whose failures have its plugin's name. */
  #bound(fn: Tapped, info: Tap): (answer: unknown, input: unknown, run: TappedRun) => Promise<unknown> {
    const schema = SCHEMAS[info.hook as keyof Hooks]
    const { redact = (text) => text } = this.#settings
    const timeoutMs = info.hook === 'execute' ? Number.POSITIVE_INFINITY : (this.#settings.timeoutMs ?? TAP_TIMEOUT_MS)
    // A plugin that must not be replaced is asked as if nobody had answered yet, unless it amends.
    const asksAfresh = info.mandatory && info.stage < AMEND
    const timeout = (): Error =>
      new PluginError(
        'plugin_timeout',
        `plugin "${info.plugin}" did not answer ${info.hook} within ${timeoutMs / 1000} s`,
        { plugin: info.plugin, stage: info.hook },
      )
    return async (answer, input, run) => {
      const record = info.hook in ANSWERS ? new TapRecord(run, answer, info.source === 'built in') : undefined
      const started = performance.now()
      let result: unknown
      let isNew = false
      try {
        const returned = fn(asksAfresh ? undefined : answer, input, run)
        result = isThenable(returned) ? await run.taps.bound(returned, timeoutMs, timeout) : returned
        isNew = result !== undefined && result !== answer
        if (isNew) assertAnswer(result, schema, info)
      } catch (thrown) {
        const durationMs = this.#measure(info, started)
        record?.end(info, durationMs, redact)
        throw named(thrown, info, redact)
      }
      if (info.hook === 'toolRequest')
        result = tightened(answer as ToolDecision | undefined, result as ToolDecision | undefined)
      if (isNew) run.answeredBy = info.plugin
      const durationMs = this.#measure(info, started)
      record?.end(info, durationMs, redact, isNew, result === undefined ? answer : result)
      return result
    }
  }

  /** Counts what a tap took. @returns milliseconds */
  #measure({ hook, plugin, time }: Tap, started: number): number {
    const durationMs = performance.now() - started
    time.calls++
    time.totalMs += durationMs
    for (const timer of this.#timers) timer(hook, plugin, durationMs)
    return round(durationMs)
  }
}

/** A tap with where its time is counted. */
type Tap = Omit<TapInfo, keyof TapTime> & { time: TapTime }

const round = (ms: number): number => Math.round(ms * 1000) / 1000

const byTurn = (a: Tap, b: Tap): number => Number(a.mandatory) - Number(b.mandatory) || a.stage - b.stage

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

const PASSED_ON: ReadonlySet<string> = new Set([
  'budget_too_small',
  'plan_invalid',
  'cancelled',
  'config_invalid',
  'replay_diverged',
  'journal_key_reused',
])

/** What the gateways threw goes on as it is; everything else is the plugin's failure and says so. */
function named(failed: unknown, info: Tap, redact: Redactor): SvcError {
  const thrown = redactError(failed, redact)
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

function assertAnswer(answer: unknown, schema: TSchema, info: Tap): void {
  const errors = findErrors(schema, answer)
  if (errors.length === 0) return
  const [first] = errors
  throw new PluginError(
    'plugin_answer_invalid',
    `plugin "${info.plugin}" failed in ${info.hook}: ${first?.path || '/'} ${first?.message}`,
    { plugin: info.plugin, stage: info.hook, errors },
  )
}
