/** S7: who does not read is cut before much is kept for it, and loses nothing: it goes on by its cursor. */
import { connect, type Socket } from 'node:net'
import { definePlugin } from '@svc/core'
import * as assert from 'uvu/assert'
import { type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'
import { allFrames } from '../fixtures/read-stream.ts'
import { createGate, until } from '../fixtures/until.ts'

const test = serverSuite('S7 readers that do not read')

const READERS = 50
const LINES = 2_000
const LINE = 'x'.repeat(8 * 1024)

/** Says 16 MB of lines while it analyzes, once it gets the sign. */
function talking() {
  const { passed, open } = createGate()
  const plugin = definePlugin('talking', ({ hooks }) => {
    hooks.analyze.tapPromise('talking', async (answer, _input, run) => {
      await passed
      for (let i = 0; i < LINES; i++) {
        run.emit('log.line', { level: 'info', message: LINE })
        if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      return answer
    })
  })
  return { plugin: plugin(), begin: open }
}

/** Asks for the events of a run and never reads. */
function silent(port: number, runId: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause()
      socket.write(
        `GET /v1/runs/${runId}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n\r\n`,
      )
      resolve(socket)
    })
    socket.on('error', () => {})
  })
}

const seriesOf = async (world: OpenServer, series: string): Promise<number> => {
  const line = (await world.ask('GET', '/metrics')).text.split('\n').find((text) => text.startsWith(`${series} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}

async function talk(sseBufferBytes: number | undefined) {
  const { plugin, begin } = talking()
  const world = await openServer({
    plugins: [plugin],
    server: { limits: sseBufferBytes === undefined ? {} : { sseBufferBytes } },
  })
  const run = await world.runtime.runs.create({ task: 'What is 6 times 7?' })
  const sockets = await Promise.all(Array.from({ length: READERS }, () => silent(world.port, run.id)))
  await until(async () => (await seriesOf(world, 'svc_sse_clients')) === READERS)
  begin()
  const ended = await world.runtime.runs.wait(run.id)
  const cut = (): Promise<number> => seriesOf(world, 'svc_sse_disconnects_total{reason="slow"}')
  return { world, run: ended, sockets, cut }
}

test('50 of them are each cut at 1 MiB, and one that comes back by its cursor gets every event once', async () => {
  const { world, run, sockets, cut } = await talk(undefined)
  assert.is(run.status, 'completed')
  await until(async () => (await cut()) === READERS)
  const response = await fetch(`${world.url}/v1/runs/${run.id}/events`, {
    headers: { accept: 'text/event-stream', 'last-event-id': '2' },
  })
  const ids = (await allFrames(response)).flatMap(({ id }) => id ?? [])
  assert.equal(
    ids,
    Array.from({ length: run.lastSeq - 2 }, (_, i) => i + 3),
  )
  for (const socket of sockets) socket.destroy()
})

test('without the limit nobody is cut: what is not read is kept', async () => {
  const { sockets, cut } = await talk(1e12)
  assert.is(await cut(), 0)
  for (const socket of sockets) socket.destroy()
})

test.run()
