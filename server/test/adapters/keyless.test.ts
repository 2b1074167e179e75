/** Clients that cannot ask without a key, at a server that has none. */
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('a key that is none')

const made = { authorization: 'Bearer sk-none' }
const chat = { model: 'svc', messages: [{ role: 'user', content: 'What is 6 times 7?' }] }

test('where no key is set, a made-up one asks what nobody in particular may ask, and decides nothing', async () => {
  const world = await openServer()
  const answered = await world.askAs(made, 'POST', '/v1/chat/completions', chat)
  assert.is(answered.status, 200, answered.text)
  assert.is(
    (await world.askAs({ 'x-api-key': 'none' }, 'POST', '/v1/messages', { ...chat, max_tokens: 100 })).status,
    200,
  )
  const { svc } = answered.json as { svc: { run_id: string } }
  const response = `/v1/responses/${svc.run_id.replace('run_', 'resp_')}`
  assert.is((await world.askAs(made, 'DELETE', response)).status, 401)
  assert.is((await world.askAs(made, 'POST', '/v1/runs', { task: 'x' })).status, 401)
})

test('where keys are set, it is refused', async () => {
  const world = await openServer({ server: { keys: () => ['a-good-key'] } })
  assert.is((await world.askAs(made, 'POST', '/v1/chat/completions', chat)).status, 401)
})

test.run()
