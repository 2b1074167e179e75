import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import * as assert from 'uvu/assert'

import { makeFolder } from './fixtures/folder.ts'
import { ask, openServer, serverSuite } from './fixtures/open-server.ts'
import { allFrames, type Frame, readFrames } from './fixtures/read-stream.ts'
import { startProcess } from './fixtures/start-process.ts'
import { createGate, pausing, until } from './fixtures/until.ts'
import { watchedHub } from './fixtures/watched-runs.ts'

const test = serverSuite('event streams')

const SSE = { accept: 'text/event-stream' }
const idsOf = (frames: readonly Frame[]): number[] => frames.flatMap(({ id }) => (id === undefined ? [] : [id]))
const upTo = (last: number, from = 1): number[] => Array.from({ length: last - from + 1 }, (_, i) => from + i)

test('a stream begins with its retry time, numbers every kept event, and says that it ends', async () => {
  const world = await openServer()
  const { json } = await world.ask('POST', '/v1/runs', { body: { task: 'What is 6 times 7?' } })
  const response = await fetch(`${world.url}/v1/runs/${json.id}/events`, { headers: SSE })
  assert.is(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.is(response.headers.get('cache-control'), 'no-cache, no-transform')
  assert.is(response.headers.get('x-accel-buffering'), 'no')
  const frames = await allFrames(response)
  assert.equal(frames[0], {})
  assert.is(frames.at(-1)?.event, 'end')
  assert.is(frames.at(-2)?.event, 'run.completed')
  const ids = idsOf(frames)
  assert.equal(ids, upTo(ids.length))
  for (const { id, event, data } of frames.slice(1, -1)) {
    assert.is(event, data?.type)
    assert.is(id, data?.seq)
  }
  const events: unknown[] = []
  for await (const event of world.runtime.runs.events(String(json.id), { deltas: false })) events.push(event)
  assert.equal(
    frames.flatMap(({ id, data }) => (id === undefined ? [] : [data])),
    JSON.parse(JSON.stringify(events)),
  )
})

test('a reader goes on from its cursor, and past the end there is nothing', async () => {
  const world = await openServer()
  const { json } = await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'What is 6 times 7?' } })
  const last = Number(json.lastSeq)
  const events = `${world.url}/v1/runs/${json.id}/events`
  const byHeader = await allFrames(await fetch(`${events}?after=1`, { headers: { ...SSE, 'last-event-id': '5' } }))
  assert.equal(idsOf(byHeader), upTo(last, 6))
  const byQuery = await allFrames(await fetch(`${events}?after=${last - 1}`, { headers: SSE }))
  assert.equal(idsOf(byQuery), [last])
  assert.is((await fetch(events, { headers: { ...SSE, 'last-event-id': String(last) } })).status, 204)
  const wrong = await fetch(events, { headers: { ...SSE, 'last-event-id': 'x' } })
  assert.is(((await wrong.json()) as { code: string }).code, 'invalid_cursor')
})

test('a cursor that a run at work has not reached is gone', async () => {
  const model = pausing()
  const world = await openServer({ script: model.script })
  const { json } = await world.ask('POST', '/v1/runs', { body: { task: 'What is 6 times 7?' } })
  await model.isAsked
  const { status, json: problem } = await world.ask('GET', `/v1/runs/${json.id}/events?after=5000`, { headers: SSE })
  assert.is(status, 410)
  assert.is(problem.code, 'event_cursor_gone')
  model.answer()
})

test('filters choose types, an agent, and whether pieces of answers come; the end is always said', async () => {
  const model = pausing()
  const world = await openServer({ script: model.script })
  const { json } = await world.ask('POST', '/v1/runs', { body: { task: 'What is 6 times 7?' } })
  await model.isAsked
  const responses = await Promise.all(
    ['', 'types=stage.*,run.started', 'agent=agent-1&deltas=0'].map((query) =>
      fetch(`${world.url}/v1/runs/${json.id}/events?${query}`, { headers: SSE }),
    ),
  )
  model.answer()
  const [all = [], some = [], ofAgent = []] = await Promise.all(responses.map(allFrames))
  const types = (frames: readonly Frame[]): string[] => frames.flatMap(({ event }) => event ?? [])
  assert.ok(types(all).includes('message.delta'))
  assert.equal([...new Set(types(some))].sort(), ['end', 'run.started', 'stage.completed', 'stage.started'])
  assert.ok(types(ofAgent).includes('message.completed'))
  assert.not.ok(types(ofAgent).includes('message.delta'))
  assert.ok(
    ofAgent.every(({ data }) => data === undefined || Object.keys(data).length === 0 || data.agentId === 'agent-1'),
  )
})

test('who comes in the middle of a message gets it so far, and then the rest once', async () => {
  let step = (): void => {}
  const wait = (): Promise<void> =>
    new Promise((resolve) => {
      step = resolve
    })
  const world = await openServer()
  const { provider } = world
  const original = provider.generate.bind(provider)
  // The model stops in the middle of its answer.
  provider.generate = async function* (request, options) {
    let pieces = 0
    for await (const part of original(request, options)) {
      yield part
      pieces++
      if (pieces === 2) await wait()
    }
  }
  const { json } = await world.ask('POST', '/v1/runs', { body: { task: 'What is 6 times 7?' } })
  const first = await fetch(`${world.url}/v1/runs/${json.id}/events`, { headers: SSE })
  let seen = ''
  for await (const { data } of readFrames(first)) {
    if (data?.type === 'message.snapshot') seen = data.data.textSoFar
    if (data?.type === 'message.delta') seen += data.data.text
    if (seen === 'The answer') break
  }
  const second = readFrames(await fetch(`${world.url}/v1/runs/${json.id}/events?types=message.*`, { headers: SSE }))
  const texts: string[] = []
  for await (const { data, event } of second) {
    if (data?.type === 'message.snapshot' && data.callId !== undefined) {
      texts.push(data.data.textSoFar)
      step()
    }
    if (data?.type === 'message.delta') texts.push(data.data.text)
    if (event === 'end') break
  }
  assert.is(texts[0], 'The answer')
  assert.is(texts.join(''), 'The answer is 42.')
})

