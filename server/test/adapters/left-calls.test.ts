/** What a server keeps in memory of runs whose clients left in the middle of a call. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as assert from 'uvu/assert'
import { makeFolder } from '../fixtures/folder.ts'
import { openServer, serverSuite } from '../fixtures/open-server.ts'
import { weatherScript } from '../fixtures/openai-client.ts'

const test = serverSuite('calls whose client has left')

const RUNS = 200
/** A run that waits has many times that. */
const MOST_KB = 15

test('a run that was cancelled while it waited for its client is not kept', async () => {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  const heapKb = async (): Promise<number> => {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
    return process.memoryUsage().heapUsed / 1_000
  }
  const config = { store: { url: `sqlite:${makeFolder()}/svc.db` } }
  const { ask, runtime } = await openServer({ script: weatherScript, config })
  const leave = async (): Promise<void> => {
    const body = { task: 'How is the weather?', clientTools: [{ name: 'get_weather' }], topology: 'SINGLE' }
    const { json } = await ask('POST', '/v1/runs?wait=60000', { body })
    assert.is(json.status, 'waiting')
    await runtime.runs.cancel(String(json.id))
    assert.is((await runtime.runs.wait(String(json.id))).status, 'cancelled')
  }
  for (let run = 0; run < RUNS; run++) await leave()
  const before = await heapKb()
  for (let run = 0; run < RUNS; run++) await leave()
  const kept = ((await heapKb()) - before) / RUNS
  assert.ok(kept < MOST_KB, `${kept.toFixed(1)} kB are kept of each run`)
})

test.run()
