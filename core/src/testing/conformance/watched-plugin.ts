import type { Hooks, Host, Plugin } from '../../contracts/plugin/plugin.ts'
import type { RunContext } from '../../contracts/run/run-context.ts'
import { type Effect, outside, type Scope, within } from './scope.ts'

/** One call of one tap of the plugin under test. */
export interface TapCall {
  readonly hook: keyof Hooks
  readonly tap: string
  /** As it was registered; `AMEND` and above amends. */
  readonly stage: number
  readonly runId: string
  readonly input: unknown
  /** The answer of earlier taps, as it was before the call. */
  readonly before: unknown
  /** The same afterwards, which a tap may have changed in place. */
  after?: unknown
  returned?: unknown
  /** Whether it handed back the very answer that it was given. */
  returnedBefore?: boolean
  thrown?: unknown
  settled: boolean
  /** Whether it answered by a promise. */
  takesTime: boolean
  /** How long it went on after its run was stopped. */
  abortedForMs?: number
  readonly recalled: unknown[]
  readonly effects: Effect[]
  readonly reads: Set<string>
}

export interface Watching {
  readonly calls: TapCall[]
  /** A new scope for each call. */
  scope(): Scope
  /** A tap that takes time has begun. */
  onStart?(call: TapCall, run: RunContext): void
}

/** The plugin with each of its taps watched: what it is asked, answers and does. */
export function watchPlugin(plugin: Plugin, watching: Watching): Plugin {
  return { ...plugin, name: plugin.name, apply: (host) => plugin.apply(watchHost(host, watching)) }
}

type Tapped = (answer: unknown, input: unknown, run: RunContext) => unknown
type TapOptions = string | { name: string; stage?: number }

function watchHost(host: Host, watching: Watching): Host {
  const hooks = Object.fromEntries(
    Object.entries(host.hooks).map(([name, hook]) => [name, watchHook(name as keyof Hooks, hook, watching)]),
  )
  return { ...host, hooks: hooks as unknown as Hooks }
}

function watchHook(name: keyof Hooks, hook: object, watching: Watching): object {
  return new Proxy(hook, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property)
      if (property !== 'tap' && property !== 'tapPromise')
        return typeof value === 'function' ? value.bind(target) : value
      return (options: TapOptions, tapped: Tapped) => {
        const { name: tap, stage = 0 } = typeof options === 'string' ? { name: options } : options
        const register = value as (options: TapOptions, tapped: Tapped) => void
        register.call(target, options, watchTap({ hook: name, tap, stage }, tapped, watching))
      }
    },
  })
}

function watchTap(facts: Pick<TapCall, 'hook' | 'tap' | 'stage'>, tapped: Tapped, watching: Watching): Tapped {
  return (answer, input, run) => {
    const scope = watching.scope()
    const call: TapCall = {
      ...facts,
      runId: run.id,
      input: copy(input),
      before: copy(answer),
      settled: false,
      takesTime: false,
      recalled: [],
      effects: scope.effects,
      reads: scope.reads,
    }
    watching.calls.push(call)
    let abortedAt: number | undefined
    const onAbort = (): void => {
      abortedAt = performance.now()
    }
    run.signal.addEventListener('abort', onAbort, { once: true })
    const settle = (): void => {
      call.settled = true
      call.after = copy(answer)
      if (abortedAt !== undefined) call.abortedForMs = performance.now() - abortedAt
      run.signal.removeEventListener('abort', onAbort)
    }
    const finish = (returned: unknown): unknown => {
      settle()
      call.returned = copy(returned)
      call.returnedBefore = returned === answer
      return returned
    }
    const fail = (thrown: unknown): never => {
      settle()
      call.thrown = thrown
      throw thrown
    }
    try {
      const returned = within(scope, () => tapped(answer, input, watchRun(run, call)))
      if (!isThenable(returned)) return finish(returned)
      call.takesTime = true
      watching.onStart?.(call, run)
      return returned.then(finish, fail)
    } catch (thrown) {
      return fail(thrown)
    }
  }
}

const isThenable = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** What JSON holds of a value: what it was at this moment. */
const copy = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value) ?? 'null') as unknown)

/** One view of each run, as plugins may keep things by their run. */
const views = new WeakMap<RunContext, RunContext>()
const currentCall = new WeakMap<RunContext, TapCall>()

/** What the runtime does for the plugin is not the plugin's doing; nor is what it does inside `record` and `defer`. */
function watchRun(run: RunContext, call: TapCall): RunContext {
  currentCall.set(run, call)
  const known = views.get(run)
  if (known !== undefined) return known
  const view: RunContext = new Proxy(run, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (property === 'recall') currentCall.get(run)?.recalled.push(copy(args[0]))
        return outside(() => Reflect.apply(value, target, args) as unknown)
      }
    },
  })
  views.set(run, view)
  return view
}
