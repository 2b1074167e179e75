import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { SvcError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isPublicAddress } from '../src/tools/web/address.ts'
import { createGuardedFetch } from '../src/tools/web/guarded-fetch.ts'
import { htmlToText } from '../src/tools/web/html-text.ts'
import { httpFetch } from '../src/tools/web/http-fetch.ts'
import { createContext, failureOf, runTool } from './fixtures/tool-context.ts'
import { settled } from './fixtures/until.ts'

const test = suite('http_fetch and its guard')

async function serve(listener: RequestListener): Promise<{ origin: string; port: number; close: () => Promise<void> }> {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { origin: `http://127.0.0.1:${port}`, port, close }
}

const local = createGuardedFetch({ allowPrivate: true })
const read = (url: string, more: object = {}) =>
  runTool(httpFetch, { url, ...more }, createContext('/', { fetch: local }))

test('what is no URL says so, and a password in one is not repeated', async () => {
  const guarded = createGuardedFetch()
  for (const url of ['', 'example.org', 'http://', 'http://[::1', 'http://999.1.1.1/'])
    assert.is((await failureOf(guarded(url))).code, 'tool_bad_args', url)
  const error = await failureOf(guarded('http://user:pass@example.org/'))
  assert.is(error.code, 'ssrf_blocked')
  assert.not.match(error.message, 'pass')
})

test('public addresses are public, whatever form they have', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.255.255',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ]) {
    assert.ok(isPublicAddress(address), address)
  }
  for (const address of ['', 'x', '1.1.1', 'fe80::1%eth0', '2606:4700::1111%0', '::ffff:10.0.0.1', '64:ff9b::a00:1']) {
    assert.not.ok(isPublicAddress(address), address)
  }
})

test('a name is judged by the addresses that the connection is made to', async () => {
  const reached: string[] = []
  const { port, close } = await serve((request, response) => {
    reached.push(request.url ?? '')
    response.end('secret')
  })
  const answers = (address: string) => [{ address, family: address.includes(':') ? 6 : 4 }]
  const to = (address: string) => createGuardedFetch({ lookup: async () => answers(address) })
  for (const address of ['127.0.0.1', '10.0.0.1', '::1', '64:ff9b::7f00:1', '169.254.169.254']) {
    assert.is((await failureOf(to(address)(`http://public.example:${port}/`))).code, 'ssrf_blocked', address)
  }
  const mixed = createGuardedFetch({ lookup: async () => [...answers('8.8.8.8'), ...answers('127.0.0.1')] })
  assert.is((await failureOf(mixed(`http://public.example:${port}/`))).code, 'ssrf_blocked')
  const empty = createGuardedFetch({ lookup: async () => [] })
  assert.is((await failureOf(empty(`http://public.example:${port}/`))).code, 'ssrf_blocked')
  assert.equal(reached, [])
  await close()
})

test('redirects are followed, five at most', async () => {
  const reached: string[] = []
  const { origin, port, close } = await serve((request, response) => {
    reached.push(`${request.method} ${request.headers.host} ${request.url}`)
    const target = new URL(request.url ?? '', 'http://x').searchParams.get('to')
    if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end()
    else if (target === null) response.end('done')
    else response.writeHead(302, { location: target }).end()
  })
  const guarded = createGuardedFetch({ allowHosts: [`127.0.0.1:${port}`] })
  const through = (to: string) => guarded(`${origin}/?to=${encodeURIComponent(to)}`)
  assert.is(await (await through('/end')).text(), 'done')
  const arrived = await through('/end')
  assert.is(arrived.url, `${origin}/end`)
  assert.ok(arrived.redirected)
  const looped = await failureOf(guarded(`${origin}/loop`))
  assert.match(looped.message, 'more than 5 times')
  assert.is(reached.filter((line) => line.endsWith('/loop')).length, 6)
  const manual = await guarded(`${origin}/?to=/end`, { redirect: 'manual' })
  assert.is(manual.status, 302)
  await close()
})

test('allowed hosts are the only ones, by name, by subdomain and by port', async () => {
  const guarded = createGuardedFetch({
    allowHosts: ['example.org', '*.example.com', 'example.net:8443'],
    lookup: async () => [],
  })
  const reasonOf = async (url: string) => (await failureOf(guarded(url))).message
  for (const url of [
    'http://example.org/',
    'https://a.b.example.com/',
    'https://example.net:8443/',
    'http://EXAMPLE.org./',
  ]) {
    assert.match(await reasonOf(url), 'no address', url)
  }
  for (const url of [
    'http://evil.org/',
    'http://example.com/',
    'http://badexample.com/',
    'https://example.net/',
    'http://example.org.evil.org/',
  ]) {
    assert.match(await reasonOf(url), 'allowed hosts', url)
  }
})

test('the guard sends what fetch would send and reads compressed answers', async () => {
  const { origin, close } = await serve((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = `${request.method} ${request.headers['content-type']} ${request.headers.host} ${Buffer.concat(chunks)}`
      if (request.url === '/gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync(text))
      else if (request.url === '/deflate') response.setHeader('content-encoding', 'deflate').end(deflateSync(text))
      else if (request.url === '/br') response.setHeader('content-encoding', 'br').end(brotliCompressSync(text))
      else if (request.url === '/none') response.writeHead(204).end()
      else if (request.url === '/see') response.writeHead(303, { location: '/' }).end()
      else response.end(text)
    })
  })
  const host = origin.slice('http://'.length)
  const init = {
    method: 'POST',
    body: '{"a":1}',
    headers: { 'content-type': 'application/json', host: 'evil.example' },
  }
  for (const path of ['/', '/gzip', '/deflate', '/br']) {
    assert.is(await (await local(origin + path, init)).text(), `POST application/json ${host} {"a":1}`, path)
  }
  assert.is((await local(`${origin}/none`)).status, 204)
  assert.is(await (await local(`${origin}/see`, init)).text(), `GET undefined ${host} `)
  assert.is(
    await (await local(new Request(`${origin}/`, { method: 'PUT', body: 'x' }))).text(),
    `PUT text/plain;charset=UTF-8 ${host} x`,
  )
  assert.is(await (await local(`${origin}/`, { method: 'HEAD' })).text(), '')
  await close()
})

