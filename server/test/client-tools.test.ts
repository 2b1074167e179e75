/** Tools of a client, over HTTP: who may answer their calls, and what is refused. */
import type { Run } from '@svc/core'
import type { Script } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import type { ScopedKey } from '../src/index.ts'
import { type Answered, type OpenServer, openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('tools of a client over HTTP')

const KEYS: readonly ScopedKey[] = [
  { name: 'ci', key: 'ci-key', scopes: ['submit'] },
  { name: 'bot', key: 'bot-key', scopes: ['submit'] },
  { name: 'ops', key: 'ops-key', scopes: ['approve'] },
]
const script: Script = ({ messages }) =>
  messages.some(({ role }) => role === 'tool')
    ? 'It rains.'
    : { toolCalls: [{ tool: 'client.get_weather', args: { city: 'Bonn' } }] }
const body = { task: 'Weather in Bonn?', topology: 'SINGLE', clientTools: [{ name: 'get_weather' }] }

const as =
  (world: OpenServer, key: string) =>
  (path: string, sent: unknown): Promise<Answered> =>
    world.askAs(key === '' ? {} : { authorization: `Bearer ${key}` }, 'POST', path, sent)

/** A run of a key that waits for its client. */
async function waiting(world: OpenServer, key: string): Promise<{ path: string; call: string }> {
  const { json, status, text } = await as(world, key)('/v1/runs?wait=60000', body)
  assert.is(status, 201, text)
  const run = json as unknown as Run
  assert.is(run.status, 'waiting')
  const [call] = run.waiting?.calls ?? []
  assert.equal(call?.args, { city: 'Bonn' })
  return { path: `/v1/runs/${run.id}/resume`, call: call?.id ?? '' }
}

test('a key that may only submit answers the calls of its own runs, and decides nothing else', async () => {
  const world = await openServer({ script, server: { keys: () => KEYS } })
  const { path, call } = await waiting(world, 'ci-key')
  const results = { results: [{ id: call, content: 'rain' }] }
  assert.is((await as(world, 'bot-key')(path, results)).status, 404)
  assert.is((await as(world, 'ops-key')(path, results)).status, 403)
  assert.is((await as(world, 'ci-key')(path, { input: 'rain' })).status, 403)
  assert.is((await as(world, 'ci-key')(path, results)).status, 202)
  const run = await world.runtime.runs.wait(path.split('/')[3] ?? '')
  assert.is(run.status, 'completed')
})

test('a program that sends no key answers its own calls', async () => {
  const world = await openServer({ script })
  const { path, call } = await waiting(world, '')
  assert.is((await as(world, '')(path, { results: [{ id: call, content: 'rain' }] })).status, 202)
})

test('a result of a call that is not waited for is refused, and none of those beside it is taken', async () => {
  const world = await openServer({ script })
  const { path, call } = await waiting(world, '')
  const wrong = call.replace(/.{8}$/, '00000000')
  const refused = await as(world, '')(path, {
    results: [
      { id: call, content: 'rain' },
      { id: wrong, content: 'x' },
    ],
  })
  assert.equal(
    [refused.status, refused.json.code, (refused.json.errors as { path: string }[])[0]?.path],
    [400, 'validation_failed', '/results/1/id'],
  )
  const [run] = (await world.runtime.runs.list()).data
  assert.is(run?.status, 'waiting')
  for (const results of [[], [{ id: call }], [{ id: call, content: 4 }], 'x'])
    assert.is((await as(world, '')(path, { results })).status, 400)
})

test('a rule about tools of a client holds', async () => {
  const rules = [{ tool: 'client.*', decision: 'deny' as const }]
  const world = await openServer({ script, config: { policy: { rules } } })
  const { json } = await as(world, '')('/v1/runs?wait=60000&include=result', body)
  assert.is.not((json as unknown as Run).status, 'waiting')
})

test.run()
