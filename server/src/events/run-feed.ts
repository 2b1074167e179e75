import type { RunEvent, Runtime } from '@svc/core'
import { OpenMessages } from './open-messages.ts'
import type { RunReader } from './run-reader.ts'

/** Reads the events of one run once, for all who read it, from a number on until it ends. */
export class RunFeed {
  readonly #runs: Runtime['runs']
  readonly #runId: string
  readonly #readers = new Set<RunReader>()
  readonly #stop = new AbortController()
  readonly #open: OpenMessages
  readonly #onOver: () => void
  readonly #toFrame: (event: RunEvent) => Buffer
  /** Number of the newest event that was handed on. */
  lastSeq: number

  constructor(
    runs: Runtime['runs'],
    runId: string,
    options: {
      lastSeq: number
      open: OpenMessages | undefined
      toFrame: (event: RunEvent) => Buffer
      onOver: () => void
    },
  ) {
    this.#runs = runs
    this.#runId = runId
    this.lastSeq = options.lastSeq
    this.#open = new OpenMessages(options.open)
    this.#toFrame = options.toFrame
    this.#onOver = options.onOver
    void this.#read()
  }

  add(reader: RunReader): void {
    this.#readers.add(reader)
  }

  remove(reader: RunReader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return
    this.#stop.abort()
    this.#onOver()
  }

  /** The reader has everything up to now: it gets what is being said at this moment, then events as they come. */
  goLive(reader: RunReader): void {
    reader.goLive()
    for (const event of this.#open.snapshots()) reader.offer(event, this.#toFrame(event))
  }

  async #read(): Promise<void> {
    try {
      // The first `next` begins to listen at once, so that no event comes between this and the copy of the open messages.
      const events = this.#runs.events(this.#runId, { after: this.lastSeq, signal: this.#stop.signal, all: true })
      for await (const event of events) {
        if (event.seq !== undefined) this.lastSeq = event.seq
        this.#open.apply(event)
        if (this.#readers.size === 0) continue
        const frame = this.#toFrame(event)
        for (const reader of this.#readers) reader.offer(event, frame)
      }
      this.#end((reader) => reader.end())
    } catch (thrown) {
      this.#end((reader) => reader.fail(thrown))
    }
  }

  #end(end: (reader: RunReader) => void): void {
    this.#onOver()
    for (const reader of this.#readers) end(reader)
  }
}
