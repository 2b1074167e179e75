/** The transport under the official clients, against a server of our own. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { ModelProvider } from '@svc/core'
import { CancelledError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createProvider } from '../src/providers/index.ts'
import { ask, failure, toRequest } from './fixtures/ask.ts'
import { chatEvents } from './fixtures/fake-server.ts'
import { until } from './fixtures/until.ts'

const test = suite('transport')

type Handler = (response: http.ServerResponse, request: http.IncomingMessage, body: string) => void

let handler: Handler
let connections = 0
const sockets = new Set<import('node:net').Socket>()
const server = http.createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => handler(response, request, Buffer.concat(chunks).toString()))
})
// By default it closes what was idle for 5 s: on a busy machine just when a call goes out over it.
server.keepAliveTimeout = 600_000
server.on('connection', (socket) => {
  connections++
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
})

let url = ''
let provider: ModelProvider
const make = (more: object = {}, env: Record<string, string> = {}, extra: object = {}): ModelProvider =>
  createProvider('chat', { type: 'openai', baseUrl: `${url}/v1`, defaultModel: 'm', ...more }, { env, ...extra })

test.before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  provider = make()
})
test.after(() => {
  server.closeAllConnections()
  server.close()
})

const answerOf = (content: string) =>
  JSON.stringify({
    choices: [{ message: { content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  })
const eventsOf = (...texts: string[]) =>
  chatEvents(...texts.map((content) => ({ choices: [{ index: 0, delta: { content } }] })), {
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  })
const sendWhole = (response: http.ServerResponse, content: string): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(answerOf(content))
}

/** The pool looks at a connection for one turn before it uses it again. */
const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 5))

test('calls one after the other share one connection', async () => {
  handler = (response) => sendWhole(response, 'yes')
  const before = connections
  for (let call = 0; call < 20; call++) {
    await ask(provider, toRequest({ stream: call % 2 === 0 }))
    await nextTurn()
  }
  assert.ok(connections - before <= 1, `${connections - before} connections`)
})

test('a connection that the server cuts while it is idle fails no later call', async () => {
  handler = (response) => sendWhole(response, 'yes')
  for (let call = 0; call < 5; call++) {
    assert.is((await ask(provider, toRequest())).text, 'yes')
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
})

test('a connection cut before, in and after the head is unavailable, and asked once', async () => {
  const cuts: Handler[] = [
    (response) => response.destroy(),
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
      response.write('{"choices":', () => response.destroy())
    },
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(eventsOf('a').slice(0, 40), () => response.destroy())
    },
  ]
  for (const cut of cuts) {
    let asked = 0
    handler = (response, request, body) => {
      asked++
      cut(response, request, body)
    }
    for (const stream of [false, true]) {
      const error = await failure(provider, toRequest({ stream }))
      assert.is(error.code, 'provider_unavailable')
      assert.ok(error.retryable)
    }
    assert.is(asked, 2)
  }
})

test('what onPart throws ends the call and closes the connection', async () => {
  let closed = false
  handler = (response) => {
    response.on('close', () => {
      closed = true
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`${eventsOf('a').split('\n\n')[0]}\n\n`)
  }
  const onPart = () => {
    throw new CancelledError('cancelled', 'enough')
  }
  const { signal } = new AbortController()
  const thrown = await provider.complete?.(toRequest({ stream: true }), { signal, onPart }).catch((error) => error)
  assert.is(thrown.message, 'enough')
  await until(() => closed)
})

test('a body that stops is a time-out, also where it drips without end', async () => {
  const hasty = make({ timeoutMs: 400, chunkTimeoutMs: 200 })
  handler = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{')
  }
  assert.is((await failure(hasty, toRequest())).code, 'provider_timeout')
  handler = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(timer))
  }
  assert.is((await failure(hasty, toRequest())).code, 'provider_timeout')
})

test('events with CR LF, a byte order mark, comments and ids are read', async () => {
  const text = `\uFEFF: hello\r\n\r\n${eventsOf('x', 'y').replaceAll('\n', '\r\n').replaceAll('data:', 'id: 7\r\ndata:')}`
  handler = (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  assert.is((await ask(provider, toRequest({ stream: true }))).text, 'xy')
})

test('a compressed answer is unpacked, whole, streamed or an error', async () => {
  const packers = { gzip: gzipSync, br: brotliCompressSync }
  for (const [encoding, pack] of Object.entries(packers)) {
    handler = (response, _request, body) => {
      const stream = body.includes('"stream":true')
      const type = stream ? 'text/event-stream' : 'application/json'
      response.writeHead(200, { 'content-type': type, 'content-encoding': encoding })
      response.end(pack(stream ? eventsOf('packed ', 'text') : answerOf('packed text')))
    }
    for (const stream of [false, true]) assert.is((await ask(provider, toRequest({ stream }))).text, 'packed text')
    handler = (response) => {
      response.writeHead(400, { 'content-type': 'application/json', 'content-encoding': encoding })
      response.end(pack('{"error":{"message":"packed words"}}'))
    }
    assert.match((await failure(provider, toRequest())).message, 'packed words')
    handler = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
      response.end('this is not packed')
    }
    assert.is((await failure(provider, toRequest())).code, 'provider_bad_response')
  }
})

test('a redirect is not followed: no other host gets the key', async () => {
  let asked = 0
  const other = http.createServer((_request, response) => {
    asked++
    sendWhole(response, 'stolen')
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const location = `http://localhost:${(other.address() as AddressInfo).port}/v1`
  handler = (response) => void response.writeHead(307, { location }).end()
  try {
    const error = await failure(provider, toRequest())
    assert.is(error.code, 'provider_bad_response')
    assert.match(error.message, 'baseUrl')
    assert.is(error.retryable, false)
    assert.is(asked, 0)
  } finally {
    other.close()
  }
})

test('proxies of the environment are used, and NO_PROXY reaches a host without them', async () => {
  const seen: string[] = []
  const proxy = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    request.resume()
    request.on('end', () => sendWhole(response, 'by proxy'))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  handler = (response) => sendWhole(response, 'direct')
  try {
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']) {
      assert.is((await ask(make({}, { [name]: `http://${address}` }), toRequest())).text, 'by proxy', name)
    }
    assert.match(seen[0] ?? '', `POST ${url}/v1/chat/completions`)
    for (const env of [
      { HTTP_PROXY: address, NO_PROXY: 'example.org,127.0.0.1' },
      { HTTP_PROXY: address, no_proxy: '*' },
      { HTTPS_PROXY: address },
    ]) {
      assert.is((await ask(make({}, env), toRequest())).text, 'direct', JSON.stringify(env))
    }
    const own: typeof fetch = async () =>
      new Response(answerOf('own fetch'), { headers: { 'content-type': 'application/json' } })
    assert.is((await ask(make({}, { HTTP_PROXY: address }, { fetch: own }), toRequest())).text, 'own fetch')
  } finally {
    proxy.closeAllConnections()
    proxy.close()
  }
})

test('a proxy that cannot be one is named', async () => {
  assert.throws(
    () => make({}, { HTTP_PROXY: 'gopher://x' }),
    (thrown: Error) => thrown.message.includes("HTTP_PROXY (or ALL_PROXY) is 'gopher://x'"),
  )
})

test.run()
