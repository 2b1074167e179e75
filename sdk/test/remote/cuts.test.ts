/** Streams over a connection that is cut, delayed and doubled: each event comes once, and no text is lost. */
import { createHash } from 'node:crypto'
import type { RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openServer } from '../../../server/test/fixtures/open-server.ts'
import { createClient } from '../../src/index.ts'
import { doubled, openProxy } from '../fixtures/proxy.ts'
import { slowModel } from '../fixtures/slow-model.ts'

const test = suite('streams that are cut')

const isNightly = process.env.SVC_NIGHTLY === '1'
const STREAMS = isNightly ? 1_000 : 20
const AT_ONCE = isNightly ? 100 : 20
/** The server asks for a pause of up to two seconds after each cut. */
const CUTS = isNightly ? 5 : 2

/** The proxy has another port than the server, which checks the name that it is called by. */
const behindProxy = { server: { allowedHosts: ['127.0.0.1'] } }

const words = Array.from({ length: 20 }, (_, index) => `word${index} `)
const text = words.join('')

/** The text of each model call, put together from its pieces alone. */
function piecesOf(events: readonly RunEvent[]): string[] {
  const texts = new Map<string | undefined, string>()
  for (const event of events) {
    if (event.type === 'message.delta') texts.set(event.callId, (texts.get(event.callId) ?? '') + event.data.text)
  }
  return [...texts.values()]
}

test(`${STREAMS} streams cut up to ${CUTS} times each lose and double nothing`, async () => {
  const server = await openServer({
    ...behindProxy,
    plugins: [slowModel(words, 10)],
    config: { model: 'slow/slow', server: { limits: { runningRuns: AT_ONCE } } },
  })
  let drawn = 0
  const random = (): number => createHash('sha256').update(`cuts ${drawn++}`).digest().readUInt32BE() / 2 ** 32
  let left = STREAMS * CUTS
  const limits = new WeakMap<object, number>()
  const proxy = await openProxy({
    port: server.port,
    delayMs: () => random() * 5,
    answer(bytes, connection) {
      if (!connection.isStream) return bytes
      if (connection.passed === 0) limits.set(connection, random() * 5_000)
      if (left > 0 && connection.passed + bytes.length > (limits.get(connection) ?? 0)) {
        left--
        return undefined
      }
      // Pieces of answers have no number to be known again by.
      const isKept = !bytes.includes('message.delta')
      return (isKept && random() < 0.3 ? doubled(bytes) : undefined) ?? bytes
    },
  })
  const client = await createClient({ serverUrl: proxy.url })
  let asked = 0
  const follow = async (): Promise<void> => {
    while (asked < STREAMS) {
      const stream = client.stream(`What is the count of ${asked++}?`)
      const events: RunEvent[] = []
      for await (const event of stream) events.push(event)
      const kept = events.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
      assert.equal(
        kept,
        kept.map((_, index) => index + 1),
      )
      const result = await stream.result
      assert.is(result.status, 'completed')
      assert.is(events.at(-1)?.type, 'run.completed')
      assert.is(kept.length, (await server.runtime.runs.get(result.runId)).lastSeq)
      assert.equal(piecesOf(events), [text])
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, follow))
  assert.ok(proxy.cuts >= STREAMS, `${proxy.cuts} cuts`)
  await client.disconnect()
  await proxy.close()
  await server.close()
})

test('handlers of a client hear each event of its runs once, whatever becomes of the connection', async () => {
  const server = await openServer({ ...behindProxy, plugins: [slowModel(words, 10)], config: { model: 'slow/slow' } })
  let cuts = 3
  const proxy = await openProxy({
    port: server.port,
    answer: (bytes, { isStream, passed }) => (isStream && passed > 0 && cuts-- > 0 ? undefined : bytes),
  })
  const client = await createClient({ serverUrl: proxy.url })
  const heard: RunEvent[] = []
  client.onEvent((event) => heard.push(event))
  const { status, runId } = await client.run('What is the count?')
  assert.is(status, 'completed')
  const kept = heard.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
  const { lastSeq } = await server.runtime.runs.get(runId)
  assert.equal(
    kept,
    Array.from({ length: lastSeq }, (_, index) => index + 1),
  )
  assert.equal(piecesOf(heard), [text])
  assert.ok(proxy.cuts > 0)
  await client.disconnect()
  await proxy.close()
  await server.close()
})

test('a stream that leaves out an event is asked again from there', async () => {
  const server = await openServer(behindProxy)
  let hasLost = false
  const proxy = await openProxy({
    port: server.port,
    answer(bytes, { isStream }) {
      // A comment of the same length takes the place of one event.
      const at = bytes.indexOf('id: 3\n')
      const end = bytes.indexOf('\n\n', at)
      if (!isStream || hasLost || at === -1 || end === -1) return bytes
      hasLost = true
      return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(end - at, ':'), bytes.subarray(end)])
    },
  })
  const client = await createClient({ serverUrl: proxy.url })
  const { id } = await client.runs.create({ task: 'What is 6 times 7?' })
  await client.runs.wait(id)
  const seqs: (number | undefined)[] = []
  for await (const { seq } of client.runs.events(id, { deltas: false })) seqs.push(seq)
  assert.ok(hasLost)
  assert.equal(
    seqs,
    seqs.map((_, index) => index + 1),
  )
  await client.disconnect()
  await proxy.close()
  await server.close()
})

test.run()
