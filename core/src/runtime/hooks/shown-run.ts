import type { RunEvent } from '../../contracts/log/event.ts'
import type { RunContext } from '../../contracts/run/run-context.ts'
import { RunView } from '../../contracts/run/run-view.ts'
import { frozenCopy } from '../../support/frozen-copy.ts'

/** A run, and how it is shown to each plugin that is not svc's own. */
interface Showing extends RunContext {
  shown?: Map<string, RunContext>
}

/** The run as one plugin that is not svc's own sees it: what it changes there, nobody else sees. */
export function shownRun(run: Showing, plugin: string): RunContext {
  run.shown ??= new Map()
  let own = run.shown.get(plugin)
  if (own === undefined) {
    own = new Proxy(Object.create(null), new ShownRun(run)) as RunContext
    run.shown.set(plugin, own)
  }
  return own
}

/** What the runtime itself keeps in a run. */
const HIDDEN: ReadonlySet<PropertyKey> = new Set(['taps', 'answeredBy', 'tapped', 'shown'])

/** Reads a run for one plugin. What others could change there, it reads as copies. */
class ShownRun implements ProxyHandler<RunContext> {
  readonly #run: RunContext
  readonly #methods = new Map<PropertyKey, unknown>()
  readonly #events: RunEvent[] = []
  #view: RunView | undefined

  constructor(run: RunContext) {
    this.#run = run
  }

  get(_target: RunContext, name: PropertyKey): unknown {
    switch (name) {
      case 'events':
        return () => this.#catchUp().slice()
      case 'view':
        return this.#viewNow()
      case 'onEvent':
        return (handler: (event: RunEvent) => void) => this.#run.onEvent((event) => handler(copyOf(event)))
      case 'tools':
      case 'agents':
      case 'recalled':
        return frozenCopy(this.#run[name])
    }
    if (HIDDEN.has(name)) return undefined
    const value: unknown = Reflect.get(this.#run, name)
    if (typeof value !== 'function') return value
    const method = this.#methods.get(name) ?? value.bind(this.#run)
    this.#methods.set(name, method)
    return method
  }

  has(_target: RunContext, name: PropertyKey): boolean {
    return name in this.#run && !HIDDEN.has(name)
  }

  set = refuse
  defineProperty = refuse
  setPrototypeOf = refuse

  /** The events so far, with those that are new taken in by the view. */
  #catchUp(): readonly RunEvent[] {
    for (const event of this.#run.events().slice(this.#events.length)) {
      const copy = copyOf(event)
      this.#events.push(copy)
      this.#view?.apply(copy)
    }
    return this.#events
  }

  #viewNow(): RunView {
    const events = this.#catchUp()
    if (this.#view !== undefined) return this.#view
    const view = new RunView(events)
    view.status = this.#run.view.status
    this.#view = view
    // Pieces of answers are in no list.
    this.#run.onEvent((event) => (event.seq === undefined ? view.apply(copyOf(event)) : this.#catchUp()))
    return view
  }
}

function refuse(): boolean {
  return false
}

const copies = new WeakMap<RunEvent, RunEvent>()

/** Frozen at every depth, so that one copy is enough for all. */
function copyOf(event: RunEvent): RunEvent {
  const copy = copies.get(event) ?? frozenCopy(event)
  copies.set(event, copy)
  return copy
}
