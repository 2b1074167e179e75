import { EVENT_STREAM_HEADERS } from '@svc/core/client'
import type { RouteRequest } from '../../routes/route.ts'

/** A response that is sent piece by piece. */
export interface OpenStream {
  /** Sends a piece. A reader who leaves a full buffer unread is cut. */
  send(piece: string | Uint8Array): void
  /** Resolves when the reader has taken what was sent. One that takes nothing for a minute is cut. */
  drained(): Promise<void>
  end(): void
  /** Whether half of what a reader may leave unread is unread. Pieces that come meanwhile are better sent as one. */
  readonly isBehind: boolean
  /** Aborted once nobody reads any more. */
  readonly signal: AbortSignal
}

/**
 * Begins a stream in answer to a request: counted with all others, cut where its reader is slow, its key is good no more or the
 * server ends. Ask `request.context.streams.assertRoom(request.holder)` before anything is begun for it.
 *
 * @param headers default those of server-sent events, which get a comment now and then
 * @param isEndless true: it has no end of its own, and is cut when the server begins to end. Default false
 */
export function openStream(
  { context, response, holder }: RouteRequest,
  headers?: Readonly<Record<string, string>>,
  isEndless = false,
): OpenStream {
  const client = context.streams.open(
    response,
    holder,
    headers ?? EVENT_STREAM_HEADERS,
    headers === undefined,
    isEndless,
  )
  return {
    send: (piece) => client.send(piece),
    drained: () => client.drained(),
    end: () => client.finish(),
    get isBehind() {
      return response.writableLength > context.limits.sseBufferBytes / 2
    },
    signal: client.signal,
  }
}

/** Something as the data of a server-sent event. @param event its name; default none */
export const toFrame = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
