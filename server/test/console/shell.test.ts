/** How the server hands out the console: its files, their headers, and nothing beside them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { askWith, type OpenServer, openServer, sendRaw } from '../fixtures/open-server.ts'

const test = suite('console: files')

let opened: OpenServer
test.before(async () => {
  opened = await openServer()
})
test.after(() => opened.close())

test('the page and its files have their types, are cached as their names allow, and come packed to whom can read that', async () => {
  const page = await opened.ask('GET', '/console/')
  assert.is(page.status, 200)
  assert.match(page.headers.get('content-type') ?? '', /^text\/html; charset=utf-8/i)
  assert.is(page.headers.get('cache-control'), 'no-cache')
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /default-src 'none'.*base-uri 'none'.*form-action 'none'.*frame-ancestors 'none'/,
  )
  assert.is(page.headers.get('referrer-policy'), 'no-referrer')
  assert.is(page.headers.get('x-content-type-options'), 'nosniff')
  assert.not.match(page.text, /<script(?![^>]*src=)|style=|data:|https?:\/\//)

  const assets = [...page.text.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
  assert.ok(assets.some((path) => path.endsWith('.js')) && assets.some((path) => path.endsWith('.css')))
  const types: Record<string, RegExp> = { js: /^text\/javascript/, css: /^text\/css/, svg: /^image\/svg/ }
  for (const path of assets) {
    const { status, headers } = await askWith(opened.port, path, {})
    assert.is(status, 200, path)
    assert.match(headers['content-type'] ?? '', types[path.split('.').at(-1) ?? ''] ?? /never/, path)
    assert.match(headers['cache-control'] ?? '', /immutable/)
    assert.is(headers['content-encoding'], undefined)
    assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
    if (path.endsWith('.svg')) continue
    assert.match(headers.vary ?? '', /accept-encoding/i)
    const packed = await askWith(opened.port, path, { 'accept-encoding': 'gzip' })
    assert.is(packed.headers['content-encoding'], 'gzip')
    assert.match(packed.headers['content-type'] ?? '', types[path.split('.').at(-1) ?? ''] ?? /never/)
    assert.ok(Number(packed.headers['content-length']) < Number(headers['content-length']))
  }
})

test('every address of a view is the page, and / leads there', async () => {
  for (const path of [
    '/console',
    '/console/',
    '/console/runs/run_x/timeline?at=3',
    '/console/plugins',
    '/console/a/b/c',
  ]) {
    const { status, text } = await opened.ask('GET', path)
    assert.is(status, 200, path)
    assert.match(text, /<div id="app">/, path)
  }
  const { status, headers } = await askWith(opened.port, '/', {})
  assert.is(status, 302)
  assert.is(headers.location, '/console/')
  const head = await askWith(opened.port, '/console/', {}, 'HEAD')
  assert.is(head.status, 200)
  assert.ok(Number(head.headers['content-length']) > 100)
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const refused = await askWith(opened.port, '/console/', {}, method)
    assert.is(refused.status, 405, method)
    assert.match(refused.headers.allow ?? '', /GET/)
  }
})

test('no path leads out of the folder of the console', async () => {
  const paths = [
    '/console/assets/../index.html',
    '/console/assets/../../index.js',
    '/console/assets/%2e%2e/%2e%2e/index.js',
    '/console/assets/..%2f..%2findex.js',
    '/console/assets/..%5c..%5cindex.js',
    '/console/assets/%2e%2e%2f%2e%2e%2f%2e%2e%2fpackage.json',
    '/console/assets//etc/passwd',
    '/console/assets/%00',
    '/console/assets/%',
    '/console/assets/',
    '/console/assets/none.js',
    '/console/../../package.json',
    '/console/%2e%2e/package.json',
    '/console/..%2f..%2fpackage.json',
    '//evil.example/console/',
  ]
  for (const path of paths) {
    const answer = await sendRaw(
      opened.port,
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${opened.port}\r\nConnection: close\r\n\r\n`,
    )
    // Either the page itself, which reads its address as the name of a view, or nothing.
    assert.match(answer, /^HTTP\/1\.1 (200|400|403|404) /, `${path}\n${answer}`)
    if (answer.startsWith('HTTP/1.1 200')) assert.match(answer, /<div id="app">/, path)
    assert.not.match(answer, /"name": ?"@svc|root:|createServer/, path)
    assert.not.match(answer, /\r\nLocation: (\/\/|https?:)/i, path)
  }
  const lost = await opened.ask('GET', '/console/assets/none.js')
  assert.is(lost.status, 404)
  assert.is(lost.json.code, 'route_not_found')
})

test('a server without a console has none of its addresses, and one with a key hands out the page alone', async () => {
  const without = await openServer({ server: { console: false } })
  const locked = await openServer({ server: { keys: () => ['secret-key-of-a-test'] } })
  try {
    for (const path of ['/', '/console', '/console/', '/console/assets/x.js'])
      assert.is((await without.ask('GET', path)).status, 404, path)
    assert.is((await without.ask('GET', '/health')).status, 200)
    assert.is((await locked.ask('GET', '/console/')).status, 200)
    assert.is((await locked.ask('GET', '/v1/runs')).status, 401)
  } finally {
    await without.close()
    await locked.close()
  }
})

test.run()
