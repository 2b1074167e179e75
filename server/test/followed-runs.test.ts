/** One stream with the events of several runs: whose they may be, from where they are read, and what ends them. */
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import * as assert from 'uvu/assert'

import type { ScopedKey } from '../src/index.ts'
import { type OpenServer, openServer, serverSuite } from './fixtures/open-server.ts'
import { createGate, pausing, until } from './fixtures/until.ts'
import { watchedHub } from './fixtures/watched-runs.ts'

const test = serverSuite('runs that one stream follows')

const OWNER = 'owner-key'
const KEYS: readonly ScopedKey[] = [
  { name: 'ci', key: 'ci-key', scopes: ['submit'] },
  { name: 'bot', key: 'bot-key', scopes: ['submit'] },
  { name: 'ops', key: 'ops-key', scopes: ['approve'] },
]
const NOWHERE = `run_${'0'.repeat(26)}`
const BODY = { task: 'What is 6 times 7?' }

interface Said {
  id: string | undefined
  event: string
  data: { runId: string; seq?: number; code?: string; message?: string; type?: string }
}

const sse = (key?: string) => ({
  accept: 'text/event-stream',
  ...(key !== undefined && { authorization: `Bearer ${key}` }),
})
const as = (world: OpenServer, key: string) => (method: string, path: string, body?: unknown) =>
  world.askAs({ authorization: `Bearer ${key}` }, method, path, body)

/** Follows runs, each from a number on, until enough was said. */
async function follow(world: OpenServer, runs: readonly string[], key?: string) {
  const leave = new AbortController()
  const query = runs.map((run) => `run=${run}`).join('&')
  const headers = key === undefined ? { ...sse(), 'x-api-key': world.server.localKey } : sse(key)
  const response = await fetch(`${world.url}/v1/events?${query}`, { headers, signal: leave.signal })
  const said: Said[] = []
  const reader = response.body?.getReader()
  let text = ''
  return {
    response,
    said,
    leave: () => leave.abort(),
    /** @returns false where the stream ended, or was cut, before */
    async until(isEnough: (said: readonly Said[]) => boolean): Promise<boolean> {
      while (!isEnough(said)) {
        const { done, value } = (await reader?.read().catch(() => undefined)) ?? { done: true, value: undefined }
        if (done) return false
        text += Buffer.from(value ?? []).toString()
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
          const lines = text.slice(0, end).split('\n')
          text = text.slice(end + 2)
          const field = (name: string) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 2)
          const data = field('data')
          if (data !== undefined && data !== '{}')
            said.push({ id: field('id'), event: field('event') ?? '', data: JSON.parse(data) })
        }
      }
      return true
    },
  }
}

const endOf =
  (id: string) =>
  (said: readonly Said[]): boolean =>
    said.some(({ event, data }) => data.runId === id && (event === 'end' || event === 'error'))
const seqsOf = (said: readonly Said[], id: string): number[] =>
  said.flatMap(({ id: number, data }) => (number?.startsWith(`${id}:`) ? [data.seq ?? 0] : []))
const upTo = (last: number, after = 0): number[] => Array.from({ length: last - after }, (_, i) => after + i + 1)

test('a run of another key is refused in the words of one that is not there, whatever the number', async () => {
  const world = await openServer({ server: { keys: () => [OWNER, ...KEYS] } })
  const secret = { task: 'The code is violet.' }
  const other = String((await as(world, 'bot-key')('POST', '/v1/runs?wait=60000', secret)).json.id)
  const own = String((await as(world, 'ci-key')('POST', '/v1/runs?wait=60000', BODY)).json.id)
  for (const key of ['ci-key', 'ops-key'])
    for (const after of [0, 3, 999_999]) {
      const stream = await follow(world, [`${other}:${after}`, `${NOWHERE}:${after}`], key)
      assert.is(stream.response.status, 200)
      await stream.until((said) => endOf(other)(said) && endOf(NOWHERE)(said))
      stream.leave()
      const [refused, missing] = [other, NOWHERE].map((id) =>
        stream.said.filter(({ data }) => data.runId === id).map(({ event, data }) => [event, data.code, data.message]),
      )
      assert.is(refused?.[0]?.[1], 'run_not_found')
      assert.equal(JSON.stringify(refused).replaceAll(other, NOWHERE), JSON.stringify(missing))
      assert.not.match(JSON.stringify(stream.said), 'violet')
    }
  const mixed = await follow(world, [`${other}:0`, `${own}:0`], 'ci-key')
  await mixed.until(endOf(own))
  const { lastSeq } = await world.runtime.runs.get(own)
  assert.equal(seqsOf(mixed.said, own), upTo(lastSeq), 'one that is refused takes nothing from the others')
  mixed.leave()
  const all = await follow(world, [`${other}:0`, `${own}:0`], OWNER)
  await all.until((said) => endOf(other)(said) && endOf(own)(said))
  assert.match(JSON.stringify(all.said), 'violet')
  all.leave()
})

