import { createError, isErrorCode, type RunEvent, type SvcError } from '@svc/core/client'
import { holdLock, newLockName, whenFree } from './locks.ts'
import type { FromWindow, ToWindow } from './messages.ts'

/** Who reads a run in this window. */
export interface RunReading {
  /** Number of the last event that is known. */
  after: number
  onEvents: (events: readonly RunEvent[]) => void
  /** The run has ended, or cannot be read: nothing more comes. */
  onEnd: (error?: SvcError) => void
}

/** Who hears in this window what begins, waits and ends. */
export interface FeedReading {
  /** Whether runs of other folders are heard of, too. */
  all: boolean
  onEvent: (event: RunEvent) => void
  /** Listening begins, for the first time or after a gap. */
  onOpen: () => void
  onEnd: (error?: SvcError) => void
}

interface Reading {
  onEvents: RunReading['onEvents']
  onOpen: () => void
  onEnd: RunReading['onEnd']
}

export interface WindowStreamsOptions {
  key: string
  onAway: (isAway: boolean) => void
  onBusy: (forMs: number) => void
  /** Who held the stream is gone. */
  onLost: () => void
}

/** What this window reads of the server's events, by way of who holds the stream. */
export class WindowStreams {
  readonly #port: MessagePort
  readonly #options: WindowStreamsOptions
  readonly #readings = new Map<number, Reading>()
  readonly #isClosed = new AbortController()
  #reads = 0

  constructor(port: MessagePort, options: WindowStreamsOptions) {
    this.#port = port
    this.#options = options
    port.onmessage = ({ data }: MessageEvent<ToWindow[]>) => {
      for (const message of data) this.#hear(message)
    }
    this.#say({ type: 'hello', key: options.key })
    const name = newLockName('window')
    void holdLock(name, () => this.#say({ type: 'lock', name }), this.#isClosed.signal)
  }

  /** @returns how to stop */
  readRun(runId: string, { after, onEvents, onEnd }: RunReading): () => void {
    return this.#read((id) => ({ type: 'run', id, runId, after }), { onEvents, onEnd, onOpen: () => {} })
  }

  /** @returns how to stop */
  readFeed({ all, onEvent, onOpen, onEnd }: FeedReading): () => void {
    const onEvents = (events: readonly RunEvent[]): void => events.forEach((event) => void onEvent(event))
    return this.#read((id) => ({ type: 'feed', id, all }), { onEvents, onOpen, onEnd })
  }

  close(): void {
    this.#say({ type: 'bye' })
    this.#port.onmessage = null
    this.#isClosed.abort()
    this.#readings.clear()
  }

  #lose(): void {
    if (!this.#isClosed.signal.aborted) this.#options.onLost()
  }

  #read(toMessage: (id: number) => FromWindow, reading: Reading): () => void {
    const id = ++this.#reads
    this.#readings.set(id, reading)
    this.#say(toMessage(id))
    return () => {
      if (!this.#readings.delete(id)) return
      this.#say({ type: 'stop', id })
      if (this.#readings.size === 0) this.#options.onAway(false)
    }
  }

  #hear(message: ToWindow): void {
    if (message.type === 'away') this.#options.onAway(message.isAway && this.#readings.size > 0)
    else if (message.type === 'lock') void whenFree(message.name).then(() => this.#lose())
    else if (message.type === 'busy') this.#options.onBusy(message.forMs)
    else {
      const reading = this.#readings.get(message.id)
      if (message.type === 'events') reading?.onEvents(message.events)
      else if (message.type === 'open') reading?.onOpen()
      else {
        this.#readings.delete(message.id)
        reading?.onEnd(message.error && toError(message.error))
      }
    }
  }

  #say(message: FromWindow): void {
    this.#port.postMessage(message)
  }
}

function toError({ code, message, retryable }: { code: string; message: string; retryable: boolean }): SvcError {
  return createError(isErrorCode(code) ? code : 'internal_error', message, { retryable })
}
