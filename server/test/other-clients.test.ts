/** The server in the hands of a program that we did not write. */
import { EventSource } from 'eventsource'
import * as assert from 'uvu/assert'
import { type CuttingProxy, startCuttingProxy } from '../../plugins/test/fixtures/cutting-proxy.ts'
import { openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('clients of others')

const task = 'What is 6 times 7?'
const KEY = 'a-key'

/** Reads a stream to its end, over a connection that is cut again and again. */
function readAll(url: string): Promise<{ ids: number[]; types: string[]; tries: number }> {
  const ids: number[] = []
  const types: string[] = []
  let tries = 0
  return new Promise((done) => {
    const source = new EventSource(url, {
      fetch: (input, init) => {
        tries++
        return fetch(input, { ...init, headers: { ...init?.headers, 'x-api-key': KEY } })
      },
    })
    for (const type of [
      'run.created',
      'run.started',
      'stage.started',
      'stage.completed',
      'model.completed',
      'run.completed',
    ])
      source.addEventListener(type, ({ lastEventId }) => {
        ids.push(Number(lastEventId))
        types.push(type)
      })
    source.addEventListener('end', () => {
      source.close()
      done({ ids, types, tries })
    })
  })
}

test('EventSource reads every event once, in order, though each connection is cut after some kilobytes', async () => {
  const world = await openServer({ server: { keys: () => [KEY] } })
  const proxy: CuttingProxy = await startCuttingProxy(world.port)
  world.server.reload({ limits: { requestsPerMinute: 10_000 }, allowedHosts: [`127.0.0.1:${proxy.port}`] })
  const headers = { 'x-api-key': KEY }
  const { id } = (await world.ask('POST', '/v1/runs?wait=60000', { body: { task }, headers })).json
  const url = `http://127.0.0.1:${proxy.port}/v1/runs/${id}/events`
  const whole = await readAll(url)
  assert.is(whole.tries, 1)
  proxy.cutEach(() => 8_000)
  const pieces = await readAll(url)
  proxy.cutEach(undefined)
  assert.ok(proxy.cuts > 0 && pieces.tries > 1, `${proxy.cuts} cuts, ${pieces.tries} tries`)
  assert.equal(pieces.ids, whole.ids)
  assert.equal(pieces.types, whole.types)
  assert.is(whole.types.at(-1), 'run.completed')
  await proxy.close()
})

test.run()
