/** The floors: servers that do nothing but send the same bytes. */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { talk } from './talk.mjs'

/** The copy that the server uses. */
const express = createRequire(new URL('../../server/package.json', import.meta.url))('express')

/**
 * `node:http` alone. It answers `/events/<group>` with a stream, and all else with the bytes given.
 *
 * @param {{ body?: string, headers?: Record<string, string> }} options
 */
export async function startHttp({ body = '', headers = {} }) {
  const groups = new Map()
  const url = await listen((request, response) => {
    const group = /^\/events\/(.+)/.exec(request.url ?? '')?.[1]
    if (group === undefined) return response.writeHead(200, headers).end(body)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 2000\n\n')
    groups.get(group).push(response)
  })
  const answers = {
    talkers: ({ count, seconds }) =>
      Array.from({ length: count }, (_, n) => {
        const readers = []
        groups.set(String(n), readers)
        void talk(seconds, (message) => {
          const event = { v: 1, type: 'log.line', time: new Date().toISOString(), runId: String(n), data: { message } }
          const frame = Buffer.from(`event: log.line\ndata: ${JSON.stringify(event)}\n\n`)
          for (const reader of readers) reader.write(frame)
        })
        return String(n)
      }),
  }
  return { url, answers }
}

/** Express alone. */
export async function startExpress({ body = '', headers = {} }) {
  const app = express().disable('x-powered-by').disable('etag')
  app.get('/health', (_, response) => response.set(headers).end(body))
  return { url: await listen(app) }
}

async function listen(handler) {
  const server = createServer(handler)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${server.address().port}`
}
