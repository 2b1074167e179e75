import * as assert from 'uvu/assert'
import type { LogLine } from '../src/observe/http-log.ts'
import { openServer, serverSuite } from './fixtures/open-server.ts'
import { until } from './fixtures/until.ts'

const test = serverSuite('metrics and log')

/** The value of a series; its labels in the order in which they are rendered. */
const numberOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

test('metrics are behind the key where the config says so, and only then', async () => {
  const open = await openServer({ server: { keys: () => ['first-key'] } })
  assert.is((await open.ask('GET', '/metrics')).status, 200)
  await open.close()
  const locked = await openServer({ server: { keys: () => ['first-key'], metrics: { auth: true } } })
  assert.is((await locked.ask('GET', '/metrics')).status, 401)
  assert.is((await locked.ask('GET', '/metrics', { headers: { authorization: 'Bearer first-key' } })).status, 200)
  const { text } = await locked.ask('GET', '/metrics', { headers: { 'x-api-key': 'first-key' } })
  assert.is(numberOf(text, 'svc_auth_failures_total'), 1)
})

test('each request leaves one line with its id, and nothing that it said', async () => {
  const lines: LogLine[] = []
  const keys = ['canary-key-4711']
  const world = await openServer({ server: { log: (line) => lines.push(line), keys: () => keys } })
  const headers = { authorization: 'Bearer canary-key-4711', 'x-request-id': 'mine-1' }
  await world.ask('POST', '/execute', { body: { task: 'canary-task' }, headers })
  const refused = await world.ask('GET', '/v1/runs?q=canary-query', {
    headers: { authorization: 'Bearer canary-wrong' },
  })
  assert.not.match(refused.text, /canary/)
  world.runtime.inspect = async () => {
    throw new Error('broken with canary-key-4711 inside')
  }
  const broken = await world.ask('GET', '/v1/inspect', { headers })
  assert.is(broken.status, 500)
  assert.is(broken.json.code, 'internal_error')
  assert.not.match(broken.text, /broken/)
  await world.close()
  assert.equal(
    lines.map(({ requestId, route, status, code }) => [requestId === 'mine-1', route, status, code]),
    [
      [true, '/execute', 200, undefined],
      [false, '/v1/runs', 401, 'unauthenticated'],
      [true, '/v1/inspect', 500, 'internal_error'],
    ],
  )
  assert.match(lines[2]?.error ?? '', /broken with \[redacted\] inside/)
  assert.not.match(JSON.stringify(lines), /canary/)
})

test('a client that leaves before its answer is logged and counted as 499', async () => {
  const lines: LogLine[] = []
  const world = await openServer({
    script: () => new Promise(() => {}),
    server: { log: (line) => lines.push(line) },
  })
  const leave = new AbortController()
  const left = world.ask('POST', '/execute', { body: { task: 'What is 6 times 7?' }, signal: leave.signal })
  await until(() => world.provider.requests.length > 0)
  leave.abort()
  await left.catch(() => undefined)
  await until(() => lines.length > 0)
  assert.equal(
    lines.map(({ route, status, level }) => [route, status, level]),
    [['/execute', 499, 'warn']],
  )
  const { text } = await world.ask('GET', '/metrics')
  assert.match(text, /svc_http_requests_total\{[^}]*code="499"[^}]*\} 1/)
})

test.run()