test('a compressed answer that grows without end is cut off at the limit', async () => {
  const { origin, close } = await serve((_request, response) => {
    response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(50_000_000)))
  })
  const small = createGuardedFetch({ allowPrivate: true, maxBytes: 100_000 })
  const error = await failureOf((await small(origin)).arrayBuffer())
  assert.is(error.code, 'tool_output_too_large')
  const shown = await read(origin, { maxBytes: 1000 }).catch((thrown: SvcError) => thrown.message)
  assert.match(shown, 'not text')
  await close()
})

test('an abort ends a request that waits for its answer, and one that is being read', async () => {
  let arrived = (): void => {}
  const { origin, close } = await serve((request, response) => {
    if (request.url === '/drip') response.write('some')
    arrived()
  })
  for (const path of ['/', '/drip']) {
    const controller = new AbortController()
    const hasArrived = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const context = createContext('/', { fetch: local, signal: controller.signal })
    const outcome = httpFetch.run({ url: origin + path }, context).catch((error: Error) => error.message)
    await hasArrived
    await settled()
    controller.abort(new Error('stop'))
    assert.is(await outcome, 'stop')
  }
  const impatient = createGuardedFetch({ allowPrivate: true, timeoutMs: 100 })
  const silent = await impatient(origin).catch((error: Error) => error)
  assert.match(String((silent as Error).cause), 'no answer for 100 ms')
  await close()
})

test('http_fetch shows pages as text, JSON indented, and says where it comes from', async () => {
  const { origin, close } = await serve((request, response) => {
    if (request.url === '/page') {
      response.setHeader('content-type', 'text/html; charset=iso-8859-1')
      response.end(Buffer.from('<html><head><title>A &amp; B</title></head><body><p>Gr\xfc\xdfe</p></body>', 'latin1'))
    } else if (request.url === '/json') response.setHeader('content-type', 'application/problem+json').end('{"a":[1]}')
    else if (request.url === '/image') response.setHeader('content-type', 'image/png').end('x')
    else if (request.url === '/long') response.setHeader('content-type', 'text/plain').end('0123456789'.repeat(1000))
    else if (request.url === '/busy') response.writeHead(503, { 'content-type': 'text/plain' }).end('come  back\nlater')
    else if (request.url === '/cut') {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' })
      response.write('some', () => response.destroy())
    } else response.writeHead(404).end()
  })
  assert.is(await read(`${origin}/page`), `${origin}/page (200, text/html, 68 bytes)\nTitle: A & B\n\nGrüße`)
  assert.is(
    await read(`${origin}/json`),
    `${origin}/json (200, application/problem+json, 9 bytes)\n\n{\n  "a": [\n    1\n  ]\n}`,
  )
  assert.ok((await read(`${origin}/long`, { maxBytes: 20 })).endsWith('\n01234567890123456789\n… cut after 20 bytes'))
  assert.match((await failureOf(read(`${origin}/image`))).message, 'not text (image/png')
  const busy = await failureOf(read(`${origin}/busy`))
  assert.is(busy.message, `${origin} answered 503 Service Unavailable: come back later`)
  assert.ok(busy.retryable)
  assert.not.ok((await failureOf(read(`${origin}/missing`))).retryable)
  assert.match((await failureOf(read(`${origin}/cut`))).message, 'could not be reached')
  await close()
  assert.match((await failureOf(read(`${origin}/gone`))).message, 'ECONNREFUSED')
  assert.ok(httpFetch.untrusted)
})

test('a page becomes headings, lists, links and preformatted text without its scripts', async () => {
  const { title, text } = await htmlToText(
    `<!doctype html><HTML><head><title> My
      page </title><style>p{}</style></head><body onload="x > y">
      <script>var a = "</p>"; if (a < b) alert(1)</script><!-- <p>hidden</p> -->
      <h1>Head&shy;line</h1><p>One <b>two</b>&nbsp;three&#33; &#x41; &unknown; &lt;tag&gt; &Zcaron;&nvlt;</p>
      <ul><li>first<li>second</ul><a href="/there?a=1&amp;b=2">link</a> <a href="javascript:x">bad</a>
      <pre>  indented
    more</pre><table><tr><td>a<td>b</tr></table>1 < 2<br>end<img src=x alt="no">`,
    'https://example.org/base/',
  )
  assert.is(title, 'My page')
  assert.is(
    text,
    [
      '# Head\u00adline',
      '',
      'One two three! A &unknown; <tag> Ž<⃒',
      '',
      '- first',
      '- second',
      '',
      'link <https://example.org/there?a=1&b=2> bad',
      '',
      '  indented',
      '    more',
      '',
      '| a | b',
      '',
      '1 < 2',
      'end',
    ].join('\n'),
  )
})

test('hostile markup takes time in proportion to its length', async () => {
  const pieces = [
    '<',
    '<!--',
    '<script>',
    '<a href="',
    '<a "',
    '<p ',
    '&',
    '&#',
    '<title',
    '<a href=x>',
    '</',
    '<pre>',
    ' ',
    'a',
    '<head>',
    '<a x=\'href="',
  ]
  for (const piece of pieces) {
    const html = `${piece.repeat(Math.ceil(1_000_000 / piece.length))}!`
    assert.type(await htmlToText(html, 'https://example.org/'), 'object')
  }
})

test.run()
