import { AsyncSeriesWaterfallHook } from 'tapable'
import type { TSchema } from 'typebox'
import type { StageTap } from '../../contracts/log/stage-tap.ts'
import type { ToolCall } from '../../contracts/model/message.ts'
import { ModelAnswer, ModelRequest } from '../../contracts/model/model.ts'
import type { Hooks } from '../../contracts/plugin/plugin.ts'
import type { RunContext } from '../../contracts/run/run-context.ts'
import type { TaintSource } from '../../contracts/run/taint/taint-source.ts'
import type { TapInfo } from '../../contracts/runtime/runtime.ts'
import { ANSWERS } from '../../contracts/stages/stages.ts'
import { ToolAnswer, ToolDecision } from '../../contracts/tool/tool.ts'
import { type FieldError, PluginError, SvcError } from '../../errors.ts'
import { fillPlan } from '../../plan/define-plan.ts'
import type { PlanFindings } from '../../plan/validate-plan.ts'
import { frozenCopy } from '../../support/frozen-copy.ts'
import { type Redactor, redactError } from '../../support/secrets.ts'
import { describeErrors } from '../../text/describe-errors.ts'
import { findErrors, fits } from '../../validate.ts'
import { AMEND } from './plugin.ts'
import { shownRun } from './shown-run.ts'
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

type TapTimer = (hook: keyof Hooks, plugin: string, durationMs: number) => void

/** What the hooks need of a run beyond what plugins see of it. */
export interface TappedRun extends RunContext {
  readonly taps: TapGuard
  /** The plugin whose answer stands in the hook that is being asked. */
  answeredBy: string
  /** What untrusted content was read so far. */
  readonly taintedBy: readonly TaintSource[]
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

type Tapped = (answer: unknown, input: unknown, run: RunContext) => unknown
type AnyHook = AsyncSeriesWaterfallHook<[unknown, unknown, TappedRun]>
type FullTap = Parameters<NonNullable<Parameters<AnyHook['intercept']>[0]['register']>>[0]

const NAMES = Object.keys(SCHEMAS) as (keyof Hooks)[]
const createHook = (name: string): AnyHook => new AsyncSeriesWaterfallHook(['answer', 'input', 'run'], name)

export interface HookOptions {
  timeoutMs?: number | undefined
  /** Takes secrets out of what plugins fail with. */
  redact?: Redactor | undefined
  /** Makes a plan of what a tap answered. Default `fillPlan`. */
  readPlan?: ((answer: unknown) => PlanFindings) | undefined
  /** Of the taps of this process so far, by what names each; kept when the config is replaced. */
  times?: Map<string, TapTime> | undefined
}

/**
 * The seven stage hooks and the four call hooks; each tap is bounded, checked and named.
 *
 * Each plugin registers its taps on hooks of its own, and what is asked are others, which no plugin sees: so none can take
 * away, reorder or wrap what another one has tapped.
 */
export class HookAssembly {
  /** Whom what is registered from now on belongs to. */
  applying: Applying = { name: 'unknown', mandatory: false, source: 'built in' }
  readonly #settings: HookOptions
  readonly #timers = new Set<TapTimer>()
  readonly #infos: Tap[] = []
  readonly #plugins = new Map<keyof Hooks, string[]>()
  readonly #asked = new Map(NAMES.map((name) => [name, createHook(name)]))

  constructor(settings: HookOptions = {}) {
    this.#settings = settings
  }

