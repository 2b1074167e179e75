import type { RunEvent } from '@svc/sdk/remote'
import type { ToWindow } from './messages.ts'

/** The way to one window. What is said at once is sent as one message. */
export class WindowPort {
  /** How to stop what the window reads, by its number of it. */
  readonly reads = new Map<number, () => void>()
  readonly #port: MessagePort
  #unsent: ToWindow[] = []

  constructor(port: MessagePort) {
    this.#port = port
  }

  say(message: ToWindow): void {
    if (this.#unsent.length === 0) setTimeout(() => this.#port.postMessage(this.#unsent.splice(0)))
    this.#unsent.push(message)
  }

  sayEvent(id: number, event: RunEvent): void {
    const last = this.#unsent.at(-1)
    if (last?.type === 'events' && last.id === id) last.events.push(event)
    else this.say({ type: 'events', id, events: [event] })
  }

  /** Stops what the window reads. */
  close(): void {
    for (const stop of this.reads.values()) stop()
    this.reads.clear()
  }
}
