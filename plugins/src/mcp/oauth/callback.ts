import type { AddressInfo } from 'node:net'

/** A listener on this machine that the browser comes back to. */
export interface Callback {
  readonly url: string
  /** What the browser brings with this `state`; whatever else comes is refused and waited past. */
  wait(state: string, signal?: AbortSignal): Promise<URLSearchParams>
  close(): void
}

/** @param port 0 for any free one */
export async function listenForCallback(port = 0): Promise<Callback> {
  const waiting = new Map<string, (params: URLSearchParams) => void>()
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const take = waiting.get(searchParams.get('state') ?? '')
    const isIt = request.method === 'GET' && pathname === '/callback' && take !== undefined
    response.writeHead(isIt ? 200 : 400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end(isIt ? 'svc has what it needs. You can close this page.\n' : 'svc expects no such thing here.\n')
    if (isIt) take(searchParams)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    wait: (state, signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => reject(signal?.reason)
        if (signal?.aborted) return end()
        signal?.addEventListener('abort', end, { once: true })
        waiting.set(state, (params) => {
          waiting.delete(state)
          signal?.removeEventListener('abort', end)
          resolve(params)
        })
      }),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
