import type { RunEvent } from '../../contracts/log/event.ts'
import type { RunContext } from '../../contracts/run/run-context.ts'
import { RunView } from '../../contracts/run/run-view.ts'
import { frozenCopy } from '../../support/frozen-copy.ts'

/** What a plugin may read of its run that others could change: it gets copies. */
type Copied = Pick<RunContext, 'events' | 'view' | 'onEvent' | 'tools' | 'agents' | 'recalled'>

/** By run, then by plugin. */
const shown = new WeakMap<RunContext, Map<string, RunContext>>()
const copies = new WeakMap<RunEvent, RunEvent>()

/** The run as one plugin that is not svc's own sees it: what it changes there, nobody else sees. */
export function shownRun(run: RunContext, plugin: string): RunContext {
  const byPlugin = shown.get(run) ?? new Map<string, RunContext>()
  shown.set(run, byPlugin)
  const own = byPlugin.get(plugin) ?? show(run)
  byPlugin.set(plugin, own)
  return own
}

/** What the runtime itself keeps in a run. */
const HIDDEN: ReadonlySet<PropertyKey> = new Set(['taps', 'answeredBy', 'tapped'])

function show(run: RunContext): RunContext {
  const copied = copyParts(run)
  const methods = new Map<PropertyKey, unknown>()
  const read = (name: PropertyKey): unknown => {
    if (name in copied) return Reflect.get(copied, name)
    if (HIDDEN.has(name)) return undefined
    const value: unknown = Reflect.get(run, name)
    if (typeof value !== 'function') return value
    if (!methods.has(name)) methods.set(name, value.bind(run))
    return methods.get(name)
  }
  return new Proxy(Object.create(null), {
    get: (_, name) => read(name),
    has: (_, name) => name in run && !HIDDEN.has(name),
    set: () => false,
    defineProperty: () => false,
    setPrototypeOf: () => false,
  })
}

function copyParts(run: RunContext): Copied {
  const known: RunEvent[] = []
  let view: RunView | undefined
  const catchUp = (): void => {
    for (const event of run.events().slice(known.length)) {
      const copy = copyOf(event)
      known.push(copy)
      view?.apply(copy)
    }
  }
  const createView = (): RunView => {
    catchUp()
    // Pieces of answers are in no list.
    run.onEvent((event) => (event.seq === undefined ? view?.apply(copyOf(event)) : catchUp()))
    const created = new RunView(known)
    created.status = run.view.status
    return created
  }
  return {
    events() {
      catchUp()
      return known.slice()
    },
    get view() {
      view ??= createView()
      catchUp()
      return view
    },
    onEvent: (handler) => run.onEvent((event) => handler(copyOf(event))),
    get tools() {
      return frozenCopy(run.tools)
    },
    get agents() {
      return frozenCopy(run.agents)
    },
    get recalled() {
      return frozenCopy(run.recalled)
    },
  }
}

/** Frozen at every depth, so that one copy is enough for all. */
function copyOf(event: RunEvent): RunEvent {
  const copy = copies.get(event) ?? frozenCopy(event)
  copies.set(event, copy)
  return copy
}
