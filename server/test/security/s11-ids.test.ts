/** S11: what is no id is refused before anything looks it up. */
import * as assert from 'uvu/assert'
import { ROUTES } from '../../src/index.ts'
import { askWith, openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('S11 ids')

const EVIL = [
  '..',
  '../../etc/passwd',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%2f..%2fetc%2fpasswd',
  '%252e%252e%252f',
  'run_%00',
  'run_0%00/etc/passwd',
  `run_${'0'.repeat(25)}%00`,
  'run_%F0%9F%92%A9',
  `run_${'0'.repeat(5_000)}`,
  `run_${'0'.repeat(27)}`,
  `RUN_${'0'.repeat(26)}`,
  `run_${'i'.repeat(26)}`,
  '%',
  '%ff%fe',
  "' OR 1=1 --",
  '__proto__',
  'constructor',
  '*',
]

test('every evil id in every route is answered 400 or 404, and no store is asked', async () => {
  const world = await openServer()
  const asked: unknown[] = []
  const { runs } = world.runtime
  for (const name of ['get', 'wait', 'result', 'cancel', 'steer', 'resume', 'fork', 'delete'] as const) {
    const original = runs[name] as (...parts: never[]) => unknown
    runs[name] = ((...parts: never[]) => {
      asked.push(parts[0])
      return original(...parts)
    }) as never
  }
  for (const { method, path, params } of ROUTES) {
    if (params === undefined || path.startsWith('/v1/agents')) continue
    for (const id of EVIL) {
      const at = path.replaceAll(/\{\w+\}/g, id.replaceAll(' ', '%20'))
      const { status, json } = await askWith(
        world.port,
        at,
        { 'content-type': 'application/json', 'x-api-key': world.server.localKey },
        method,
      )
      assert.ok(
        status === 400 || status === 404 || status === 405,
        `${method} ${at}: ${status} ${JSON.stringify(json)}`,
      )
      assert.not.match(JSON.stringify(json), /root:|\^run_/, 'neither a file nor a regular expression')
    }
  }
  assert.equal(asked, [])
})

test('of an id of 100 000 characters the connection hears a refusal', async () => {
  const world = await openServer()
  const { status } = await askWith(world.port, `/v1/runs/${'x'.repeat(100_000)}`, {})
  assert.ok(status === 400 || status === 431, String(status))
})

test('agents have slugs, and nothing else', async () => {
  const world = await openServer()
  const headers = { 'content-type': 'application/json', 'x-api-key': world.server.localKey }
  const { json } = await askWith(world.port, '/v1/agents', headers, 'POST', '{"id":"My Agent","name":"x"}')
  assert.is(json.detail, 'body: /id must be 1 to 64 lower case letters (a-z), digits and `-`, the first a letter')
  for (const id of [...EVIL, 'Reviewer', '1st', 'a'.repeat(65)]) {
    const at = `/v1/agents/${id.replaceAll(' ', '%20')}`
    const { status } = await askWith(world.port, at, headers, 'PUT', '{"name":"x"}')
    if (id === 'constructor') assert.is(status, 200)
    else assert.ok(status === 400 || status === 404 || status === 405 || status === 431, `${id}: ${status}`)
  }
})

test.run()
