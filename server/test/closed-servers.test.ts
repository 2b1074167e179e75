/** What a server leaves behind in its process when it is closed. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('closed servers')

test('a closed server and its runtime are free, and another one measures the process still', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const open = async (): Promise<WeakRef<object>[]> => {
    const world = await openServer()
    assert.match((await world.ask('GET', '/metrics')).text, /^nodejs_gc_duration_seconds_count/m)
    await world.close()
    return [new WeakRef(world.server), new WeakRef(world.runtime)]
  }
  const left = [...(await open()), ...(await open()), ...(await open())]
  // What the last one was asked may be held until the next is.
  for (let tries = 0; tries < 50 && left.slice(0, 4).some((ref) => ref.deref() !== undefined); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    collect()
  }
  assert.equal(
    left.slice(0, 4).map((ref) => ref.deref() !== undefined),
    [false, false, false, false],
  )
})

test.run()
