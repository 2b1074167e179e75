import type { RunEvent } from '@svc/core'
import { SvcError } from '@svc/core/client'
import type { HttpClient } from '../http-client.ts'
import { isTooMany, restMs, sleep } from '../retry.ts'
import { readFrames } from './event-stream.ts'
import { RETRY_MS, SILENCE_MS } from './run-events.ts'

type Handler = (event: RunEvent) => void

/**
 * Calls a handler with what begins, waits and ends, in all runs of the server, until it is stopped, or the server refuses.
 *
 * @param onOpen called at the start of each stream: what was before is not told
 * @returns how to stop
 */
export function watchRuns(http: HttpClient, handler: Handler, onOpen: () => void = () => {}): () => void {
  const stop = new AbortController()
  void follow(http, stop, handler, onOpen)
  return () => stop.abort()
}

/** Never rejects. */
async function follow(http: HttpClient, stop: AbortController, handler: Handler, onOpen: () => void): Promise<void> {
  const { signal } = stop
  const { connection } = http
  const forget = http.addStop(stop)
  let retryMs = RETRY_MS
  while (!signal.aborted) {
    let cause: unknown
    try {
      const { body } = await http.open('/v1/events', { headers: { accept: 'text/event-stream' }, signal })
      if (body === null) break
      connection.back(stop)
      call(onOpen)
      for await (const { data } of readFrames(body, {
        silenceMs: SILENCE_MS,
        signal,
        onRetry: (ms) => (retryMs = ms),
      })) {
        const event = JSON.parse(data) as RunEvent & { ref?: string }
        const { ref } = event
        // Of a run that was removed meanwhile, the beginnings of its texts are all there is.
        const whole = ref === undefined ? event : await http.json<RunEvent>('GET', ref, { signal }).catch(() => event)
        if (!signal.aborted) call(() => handler(whole))
      }
    } catch (thrown) {
      cause = thrown
      if (SvcError.isInstance(thrown) && !thrown.retryable && !signal.aborted) {
        connection.back(stop)
        break
      }
    }
    if (signal.aborted) break
    if (isTooMany(cause)) connection.back(stop)
    else connection.lost(stop)
    await sleep(restMs(cause, retryMs), signal)
  }
  connection.leave(stop)
  forget()
}

function call(handler: () => void): void {
  try {
    handler()
  } catch {
    // A handler that throws breaks nothing.
  }
}
