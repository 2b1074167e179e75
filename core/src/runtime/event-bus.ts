import { EventEmitter } from 'eventemitter3'
import type { RunEvent } from '../contracts/event.ts'
import type { EventBus } from '../contracts/plugin.ts'

/** Makes the bus that carries every event of every run. */
export const createEventBus = (): EventBus => new EventEmitter()

/**
 * Hands an event to every listener. A listener that throws or rejects stops neither the others nor the run.
 *
 * @param onFailure is told what a listener threw
 */
export function deliver(bus: EventBus, event: RunEvent, onFailure: (thrown: unknown) => void): void {
  if (bus.listenerCount('event') === 0) return
  for (const listener of bus.listeners('event')) notify(listener, event, onFailure)
}

/** Listeners whose failure was told: one that fails fails at most events, and once is enough to know. */
const told = new WeakSet<object>()

/** Calls one listener so that whatever it throws, now or later, ends here; its first failure is told. */
export function notify(
  listener: (event: RunEvent) => unknown,
  event: RunEvent,
  onFailure: (thrown: unknown) => void,
): void {
  const fail = (thrown: unknown): void => {
    if (told.has(listener)) return
    told.add(listener)
    onFailure(thrown)
  }
  try {
    const returned = listener(event)
    if (returned instanceof Promise) returned.catch(fail)
  } catch (thrown) {
    fail(thrown)
  }
}
