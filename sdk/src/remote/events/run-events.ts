import type { RunEvent } from '@svc/core'
import { ConnectionError, InternalError, isTerminalEvent, SvcError } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'
import { Pieces } from '../pieces.ts'
import { isTooMany, restMs, sleep } from '../retry.ts'
import { readFrames } from './event-stream.ts'

/** The server sends something every 15 s. */
export const SILENCE_MS = 50_000
/** What the server asks for, until it has said so. */
export const RETRY_MS = 2_000
/** So often a stream may miss the same event before something is wrong with it. */
const MOST_GAPS = 5

export interface FollowOptions {
  /** Number of the last event that is known. Default 0. */
  after?: number
  /** False: without the pieces of answers. Default true. */
  deltas?: boolean
  signal?: AbortSignal
  /** The run began just now, so that its reader is to have all the pieces. Default false. */
  isOwn?: boolean
}

/**
 * Events of a run from a number on, then as they come, until it ends: each kept event once and in order, however often the
 * connection is cut.
 *
 * @throws ConnectionError where the server stays away for longer than the client's patience; what the server refuses
 */
export async function* followRun(
  http: HttpClient,
  id: string,
  { after = 0, deltas = true, signal, isOwn = false }: FollowOptions = {},
): AsyncGenerator<RunEvent> {
  const stop = new AbortController()
  const { connection } = http
  const forget = http.addStop(stop, signal)
  const path = `/v1/runs/${encodeURIComponent(id)}/events`
  const pieces = new Pieces(isOwn)
  let last = after
  let gaps = 0
  let retryMs = RETRY_MS
  let awaySince: number | undefined
  const options = { silenceMs: SILENCE_MS, signal: stop.signal, onRetry: (ms: number) => (retryMs = ms) }
  try {
    while (!stop.signal.aborted) {
      let cause: unknown
      try {
        const response = await http.open(path, {
          query: { after: last, deltas: deltas ? undefined : false },
          headers: { accept: 'text/event-stream' },
          signal: stop.signal,
        })
        awaySince = undefined
        connection.back(stop)
        if (response.status === 204 || response.body === null) return
        for await (const { event: name, data } of readFrames(response.body, options)) {
          if (name === 'end') return
          let event = JSON.parse(data) as RunEvent & { ref?: string }
          if (event.seq !== undefined) {
            if (event.seq <= last) continue
            if (event.seq > last + 1 && ++gaps <= MOST_GAPS) break
            if (gaps > MOST_GAPS) throw missing(id, last + 1, event.seq)
            // A long one comes with its texts cut. Until it is here as a whole, the reader does not have it.
            if (event.ref !== undefined) event = await http.json('GET', `${path}/${event.seq}`, { signal: stop.signal })
            gaps = 0
            last = event.seq ?? last
          }
          for (const whole of deltas ? pieces.apply(event) : [event]) yield whole
          if (isTerminalEvent(event)) return
        }
      } catch (thrown) {
        cause = thrown
        if (stop.signal.aborted) break
        if (SvcError.isInstance(thrown) && !thrown.retryable) {
          connection.back(stop)
          throw thrown
        }
        awaySince ??= Date.now()
        if (Date.now() - awaySince > http.patienceMs) throw toLost(id, thrown)
      }
      if (isTooMany(cause)) connection.back(stop)
      else connection.lost(stop)
      pieces.cut()
      await sleep(restMs(cause, retryMs), stop.signal)
    }
    if (http.isClosed && !signal?.aborted) throw http.closedError()
  } finally {
    connection.leave(stop)
    forget()
  }
}

const missing = (id: string, wanted: number, seen: number): InternalError =>
  new InternalError('internal_error', `the stream of ${id} goes on with event ${seen}, and ${wanted} is missing`)

const toLost = (id: string, thrown: unknown): SvcError =>
  SvcError.isInstance(thrown)
    ? thrown
    : new ConnectionError('connection_failed', `the stream of ${id} was cut, and the server stays away`, {
        cause: thrown,
      })
