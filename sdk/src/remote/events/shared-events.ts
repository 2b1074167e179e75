import { createError, isErrorCode, isTerminalEvent, type RunEvent, SvcError } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'
import { quietly } from '../quietly.ts'
import type { Frame } from './event-stream.ts'
import { RunCursor } from './run-cursor.ts'
import { followRun } from './run-events.ts'
import { type FeedHandlers, type RunHandlers, SharedFeed } from './shared-feed.ts'
import { type RunReader, SharedRun } from './shared-run.ts'
import { type Asked, SwitchedStream } from './switched-stream.ts'

/** Those who come together are taken into the stream together. */
const GATHER_MS = 10
/** Runs that nobody reads any more are left out after so long. */
const LEAVE_MS = 5_000
/** Runs that one stream of the server has at most. */
const MOST_RUNS = 50
/** How long it takes until what failed for the moment is asked for again. */
const AGAIN_MS = 2_000
const RUN_ID = /^run_[0-9A-HJKMNP-TV-Z]{26}$/

/** Events of any number of runs, and of the server's feed, over one connection at a time. */
export class SharedEvents {
  readonly #http: HttpClient
  readonly #all: boolean
  readonly #runs = new Map<string, SharedRun>()
  readonly #feed: SharedFeed
  readonly #stream: SwitchedStream

  /** @param all whether the feed has what runs of other folders do */
  constructor(http: HttpClient, all: boolean) {
    this.#http = http
    this.#all = all
    this.#feed = new SharedFeed(http, all)
    this.#stream = new SwitchedStream(http, {
      path: '/v1/events',
      ask: () => this.#ask(),
      onFrame: (frame, signal) => this.#take(frame, signal),
      onFail: (thrown) => this.#fail(toError(thrown)),
    })
  }

  /** Whether nobody reads. */
  get isIdle(): boolean {
    return this.#runs.size === 0 && this.#feed.readers.size === 0
  }

  /** Reads a run of any folder, until it ends. @returns how to stop */
  followRun(id: string, handlers: RunHandlers): () => void {
    const stop = new AbortController()
    const { after = 0 } = handlers
    // What is no id is refused by itself, and not the stream of all.
    if (!RUN_ID.test(id)) {
      void this.#refuse(id, handlers, stop.signal)
      return () => stop.abort()
    }
    const cursor = new RunCursor(this.#http, id, { after, all: true, signal: stop.signal })
    const reader: RunReader = { handlers, cursor, stop }
    const run = this.#runs.get(id) ?? new SharedRun()
    run.readers.add(reader)
    this.#runs.set(id, run)
    this.#stream.renewIn(GATHER_MS)
    return () => this.#leave(id, reader)
  }

  /** Reads what begins, waits and ends. @returns how to stop */
  onRunEvent(handlers: FeedHandlers): () => void {
    this.#feed.add(handlers, this.#stream.isOpen)
    if (!this.#stream.isOpen) this.#stream.renewIn(GATHER_MS)
    return () => {
      this.#feed.readers.delete(handlers)
      if (this.isIdle) this.close()
    }
  }

  /** Ends the connection. Who reads hears nothing more; who comes later is read to as before. */
  close(): void {
    this.#stream.close()
    for (const { readers } of this.#runs.values()) for (const { stop } of readers) stop.abort()
    this.#runs.clear()
    this.#feed.readers.clear()
  }

  async #refuse(id: string, { onEvent, onEnd }: RunHandlers, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of followRun(this.#http, id, { signal })) onEvent(event)
      quietly(onEnd)
    } catch (thrown) {
      if (!signal.aborted) quietly(() => onEnd(toError(thrown)))
    }
  }

  #leave(id: string, reader: RunReader): void {
    reader.stop.abort()
    const run = this.#runs.get(id)
    if (!run?.readers.delete(reader) || run.readers.size > 0) return
    this.#runs.delete(id)
    if (this.isIdle) this.close()
    else this.#stream.renewIn(LEAVE_MS)
  }

  #ask(): Asked {
    const from = new Map(
      // The newest first: somebody has just asked for them.
      [...this.#runs]
        .reverse()
        .slice(0, MOST_RUNS)
        .map(([id, { after }]) => [id, after]),
    )
    return {
      query: {
        ...(this.#all && { all: true }),
        ...(from.size > 0 && { run: Array.from(from, ([id, after]) => `${id}:${after}`) }),
      },
      isAhead: (headers) => this.#feed.isAhead(headers),
      begin: (headers) => {
        for (const [id, run] of this.#runs) run.begin(from.get(id))
        this.#feed.begin(headers)
      },
    }
  }

  async #take({ event: name, data, id = '' }: Frame, signal: AbortSignal): Promise<void> {
    const sent: unknown = JSON.parse(data)
    if (name === 'end') this.#end((sent as RunEvent).runId)
    else if (name === 'error') this.#endByError(sent as ErrorData)
    else if (id === '' && name.startsWith('run.')) await this.#feed.take(sent as RunEvent, signal)
    else await this.#hand(sent as RunEvent, signal)
  }

  /** To who reads the run. */
  async #hand(sent: RunEvent, signal: AbortSignal): Promise<void> {
    const { runId } = sent
    const run = this.#runs.get(runId)
    if (run === undefined) return
    await Promise.all(run.readersOf(sent).map((reader) => this.#handTo(runId, reader, sent, signal)))
    if (!signal.aborted) run.passed(sent)
  }

  async #handTo(id: string, reader: RunReader, sent: RunEvent, signal: AbortSignal): Promise<void> {
    const { handlers, cursor, stop } = reader
    try {
      const events = await cursor.take(sent)
      if (stop.signal.aborted) return
      if (events === undefined) this.#stream.renewIn(GATHER_MS)
      for (const event of events ?? []) quietly(() => handlers.onEvent(event))
      if (events !== undefined && isTerminalEvent(sent)) this.#endReader(id, reader)
    } catch (thrown) {
      if (signal.aborted || stop.signal.aborted) return
      const error = toError(thrown)
      if (error.retryable) this.#stream.renewIn(AGAIN_MS)
      else this.#endReader(id, reader, error)
    }
  }

  #end(id: string, error?: SvcError): void {
    for (const reader of this.#runs.get(id)?.upToDate ?? []) this.#endReader(id, reader, error)
  }

  #endByError({ runId, code, message, retryable }: ErrorData): void {
    if (retryable) this.#stream.renewIn(AGAIN_MS)
    else this.#end(runId, createError(isErrorCode(code) ? code : 'internal_error', message))
  }

  #endReader(id: string, reader: RunReader, error?: SvcError): void {
    const run = this.#runs.get(id)
    if (!run?.readers.delete(reader)) return
    if (run.readers.size === 0) this.#runs.delete(id)
    // There is room for one that was left out.
    if (this.#runs.size >= MOST_RUNS) this.#stream.renewIn(GATHER_MS)
    quietly(() => reader.handlers.onEnd(error))
    if (this.isIdle) this.close()
  }

  #fail(error: SvcError): void {
    const readers = [...this.#runs.values()].flatMap((run) => [...run.readers])
    const feed = [...this.#feed.readers]
    this.close()
    for (const { handlers } of readers) quietly(() => handlers.onEnd(error))
    for (const { onEnd } of feed) quietly(() => onEnd(error))
  }
}

interface ErrorData {
  runId: string
  code: string
  message: string
  retryable: boolean
}

const toError = (thrown: unknown): SvcError =>
  SvcError.isInstance(thrown) ? thrown : new SvcError('internal_error', String(thrown), { cause: thrown })