test('a run that ends while a reader is still reading what was before loses it nothing', async () => {
  const model = pausing()
  const world = await openServer({ script: model.script })
  const { json } = await world.ask('POST', '/v1/runs', { body: { task: 'What is 6 times 7?' } })
  await model.isAsked
  const ended = createGate()
  const { runs } = world.runtime
  const original = runs.events
  runs.events = async function* (id, options) {
    for await (const event of original(id, options)) {
      yield event
      // The store is slow for those who read back: the run ends before it gives them the second event.
      if (options?.deltas === false) await ended.passed
    }
  }
  const response = await fetch(`${world.url}/v1/runs/${json.id}/events`, { headers: SSE })
  model.answer()
  const { lastSeq } = await runs.wait(String(json.id))
  ended.open()
  const frames = await allFrames(response)
  assert.equal(idsOf(frames), upTo(lastSeq))
  assert.is(frames.at(-1)?.event, 'end')
})

test('more streams than are allowed are refused, and a closed one makes room', async () => {
  const model = pausing()
  const world = await openServer({ script: model.script, server: { limits: { ssePerKey: 2 } } })
  const { json } = await world.ask('POST', '/v1/runs', { body: { task: 'What is 6 times 7?' } })
  await model.isAsked
  const open = (signal?: AbortSignal) =>
    fetch(`${world.url}/v1/runs/${json.id}/events`, { headers: SSE, ...(signal && { signal }) })
  const leave = new AbortController()
  await open(leave.signal)
  await open()
  const refused = await open()
  assert.is(refused.status, 429)
  assert.is(((await refused.json()) as { code: string }).code, 'too_many_streams')
  assert.ok(refused.headers.has('retry-after'))
  leave.abort()
  await until(async () => (await open()).status === 200)
  model.answer()
})

test('the stream of all runs says what each process does, each event once, without cursors, and nothing from before', async () => {
  const dir = makeFolder()
  const world = await openServer({ runtime: { persist: { dir } } })
  const [one, two] = [await startProcess(dir, 'serve'), await startProcess(dir, 'serve')]
  const body = { task: 'What is 6 times 7?' }
  const before = await ask(one.url, 'POST', '/v1/runs?wait=60000', { body })
  const leave = new AbortController()
  const frames = readFrames(await fetch(`${world.url}/v1/events`, { headers: SSE, signal: leave.signal }))
  await frames.next()
  const made = await Promise.all(
    [one.url, two.url, world.url].map(async (url) => (await ask(url, 'POST', '/v1/runs?wait=60000', { body })).json.id),
  )
  const seen = new Map<string, string[]>()
  for await (const { id, event = '', data } of frames) {
    if (data === undefined) continue
    assert.is(id, undefined)
    seen.set(data.runId, [...(seen.get(data.runId) ?? []), event])
    const isOver = (id: unknown): boolean => seen.get(String(id))?.includes('run.completed') === true
    if (made.every(isOver)) break
  }
  leave.abort()
  assert.not.ok(seen.has(String(before.json.id)))
  for (const id of made) {
    const events = seen.get(String(id)) ?? []
    assert.equal([events[0], events.at(-1)], ['run.created', 'run.completed'])
    assert.is(new Set(events).size, events.length, events.join())
  }
  await Promise.all([one.kill(), two.kill()])
})

test('as JSON, events come page by page', async () => {
  const world = await openServer()
  const { json: run } = await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'What is 6 times 7?' } })
  const seqs: number[] = []
  let path = `/v1/runs/${run.id}/events?limit=7`
  for (;;) {
    const { json, headers } = await world.ask('GET', path)
    seqs.push(...(json.data as { seq: number }[]).map(({ seq }) => seq))
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    assert.is(json.hasMore, next !== undefined)
    if (next === undefined) break
    path = next
  }
  assert.equal(seqs, upTo(Number(run.lastSeq)))
})

test('a reader that is gone before its stream began leaves nothing behind that reads the run', async () => {
  const { runtime } = await openServer({ script: () => new Promise<never>(() => {}) })
  const { id } = await runtime.runs.create({ task: 'x' })
  const { hub, open } = watchedHub(runtime)
  const run = await runtime.runs.get(id)
  const followed = new Promise<void>((resolve) => {
    const server = createServer((_, response) => {
      response.on('close', () => {
        hub.follow(run, response, 'someone', { after: 0 })
        server.close(() => resolve())
      })
    })
    server.listen(0, '127.0.0.1', () => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n', () => setImmediate(() => socket.destroy()))
      })
    })
  })
  await followed
  await until(() => hub.size === 0)
  await new Promise((resolve) => setImmediate(resolve))
  assert.is(open(), 0)
  hub.close()
})

test.run()
