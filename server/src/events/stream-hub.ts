import type { ServerResponse } from 'node:http'
import { CapacityError, type Limits, type Reach, type Run, type Runtime } from '@svc/core'
import { KEEP_ALIVE_MS } from '@svc/core/client'
import { stateOf } from '../http/request/request-state.ts'
import { createFilter, type EventFilter } from './filter.ts'
import { type FollowedRuns, followRuns, toUnnumbered } from './followed-runs.ts'
import { END, KEEP_ALIVE } from './frame.ts'
import { RunFeeds } from './run-feeds.ts'
import { RunReader } from './run-reader.ts'
import { RunWatchers } from './run-watchers.ts'
import { type EndReason, StreamClient } from './stream-client.ts'

export type StreamLimits = Required<Pick<Limits, 'sseTotal' | 'ssePerKey' | 'sseBufferBytes' | 'payloadBytes'>>

/** Of the answer to `GET /v1/events`: where in the feed it begins. Clients of svc go on from there. */
const FEED_PLACE = 'svc-feed-place'

/** All open event streams of a server. */
export class StreamHub {
  readonly #runtime: Runtime
  readonly #limits: StreamLimits
  readonly #onEnd: (reason: EndReason) => void
  readonly #feeds: RunFeeds
  readonly #clients = new Set<StreamClient>()
  readonly #endless = new Set<StreamClient>()
  /** By how far they look. */
  readonly #watchers = new Map<string, RunWatchers>()
  readonly #byHolder = new Map<string, number>()
  readonly #keepAlive: NodeJS.Timeout

  constructor(runtime: Runtime, limits: StreamLimits, onEnd: (reason: EndReason) => void = () => {}) {
    this.#runtime = runtime
    this.#limits = limits
    this.#onEnd = onEnd
    this.#feeds = new RunFeeds(runtime, limits.payloadBytes)
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
    const client = this.#admit(response, holder, () => this.#feeds.leave(run.id, reader))
    const reader = new RunReader(client, {
      after,
      accepts: createFilter(filter),
      onEnd: () => client.finish(END),
      onFail: () => client.cut('failed'),
    })
    client.start()
    // Nobody would take a reader that is gone off its feed again.
    if (!client.isOver) void this.#feeds.read(run, reader, after)
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
    const client = this.#admit(response, holder, () => this.#endless.delete(client), isText)
    stateOf(response).isOnce = true
    if (isEndless) this.#endless.add(client)
    client.start(headers)
    return client
  }

  /**
   * Streams what begins, waits and ends, of the runs of this folder, of all, or of an owner.
   *
   * @param followed runs whose events the same stream has, too
   */
  watch(
    response: ServerResponse,
    holder: string,
    { all = false, owner, ...filter }: EventFilter & Reach,
    followed?: FollowedRuns,
  ): void {
    const watchers = this.#watchersOf({ all, ...(owner !== undefined && { owner }) })
    const accepts = createFilter(filter)
    const client = this.#admit(response, holder, () => watchers.remove(reader))
    const reader = new RunReader(client, {
      after: 0,
      accepts: (event) => event.type.startsWith('run.') && accepts(event),
      ...(followed !== undefined && { toSent: toUnnumbered }),
      onEnd: () => {},
      onFail: () => {},
    })
    response.setHeader(FEED_PLACE, watchers.place)
    client.start()
    reader.goLive()
    if (client.isOver) return
    watchers.add(reader)
    if (followed !== undefined) void followRuns(client, this.#feeds, followed)
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
    this.#feeds.close()
  }

  #watchersOf(reach: Reach): RunWatchers {
    const name = JSON.stringify(reach)
    const watchers = this.#watchers.get(name) ?? new RunWatchers(this.#runtime, this.#limits.payloadBytes, reach)
    this.#watchers.set(name, watchers)
    return watchers
  }

  #admit(response: ServerResponse, holder: string, onLeave: () => void, isText = true): StreamClient {
    this.#byHolder.set(holder, (this.#byHolder.get(holder) ?? 0) + 1)
    const client = new StreamClient(response, {
      holder,
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
}
