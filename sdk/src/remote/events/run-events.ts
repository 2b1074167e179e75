import type { Reach, RunEvent } from '@svc/core/client'
import { ConnectionError, isTerminalEvent, SvcError } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'
import type { Frame } from './event-stream.ts'
import { followStream } from './follow-stream.ts'
import { RunCursor } from './run-cursor.ts'

export interface FollowOptions extends Reach {
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
  { after = 0, deltas = true, signal, isOwn = false, ...reach }: FollowOptions = {},
): AsyncGenerator<RunEvent> {
  const path = `/v1/runs/${encodeURIComponent(id)}/events`
  const cursor = new RunCursor(http, id, { after, deltas, isOwn, signal, ...reach })
  const read = async function* (frames: AsyncIterable<Frame>): AsyncGenerator<RunEvent, boolean> {
    for await (const { event: name, data } of frames) {
      if (name === 'end') return true
      const sent: RunEvent = JSON.parse(data)
      const taken = await cursor.take(sent)
      if (taken === undefined) return false
      yield* taken
      if (isTerminalEvent(sent)) return true
    }
    return false
  }
  try {
    yield* followStream(http, {
      path,
      query: () => ({ after: cursor.last, deltas: deltas ? undefined : false, ...reach }),
      read,
      onCut: () => cursor.cut(),
      patienceMs: http.patienceMs,
      signal,
    })
  } catch (thrown) {
    if (SvcError.isInstance(thrown)) throw thrown
    const message = `the stream of ${id} was cut, and the server stays away`
    throw new ConnectionError('connection_failed', message, { cause: thrown })
  }
}
