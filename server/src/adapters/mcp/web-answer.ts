import type { Answer } from '../../http/answer.ts'
import type { RouteRequest } from '../../routes/route.ts'

/** Sends what the package answered. A stream goes on until its end, or until its reader leaves, which ends it there too. */
export async function toAnswer(web: Response, { response }: Pick<RouteRequest, 'response'>): Promise<Answer> {
  const headers = Object.fromEntries([...web.headers].filter(([name]) => !OURS.has(name)))
  const { body, status } = web
  const isStream = web.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (body === null || !isStream) {
    const text = await web.text()
    return { status, headers, write: (to) => void to.writeHead(status, { 'Content-Length': Buffer.byteLength(text) }).end(text) }
  }
  return {
    status,
    headers,
    async write(to) {
      const reader = body.getReader()
      response.on('close', () => void reader.cancel().catch(() => {}))
      to.writeHead(status)
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        to.write(value)
      }
      to.end()
    },
  }
}

const OURS: ReadonlySet<string> = new Set(['connection', 'cache-control', 'content-length'])
