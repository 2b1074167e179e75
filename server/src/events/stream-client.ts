import type { ServerResponse } from 'node:http'
import { EVENT_STREAM_HEADERS } from '@svc/core/client'
import { stateOf } from '../http/request/request-state.ts'
import { RETRY } from './frame.ts'

/** Why a stream ended. */
export type EndReason = 'ended' | 'left' | 'slow' | 'stalled' | 'closing' | 'failed' | 'revoked'

/** How long a reader may leave a full buffer untouched. */
const STALL_MS = 60_000

export interface StreamClientOptions {
  /** Whose key it came with. */
  holder: string
  /** False: a comment now and then would break it. Default true. */
  isText?: boolean
  /** Unread bytes at which it is cut. */
  maxBytes: number
  onEnd: (reason: EndReason) => void
}

/** One client of an event stream: its connection, which is cut where it does not read. */
export class StreamClient {
  readonly #response: ServerResponse
  readonly #options: StreamClientOptions
  #heldBytes = 0
  #isOver = false
  readonly #gone = new AbortController()

  constructor(response: ServerResponse, options: StreamClientOptions) {
    this.#response = response
    this.#options = options
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

  /** Sends a frame. */
  write(frame: Uint8Array): void {
    if (!this.#isOver) this.#response.write(frame)
  }

  /** Cuts it where too much of what was sent is unread. */
  cutIfSlow(): void {
    if (this.#response.writableLength > this.#options.maxBytes) this.cut('slow')
  }

  /** Counts what waits until it has read what was before, in bytes, and cuts it where that is too much. */
  hold(bytes: number): void {
    this.#heldBytes += bytes
    if (this.#heldBytes > this.#options.maxBytes) this.cut('slow')
  }

  /** Sends what is no event of a run. */
  send(piece: string | Uint8Array): void {
    if (this.#isOver) return
    // One piece may be longer than the buffer: it is what was left unread before it that says whether somebody reads.
    if (this.#response.writableLength > this.#options.maxBytes) this.cut('slow')
    else this.#response.write(piece)
  }

  /** Ends the stream. @param last what is sent before */
  finish(last?: Uint8Array): void {
    if (this.#isOver) return
    this.#response.end(last)
    this.#finish('ended')
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
    this.#gone.abort()
    this.#options.onEnd(reason)
  }
}