test('what is no id with a number is bad input that names the parameter, and so are more than 50 runs', async () => {
  const world = await openServer()
  const { json } = await world.ask('POST', '/v1/runs?wait=60000', { body: BODY })
  const id = String(json.id)
  const wrong = [
    id,
    `${id}:`,
    `${id}:-1`,
    `${id}:1.5`,
    `${id}:0x1`,
    `${id}:1e3`,
    `${id}: 1`,
    `${id}:1:2`,
    `${id}:9999999999999999`,
    `${id.toLowerCase()}:0`,
    'run_x:0',
    ':0',
    '../../v1/runs:0',
  ]
  for (const each of wrong) {
    const { status, json: problem } = await world.ask('GET', `/v1/events?run=${encodeURIComponent(each)}`)
    assert.equal([status, problem.code], [400, 'validation_failed'], each)
    assert.match(JSON.stringify(problem.errors), '/run', each)
  }
  const many = (count: number) => Array.from({ length: count }, () => `run=${id}:0`).join('&')
  const { status, json: problem } = await world.ask('GET', `/v1/events?${many(51)}`)
  assert.equal([status, problem.code], [400, 'validation_failed'])
  assert.match(JSON.stringify(problem), '50')
  const stream = await follow(world, Array(50).fill(`${id}:0`))
  await stream.until(endOf(id))
  assert.equal(seqsOf(stream.said, id), upTo(Number(json.lastSeq)), 'one that is named 50 times is read once')
  stream.leave()
})

test('a number that a run at work has not reached is refused; of one that has ended nothing is left to say', async () => {
  const model = pausing()
  const world = await openServer({ script: model.script })
  const { runs } = world.runtime
  const { id: atWork } = await runs.create(BODY)
  await model.isAsked
  const stream = await follow(world, [`${atWork}:999999`])
  await stream.until(endOf(atWork))
  assert.is(stream.said.find(({ event }) => event === 'error')?.data.code, 'event_cursor_gone')
  stream.leave()
  model.answer()
  const { lastSeq } = await runs.wait(atWork)
  const later = await follow(world, [`${atWork}:999999999999999`])
  await later.until(endOf(atWork))
  assert.equal(seqsOf(later.said, atWork), [])
  assert.is(later.said.at(-1)?.event, 'end')
  later.leave()
  const twice = await follow(world, [`${atWork}:${lastSeq - 1}`, `${atWork}:${lastSeq - 3}`])
  await twice.until(endOf(atWork))
  assert.equal(seqsOf(twice.said, atWork), upTo(lastSeq, lastSeq - 3), 'from the lower number on')
  twice.leave()
})

test('a run that is deleted once it has ended has ended for who follows it, and is not there for who comes later', async () => {
  const model = pausing()
  const world = await openServer({ script: model.script })
  const { runs } = world.runtime
  const { id } = await runs.create(BODY)
  const { id: other } = await runs.create({ ...BODY, task: 'What is 6 times 8?' })
  await model.isAsked
  const stream = await follow(world, [`${id}:0`, `${other}:0`])
  await stream.until((said) => [id, other].every((each) => seqsOf(said, each).length > 0))
  await runs.cancel(id)
  await runs.wait(id)
  await runs.delete(id)
  await stream.until(endOf(id))
  assert.is(
    stream.said.find(({ event, data }) => data.runId === id && event === 'error'),
    undefined,
  )
  const late = await follow(world, [`${id}:2`])
  await late.until(endOf(id))
  assert.is(late.said.find(({ event }) => event === 'error')?.data.code, 'run_not_found')
  late.leave()
  model.answer()
  assert.ok(await stream.until(endOf(other)), 'the stream goes on')
  stream.leave()
})

