import { KeyStreams } from './key-streams.ts'
import { holdLock, newLockName, whenFree } from './locks.ts'
import type { FromWindow } from './messages.ts'
import { WindowPort } from './window-port.ts'

/** Holds the streams of windows: one of each key, for as long as it has a window. */
export class StreamHost {
  readonly #serverUrl: string
  readonly #byKey = new Map<string, KeyStreams>()
  readonly #lock = newLockName('stream')
  readonly #isHeld: Promise<void>

  constructor(serverUrl: string) {
    this.#serverUrl = serverUrl
    this.#isHeld = new Promise((resolve) => void holdLock(this.#lock, resolve))
  }

  /** Takes in a window. */
  connect(port: MessagePort): void {
    const window = new WindowPort(port)
    let streams: KeyStreams | undefined
    const leave = (): void => {
      port.onmessage = null
      streams?.remove(window)
    }
    port.onmessage = ({ data: message }: MessageEvent<FromWindow>) => {
      if (message.type === 'hello') {
        streams = this.#streamsOf(message.key)
        streams.add(window)
        void this.#isHeld.then(() => window.say({ type: 'lock', name: this.#lock }))
      } else if (message.type === 'lock') void whenFree(message.name).then(leave)
      else if (message.type === 'bye') leave()
      else streams?.take(window, message)
    }
  }

  #streamsOf(key: string): KeyStreams {
    const streams = this.#byKey.get(key) ?? new KeyStreams(this.#serverUrl, key, () => this.#byKey.delete(key))
    this.#byKey.set(key, streams)
    return streams
  }
}
