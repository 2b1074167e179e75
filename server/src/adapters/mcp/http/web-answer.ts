import type { Answer } from '../../../http/answer.ts'
import type { RouteRequest } from '../../../routes/route.ts'
import { openStream } from '../../shared/open-stream.ts'

/**
 * Sends what the package answered. A stream goes on until its end, or until its reader leaves, which ends it there too.
 *
 * @param isEndless whether a stream has no end of its own
 */
export async function toAnswer(web: Response, request: RouteRequest, isEndless = false): Promise<Answer> {
  const { body, headers, status } = web
  const sessionId = headers.get('mcp-session-id')
  const own = sessionId === null ? {} : { 'Mcp-Session-Id': sessionId }
  if (body !== null && headers.get('content-type')?.startsWith('text/event-stream'))
    return { status, headers: own, write: () => copy(body, request, isEndless) }
  const text = await web.text()
  const allow = headers.get('allow')
  return {
    status,
    headers: { ...own, ...(allow !== null && { Allow: allow }) },
    ...(text !== '' && { body: JSON.parse(text) as unknown }),
  }
}

/** Far less than a reader may leave unread. */
const PIECE_BYTES = 65_536

async function copy(body: ReadableStream<Uint8Array>, request: RouteRequest, isEndless: boolean): Promise<void> {
  const stream = openStream(request, undefined, isEndless)
  const reader = body.getReader()
  const leave = (): void => void reader.cancel().catch(() => {}) // it has ended
  stream.signal.addEventListener('abort', leave)
  if (stream.signal.aborted) leave()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    // A long message is no reason to take its reader for a slow one.
    for (let from = 0; from < value.length; from += PIECE_BYTES) {
      stream.send(value.subarray(from, from + PIECE_BYTES))
      await stream.drained()
    }
  }
  stream.end()
}
