import type { Reach, RunEvent } from '@svc/core/client'
import { ConnectionError, InternalError, isTerminalEvent, SvcError } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'
import { Pieces } from '../pieces.ts'
import type { Frame } from './event-stream.ts'
import { followStream } from './follow-stream.ts'

/** So often a stream may miss the same event before something is wrong with it. */
const MOST_GAPS = 5

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
  const pieces = new Pieces(isOwn)
  let last = after
  let gaps = 0
  const read = async function* (frames: AsyncIterable<Frame>): AsyncGenerator<RunEvent, boolean> {
    for await (const { event: name, data } of frames) {
      if (name === 'end') return true
      let event = JSON.parse(data) as RunEvent & { ref?: string }
      if (event.seq !== undefined) {
        if (event.seq <= last) continue
        if (event.seq > last + 1 && ++gaps <= MOST_GAPS) return false
        if (gaps > MOST_GAPS) throw missing(id, last + 1, event.seq)
        // A long one comes with its texts cut. Until it is here as a whole, the reader does not have it.
        if (event.ref !== undefined)
          event = await http.json('GET', `${path}/${event.seq}`, { query: { ...reach }, ...(signal && { signal }) })
        gaps = 0
        last = event.seq ?? last
      }
      yield* deltas ? pieces.apply(event) : [event]
      if (isTerminalEvent(event)) return true
    }
    return false
  }
  try {
    yield* followStream(http, {
      path,
      query: () => ({ after: last, deltas: deltas ? undefined : false, ...reach }),
      read,
      onCut: () => pieces.cut(),
      patienceMs: http.patienceMs,
      signal,
    })
  } catch (thrown) {
    if (SvcError.isInstance(thrown)) throw thrown
    const message = `the stream of ${id} was cut, and the server stays away`
    throw new ConnectionError('connection_failed', message, { cause: thrown })
  }
}

const missing = (id: string, wanted: number, seen: number): InternalError =>
  new InternalError('internal_error', `the stream of ${id} goes on with event ${seen}, and ${wanted} is missing`)
