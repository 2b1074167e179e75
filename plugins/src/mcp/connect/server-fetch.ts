import { createGuardedFetch } from '../../tools/web/guarded-fetch.ts'

export interface ServerFetchOptions {
  url: URL
  headers: Readonly<Record<string, string>>
  /** Longest message, in bytes. */
  maxBytes: number
}

/**
 * `fetch` for the address that a config names. That may be this machine's or its network's, as the person named it; no other
 * host is reached with the person's headers or by a redirect. Other public hosts are asked where it is called for them, which
 * is for signing in.
 */
export function createServerFetch({ url, headers, maxBytes }: ServerFetchOptions): typeof fetch {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const shared = { maxBytes: Number.POSITIVE_INFINITY, timeoutMs: 0 }
  const own = createGuardedFetch({ ...shared, allowHosts: [`${url.hostname}:${port}`], allowPrivate: true })
  const others = createGuardedFetch({ timeoutMs: 30_000 })
  // Where the address is of this machine or its network, so may be that of who signs in; it gets no header.
  const beside = createGuardedFetch({ timeoutMs: 30_000, allowHosts: [url.hostname], allowPrivate: true })
  return async (input, init) => {
    const target = new URL(input instanceof Request ? input.url : String(input))
    if (target.origin !== url.origin) return (target.hostname === url.hostname ? beside : others)(input, init)
    const sent = new Headers(init?.headers)
    for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value)
    return bounded(await own(input, { ...init, headers: sent }), maxBytes)
  }
}

/** A response whose messages are at most so long: a stream of events may go on for ever. */
function bounded(response: Response, maxBytes: number): Response {
  const { body } = response
  if (body === null) return response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  let bytes = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = isStream ? lastEventEnd(chunk) : -1
      bytes = end < 0 ? bytes + chunk.length : chunk.length - end
      if (bytes > maxBytes) controller.error(new Error(`it sent a message of more than ${maxBytes} bytes`))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  const made = new Response(body.pipeThrough(counter), { status, statusText, headers })
  Object.defineProperty(made, 'url', { value: response.url })
  return made
}

/** Behind the last empty line, which ends an event; -1 where there is none. One that two chunks share is found late. */
function lastEventEnd(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
  const plain = bytes.lastIndexOf('\n\n')
  const carriage = bytes.lastIndexOf('\r\n\r\n')
  return Math.max(plain < 0 ? -1 : plain + 2, carriage < 0 ? -1 : carriage + 4)
}
