import { EventEmitter } from 'eventemitter3'
import type { RunEvent } from '../../contracts/log/event.ts'
import type { EventBus } from '../../contracts/plugin/plugin.ts'
import { report } from '../../support/background.ts'

/** Listeners whose failure was reported: one that fails fails at most events, and once is enough to know. */
const reported = new WeakSet<object>()

/** Makes the bus that carries every event of every run. */
export const createEventBus = (): EventBus => new EventEmitter()

/** The two buses that an event of a run goes over: that of its plugins, and that of the runtime. */
export interface Buses {
  /** Carries events to those who listen to the runtime. */
  readonly bus: EventBus
  /** Carries events of runs under this config to its plugins. */
  readonly pluginBus: EventBus
}

/** Hands an event to every listener of its run and of all runs. */
export function publish({ pluginBus, bus }: Buses, event: RunEvent): void {
  publishOver(pluginBus, event)
  publishOver(bus, event)
}

/** Whether somebody listens who wants the pieces of answers. */
export const isHeard = ({ pluginBus, bus }: Buses, runId: string): boolean =>
  [pluginBus, bus].some((each) => each.listenerCount('event') > 0 || each.listenerCount(runId as `run_${string}`) > 0)

function publishOver(bus: EventBus, event: RunEvent): void {
  const { runId } = event as { runId: `run_${string}` }
  if (bus.listenerCount(runId) > 0) for (const listener of bus.listeners(runId)) notify(listener, event)
  if (bus.listenerCount('event') > 0) for (const listener of bus.listeners('event')) notify(listener, event)
  if (bus.listenerCount('passive') > 0) for (const listener of bus.listeners('passive')) notify(listener, event)
}

const reportFailure = (thrown: unknown): void => report('an event handler threw', thrown)

/**
 * eventemitter3's `emit` ends at the first listener that throws: so each is called by itself here.
 *
 * Calls one listener so that whatever it throws, now or later, ends here; its first failure is reported.
 */
export function notify(
  listener: (event: RunEvent) => unknown,
  event: RunEvent,
  onFailure: (thrown: unknown) => void = reportFailure,
): void {
  try {
    const returned = listener(event)
    if (returned instanceof Promise) returned.catch((thrown: unknown) => fail(listener, thrown, onFailure))
  } catch (thrown) {
    fail(listener, thrown, onFailure)
  }
}

function fail(listener: object, thrown: unknown, onFailure: (thrown: unknown) => void): void {
  if (reported.has(listener)) return
  reported.add(listener)
  onFailure(thrown)
}
