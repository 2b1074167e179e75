/** S39: clients that ask for much and read nothing, or open sockets and ask for nothing more, and what that leaves to others. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { definePlugin } from '@svc/core'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../../.tools/launch.ts'
import { ask, openServer, serverSuite } from '../fixtures/open-server.ts'
import { until } from '../fixtures/until.ts'

const test = serverSuite('S39 many readers')

const ANSWER_CHARS = 8_000_000
const READERS = 14
/** What may wait for readers at once, with the newest answer, which is never cut. */
const MOST_WAITING = 67_108_864 / ANSWER_CHARS + 1

/** Of each argument and each result of the long run. */
const LOGGED_CHARS = 200_000
const READS = 60

const MOST_FILES = 600
const SOCKETS = 700

/** Sends a request, and reads no more once the answer begins. */
function silent(port: number, path: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`),
    )
    socket.once('data', () => resolve(socket.pause()))
    socket.on('close', () => resolve(socket))
    socket.on('error', () => {})
  })
}

test('answers that nobody reads are cut, the oldest first, and who reads gets all of it meanwhile', async () => {
  let ended = 0
  const wide = definePlugin('wide', ({ tools }) => {
    tools.add('wide', {
      id: 'wide',
      description: 'x'.repeat(ANSWER_CHARS),
      parameters: { type: 'object' },
      risk: 'read',
      run: async () => '',
    })
  })
  const world = await openServer({
    plugins: [wide()],
    server: {
      log({ route }) {
        if (route === '/v1/tools') ended++
      },
    },
  })
  const whole = (await world.ask('GET', '/v1/tools')).text
  assert.ok(whole.length > ANSWER_CHARS)
  const sockets = await Promise.all(Array.from({ length: READERS }, () => silent(world.port, '/v1/tools')))
  await until(() => ended > READERS - MOST_WAITING)
  assert.is((await world.ask('GET', '/v1/tools')).text, whole)
  assert.is((await world.ask('GET', '/health')).status, 200)
  for (const socket of sockets) socket.destroy()
})

test('whatever reads a long log reads it in turn, so that who asks for something else is heard meanwhile', async () => {
  const text = 'x'.repeat(LOGGED_CHARS)
  const long = definePlugin('long', ({ tools }) => {
    tools.add('long', {
      id: 'long',
      description: 'long',
      parameters: { type: 'object' },
      risk: 'read',
      run: async () => text,
    })
  })
  let asked = 0
  const world = await openServer({
    config: { tokenBudget: 10_000_000 },
    plugins: [long()],
    script: ({ tools = [] }) =>
      tools.length > 0 && asked++ < 8 ? { toolCalls: [{ tool: 'long', args: { asked, text } }] } : 'Done.',
  })
  const { json } = await world.ask('POST', '/v1/runs?wait=60000', {
    body: { task: 'Look.', topology: 'SINGLE', reflect: false, consensus: false },
  })
  assert.ok(asked >= 8)
  for (const path of ['/events?limit=1000', '/events/9', '/usage']) {
    let answered = 0
    const reads = Array.from({ length: READS }, async () => {
      const { status } = await world.ask('GET', `/v1/runs/${json.id}${path}`)
      answered++
      return status
    })
    await until(() => answered > 0)
    assert.is((await world.ask('GET', '/livez')).status, 200)
    assert.ok(answered < READS, `${path}: livez was answered after all ${READS}`)
    assert.equal([...new Set(await Promise.all(reads))], [200])
  }
})

if (spawnSync('prlimit', ['--version']).status === 0)
  test('sockets that wait for their next request make room for who comes, and runs go on', async () => {
    const program = new URL('../fixtures/serve-process.ts', import.meta.url)
    const args = [`--nofile=${MOST_FILES}`, process.execPath, ...argumentsFor(program), '', 'memory']
    const child = spawn('prlimit', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(child.stdout, 'data')
    const url = String(line).trim()
    const port = Number(new URL(url).port)
    const sockets: Socket[] = []
    for (let at = 0; at < SOCKETS; at++) {
      const socket = await silent(port, '/livez')
      sockets.push(socket.resume())
    }
    const { status, json } = await ask(url, 'POST', '/execute', { body: { task: 'What is 6 times 7?' } })
    assert.is(status, 200)
    assert.is(json.status, 'completed', JSON.stringify(json.error))
    for (const socket of sockets) socket.destroy()
    child.kill('SIGKILL')
    await once(child, 'exit')
  })

test.run()
