/** S4: a page on another site starts nothing here, and reads nothing. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ROUTES } from '../../src/index.ts'
import { askWith, type OpenServer, openServer } from '../fixtures/open-server.ts'

const test = suite('S4 pages of other sites')

let world: OpenServer
const body = JSON.stringify({ task: 'What is 6 times 7?' })
const json = { 'content-type': 'application/json' }

test.before(async () => {
  world = await openServer()
})
test.after(() => world.close())

test('another origin is refused on every route', async () => {
  for (const { method, path } of ROUTES) {
    const at = path.replaceAll(/\{\w+\}/g, `run_${'0'.repeat(26)}`)
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil',
      `https://127.0.0.1:${world.port + 1}`,
      '',
    ]) {
      const { status, headers } = await askWith(world.port, at, { ...json, origin }, method)
      assert.is(status, 403, `${method} ${path} from "${origin}"`)
      assert.is(headers['access-control-allow-origin'], undefined)
    }
  }
})

test('a cross-site request is refused, a preflight gets no leave, and no answer lets another page read it', async () => {
  const cross = await askWith(world.port, '/v1/runs', { 'sec-fetch-site': 'cross-site' })
  assert.is(cross.json.code, 'origin_not_allowed')
  const preflight = await askWith(
    world.port,
    '/v1/runs',
    { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    'OPTIONS',
  )
  assert.is(preflight.status, 403)
  const same = await askWith(world.port, '/v1/runs', { origin: `http://127.0.0.1:${world.port}` })
  assert.is(same.status, 200)
  for (const { headers } of [cross, preflight, same])
    assert.equal(
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
      [],
    )
})

test('a page of another port of this machine is a stranger, however its browser writes that', async () => {
  for (const site of ['same-site', 'Cross-Site', 'CROSS-SITE', 'anything'])
    assert.is((await askWith(world.port, '/v1/runs', { 'sec-fetch-site': site })).json.code, 'origin_not_allowed', site)
  for (const site of ['same-origin', 'none'])
    assert.is((await askWith(world.port, '/v1/runs', { 'sec-fetch-site': site })).status, 200, site)
})

test('what a form can send starts nothing', async () => {
  const forms = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'text/plain; application/json',
  ]
  for (const type of forms) {
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
    const { status, json: problem } = await askWith(world.port, '/v1/runs', headers, 'POST', body)
    assert.is(status, 415, type)
    assert.is(problem.code, 'unsupported_media_type')
  }
  assert.is((await world.runtime.runs.list()).data.length, 0)
})

test('an origin that is allowed by name can ask and read: it is the list that stops the others', async () => {
  const origin = 'https://console.example'
  const open = await openServer({ server: { allowedOrigins: [origin] } })
  const headers = { ...json, origin, 'sec-fetch-site': 'cross-site' }
  const made = await askWith(open.port, '/v1/runs', headers, 'POST', body)
  assert.is(made.status, 201)
  assert.is(made.headers['access-control-allow-origin'], origin)
  assert.is(made.headers.vary, 'Origin')
  const preflight = await askWith(open.port, '/v1/runs', { origin, 'access-control-request-method': 'POST' }, 'OPTIONS')
  assert.is(preflight.status, 204)
  assert.match(preflight.headers['access-control-allow-methods'] ?? '', /POST/)
  await open.close()
})

test.run()
