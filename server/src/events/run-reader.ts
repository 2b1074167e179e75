import type { RunEvent } from '@svc/core'
import { isAnswerEvent } from '@svc/core/client'
import type { StreamClient } from './stream-client.ts'

export interface RunReaderOptions {
  /** Number of the last event that it has. */
  after: number
  accepts: (event: RunEvent) => boolean
  /** What a frame is sent as. Default as it is. */
  toSent?: ((frame: Buffer) => Buffer) | undefined
  /** The run has ended, and the reader has everything. */
  onEnd: () => void
  /** The run cannot be read any further. */
  onFail: (thrown: unknown) => void
}

/**
 * What a client reads of one run, or of all. It is sent every event after its cursor once and in order, or its client is
 * cut, and goes on by its cursor: nothing is left out silently.
 */
export class RunReader {
  readonly client: StreamClient
  readonly #options: RunReaderOptions
  #last: number
  /** What came while it reads what was before; undefined once it has caught up. */
  #pending: { event: RunEvent; frame: Buffer }[] | undefined = []
  /** The run has ended before the reader had caught up. */
  #isEnding = false
  #isOver = false

  constructor(client: StreamClient, options: RunReaderOptions) {
    this.client = client
    this.#options = options
    this.#last = options.after
  }

  get isOver(): boolean {
    return this.#isOver || this.client.isOver
  }

  /** An event as it comes. */
  offer(event: RunEvent, frame: Buffer): void {
    if (this.isOver) return
    if (this.#pending === undefined) {
      this.deliver(event, frame)
      this.client.cutIfSlow()
    } else if (event.seq !== undefined || isAnswerEvent(event)) {
      this.#pending.push({ event, frame })
      this.client.hold(frame.length)
    }
  }

  /** Sends an event unless it was sent before, or is not asked for. */
  deliver(event: RunEvent, frame: Buffer): void {
    if (this.isOver) return
    if (event.seq !== undefined) {
      if (event.seq <= this.#last) return
      this.#last = event.seq
    }
    const { accepts, toSent } = this.#options
    if (accepts(event)) this.client.write(toSent === undefined ? frame : toSent(frame))
  }

  /** What came meanwhile is sent; from now on events are sent as they come. */
  goLive(): void {
    const pending = this.#pending ?? []
    this.#pending = undefined
    for (const { event, frame } of pending) {
      this.client.hold(-frame.length)
      this.deliver(event, frame)
    }
    if (this.#isEnding) this.end()
  }

  /** The run has ended: says so once the reader has caught up. */
  end(): void {
    if (this.isOver) return
    if (this.#pending !== undefined) {
      this.#isEnding = true
      return
    }
    this.#isOver = true
    this.#options.onEnd()
  }

  /** The run cannot be read any further. */
  fail(thrown: unknown): void {
    if (this.isOver) return
    for (const { frame } of this.#pending ?? []) this.client.hold(-frame.length)
    this.#isOver = true
    this.#options.onFail(thrown)
  }
}
