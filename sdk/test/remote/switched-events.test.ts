/** What is read over one connection while another takes its place, which goes wrong at each moment at which it can. */
import type { RunEvent } from '@svc/core'
import { createSharedEvents } from '@svc/sdk/remote'
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from '../../../server/test/fixtures/open-server.ts'
import { createGate, until } from '../../../server/test/fixtures/until.ts'
import { openProxy, type ProxyConnection } from '../fixtures/proxy.ts'
import { slowModel } from '../fixtures/slow-model.ts'

const test = serverSuite('events over connections that take turns')
const body = { task: 'Tell a story', reflect: false }

/** When the first connection goes wrong: the second one is asked for, the server has it, or it is there. */
const MOMENTS = ['asked', 'reached', 'answered'] as const
/** How: the client hears of it at once, never, or gets late what was sent before. */
const WAYS = ['is cut', 'falls silent', 'is late'] as const

/** A server with a run at work, whose status somebody watches in a list, behind a proxy. */
async function open(options: Pick<Parameters<typeof openProxy>[0], 'ask' | 'answer'>) {
  const gate = createGate()
  const world = await openServer({
    plugins: [slowModel(['a ', 'story'], 0, () => gate.passed)],
    config: { model: 'slow/slow' },
    server: { allowedHosts: ['127.0.0.1'] },
  })
  const { id } = await world.runtime.runs.create(body)
  await until(async () => (await world.runtime.runs.get(id)).status === 'running')
  const proxy = await openProxy({ port: world.port, ...options })
  const events = createSharedEvents({ serverUrl: proxy.url, serverKey: world.server.localKey })
  const list = { opened: 0, told: [] as string[], status: '' }
  events.onRunEvent({
    onEvent({ runId, type }: RunEvent) {
      list.told.push(`${runId} ${type}`)
      if (runId === id) list.status = type.slice('run.'.length)
    },
    onOpen() {
      list.opened++
      void world.runtime.runs.get(id).then(({ status }) => (list.status = status))
    },
    onEnd: ({ code }) => assert.unreachable(code),
  })
  await until(() => list.status === 'running')
  return {
    world,
    events,
    list,
    id,
    /** The run ends, and the server has said so to whom it can. */
    async end() {
      gate.open()
      await world.runtime.runs.wait(id)
      await world.ask('GET', '/v1/health')
    },
    async close() {
      events.close()
      await proxy.close()
      await world.close()
    },
  }
}

for (const moment of MOMENTS)
  for (const way of WAYS)
    test(`a list is true where the connection ${way} when its successor was ${moment}`, async () => {
      const streams: ProxyConnection[] = []
      const isThere = createGate()
      const isOver = createGate()
      const opened = createGate()
      let isWrong = false
      const goWrong = async (): Promise<void> => {
        isWrong = true
        if (way === 'is cut') streams[0]?.cut()
        await (await world).end()
        isOver.open()
      }
      const world = open({
        async ask(bytes, connection) {
          if (!bytes.includes('GET /v1/events')) return
          streams.push(connection)
          if (streams.length === 2 && moment === 'asked') await goWrong()
        },
        async answer(bytes, connection) {
          if (connection === streams[0] && isWrong) {
            if (way === 'falls silent') return Buffer.alloc(0)
            await isThere.passed
          }
          if (connection === streams[1] && connection.passed === 0) {
            if (moment === 'reached') await goWrong()
            setTimeout(opened.open)
          }
          return bytes
        },
      })
      const { events, list, id, close } = await world
      events.followRun(id, { onEvent: () => {}, onEnd: () => {} })
      await opened.passed
      if (moment === 'answered') await goWrong()
      await isOver.passed
      isThere.open()
      await until(() => list.status === 'completed')
      assert.is(new Set(list.told).size, list.told.length, list.told.join('\n'))
      await close()
    })

test('a list is loaded once, however often its connection is replaced', async () => {
  const { world, events, list, id, end, close } = await open({})
  for (let times = 0; times < 5; times++) {
    const heard = createGate()
    const stop = events.followRun(id, { onEvent: heard.open, onEnd: () => {} })
    await heard.passed
    stop()
  }
  await end()
  await until(() => list.status === 'completed')
  assert.is(list.opened, 1)
  assert.is((await world.runtime.runs.get(id)).status, 'completed')
  await close()
})

test.run()
