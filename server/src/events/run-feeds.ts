import { isTerminal, type Run, type RunEvent, type Runtime } from '@svc/core'
import { createAnswerEvents } from '@svc/core/client'
import { toFrame } from './frame.ts'
import { OpenMessages } from './open-messages.ts'
import { RunFeed } from './run-feed.ts'
import type { RunReader } from './run-reader.ts'

/** The feeds of all runs that somebody reads. An event is read and encoded once, whatever the number of its readers. */
export class RunFeeds {
  readonly #runtime: Runtime
  readonly #payloadBytes: number
  readonly #feeds = new Map<string, RunFeed>()
  readonly #open = new Map<string, OpenMessages>()
  readonly #stopListening: () => void

  constructor(runtime: Runtime, payloadBytes: number) {
    this.#runtime = runtime
    this.#payloadBytes = payloadBytes
    this.#stopListening = runtime.onEvent((event) => this.#hear(event), { passive: true })
  }

  /** Sends a reader what was before, at its pace. Resolves once it has that; what comes later it is sent as it comes. */
  async read(run: Run, reader: RunReader, after: number): Promise<void> {
    if (isTerminal(run.status)) {
      await this.#catchUp(run.id, reader, after)
      reader.goLive()
      reader.end()
      return
    }
    const feed = this.#feedOf(run)
    feed.add(reader)
    const target = feed.lastSeq
    if (after < target) await this.#catchUp(run.id, reader, after, target)
    if (!reader.isOver) feed.goLive(reader)
  }

  leave(runId: string, reader: RunReader): void {
    this.#feeds.get(runId)?.remove(reader)
  }

  close(): void {
    this.#stopListening()
  }

  async #catchUp(runId: string, reader: RunReader, after: number, until?: number): Promise<void> {
    const { client } = reader
    const toShown = createAnswerEvents(after > 0 ? [runId] : [])
    try {
      const options = { after, deltas: false, signal: client.signal, all: true }
      for await (const event of this.#runtime.runs.events(runId, options)) {
        for (const shown of toShown(event)) reader.deliver(shown, this.#toFrame(shown))
        await client.drained()
        if (until !== undefined && (event.seq ?? 0) >= until) break
      }
    } catch (thrown) {
      reader.fail(thrown)
    }
  }

  #feedOf(run: Run): RunFeed {
    const known = this.#feeds.get(run.id)
    if (known !== undefined) return known
    const feed = new RunFeed(this.#runtime.runs, run.id, {
      lastSeq: run.lastSeq,
      open: this.#open.get(run.id),
      toFrame: this.#toFrame,
      onOver: () => {
        if (this.#feeds.get(run.id) === feed) this.#feeds.delete(run.id)
      },
    })
    this.#feeds.set(run.id, feed)
    return feed
  }

  readonly #toFrame = (event: RunEvent): Buffer => toFrame(event, this.#payloadBytes)

  #hear(event: RunEvent): void {
    let open = this.#open.get(event.runId)
    if (event.type === 'message.delta' && open === undefined) {
      open = new OpenMessages()
      this.#open.set(event.runId, open)
    }
    open?.apply(event)
    if (open?.isEmpty) this.#open.delete(event.runId)
  }
}
