/** What is sent of an event stays small however long its texts are, says what is missing, and the whole is there. */
import type { RunEvent } from '@svc/core'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { toFrame } from '../src/events/frame.ts'
import { type SentEvent, toJson } from '../src/events/to-json.ts'
import { openServer, serverSuite } from './fixtures/open-server.ts'
import { allFrames } from './fixtures/read-stream.ts'

const test = serverSuite('long events')

const LIMIT = 262_144
const eventOf = (data: unknown, seq: number | undefined = 7): RunEvent =>
  ({ v: 1, ...(seq && { seq }), type: 'tool.completed', time: '', runId: 'run_1', data }) as unknown as RunEvent
const at = (value: unknown, path: string): unknown =>
  path
    .split('/')
    .slice(1)
    .reduce(
      (inside, name) => (inside as Record<string, unknown>)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
      value,
    )

test('whatever the data is: what is not cut is unchanged, what is cut begins as the whole', () => {
  const text = fc.oneof(
    fc.string(),
    fc
      .tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer({ min: 1, max: 3_000 }))
      .map(([unit, n]) => unit.repeat(n)),
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 5 }),
    ),
  }))
  fc.assert(
    fc.property(fc.record({ result: value }), (data) => {
      const whole = JSON.parse(JSON.stringify(eventOf(data))) as RunEvent
      const { cut = [], ref, ...event } = JSON.parse(toJson(whole, 2_048)) as SentEvent
      assert.is(ref !== undefined, cut.length > 0)
      for (const { path, bytes } of cut) {
        const text = at(whole, path) as string
        assert.ok(text.startsWith(at(event, path) as string))
        assert.is(bytes, Buffer.byteLength(text))
        const parent = at(event, path.slice(0, path.lastIndexOf('/'))) as Record<string, unknown>
        parent[
          path
            .slice(path.lastIndexOf('/') + 1)
            .replaceAll('~1', '/')
            .replaceAll('~0', '~')
        ] = text
      }
      assert.equal(event, whole)
    }),
    { numRuns: 200 },
  )
})

test('long text on its way is sent as several events that say the same', () => {
  const text = `${'😀\u0001'.repeat(50_000)}end`
  for (const [type, data] of [
    ['message.delta', { text }],
    ['reasoning.delta', { text }],
    ['message.snapshot', { textSoFar: text }],
  ] as const) {
    const event = { v: 1, type, time: '', runId: 'run_1', agentId: 'a', data } as RunEvent
    const frames = toFrame(event, 10_000).toString().split('\n\n').slice(0, -1)
    const events = frames.map((frame) => JSON.parse(frame.split('data: ')[1] ?? '') as RunEvent)
    assert.is(events[0]?.type, type)
    assert.ok(frames.every((frame) => frame.length < 11_000))
    const said = events.map((piece) =>
      piece.type === 'message.snapshot' ? piece.data.textSoFar : (piece.data as { text: string }).text,
    )
    assert.is(said.join(''), text)
  }
})

const SSE = { accept: 'text/event-stream' }

test('a reader of a run with an answer of 2 MB is sent small frames and is not cut, and finds the whole events', async () => {
  const answer = `The answer is long. ${'word '.repeat(400_000)}`
  const usage = { inputTokens: 10, outputTokens: 10, estimated: true }
  const world = await openServer({
    script: () => [
      { type: 'text', text: answer },
      { type: 'finish', finishReason: 'stop', usage },
    ],
  })
  const { json: run } = await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Say much.' } })
  assert.is(run.status, 'completed')
  const frames = await allFrames(await fetch(`${world.url}/v1/runs/${run.id}/events`, { headers: SSE }))
  assert.is(frames.at(-1)?.event, 'end')
  const events: RunEvent[] = []
  for await (const event of world.runtime.runs.events(String(run.id), { deltas: false })) events.push(event)
  const long = frames.filter(({ data }) => (data as SentEvent | undefined)?.cut !== undefined)
  assert.ok(long.some(({ event }) => event === 'run.completed'))
  for (const { data } of frames) assert.ok(JSON.stringify(data ?? {}).length <= LIMIT)
  for (const { data } of long) {
    const { ref, seq = 0 } = data as SentEvent
    assert.equal((await world.ask('GET', ref ?? '')).json, JSON.parse(JSON.stringify(events[seq - 1])))
  }
  const page = (await world.ask('GET', `/v1/runs/${run.id}/events?limit=1000`)).json.data as SentEvent[]
  assert.equal(
    page,
    frames.flatMap(({ id, data }) => (id === undefined ? [] : [data])),
  )
  const gone = await world.ask('GET', `/v1/runs/${run.id}/events/99999`)
  assert.is(gone.status, 410)
  assert.is(gone.json.code, 'event_cursor_gone')
  const log = await world.ask('GET', `/v1/runs/${run.id}/log`)
  assert.ok(log.text.includes(answer.slice(0, 300_000)))
})

test('the limit is a setting, and a stream of all runs keeps to it', async () => {
  const world = await openServer({
    script: () => 'x'.repeat(5_000),
    server: { limits: { payloadBytes: 2_048 } },
  })
  const leave = new AbortController()
  const stream = await fetch(`${world.url}/v1/events`, { headers: SSE, signal: leave.signal })
  const { json: run } = await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Say much.' } })
  let text = ''
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString()
    if (text.includes('event: run.completed') && text.endsWith('\n\n')) break
  }
  leave.abort()
  const last = text.split('data: ').at(-1) ?? ''
  const { ref, cut } = JSON.parse(last) as SentEvent
  assert.match(ref ?? '', new RegExp(`^/v1/runs/${run.id}/events/[0-9]+$`))
  assert.ok(cut !== undefined && cut.length > 0)
})

test.run()
