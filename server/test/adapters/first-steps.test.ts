/** What clients of others ask first, and what they commonly get wrong first. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from '../fixtures/open-server.ts'
import { clientOf, failureOf } from '../fixtures/openai-client.ts'

const test = serverSuite('first steps of clients of others')

const messages = [{ role: 'user' as const, content: 'What is 6 times 7?' }]

test('where no key is set, the models are listed for a client with a made-up one', async () => {
  const { url } = await openServer()
  const { data } = await clientOf(url, 'sk-none').models.list()
  assert.is(data[0]?.id, 'svc')
  const { data: known } = await new Anthropic({ baseURL: url, apiKey: 'none' }).models.list()
  assert.is(known[0]?.id, 'svc')
})

test('a client that may not list models can say why', async () => {
  const { url } = await openServer({ server: { keys: () => ['a-good-key'] } })
  const refused = await failureOf(clientOf(url, 'sk-none').models.list())
  assert.is(refused.status, 401)
  assert.match(refused.message, /the key is not one of this server/)
})

test('a route that is not there is named where clients of OpenAI and Anthropic look', async () => {
  const { url } = await openServer()
  const { message, status, requestID } = await failureOf(
    clientOf(url, 'none').embeddings.create({ model: 'svc', input: 'x' }),
  )
  assert.is(status, 404)
  assert.match(message, /there is no route POST \/v1\/embeddings$/)
  assert.match(requestID ?? '', /^req_/)
  const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 })
  try {
    await client.messages.batches.list()
    assert.unreachable()
  } catch (thrown) {
    assert.instance(thrown, Anthropic.NotFoundError)
    assert.match((thrown as { requestID?: string }).requestID ?? '', /^req_/)
  }
})

test('a base URL with a /v1 too few or too many is no riddle', async () => {
  const { url } = await openServer()
  const openai = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 })
  const short = await failureOf(openai.chat.completions.create({ model: 'svc', messages }))
  assert.match(short.message, /no route POST \/chat\/completions, but \/v1\/chat\/completions: .* to end in \/v1/)
  const anthropic = new Anthropic({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
  try {
    await anthropic.messages.create({ model: 'svc', max_tokens: 100, messages })
    assert.unreachable()
  } catch (thrown) {
    assert.instance(thrown, Anthropic.NotFoundError)
    assert.match(String(thrown), /no route POST \/v1\/v1\/messages, but \/v1\/messages: .* one \/v1 too many/)
  }
})

test('a protocol that is switched off says which setting did it', async () => {
  const { url } = await openServer({ server: { adapters: { openai: false } } })
  const refused = await failureOf(clientOf(url, 'none').chat.completions.create({ model: 'svc', messages }))
  assert.is(refused.status, 404)
  assert.match(refused.message, /server\.adapters\.openai of the config is false/)
})

test('who may not decide is referred to the key that may, and a page to the setting that admits it', async () => {
  const world = await openServer()
  const made = { authorization: 'Bearer none' }
  const wrong = await world.askAs(made, 'POST', '/v1/runs', { task: 'x' })
  assert.match(String(wrong.json.detail), /takes the key of this machine \(server\.key in the data folder\), or none$/)
  const run = await world.runtime.runs.create({ task: 'What is 6 times 7?' })
  const deleted = await world.askAs(made, 'DELETE', `/v1/responses/${run.id.replace('run_', 'resp_')}`)
  assert.match(deleted.text, /needs the key of this machine \(server\.key in the data folder\), and none was sent/)
  const page = await world.askAs({ origin: 'http://localhost:6274' }, 'POST', '/v1/chat/completions', {})
  assert.match(page.text, /pages of .*localhost:6274.* add the origin to server\.allowedOrigins/)
})

test.run()
