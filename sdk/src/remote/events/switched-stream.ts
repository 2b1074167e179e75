import type { HttpClient } from '../http-client.ts'
import { sleep } from '../retry.ts'
import type { Frame } from './event-stream.ts'
import { followStream } from './follow-stream.ts'

/** What one connection was sent before the next one began comes within this, or is lost. */
const DRAIN_MS = 1_000
const LOOK_MS = 10

/** A connection that is about to be asked for. */
export interface Asked {
  query: object
  /** Whether something is still to come over the connection before, which this one does not have. */
  isAhead: (headers: Headers) => boolean
  /** Called when it is there, and nothing more comes of the one before. */
  begin: (headers: Headers) => void
}

export interface SwitchedStreamOptions {
  path: string
  /** What the next connection asks for. */
  ask: () => Asked
  /** @param signal aborted once the frame is of no use any more */
  onFrame: (frame: Frame, signal: AbortSignal) => Promise<void>
  /** The server refuses it: nothing more comes. */
  onFail: (thrown: unknown) => void
}

/** A stream whose query changes: each connection goes on until the next one is there, and was read up to where that begins. */
export class SwitchedStream {
  readonly #http: HttpClient
  readonly #options: SwitchedStreamOptions
  #current: AbortController | undefined
  /** What is asked for, to take the place of the current one. */
  #next: AbortController | undefined
  #isOpen = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #dueAt = 0

  constructor(http: HttpClient, options: SwitchedStreamOptions) {
    this.#http = http
    this.#options = options
  }

  /** Whether frames come. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Asks anew, after so many milliseconds at most: what changes meanwhile is asked for together. */
  renewIn(ms: number): void {
    const dueAt = performance.now() + ms
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return
    clearTimeout(this.#timer)
    this.#dueAt = dueAt
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#open()
    }, ms)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#current?.abort()
    this.#next?.abort()
    this.#current = undefined
    this.#next = undefined
    this.#isOpen = false
  }

  async #open(): Promise<void> {
    const stop = new AbortController()
    this.#next?.abort()
    this.#next = stop
    if (!this.#isOpen) this.#current?.abort()
    let asked: Asked | undefined
    try {
      const followed = followStream(this.#http, {
        path: this.#options.path,
        query: () => {
          asked = this.#options.ask()
          return asked.query
        },
        read: (frames, headers) => this.#read(frames, headers, stop, asked),
        onCut: () => {
          // The one that takes its place says how the server is.
          if (this.#next !== undefined && this.#next !== stop) stop.abort()
        },
        signal: stop.signal,
      })
      for await (const frame of followed) {
        if (stop.signal.aborted) return
        await this.#options.onFrame(frame, stop.signal)
      }
    } catch (thrown) {
      if (!stop.signal.aborted) this.#options.onFail(thrown)
    }
  }

  async *#read(
    frames: AsyncIterable<Frame>,
    headers: Headers,
    stop: AbortController,
    asked: Asked | undefined,
  ): AsyncGenerator<Frame, boolean> {
    const until = performance.now() + DRAIN_MS
    while (this.#isOpen && asked?.isAhead(headers) && performance.now() < until) await sleep(LOOK_MS, stop.signal)
    if (stop.signal.aborted) return true
    if (this.#next === stop) {
      this.#current?.abort()
      this.#current = stop
      this.#next = undefined
    }
    this.#isOpen = true
    try {
      asked?.begin(headers)
      yield* frames
      return false
    } finally {
      if (this.#current === stop) this.#isOpen = false
    }
  }
}
