import type { Reach, RunEvent } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'
import { quietly } from '../quietly.ts'
import type { Frame } from './event-stream.ts'
import { followStream } from './follow-stream.ts'

/** An event of the feed, which comes with its texts cut where it is long. Of a run that was removed meanwhile, that is all there is. */
export const wholeOf = async (
  event: RunEvent & { ref?: string },
  http: HttpClient,
  reach: Reach,
  signal: AbortSignal,
): Promise<RunEvent> =>
  event.ref === undefined ? event : http.json<RunEvent>('GET', event.ref, { signal, query: reach }).catch(() => event)

type Handler = (event: RunEvent) => void

/**
 * Calls a handler with what begins, waits and ends, in the runs of the server, until it is stopped, or the server refuses.
 *
 * @param onOpen called at the start of each stream: what was before is not told
 * @returns how to stop
 */
export function watchRuns(http: HttpClient, handler: Handler, reach: Reach, onOpen: () => void = () => {}): () => void {
  const stop = new AbortController()
  const { signal } = stop
  const read = async function* (frames: AsyncIterable<Frame>): AsyncGenerator<RunEvent, boolean> {
    quietly(onOpen)
    for await (const { data } of frames) {
      yield await wholeOf(JSON.parse(data), http, reach, signal)
    }
    return false
  }
  const follow = async (): Promise<void> => {
    for await (const event of followStream(http, { path: '/v1/events', query: () => ({ ...reach }), read, signal }))
      if (!signal.aborted) quietly(() => handler(event))
  }
  // What the server refuses, it refuses: nobody waits for the end.
  follow().catch(() => {})
  return () => stop.abort()
}
