/** What a request may look like: its path, and how its body is packed. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { askWith, openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('requests')
const json = { 'content-type': 'application/json' }

test('a path may end in one slash more, and not in two', async () => {
  const { port } = await openServer()
  assert.is((await askWith(port, '/health/', {})).status, 200)
  assert.is((await askWith(port, '/v1/runs/?limit=1', {})).status, 200)
  assert.is((await askWith(port, '/health//', {})).json.code, 'route_not_found')
  assert.is((await askWith(port, '/Health', {})).json.code, 'route_not_found')
})

test('a path with its server, as requests to a proxy have it, is the same path', async () => {
  const { port } = await openServer()
  const { status } = await askWith(port, `http://127.0.0.1:${port}/v1/runs?limit=1`, { host: `127.0.0.1:${port}` })
  assert.is(status, 200)
})

test('parts of a path are decoded, and what cannot be decoded is refused', async () => {
  const { port } = await openServer()
  const agent = await askWith(port, '/v1/agents/no%2Dbody', {})
  assert.match(String(agent.json.detail), /no-body/)
  assert.is((await askWith(port, '/v1/agents/%E0%A4%A', {})).json.code, 'validation_failed')
})

const text = JSON.stringify({ task: 'What is 6 times 7?' })
const BODIES: readonly [name: string, body: string | Buffer, encoding?: string][] = [
  ['gzip', gzipSync(text), 'gzip'],
  ['deflate', deflateSync(text), 'deflate'],
  ['br', brotliCompressSync(text), 'br'],
  ['identity', text, 'identity'],
  ['a mark of its byte order', `\uFEFF${text}`],
]
for (const [name, body, encoding] of BODIES) {
  test(`a body with ${name} is read`, async () => {
    const { url } = await openServer()
    const headers = { ...json, ...(encoding && { 'content-encoding': encoding }) }
    assert.is((await fetch(`${url}/v1/runs`, { method: 'POST', headers, body })).status, 201)
  })
}

test('a body of no bytes is one without fields', async () => {
  const { url } = await openServer()
  const headers = { ...json, 'content-encoding': 'gzip' }
  const { status, detail } = await fetch(`${url}/v1/runs`, { method: 'POST', headers, body: gzipSync('') }).then(
    async (answer) => ({ status: answer.status, detail: ((await answer.json()) as { detail: string }).detail }),
  )
  assert.is(status, 400)
  assert.match(detail, /task is required/)
})

test.run()
