/** S6: who sends slowly, or nothing, is cut, and holds up nobody. */
import { connect, type Socket } from 'node:net'
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('S6 slow clients')

/** Sends a byte a second until the other side closes, and answers what it said. */
function drip(port: number, head: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(head))
    const timer = setInterval(() => socket.write('x'), 1_000)
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(answer)
    })
  })
}

const idle = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', () => {})
  })

test('headers, and a body, that never end are cut, and 1000 idle connections hold up nobody', async () => {
  const world = await openServer()
  const { port } = world
  const isNightly = process.env.SVC_NIGHTLY === '1'
  const idles = await Promise.all(Array.from({ length: 1_000 }, () => idle(port)))
  const half = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => half.end('GET /health HTTP/1.1\r\n'))
  half.on('error', () => {})
  const headers = drip(port, `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Slow: `)
  const body = isNightly
    ? drip(
        port,
        `POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
      )
    : undefined
  for (let i = 0; i < 100; i++) assert.is((await world.ask('GET', '/livez')).status, 200)
  assert.match(await headers, /^HTTP\/1\.1 408 /)
  if (body !== undefined) assert.match(await body, /^HTTP\/1\.1 408 /)
  for (const socket of [...idles, half]) socket.destroy()
})

test('requests that are sent far ahead are not all answered, and hold up nobody', async () => {
  const { ask, port } = await openServer()
  const ahead = `GET /livez HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(1_440)
  const answered = Array.from({ length: 50 }, () => drip(port, ahead))
  for (let i = 0; i < 250; i++) assert.is((await ask('GET', '/livez')).status, 200)
  const counts = (await Promise.all(answered)).map((answer) => answer.split('HTTP/1.1 200').length - 1)
  // What was sent last may be lost where a connection is closed on more that was sent ahead.
  assert.ok(counts.every((count) => count <= 100) && counts.some((count) => count > 0), counts.join())
})

test.run()
