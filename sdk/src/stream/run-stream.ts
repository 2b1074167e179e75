import type { ExecutionResult, RunEvent, StartedRun } from '@svc/core/client'
import { EVENT_STREAM_HEADERS } from '@svc/core/client'
import { type NodeResponse, writeTo } from './node-response.ts'
import { type Readable, toReadable } from './readable.ts'
import { toEventStream } from './server-sent-events.ts'
import { toTextPieces } from './text-pieces.ts'

/**
 * A run as it happens: its events in order, its text, and its result.
 *
 * Each reader reads for itself. One that leaves before the end cancels the run.
 */
export interface RunStream<Result = ExecutionResult> extends AsyncIterable<RunEvent> {
  /** Resolves when the run has ended, whether the events are read or not. */
  readonly result: Promise<Result>
  /**
   * The answer as it is said, to iterate over or to pipe: what comes after the last `RESET` is the answer. Rejects with
   * what the run could not be made or followed for.
   */
  readonly textStream: Readable<string>
  /**
   * The events as server-sent events, for handlers that answer with a `Response`: `id`, `event` and `data` as a server of svc
   * sends them, and `event: end` last. Where the run is refused or cannot be followed, `event: error` with `code` and
   * `message` is last.
   *
   * @param init status and further headers
   */
  toResponse(init?: ResponseInit): Response
  /**
   * Writes what `toResponse` answers into a response of Node (`http`, Express), or into another stream of bytes. Resolves at
   * the end, also where a response of Node was closed before.
   */
  pipeTo(destination: NodeResponse | WritableStream<Uint8Array>): Promise<void>
}

export interface StreamSource {
  start(): Promise<StartedRun>
  events(id: string, signal: AbortSignal): AsyncIterable<RunEvent>
  result(started: StartedRun): Promise<ExecutionResult>
  cancel(id: string): Promise<unknown>
}

/** Starts a run at once. */
export function createRunStream(source: StreamSource): RunStream {
  const started = source.start()
  const result = started.then((run) => source.result(run))
  result.catch(() => {}) // A caller that awaits it sees the error; one that does not must not crash.
  /** @param left aborted once its reader has left */
  async function* read(left: AbortSignal): AsyncGenerator<RunEvent> {
    const { id } = (await started).run
    let hasEnded = false
    try {
      for await (const event of source.events(id, left)) yield event
      hasEnded = !left.aborted
    } finally {
      if (!hasEnded) await source.cancel(id)
    }
  }
  const toResponse = (init: ResponseInit = {}): Response => {
    const headers = new Headers(init.headers)
    for (const [name, value] of Object.entries(EVENT_STREAM_HEADERS)) if (!headers.has(name)) headers.set(name, value)
    return new Response(
      toReadable((left) => toEventStream(read(left))),
      { ...init, headers },
    )
  }
  return {
    result,
    get textStream() {
      return toReadable((left) => toTextPieces(read(left)))
    },
    toResponse,
    pipeTo: (destination) => writeTo(destination, toResponse()),
    [Symbol.asyncIterator]: () => read(new AbortController().signal),
  }
}