test('a run that is deleted while its log is read back is not there any more, and the stream goes on', async () => {
  const world = await openServer()
  const { runs } = world.runtime
  const made = await runs.create(BODY)
  const other = await runs.create(BODY)
  await runs.wait(made.id)
  await runs.wait(other.id)
  const original = runs.events
  runs.events = async function* (id, options) {
    // It is gone between the two looks at it.
    if (id === made.id) await runs.delete(id)
    yield* original(id, options)
  }
  const stream = await follow(world, [`${made.id}:0`, `${other.id}:0`])
  assert.ok(await stream.until((said) => endOf(made.id)(said) && endOf(other.id)(said)))
  assert.is(stream.said.find(({ data }) => data.runId === made.id)?.data.code, 'run_not_found')
  stream.leave()
})

test('a key that is gone, or may see less than before, hears nothing more of the runs it follows', async () => {
  const model = pausing()
  const admin: ScopedKey = { name: 'eve', key: 'eve-key', scopes: ['admin'] }
  let keys: (string | ScopedKey)[] = [OWNER, admin, 'gone-key']
  const world = await openServer({ script: model.script, server: { keys: () => keys } })
  const { id } = await world.runtime.runs.create(BODY)
  await model.isAsked
  const streams = await Promise.all(['gone-key', 'eve-key', OWNER].map((key) => follow(world, [`${id}:0`], key)))
  for (const stream of streams) await stream.until((said) => seqsOf(said, id).length > 0)
  keys = [OWNER, { ...admin, scopes: ['submit'] }]
  world.server.reload({})
  await world.askAs({ authorization: `Bearer ${OWNER}` }, 'GET', '/v1/runs')
  const [gone, less, kept] = streams
  const isCut = await Promise.all([gone, less].map((stream) => stream?.until(() => false)))
  assert.equal(isCut, [false, false])
  const again = await follow(world, [`${id}:0`], 'eve-key')
  await again.until(endOf(id))
  assert.is(again.said.at(-1)?.data.code, 'run_not_found')
  again.leave()
  model.answer()
  assert.ok(await kept?.until(endOf(id)))
  kept?.leave()
})

test('who does not read is cut, and who comes back by the numbers has each event once', async () => {
  const begin = createGate()
  const world = await openServer({
    script: async () => {
      await begin.passed
      return 'x'.repeat(4_000_000)
    },
    server: { limits: { sseBufferBytes: 100_000 } },
  })
  const { runs } = world.runtime
  const ids = await Promise.all([1, 2].map(async () => (await runs.create({ ...BODY, reflect: false })).id))
  const socket = connect(world.port, '127.0.0.1', () => {
    socket.pause()
    const query = ids.map((id) => `run=${id}:0`).join('&')
    socket.write(
      `GET /v1/events?${query} HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\nX-Api-Key: ${world.server.localKey}\r\nAccept: text/event-stream\r\n\r\n`,
    )
  })
  socket.on('error', () => {})
  const seriesOf = async (name: string): Promise<number> =>
    Number(
      (await world.ask('GET', '/metrics')).text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1] ?? 0,
    )
  await until(async () => (await seriesOf('svc_sse_clients')) === 1)
  begin.open()
  await until(async () => (await seriesOf('svc_sse_disconnects_total{reason="slow"}')) === 1)
  socket.destroy()
  for (const id of ids) await runs.wait(id)
  const stream = await follow(
    world,
    ids.map((id) => `${id}:2`),
  )
  await stream.until((said) => ids.every((id) => endOf(id)(said)))
  for (const id of ids) assert.equal(seqsOf(stream.said, id), upTo((await runs.get(id)).lastSeq, 2))
  stream.leave()
})

test('who leaves while a run is looked up leaves nothing behind that reads it', async () => {
  const { runtime } = await openServer({ script: () => new Promise<never>(() => {}) })
  const { id } = await runtime.runs.create({ task: 'x' })
  const run = await runtime.runs.get(id)
  const { hub, open } = watchedHub(runtime)
  const [isAsked, mayAnswer] = [createGate(), createGate()]
  const server = createServer((_, response) => {
    const find = async () => {
      isAsked.open()
      await mayAnswer.passed
      return run
    }
    hub.watch(response, 'someone', { all: true }, { runs: new Map([[id, 0]]), find })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () =>
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  )
  await isAsked.passed
  socket.destroy()
  await until(() => hub.size === 0)
  mayAnswer.open()
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.is(open(), 0)
  hub.close()
  server.close()
})

test.run()
