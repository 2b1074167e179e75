/** S9: no request hides in another, and no header of ours holds a line of somebody else. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type OpenServer, openServer, sendRaw } from '../fixtures/open-server.ts'

const test = suite('S9 requests inside requests')

let world: OpenServer
test.before(async () => {
  world = await openServer()
})
test.after(() => world.close())

const post = (lines: string, body: string): string =>
  `POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\nContent-Type: application/json\r\n${lines}\r\n\r\n${body}`
const hidden = (): string => `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\n\r\n`

test('a request whose length is said in two ways is refused and its connection closed', async () => {
  const attacks = [
    post('Content-Length: 4\r\nTransfer-Encoding: chunked', `0\r\n\r\n${hidden()}`),
    post('Transfer-Encoding: chunked\r\nContent-Length: 4', `0\r\n\r\n${hidden()}`),
    post('Content-Length: 4\r\nContent-Length: 5', 'abcd'),
    post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${hidden()}`),
    post('Transfer-Encoding : chunked', `0\r\n\r\n${hidden()}`),
    post('Transfer-Encoding:\u000bchunked', `0\r\n\r\n${hidden()}`),
    post('Content-Length: +4', 'abcd'),
    post('Content-Length: 0x4', 'abcd'),
    post('X-Folded: a\r\n b: c\r\n \r\nContent-Length: 2', '{}'),
    post('Transfer-Encoding: chunked', 'zz\r\nabc\r\n0\r\n\r\n'),
    `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\nX: y\r\r\n\r\n`,
    'NONSENSE\r\n\r\n',
  ]
  for (const attack of attacks) {
    const answer = await sendRaw(world.port, attack)
    assert.match(answer, /^HTTP\/1\.1 400 /, JSON.stringify(attack.slice(60, 200)))
    assert.is(answer.split('HTTP/1.1 ').length, 2, 'one answer')
    assert.not.match(answer, /"status":"ok"/)
  }
  assert.is((await world.runtime.runs.list()).data.length, 0)
})

test('a header with one meaning that comes twice is refused', async () => {
  const own = `http://127.0.0.1:${world.port}`
  const twice = {
    Origin: [own, own],
    'Sec-Fetch-Site': ['same-origin', 'cross-site'],
    'Content-Type': ['application/json', 'text/plain'],
    'Content-Length': ['15', '15'],
    'Transfer-Encoding': ['chunked', 'chunked'],
    'Idempotency-Key': ['a', 'b'],
    'Last-Event-ID': ['1', '2'],
  }
  for (const [name, values] of Object.entries(twice)) {
    const all = { 'Content-Type': ['application/json'], 'Content-Length': ['15'], ...{ [name]: values } }
    const lines = Object.entries(all).flatMap(([key, each]) => each.map((value) => `${key}: ${value}\r\n`))
    const answer = await sendRaw(
      world.port,
      `POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\n${lines.join('')}Connection: close\r\n\r\n{"task":"abcd"}`,
    )
    assert.match(answer, /^HTTP\/1\.1 400 /, name)
  }
  assert.is((await world.runtime.runs.list()).data.length, 0)
})

test('a body that was packed on its way in a manner that is not undone is refused', async () => {
  for (const coding of ['gzip, chunked', 'deflate, chunked', 'x, chunked', 'identity']) {
    const answer = await sendRaw(
      world.port,
      `${post(`Transfer-Encoding: ${coding}\r\nConnection: close`, 'f\r\n{"task":"abcd"}\r\n0\r\n\r\n')}`,
    )
    assert.match(answer, /^HTTP\/1\.1 400 /, coding)
  }
  assert.is((await world.runtime.runs.list()).data.length, 0)
})

test('a list that comes in two headers, and a header that nobody reads, are no fault', async () => {
  const lists =
    'Accept: text/html\r\nAccept: application/json\r\nIf-None-Match: "a"\r\nIf-None-Match: "b"\r\nX-Hop: 1\r\nX-Hop: 2'
  const get = `GET /v1/runs HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\n${lists}\r\nConnection: close\r\n\r\n`
  assert.match(await sendRaw(world.port, get), /^HTTP\/1\.1 200 /)
  const chunks = `${post('Transfer-Encoding: Chunked\r\nConnection: close', 'f\r\n{"task":"abcd"}\r\n0\r\n\r\n')}`
  assert.match(await sendRaw(world.port, chunks), /^HTTP\/1\.1 201 /)
})

test('what cannot be parsed is answered as a problem too', async () => {
  const answer = await sendRaw(world.port, 'NONSENSE\r\n\r\n')
  assert.match(answer, /Content-Type: application\/problem\+json/)
  assert.match(answer, /"requestId":"req_/)
  assert.not.match(answer, /\.js:\d/)
})

test('an id of a request that is no plain word is replaced', async () => {
  for (const id of ['a b', 'a;b', 'x'.repeat(65), 'a\tb', 'é', '<script>', 'a,b', '']) {
    const answer = await sendRaw(
      world.port,
      `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`,
    )
    assert.match(answer, /X-Request-Id: req_[0-9A-Z]{26}\r\n/, id)
  }
  const kept = await world.ask('GET', '/health', { headers: { 'x-request-id': 'my-request_1' } })
  assert.is(kept.headers.get('x-request-id'), 'my-request_1')
})

test('line breaks in a path or an id stay what they are', async () => {
  for (const path of [
    '/v1/runs/run_%0d%0aX-Evil:1',
    '/v1/runs/%0d%0a',
    '/%0d%0aSet-Cookie:a=b',
    '/v1/runs?after=%0d%0aX:1',
  ]) {
    const { status, headers } = await world.ask('GET', path)
    assert.ok(status === 400 || status === 404, path)
    assert.not.ok(headers.has('x-evil') || headers.has('set-cookie') || headers.has('x'))
  }
})

test('a header of more than 16 KiB, and a URL of more than 8 KiB, are refused', async () => {
  const big = await sendRaw(world.port, `GET /health HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(17_000)}\r\n\r\n`)
  assert.match(big, /^HTTP\/1\.1 431 /)
  assert.is((await world.ask('GET', `/v1/runs?q=${'x'.repeat(8_200)}`)).json.code, 'validation_failed')
})

test.run()
