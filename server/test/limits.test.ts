import * as assert from 'uvu/assert'
import { RateLimit } from '../src/http/request/rate-limit.ts'
import { askWith, openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('limits')

test('requests of one key are counted in a minute, and what is too much is refused', async () => {
  const world = await openServer({ server: { keys: () => ['one', 'two'], limits: { requestsPerMinute: 3 } } })
  const ask = (key: string) => askWith(world.port, '/v1/threads', { 'x-api-key': key })
  const first = await ask('one')
  assert.is(first.headers['ratelimit-policy'], '"default";q=3;w=60')
  assert.match(String(first.headers.ratelimit), /^"default";r=2;t=(60|59)$/)
  await ask('one')
  assert.match(String((await ask('one')).headers.ratelimit), /;r=0;/)
  const refused = await ask('one')
  assert.is(refused.status, 429)
  assert.is(refused.json.code, 'rate_limited')
  assert.is(refused.json.retryable, true)
  assert.ok(Number(refused.headers['retry-after']) > 0 && Number(refused.headers['retry-after']) <= 60)
  assert.is((await ask('two')).status, 200)
  for (let i = 0; i < 5; i++) assert.is((await askWith(world.port, '/health', {})).status, 200)
})

test('wrong keys are counted by address, so that keys cannot be tried out', async () => {
  const world = await openServer({ server: { keys: () => ['one'], limits: { requestsPerMinute: 3 } } })
  const statuses: number[] = []
  for (let i = 0; i < 5; i++)
    statuses.push((await askWith(world.port, '/v1/threads', { 'x-api-key': `guess-${i}` })).status)
  assert.equal(statuses, [401, 401, 401, 429, 429])
  assert.is((await askWith(world.port, '/v1/threads', { 'x-api-key': 'one' })).status, 200)
})

test('a minute later it may go on, and callers are forgotten', () => {
  let now = 0
  const limit = new RateLimit(1, () => now)
  const response = { setHeader() {} } as never
  limit.take('a', response)
  assert.throws(() => limit.take('a', response), /go on in 60 s/)
  now = 60_000
  limit.take('a', response)
  for (let i = 0; i < 20_000; i++) limit.take(`b${i}`, response)
  limit.take('a', response)
})

test('a full queue refuses runs, with when to come again', async () => {
  const world = await openServer({
    script: () => new Promise(() => {}),
    config: { server: { limits: { runningRuns: 1, queuedRuns: 1 } } },
  })
  const answers = []
  for (let i = 0; i < 4; i++)
    answers.push(await world.ask('POST', '/v1/runs', { body: { task: 'What is 6 times 7?' } }))
  const refused = answers.find(({ status }) => status === 429)
  assert.is(refused?.json.code, 'queue_full')
  assert.is(refused?.headers.get('retry-after'), '1')
})

test.run()
