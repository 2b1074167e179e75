/** S2: a server that needs a key needs one for as long as it listens. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { makeFolder } from '../fixtures/folder.ts'
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

test('a key of this machine that others could read, or made, is good for nothing; one that its person writes anew is', async () => {
  const folder = makeFolder()
  const file = join(folder, 'server.key')
  const world = await openServer({ server: { localKey: { key: randomBytes(32).toString('base64url'), file } } })
  const isGood = async (put: (key: string) => void): Promise<boolean> => {
    const key = randomBytes(32).toString('base64url')
    rmSync(file, { force: true })
    put(key)
    return (await world.askAs({ 'x-api-key': key }, 'GET', '/v1/runs')).status === 200
  }
  const write = (path: string) => (key: string) => writeFileSync(path, key, { mode: 0o600 })
  assert.ok(await isGood(write(file)))
  for (const mode of [0o644, 0o640, 0o602])
    assert.not.ok(await isGood((key) => [write(file)(key), chmodSync(file, mode)]), mode.toString(8))
  if (process.getuid?.() === 0) {
    const theirs = join(folder, 'theirs')
    writeFileSync(theirs, '')
    chownSync(theirs, 65_534, 65_534)
    assert.not.ok(await isGood((key) => [write(theirs)(key), symlinkSync(theirs, file)]), 'a link')
    assert.not.ok(await isGood((key) => [write(file)(key), chownSync(file, 65_534, 65_534)]), 'an owner')
  }
  assert.ok(await isGood(write(file)))
})

test.run()
