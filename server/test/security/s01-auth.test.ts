/** S1: no request without exactly one good key gets through, on any route that needs one. */
import * as assert from 'uvu/assert'
import { ROUTES } from '../../src/index.ts'
import { askWith, openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('S1 keys')

const KEY = 'correct-horse-battery-staple'
const RUN = `run_${'0'.repeat(26)}`
const toPath = (path: string): string => path.replaceAll(/\{\w+\}/g, RUN)

const ATTACKS: Record<string, Record<string, string | string[]>> = {
  'no key': {},
  'an empty key': { authorization: 'Bearer ' },
  'a short key': { authorization: 'Bearer c' },
  'a part of the key': { authorization: `Bearer ${KEY.slice(0, -1)}` },
  'a longer key': { authorization: `Bearer ${KEY}x` },
  'a key with one other character': { authorization: `Bearer d${KEY.slice(1)}` },
  'a very long key': { authorization: `Bearer ${'x'.repeat(10_000)}` },
  Basic: { authorization: `Basic ${Buffer.from(`user:${KEY}`).toString('base64')}` },
  'the key alone': { authorization: KEY },
  'two headers, one of them good': { authorization: [`Bearer ${KEY}`, 'Bearer other'] },
  'the good one twice': { authorization: `Bearer ${KEY}`, 'x-api-key': KEY },
  'all keys at once': { 'x-api-key': `${KEY},second-key` },
  'another case': { 'x-api-key': KEY.toUpperCase() },
}

test('every attack on every key route is answered 401', async () => {
  const world = await openServer({ server: { keys: () => [KEY, 'second-key'] } })
  const json = { 'content-type': 'application/json' }
  for (const route of ROUTES.filter(({ auth }) => auth === 'key')) {
    for (const [name, headers] of Object.entries(ATTACKS)) {
      const body = route.body === undefined ? '' : '{}'
      const answered = await askWith(world.port, toPath(route.path), { ...json, ...headers }, route.method, body)
      assert.is(answered.status, 401, `${route.method} ${route.path} with ${name}`)
      // Protocols of others have an error of another shape.
      if (route.problem === undefined) assert.is(answered.json.code, 'unauthenticated')
      assert.is(answered.headers['www-authenticate'], 'Bearer')
    }
    for (const query of [`key=${KEY}`, `api_key=${KEY}`, `access_token=${KEY}`]) {
      assert.is((await askWith(world.port, `${toPath(route.path)}?${query}`, {}, route.method)).status, 401)
    }
  }
  assert.is(world.provider.requests.length, 0)
})

test('a good key gets through by either header, and open routes need none', async () => {
  const world = await openServer({ server: { keys: () => [KEY, 'second-key'] } })
  for (const headers of [
    { authorization: `Bearer ${KEY}` },
    { authorization: `bearer ${KEY}` },
    { 'x-api-key': 'second-key' },
  ])
    assert.is((await askWith(world.port, '/v1/runs', headers)).status, 200)
  for (const { path } of ROUTES.filter(({ auth, method }) => auth === 'open' && method === 'GET'))
    assert.is((await askWith(world.port, path, {})).status, 200, path)
})

test('where no key is set, reading needs none, and a wrong one is refused before anything is looked up', async () => {
  const world = await openServer({ server: { keys: () => [] } })
  const { 'no key': none = {}, ...wrong } = ATTACKS
  assert.is((await askWith(world.port, '/v1/runs', none)).status, 200)
  for (const [name, headers] of Object.entries(wrong)) {
    assert.is((await askWith(world.port, '/v1/runs', headers)).status, 401, name)
    assert.is((await askWith(world.port, `/v1/runs/${RUN}`, headers)).status, 401, name)
  }
  const local = { authorization: `Bearer ${world.server.localKey}` }
  assert.is((await askWith(world.port, `/v1/runs/${RUN}`, local)).status, 404)
})

test('a reload cuts the streams whose key is gone, and no others', async () => {
  let keys = ['old-key', 'other-key']
  const world = await openServer({ server: { keys: () => keys } })
  const open = async (key: string) => {
    const headers = { 'x-api-key': key, accept: 'text/event-stream' }
    const reader = (await fetch(`${world.url}/v1/events`, { headers })).body?.getReader()
    await reader?.read()
    return {
      next: reader?.read().then(
        () => 'more',
        () => 'cut',
      ),
    }
  }
  const [old, other] = [await open('old-key'), await open('other-key')]
  const statusOf = async (key: string) => (await askWith(world.port, '/v1/runs', { 'x-api-key': key })).status
  keys = ['new-key', 'other-key']
  world.server.reload({})
  assert.equal(await Promise.all(['old-key', 'new-key', 'other-key'].map(statusOf)), [401, 200, 200])
  assert.is(await old.next, 'cut')
  await world.runtime.runs.create({ task: 'What is 6 times 7?' })
  assert.is(await other.next, 'more')
})

test.run()
