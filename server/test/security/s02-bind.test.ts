/** S2: nobody listens for the network by accident without a key. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openServer } from '../fixtures/open-server.ts'

const test = suite('S2 addresses to listen on')

const refusedAt = async (host: string): Promise<unknown> =>
  openServer({ server: { host } }).then(
    async (world) => {
      await world.close()
      return undefined
    },
    (thrown: unknown) => thrown,
  )

test('another address than the local one needs a key', async () => {
  for (const host of ['0.0.0.0', '::', '127.0.0.1.example.org', '', '10.0.0.1']) {
    const thrown = (await refusedAt(host)) as { code: string; exitCode: number; message: string }
    assert.is(thrown.code, 'config_invalid', host)
    assert.is(thrown.exitCode, 3)
    assert.match(thrown.message, /SERVICE_API_KEY.*--insecure-no-auth/)
  }
})

test('with a key, or with the switch that says so, it listens', async () => {
  for (const server of [{ keys: () => ['a-key'] }, { insecureNoAuth: true }]) {
    const world = await openServer({ server: { host: '0.0.0.0', ...server } })
    assert.is((await fetch(`http://127.0.0.1:${world.port}/health`)).status, 200)
    await world.close()
  }
})

test('the local addresses need none', async () => {
  for (const host of ['127.0.0.1', 'localhost', '127.0.0.2']) assert.is(await refusedAt(host), undefined, host)
})

test.run()
