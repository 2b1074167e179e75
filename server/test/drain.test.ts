import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask, openServer } from './fixtures/open-server.ts'
import { pausing, until } from './fixtures/until.ts'

const test = suite('the end of a server')

const task = 'What is 6 times 7?'

test('while it drains, what runs is answered, new work is refused, and nothing is cancelled', async () => {
  const { answer, script } = pausing()
  const world = await openServer({ script })
  const { url } = world
  const running = world.ask('POST', '/execute', { body: { task } })
  const stream = fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ task }),
  }).then((response) => response.text())
  await until(() => world.provider.requests.length === 2)
  const closing = world.server.close(60_000)
  const refused = await ask(url, 'POST', '/v1/runs', { body: { task } })
  assert.is(refused.status, 503)
  assert.is(refused.json.code, 'shutting_down')
  assert.is(refused.headers.get('retry-after'), '5')
  assert.is(refused.headers.get('x-should-retry'), 'true')
  assert.is(refused.headers.get('connection'), 'close')
  assert.is((await ask(url, 'GET', '/readyz')).status, 503)
  assert.is((await ask(url, 'GET', '/livez')).status, 200)
  const health = await ask(url, 'GET', '/health')
  assert.is(health.status, 503)
  assert.is(health.json.status, 'degraded')
  assert.is((await ask(url, 'GET', '/v1/runs')).status, 200)
  answer()
  const { status, json } = await running
  assert.is(status, 200)
  assert.is(json.status, 'completed')
  assert.match(await stream, /event: run\.completed[\s\S]*event: end/)
  await closing
  assert.is((await world.runtime.runs.list({ status: 'completed' })).data.length, 2)
  const gone = await ask(url, 'GET', '/livez').catch((thrown: unknown) => thrown)
  assert.instance(gone, TypeError)
  await world.runtime.close()
})

test('what has not ended in time is left to go on: its connection is cut, and the run is not cancelled', async () => {
  const { answer, script } = pausing()
  const world = await openServer({ script })
  const running = world.ask('POST', '/execute', { body: { task } }).catch((thrown: unknown) => thrown)
  await until(() => world.provider.requests.length === 1)
  await world.server.close(100)
  assert.instance(await running, TypeError)
  const [run] = (await world.runtime.runs.list()).data
  assert.is(run?.status, 'running')
  answer()
  assert.is((await world.runtime.runs.wait(run?.id ?? '')).status, 'completed')
  await world.runtime.close()
})

test('a port in use is said with what to do', async () => {
  const world = await openServer()
  const other = await openServer({ server: { port: world.port } }).catch((thrown: unknown) => thrown)
  assert.is((other as { code: string }).code, 'config_invalid')
  assert.match((other as Error).message, /in use.*--port/)
  await world.close()
})

test('a store that is gone makes the server not ready, and each route says so', async () => {
  const world = await openServer()
  await world.runtime.close()
  const health = await world.ask('GET', '/health')
  assert.ok(health.status === 503 || health.status === 200)
  const run = await world.ask('POST', '/v1/runs', { body: { task } })
  assert.is(run.status, 503)
  await world.server.close(100)
})

test.run()
