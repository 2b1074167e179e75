import { createSharedEvents, type SharedEvents, type SvcError } from '@svc/sdk/remote'
import type { FromWindow, ToWindow } from './messages.ts'
import type { WindowPort } from './window-port.ts'

/** Streams of the windows that have the same key: one, and another where the list of all folders is looked at. */
export class KeyStreams {
  readonly #create: (all: boolean) => SharedEvents
  readonly #onLast: () => void
  readonly #windows = new Set<WindowPort>()
  readonly #streams = new Map<boolean, SharedEvents>()
  /** Those of the streams whose server cannot be reached. */
  readonly #away = new Set<boolean>()

  /** @param onLast called when the last window is gone */
  constructor(serverUrl: string, serverKey: string, onLast: () => void) {
    this.#onLast = onLast
    this.#create = (all) =>
      createSharedEvents({
        serverUrl,
        ...(serverKey !== '' && { serverKey }),
        all,
        onConnection: (state) => {
          if (state === 'away') this.#away.add(all)
          else this.#away.delete(all)
          this.#sayAll(this.#state)
        },
        onBusy: (forMs) => this.#sayAll({ type: 'busy', forMs }),
      })
  }

  add(window: WindowPort): void {
    this.#windows.add(window)
    window.say(this.#state)
  }

  remove(window: WindowPort): void {
    window.close()
    if (this.#windows.delete(window) && this.#windows.size === 0) this.#onLast()
  }

  take(window: WindowPort, message: Exclude<FromWindow, { type: 'hello' | 'lock' | 'bye' }>): void {
    const { id } = message
    if (message.type === 'stop') {
      window.reads.get(id)?.()
      window.reads.delete(id)
      return
    }
    const onEvent = (event: Parameters<WindowPort['sayEvent']>[1]): void => window.sayEvent(id, event)
    const onEnd = (error?: SvcError): void => {
      window.reads.delete(id)
      window.say({ type: 'end', id, ...(error && { error: error.toInfo() }) })
    }
    const stop =
      message.type === 'run'
        ? this.#streamOf(false).followRun(message.runId, { after: message.after, onEvent, onEnd })
        : this.#streamOf(message.all).onRunEvent({ onEvent, onEnd, onOpen: () => window.say({ type: 'open', id }) })
    window.reads.set(id, stop)
  }

  get #state(): ToWindow {
    return { type: 'away', isAway: this.#away.size > 0 }
  }

  #sayAll(message: ToWindow): void {
    for (const window of this.#windows) window.say(message)
  }

  #streamOf(all: boolean): SharedEvents {
    const stream = this.#streams.get(all) ?? this.#create(all)
    this.#streams.set(all, stream)
    return stream
  }
}
