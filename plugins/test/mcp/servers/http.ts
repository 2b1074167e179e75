import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server'

export interface HttpServer {
  readonly url: string
  /** Headers of each request, in order. */
  readonly seen: readonly IncomingMessage['headers'][]
  close(): Promise<void>
}

/** Listens on a port of its own. */
export async function listen(listener: RequestListener, port = 0): Promise<HttpServer> {
  const seen: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    seen.push(request.headers)
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: used } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${used}/mcp`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A server of the revision without sessions, by the official package. */
export function modern(make: () => McpServer, legacy: 'stateless' | 'reject' = 'reject'): Promise<HttpServer> {
  const handler = createMcpHandler(make, { legacy })
  return listen(async (request, response) => {
    const { method = 'GET', headers, url = '/' } = request
    const body = method === 'GET' ? {} : { body: Readable.toWeb(request), duplex: 'half' }
    const given = new Request(new URL(url, 'http://127.0.0.1'), {
      method,
      headers: headers as HeadersInit,
      ...body,
    } as RequestInit)
    const answer = await handler.fetch(given)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body === null) response.end()
    else
      Readable.fromWeb(answer.body as ReadableStream)
        .on('error', () => response.destroy())
        .pipe(response)
  })
}
