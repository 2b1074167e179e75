import type { ServerResponse } from 'node:http'
import { CapacityError, isTerminal, type Reach, type Run, type RunEvent, type Runtime } from '@svc/core'
import { createAnswerEvents, KEEP_ALIVE_MS } from '@svc/core/client'
import { stateOf } from '../http/request/request-state.ts'
import { createFilter, type EventFilter } from './filter.ts'
import { KEEP_ALIVE, toFrame } from './frame.ts'
import { OpenMessages } from './open-messages.ts'
import { RunFeed } from './run-feed.ts'
import { RunWatchers } from './run-watchers.ts'
import { type EndReason, StreamClient } from './stream-client.ts'

export interface StreamLimits {
  sseTotal: number
  ssePerKey: number
  sseBufferBytes: number
  payloadBytes: number
}

/** All open event streams of a server. An event is read and encoded once, whatever the number of its readers. */
export class StreamHub {
  readonly #runtime: Runtime
  readonly #limits: StreamLimits
  readonly #onEnd: (reason: EndReason) => void
  readonly #feeds = new Map<string, RunFeed>()
  readonly #open = new Map<string, OpenMessages>()
  readonly #clients = new Set<StreamClient>()
  readonly #endless = new Set<StreamClient>()
  /** By how far they look. */
  readonly #watchers = new Map<string, RunWatchers>()
  readonly #byHolder = new Map<string, number>()
  readonly #stopListening: () => void
  readonly #keepAlive: NodeJS.Timeout

  constructor(runtime: Runtime, limits: StreamLimits, onEnd: (reason: EndReason) => void = () => {}) {
    this.#runtime = runtime
    this.#limits = limits
    this.#onEnd = onEnd
    this.#stopListening = runtime.onEvent((event) => this.#hear(event), { passive: true })
    this.#keepAlive = setInterval(() => {
      for (const client of this.#clients) client.keepAlive(KEEP_ALIVE)
    }, KEEP_ALIVE_MS)
    this.#keepAlive.unref()
  }

  get size(): number {
    return this.#clients.size
  }

  /** @throws CapacityError `too_many_streams` */
  assertRoom(holder: string): void {
    const { sseTotal, ssePerKey } = this.#limits
    if (this.#clients.size >= sseTotal || (this.#byHolder.get(holder) ?? 0) >= ssePerKey) {
      throw new CapacityError('too_many_streams', `${this.#clients.size} event streams are open: close some first`)
    }
  }

  /** Streams the events of a run, which its reader may read, after a number, until it ends. Nothing is read of it before the stream has its reader. */
  follow(
    run: Run,
    response: ServerResponse,
    holder: string,
    { after, ...filter }: EventFilter & { after: number },
  ): void {
    const client = this.#admit(response, holder, after, createFilter(filter), () =>
      this.#feeds.get(run.id)?.remove(client),
    )
    client.start()
    // Nobody would take a reader that is gone off its feed again.
    if (client.isOver) return
    void (isTerminal(run.status) ? this.#sendAll(run.id, client, after) : this.#join(run, client, after))
  }

  /**
   * Begins a stream of what another protocol says of a run.
   *
   * @param isText whether comments of server-sent events may stand in it
   * @param isEndless whether it has no end of its own
   */
  open(
    response: ServerResponse,
    holder: string,
    headers: Readonly<Record<string, string>>,
    isText: boolean,
    isEndless = false,
  ): StreamClient {
    const client = this.#admit(
      response,
      holder,
      0,
      () => true,
      () => this.#endless.delete(client),
      isText,
    )
    stateOf(response).isOnce = true
    if (isEndless) this.#endless.add(client)
    client.start(headers)
    return client
  }

  /** Streams what begins, waits and ends, of the runs of this folder, of all, or of an owner. */
  watch(response: ServerResponse, holder: string, { all = false, owner, ...filter }: EventFilter & Reach): void {
    const watchers = this.#watchersOf({ all, ...(owner !== undefined && { owner }) })
    const accepts = createFilter(filter)
    const client = this.#admit(
      response,
      holder,
      0,
      (event) => event.type.startsWith('run.') && accepts(event),
      () => watchers.remove(client),
    )
    client.start()
    client.goLive()
    if (!client.isOver) watchers.add(client)
  }

  /** Cuts the streams of everybody else: their key is good no more. */
  keep(holders: ReadonlySet<string>): void {
    for (const client of this.#clients) if (!holders.has(client.holder)) client.cut('revoked')
  }

  /** Ends the streams that have no end of their own. */
  endWatchers(): void {
    for (const client of this.#endless) client.cut('closing')
    for (const watchers of this.#watchers.values()) watchers.end()
  }

  /** Cuts every stream; their readers come back by their cursors. */
  close(): void {
    for (const client of this.#clients) client.cut('closing')
    clearInterval(this.#keepAlive)
    this.#stopListening()
  }

  #watchersOf(reach: Reach): RunWatchers {
    const name = JSON.stringify(reach)
    const watchers = this.#watchers.get(name) ?? new RunWatchers(this.#runtime, this.#limits.payloadBytes, reach)
    this.#watchers.set(name, watchers)
    return watchers
  }

  #admit(
    response: ServerResponse,
    holder: string,
    after: number,
    accepts: (event: RunEvent) => boolean,
    onLeave: () => void,
    isText = true,
  ): StreamClient {
    this.#byHolder.set(holder, (this.#byHolder.get(holder) ?? 0) + 1)
    const client = new StreamClient(response, {
      holder,
      after,
      accepts,
      isText,
      maxBytes: this.#limits.sseBufferBytes,
      onEnd: (reason) => {
        this.#clients.delete(client)
        const left = (this.#byHolder.get(holder) ?? 1) - 1
        if (left === 0) this.#byHolder.delete(holder)
        else this.#byHolder.set(holder, left)
        onLeave()
        this.#onEnd(reason)
      },
    })
    this.#clients.add(client)
    return client
  }

  async #join(run: Run, client: StreamClient, after: number): Promise<void> {
    const feed = this.#feedOf(run)
    feed.add(client)
    const target = feed.lastSeq
    if (after < target) await this.#catchUp(run.id, client, after, target)
    if (!client.isOver) feed.goLive(client)
  }

  async #sendAll(runId: string, client: StreamClient, after: number): Promise<void> {
    await this.#catchUp(runId, client, after)
    client.goLive()
    client.end()
  }

  /** Sends what was before, at the pace of the reader. */
  async #catchUp(runId: string, client: StreamClient, after: number, until?: number): Promise<void> {
    const toShown = createAnswerEvents(after > 0 ? [runId] : [])
    try {
      const options = { after, deltas: false, signal: client.signal, all: true }
      for await (const event of this.#runtime.runs.events(runId, options)) {
        for (const shown of toShown(event)) client.deliver(shown, this.#toFrame(shown))
        await client.drained()
        if (until !== undefined && (event.seq ?? 0) >= until) break
      }
    } catch {
      client.cut('failed')
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

  readonly #toFrame = (event: RunEvent): Buffer => toFrame(event, this.#limits.payloadBytes)

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
