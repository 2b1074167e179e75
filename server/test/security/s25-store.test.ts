/** S25: a store that is damaged, full or unreachable under a running server: it says so, serves the rest, and goes on. */
import { join } from 'node:path'
import { SqliteStore } from '@svc/plugins'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { damageLog } from '../../../plugins/test/fixtures/damage.ts'
import { FaultLayer, missing } from '../../../plugins/test/fixtures/faults/fault-layer.ts'
import { makeFolder } from '../fixtures/folder.ts'
import { type Answered, ask, openServer, serverSuite } from '../fixtures/open-server.ts'
import { startProcess } from '../fixtures/start-process.ts'
import { until } from '../fixtures/until.ts'
import { attack, openDatabase } from './s25-attack.ts'

const test = serverSuite('S25 the store under a server')

const dir = makeFolder()

const task = 'What is 6 times 7?'
const codeOf = ({ json, headers }: Answered): unknown => {
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/)
  return json.code
}

test('a record that was changed on the disk is not served, and would be without its checksum', async () => {
  assert.equal(await attack(), { changed: true, status: 500, isServed: false })
  const checksum = {
    file: 'plugins/src/stores/sqlite/body.ts',
    name: 'isDamaged',
    weaken: '() => () => false',
  }
  const seen = await attackWithout('server/test/security/s25-attack.ts', [checksum])
  assert.equal(seen, { changed: true, status: 200, isServed: true })
})

test('a damaged record makes its own run unreadable, as a problem in every part of it, and no other run', async () => {
  const file = join(dir, 'damaged.db')
  const world = await openServer({ runtime: { store: new SqliteStore({ file }) } })
  const make = async (): Promise<string> =>
    (await world.ask('POST', '/v1/runs?wait=60000', { body: { task } })).json.id as string
  const damaged = await make()
  damageLog(file, 'checksums')
  const whole = await make()
  const headers = { accept: 'text/event-stream' }
  for (const part of ['/events', '/plan', '/usage', '/trace', '/replay'] as const) {
    const method = part === '/replay' ? 'POST' : 'GET'
    const answered = await world.ask(method, `/v1/runs/${damaged}${part}`)
    assert.is(answered.status, 500, part)
    assert.is(codeOf(answered), 'log_corrupt', part)
    assert.is((await world.ask(method, `/v1/runs/${whole}${part}`)).status, 200, part)
  }
  assert.is(codeOf(await world.ask('GET', `/v1/runs/${damaged}/events`, { headers })), 'log_corrupt')
  assert.match((await world.ask('GET', `/v1/runs/${whole}/events`, { headers })).text, /event: end/)
  assert.is((await world.ask('POST', `/v1/runs/${damaged}/fork`, { body: { atSeq: 3 } })).status >= 400, true)
  assert.is((await world.ask('GET', '/v1/runs')).status, 200)
  assert.is((await world.ask('GET', '/health')).status, 200)
  assert.is((await world.ask('DELETE', `/v1/runs/${damaged}`)).status, 204, 'and it can be removed')
  assert.is(codeOf(await world.ask('GET', `/v1/runs/${damaged}`)), 'run_not_found')
  assert.is((await world.ask('GET', `/v1/runs/${whole}`)).status, 200)
})

test('rows that cannot be read are answered with a problem, and the rest is served', async () => {
  const file = join(dir, 'rows.db')
  const world = await openServer({ runtime: { store: new SqliteStore({ file }) } })
  const { id } = (await world.ask('POST', '/v1/runs?wait=60000', { body: { task } })).json
  const database = openDatabase(file)
  database.prepare('UPDATE run_requests SET body = ?').run('{"__proto__":{"x":1}')
  database.close()
  const answered = await world.ask('GET', `/v1/runs/${id}`)
  assert.is(answered.status, 500)
  assert.is(codeOf(answered), 'log_corrupt')
  const after = await world.ask('POST', '/v1/runs?wait=60000', { body: { task } })
  assert.is(after.json.status, 'completed')
  assert.is((await world.ask('GET', `/v1/runs/${after.json.id}`)).status, 200)
  assert.is(({} as { x?: number }).x, undefined)
})

const withLayer = missing === undefined ? test : test.skip

for (const [error, code] of [
  ['ENOSPC', 'disk_full'],
  ['EIO', 'store_unavailable'],
] as const)
  withLayer(`while writes fail with ${error}, new runs are refused with ${code}; then all is as before`, async () => {
    const layer = new FaultLayer()
    const { url, kill } = await startProcess(makeFolder(), 'serve', layer.env)
    const make = (): Promise<Answered> => ask(url, 'POST', '/v1/runs?wait=60000', { body: { task } })
    const before = await make()
    assert.is(before.json.status, 'completed')
    assert.is((await ask(url, 'GET', '/readyz')).status, 200)
    layer.fail({ first: 1, last: Number.POSITIVE_INFINITY, error })
    for (let n = 0; n < 3; n++) {
      const refused = await make()
      assert.is(refused.status, 503)
      assert.is(codeOf(refused), code)
      assert.is(refused.headers.get('retry-after'), '1')
      assert.is(refused.headers.get('x-should-retry'), 'true')
      assert.is((await ask(url, 'GET', `/v1/runs/${before.json.id}/result`)).status, 200, 'what was there is served')
      assert.is((await ask(url, 'GET', '/livez')).status, 200)
    }
    const readiness = (): Promise<Answered> => ask(url, 'GET', '/readyz?verbose')
    await until(async () => (await readiness()).status !== 200)
    assert.match((await readiness()).text, `[-]store ${code}\n`)
    assert.is((await ask(url, 'GET', '/health')).status, 503)
    layer.fail({ first: 2 ** 40, error })
    const after = await make()
    assert.is(after.json.status, 'completed')
    await until(async () => (await readiness()).status === 200)
    const { data } = (await ask(url, 'GET', '/v1/runs')).json as { data: { id: string }[] }
    assert.equal(
      data.map(({ id }) => id),
      [after.json.id, before.json.id],
      'what was refused was not recorded',
    )
    await kill()
  })

test.run()
