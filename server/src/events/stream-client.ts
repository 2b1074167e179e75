import type { ServerResponse } from 'node:http'
import type { RunEvent } from '@svc/core'
import { EVENT_STREAM_HEADERS, isAnswerEvent } from '@svc/core/client'
import { stateOf } from '../http/request/request-state.ts'
import { END, RETRY } from './frame.ts'

/** Why a stream ended. */
export type EndReason = 'ended' | 'left' | 'slow' | 'stalled' | 'closing' | 'failed' | 'revoked'

/** How long a reader may leave a full buffer untouched. */
const STALL_MS = 60_000

export interface StreamClientOptions {
  /** Whose key it came with. */
  holder: string
  /** Number of the last event that it has. */
  after: number
  accepts: (event: RunEvent) => boolean
  /** False: a comment now and then would break it. Default true. */
  isText?: boolean
  /** Unread bytes at which it is cut. */
  maxBytes: number
  onEnd: (reason: EndReason) => void
}

/**
 * One reader of an event stream. It is sent every event after its cursor once and in order, or it is cut, and goes on by
 * its cursor: nothing is left out silently.
 */
export class StreamClient {
  readonly #response: ServerResponse
  readonly #options: StreamClientOptions
  #last: number
  /** What came while it reads what was before; undefined once it has caught up. */
  #pending: { event: RunEvent; frame: Buffer }[] | undefined = []
  #pendingBytes = 0
  /** The run has ended before the reader had caught up. */
  #isEnding = false
  #isOver = false
  readonly #gone = new AbortController()

  constructor(response: ServerResponse, options: StreamClientOptions) {
    this.#response = response
    this.#options = options
    this.#last = options.after
    response.on('close', () => this.#finish('left'))
    response.on('error', () => this.#finish('left'))
  }

  /** Aborted once nobody reads any more. */
  get signal(): AbortSignal {
    return this.#gone.signal
  }

  get holder(): string {
    return this.#options.holder
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** @param headers default those of events of a run */
  start(headers?: Readonly<Record<string, string>>): void {
    if (this.#response.destroyed) {
      this.#finish('left')
      return
    }
    this.#response.writeHead(200, headers ?? EVENT_STREAM_HEADERS)
    this.#response.socket?.setNoDelay(true)
    if (headers === undefined) this.#response.write(RETRY)
  }

  /** An event as it comes. */
  offer(event: RunEvent, frame: Buffer): void {
    if (this.#isOver) return
    if (this.#pending === undefined) {
      this.deliver(event, frame)
      if (this.#response.writableLength > this.#options.maxBytes) this.cut('slow')
    } else if (event.seq !== undefined || isAnswerEvent(event)) {
      this.#pending.push({ event, frame })
      this.#pendingBytes += frame.length
      if (this.#pendingBytes > this.#options.maxBytes) this.cut('slow')
    }
  }

  /** Sends what is no event of a run. */
  send(piece: string | Uint8Array): void {
    if (this.#isOver) return
    // One piece may be longer than the buffer: it is what was left unread before it that says whether somebody reads.
    if (this.#response.writableLength > this.#options.maxBytes) this.cut('slow')
    else this.#response.write(piece)
  }

  /** Ends what is no stream of events of a run. */
  finish(): void {
    if (this.#isOver) return
    this.#response.end()
    this.#finish('ended')
  }

  /** Sends an event unless it was sent before, or is not asked for. */
  deliver(event: RunEvent, frame: Buffer): void {
    if (this.#isOver) return
    if (event.seq !== undefined) {
      if (event.seq <= this.#last) return
      this.#last = event.seq
    }
    if (this.#options.accepts(event)) this.#response.write(frame)
  }

  /** What came meanwhile is sent; from now on events are sent as they come. */
  goLive(): void {
    const pending = this.#pending ?? []
    this.#pending = undefined
    for (const { event, frame } of pending) this.deliver(event, frame)
    if (this.#isEnding) this.end()
  }

  /** Resolves when the reader has taken what was sent. One that takes nothing for a minute is cut. */
  async drained(): Promise<void> {
    if (this.#isOver || !this.#response.writableNeedDrain) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#response.off('drain', done)
        this.signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(() => this.cut('stalled'), STALL_MS)
      this.#response.on('drain', done)
      this.signal.addEventListener('abort', done)
    })
  }

  keepAlive(frame: Buffer): void {
    if (!this.#isOver && this.#options.isText !== false) this.#response.write(frame)
  }

  /** The run has ended: says so once the reader has caught up. */
  end(): void {
    if (this.#isOver) return
    if (this.#pending !== undefined) {
      this.#isEnding = true
      return
    }
    this.#response.end(END)
    this.#finish('ended')
  }

  /** Ends the connection without the sign of the end, so that the reader comes back. */
  cut(reason: EndReason): void {
    if (this.#isOver) return
    stateOf(this.#response).wasCut = true
    this.#finish(reason)
    this.#response.destroy()
  }

  #finish(reason: EndReason): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#pending = undefined
    this.#gone.abort()
    this.#options.onEnd(reason)
  }
}
