/** S29: data with the names of a prototype stays data. */
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('S29 prototypes')

const send = '{"metadata":{"constructor":{"prototype":{"polluted":1}},"prototype":{"polluted":1},"toString":"x"}}'

test('metadata with such names comes back as it is, merged or not, and pollutes nothing', async () => {
  const world = await openServer()
  const headers = { 'content-type': 'application/json' }
  const made = await world.ask('POST', '/v1/threads', { body: send, headers })
  assert.is(made.status, 201)
  const merged = await world.ask('PATCH', `/v1/threads/${made.json.id}`, { body: send, headers })
  assert.is(JSON.stringify({ metadata: merged.json.metadata }), send)
  const run = await world.ask('POST', '/v1/runs?wait=60000', { body: `{"task":"x",${send.slice(1)}`, headers })
  assert.is(run.status, 201)
  const agent = await world.ask('PUT', '/v1/agents/constructor', { body: `{"name":"x",${send.slice(1)}`, headers })
  assert.is(agent.status, 200)
  assert.is((await world.ask('GET', '/v1/agents/constructor')).json.id, 'constructor')
  assert.is(({} as { polluted?: unknown }).polluted, undefined)
  assert.type({}.toString, 'function')
})

// Bodies with the one name that sets a prototype are among the attacks of S5.
test('a field of a query is data too', async () => {
  const world = await openServer()
  for (const query of ['__proto__=1', '__proto__[x]=1', 'constructor=1', 'toString=1'])
    assert.is((await world.ask('GET', `/v1/runs?${query}`)).json.code, 'validation_failed', query)
})

test.run()
