/** S2: a server that needs a key needs one for as long as it listens. */
import { once } from 'node:events'
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('S2 keys that are taken away')

test('when no key is left the last ones stay good, and one warning says so', async () => {
  let keys = ['first', 'second']
  const world = await openServer({ server: { keys: () => keys } })
  const statusWith = async (key?: string): Promise<number> =>
    (await world.ask('GET', '/v1/runs', key === undefined ? {} : { headers: { 'x-api-key': key } })).status
  assert.equal([await statusWith('first'), await statusWith('second'), await statusWith()], [200, 200, 401])
  for (const reload of [() => {}, () => world.server.reload({})]) {
    keys = ['second']
    assert.equal([await statusWith('first'), await statusWith('second')], [401, 200])
    keys = []
    const warned = once(process, 'warning')
    reload()
    assert.equal([await statusWith('first'), await statusWith('second'), await statusWith()], [401, 200, 401])
    assert.match(String((await warned)[0]), /no key is left/)
  }
  keys = ['third']
  assert.equal([await statusWith('second'), await statusWith('third'), await statusWith()], [401, 200, 401])
})

test('keys that were never asked for are kept too', async () => {
  let keys = ['only']
  const world = await openServer({ server: { keys: () => keys } })
  keys = []
  assert.is((await world.ask('GET', '/v1/runs')).status, 401)
})

test.run()
