import { SvcError } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'
import { isTooMany, restMs, sleep } from '../retry.ts'
import { type Frame, readFrames } from './event-stream.ts'

/** The server sends something every 15 s. */
const SILENCE_MS = 50_000
/** What the server asks for, until it has said so. */
const RETRY_MS = 2_000

export interface FollowedStream<T> {
  path: string
  /** Of the next connection. */
  query?: () => object
  /** What comes over one connection. @returns true where the stream is over, and is not asked for again */
  read(frames: AsyncIterable<Frame>, headers: Headers): AsyncGenerator<T, boolean>
  /** Called after each connection that was cut, and before the next. */
  onCut?(): void
  /** Milliseconds for which the server may stay away. Default for ever. */
  patienceMs?: number
  signal?: AbortSignal | undefined
}

/**
 * What comes over a stream of the server, over as many connections as it takes.
 *
 * @throws what the server refuses, or what it last failed with where it stays away for too long; `shutting_down` where the
 *   client was closed
 */
export async function* followStream<T>(
  http: HttpClient,
  { path, query, read, onCut, patienceMs = Number.POSITIVE_INFINITY, signal }: FollowedStream<T>,
): AsyncGenerator<T> {
  const stop = new AbortController()
  const { connection } = http
  const forget = http.addStop(stop, signal)
  const headers = { accept: 'text/event-stream' }
  let retryMs = RETRY_MS
  let awaySince: number | undefined
  const options = { silenceMs: SILENCE_MS, signal: stop.signal, onRetry: (ms: number) => (retryMs = ms) }
  try {
    while (!stop.signal.aborted) {
      let cause: unknown
      try {
        const asked = { headers, signal: stop.signal }
        const {
          status,
          headers: answered,
          body,
        } = await http.open(path, query === undefined ? asked : { ...asked, query: query() })
        awaySince = undefined
        connection.back(stop)
        if (status === 204 || body === null) return
        try {
          if (yield* read(readFrames(body, options), answered)) return
        } finally {
          // One that nobody began to read would stay open.
          body.cancel().catch(() => {})
        }
      } catch (thrown) {
        cause = thrown
        if (stop.signal.aborted) break
        if (SvcError.isInstance(thrown) && !thrown.retryable) {
          connection.back(stop)
          throw thrown
        }
        awaySince ??= Date.now()
        if (Date.now() - awaySince > patienceMs) throw thrown
      }
      if (stop.signal.aborted) break
      if (isTooMany(cause)) connection.back(stop)
      else connection.lost(stop)
      onCut?.()
      await sleep(restMs(cause, retryMs), stop.signal)
    }
    if (http.isClosed && !signal?.aborted) throw http.closedError()
  } finally {
    connection.leave(stop)
    forget()
  }
}