  /** The hooks that a plugin taps. */
  of(plugin: Applying): Hooks {
    return Object.freeze(Object.fromEntries(NAMES.map((name) => [name, this.#open(name, plugin)]))) as unknown as Hooks
  }

  /** Whether anybody taps a hook. */
  isUsed(name: keyof Hooks): boolean {
    return this.#infos.some(({ hook }) => hook === name)
  }

  /** Calls a handler with how long each tap took. @returns how to stop */
  onTimed(timer: TapTimer): () => void {
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Every tap, by hook in the order of the pipeline, in the order in which it is asked. */
  taps(): TapInfo[] {
    return NAMES.flatMap((name) =>
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
    return this.#asked.get(name)?.promise(undefined, input, run) as ReturnType<Hooks[H]['promise']>
  }

  #tapsOf(name: keyof Hooks): Tap[] {
    return this.#infos.filter(({ hook }) => hook === name).sort(byTurn)
  }

  #open(name: keyof Hooks, plugin: Applying): AnyHook {
    const hook = createHook(name)
    hook.intercept({ register: (tap) => this.#register(name, plugin, tap) })
    hook.intercept = () => {
      throw refusal(plugin.name, name, 'with intercept: none sees the taps of another, so use tap or tapPromise')
    }
    return hook
  }

  #register(hook: keyof Hooks, { name: plugin, mandatory, source }: Applying, tap: FullTap): FullTap {
    if (tap.type === 'async') throw refusal(plugin, hook, 'with tapAsync: use tap or tapPromise')
    const { name, before, stage = 0 } = tap
    if (!Number.isFinite(stage)) throw refusal(plugin, hook, `with stage ${String(stage)}: give it a number, or none`)
    const facts = { hook, plugin, name, stage, mandatory, source }
    const info: Tap = { ...facts, time: this.#timeOf(facts) }
    this.#infos.push(info)
    this.#plugins.delete(hook)
    const turn = mandatory ? MANDATORY + within(stage) : within(stage)
    const options = { name, stage: turn, ...(before !== undefined && !mandatory && { before }) }
    this.#asked.get(hook)?.tapPromise(options, this.#bound(tap.fn as Tapped, info))
    return tap
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
    const schema = SCHEMAS[info.hook]
    const { redact = (text) => text } = this.#settings
    const timeoutMs = info.hook === 'execute' ? Number.POSITIVE_INFINITY : (this.#settings.timeoutMs ?? TAP_TIMEOUT_MS)
    // A plugin that must not be replaced is asked as if nobody had answered yet, unless it amends.
    const asksAfresh = info.mandatory && info.stage < AMEND
    const isTrusted = info.source === 'built in'
    const timeout = (): Error =>
      new PluginError(
        'plugin_timeout',
        `plugin "${info.plugin}" did not answer ${info.hook} within ${timeoutMs / 1000} s`,
        { plugin: info.plugin, stage: info.hook },
      )
    return async (answer, input, run) => {
      const record = info.hook in ANSWERS ? new TapRecord(run, answer) : undefined
      // What a tap is shown it cannot change, and what it answered it cannot change any more: only what it returns counts.
      const shown = isTrusted || asksAfresh ? answer : frozenCopy(answer)
      const asked =
        asksAfresh && info.hook === 'toolRequest' ? withArgs(input as ToolCall, answer as ToolDecision) : input
      const started = performance.now()
      let result: unknown
      try {
        const returned = isTrusted
          ? fn(asksAfresh ? undefined : shown, asked, run)
          : fn(asksAfresh ? undefined : shown, frozenCopy(asked), shownRun(run, info.plugin))
        const given = isThenable(returned) ? await run.taps.bound(returned, timeoutMs, timeout) : returned
        if (given !== undefined && given !== shown) {
          result = isTrusted ? given : copyAnswer(given, info)
          if (info.hook !== 'plan') assertAnswer(result, schema, info)
          // What a plan leaves out is filled in; those of svc are complete.
          else if (!isTrusted || !fits(schema, result)) result = this.#readPlan(result, info)
          run.answeredBy = info.plugin
        }
      } catch (thrown) {
        const durationMs = this.#measure(info, started)
        record?.end(info, durationMs, redact)
        throw named(thrown, info, redact)
      }
      if (info.hook === 'toolRequest')
        result = tightened(answer as ToolDecision | undefined, result as ToolDecision | undefined)
      const durationMs = this.#measure(info, started)
      record?.end(info, durationMs, redact, result)
      return result
    }
  }

  #readPlan(answer: unknown, info: Tap): unknown {
    const { readPlan = fillPlan } = this.#settings
    const { plan, errors } = readPlan(answer)
    if (plan === undefined) throw unfit(errors, info, describeErrors(errors.slice(0, MOST_SAID)))
    return plan
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

const refusal = (plugin: string, hook: string, what: string): PluginError =>
  new PluginError('plugin_failed', `plugin "${plugin}" taps ${hook} ${what}`, { plugin, stage: hook })

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

/** A call with the arguments that it would be made with by now. */
const withArgs = (call: ToolCall, decision: ToolDecision | undefined): ToolCall =>
  decision?.args === undefined ? call : { ...call, args: decision.args }

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

/** @throws PluginError `plugin_answer_invalid` for what is more than data */
function copyAnswer(answer: unknown, { plugin, hook }: Tap): unknown {
  try {
    return structuredClone(answer)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    const message = `plugin "${plugin}" failed in ${hook}: an answer is data, and this one cannot be copied: ${why}`
    throw new PluginError('plugin_answer_invalid', message, { plugin, stage: hook, cause: thrown })
  }
}

function assertAnswer(answer: unknown, schema: TSchema, info: Tap): void {
  const errors = findErrors(schema, answer)
  if (errors.length === 0) return
  throw unfit(errors, info, describeErrors(errors.slice(0, 1)))
}

const MOST_SAID = 10

const unfit = (errors: FieldError[], { plugin, hook }: Tap, said: string): PluginError =>
  new PluginError('plugin_answer_invalid', `plugin "${plugin}" failed in ${hook}: ${said}`, {
    plugin,
    stage: hook,
    errors,
  })
