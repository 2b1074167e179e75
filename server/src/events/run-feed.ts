import type { RunEvent, Runtime } from '@svc/core'
import { OpenMessages } from './open-messages.ts'
import type { StreamClient } from './stream-client.ts'

/** Reads the events of one run once, for all who read it, from a number on until it ends. */
export class RunFeed {
  readonly #runs: Runtime['runs']
  readonly #runId: string
  readonly #clients = new Set<StreamClient>()
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

  add(client: StreamClient): void {
    this.#clients.add(client)
  }

  remove(client: StreamClient): void {
    this.#clients.delete(client)
    if (this.#clients.size > 0) return
    this.#stop.abort()
    this.#onOver()
  }

  /** The reader has everything up to now: it gets what is being said at this moment, then events as they come. */
  goLive(client: StreamClient): void {
    client.goLive()
    for (const event of this.#open.snapshots()) client.offer(event, this.#toFrame(event))
  }

  async #read(): Promise<void> {
    try {
      // The first `next` begins to listen at once, so that no event comes between this and the copy of the open messages.
      const events = this.#runs.events(this.#runId, { after: this.lastSeq, signal: this.#stop.signal, all: true })
      for await (const event of events) {
        if (event.seq !== undefined) this.lastSeq = event.seq
        this.#open.apply(event)
        if (this.#clients.size === 0) continue
        const frame = this.#toFrame(event)
        for (const client of this.#clients) client.offer(event, frame)
      }
      this.#end((client) => client.end())
    } catch {
      this.#end((client) => client.cut('failed'))
    }
  }

  #end(end: (client: StreamClient) => void): void {
    this.#onOver()
    for (const client of this.#clients) end(client)
  }
}
