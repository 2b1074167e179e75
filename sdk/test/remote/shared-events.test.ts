/** Many runs and readers over one connection, which is cut and asked for anew: each event comes once, and no text is lost. */
import type { RunEvent } from '@svc/core'
import { AnswerText, isTerminalEvent } from '@svc/core/client'
import { createSharedEvents } from '@svc/sdk/remote'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from '../../../server/test/fixtures/open-server.ts'
import { until } from '../../../server/test/fixtures/until.ts'
import { openProxy } from '../fixtures/proxy.ts'
import { slowModel } from '../fixtures/slow-model.ts'

const test = serverSuite('shared events')
const isNightly = process.env.SVC_NIGHTLY === '1'
const words = Array.from({ length: 12 }, (_, index) => `word${index} `)
const RUNS = 4

const open = async (options: Parameters<typeof openServer>[0] = {}) => {
  const world = await openServer({ plugins: [slowModel(words, 3)], config: { model: 'slow/slow' }, ...options })
  let mayCut = false
  const proxy = await openProxy({
    port: world.port,
    answer: (bytes, { isStream, passed }) => {
      if (!mayCut || !isStream || passed === 0) return bytes
      mayCut = false
      return undefined
    },
  })
  const events = createSharedEvents({ serverUrl: proxy.url, serverKey: world.server.localKey })
  const connections = (): Promise<number> =>
    world.ask('GET', '/metrics').then(({ text }) => Number(/^svc_sse_clients (\d+)/m.exec(text)?.[1] ?? Number.NaN))
  return {
    world,
    events,
    connections,
    cut: () => (mayCut = true),
    close: async () => {
      events.close()
      await proxy.close()
      await world.close()
    },
  }
}

/** What one reader heard of a run. */
class Heard {
  readonly kept: number[] = []
  readonly answer = new AnswerText()
  end: 'no' | 'ended' | string = 'no'
  readonly onEvent = (event: RunEvent): void => {
    if (event.seq !== undefined) this.kept.push(event.seq)
    this.answer.apply(event)
  }
  readonly onEnd = (error?: { code: string }): void => {
    this.end = error?.code ?? 'ended'
  }
}

const upTo = (last: number, after = 0): number[] => Array.from({ length: last - after }, (_, i) => after + i + 1)

const step = fc.oneof(
  fc.record({ do: fc.constant('begin' as const) }),
  fc.record({ do: fc.constant('read' as const), run: fc.nat(RUNS - 1), after: fc.constantFrom(0, 0, 3, 7) }),
  fc.record({ do: fc.constant('leave' as const), reader: fc.nat(9) }),
  fc.record({ do: fc.constant('cut' as const) }),
  fc.record({ do: fc.constant('pause' as const), ms: fc.nat(40) }),
)

test('through readers that come, go and are cut, each reader has each event once and the whole answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const { world, events, cut, close } = await open({
        server: { allowedHosts: ['127.0.0.1'] },
        plugins: [slowModel(words, 3)],
        config: { model: 'slow/slow' },
      })
      try {
        const ids: string[] = []
        const readers: { id: string; after: number; heard: Heard; stop: () => void }[] = []
        const left = new Set<number>()
        const told: string[] = []
        // A list that is loaded where reading begins, and kept by the feed.
        const ended = new Set<string>()
        let gaps = 0
        events.onRunEvent({
          onEvent(event) {
            told.push(`${event.runId} ${event.type}`)
            if (isTerminalEvent(event)) ended.add(event.runId)
          },
          onOpen() {
            gaps++
            void world.runtime.runs.list({ status: 'completed' }).then(({ data }) => {
              for (const { id } of data) ended.add(id)
            })
          },
          onEnd: ({ code }) => void told.push(code),
        })
        await until(() => gaps > 0)
        for (const each of steps) {
          if (each.do === 'begin' && ids.length < RUNS)
            ids.push(
              String((await world.ask('POST', '/v1/runs', { body: { task: 'Tell a story', reflect: false } })).json.id),
            )
          else if (each.do === 'read') {
            const id = ids[each.run]
            if (id === undefined) continue
            // A reader that goes on has read as far as it says.
            const { lastSeq } = await world.runtime.runs.get(id)
            const after = Math.min(each.after, lastSeq)
            const heard = new Heard()
            const stop = events.followRun(id, { after, onEvent: heard.onEvent, onEnd: heard.onEnd })
            readers.push({ id, after, heard, stop })
          } else if (each.do === 'leave') {
            readers[each.reader]?.stop()
            if (readers[each.reader] !== undefined) left.add(each.reader)
          } else if (each.do === 'cut') cut()
          else if (each.do === 'pause') await new Promise((resolve) => setTimeout(resolve, each.ms))
        }
        for (const [index, { id, after, heard }] of readers.entries()) {
          const { lastSeq, result } = await world.runtime.runs.wait(id)
          if (left.has(index)) {
            assert.equal(heard.kept, upTo(after + heard.kept.length, after))
            continue
          }
          await until(() => heard.end !== 'no')
          assert.is(heard.end, 'ended')
          assert.equal(heard.kept, upTo(lastSeq, after))
          assert.is(heard.answer.text, (result as { summary: string }).summary)
        }
        assert.is(new Set(told).size, told.length, told.join('\n'))
        for (const id of ids) await world.runtime.runs.wait(id)
        await until(() => ids.every((id) => ended.has(id)))
      } finally {
        // Also where it fails: readers that are left would come back for ever.
        await close()
      }
    }),
    { numRuns: isNightly ? 300 : 12, endOnFailure: true },
  )
})

test('six readers of six runs have one connection', async () => {
  const { world, events, connections, close } = await open({ server: { allowedHosts: ['127.0.0.1'] } })
  const ids = await Promise.all(
    Array.from({ length: 6 }, async () =>
      String((await world.ask('POST', '/v1/runs', { body: { task: 'Tell a story', reflect: false } })).json.id),
    ),
  )
  const heard = ids.map((id) => {
    const one = new Heard()
    events.followRun(id, one)
    return one
  })
  events.onRunEvent({ onEvent: () => {}, onOpen: () => {}, onEnd: () => {} })
  await until(() => heard.every(({ kept }) => kept.length > 0))
  assert.ok((await connections()) <= 1)
  await until(() => heard.every(({ end }) => end === 'ended'))
  await close()
})

test('who comes just as a run ends has all of it', async () => {
  const { world, events, close } = await open({ server: { allowedHosts: ['127.0.0.1'] } })
  const { json } = await world.ask('POST', '/v1/runs', { body: { task: 'Tell a story', reflect: false } })
  const id = String(json.id)
  const [early, late] = [new Heard(), new Heard()]
  events.followRun(id, {
    ...early,
    onEvent(event) {
      early.onEvent(event)
      if (event.type === 'run.completed') events.followRun(id, { after: 3, ...late })
    },
  })
  await until(() => early.end !== 'no' && late.end !== 'no')
  const { lastSeq, result } = await world.runtime.runs.get(id)
  assert.equal([early.end, late.end], ['ended', 'ended'])
  assert.equal(late.kept, upTo(lastSeq, 3))
  assert.is(late.answer.text, (result as { summary: string }).summary)
  await close()
})

test('a run that is not there ends its reader with that, and the others go on', async () => {
  const { world, events, close } = await open({ server: { allowedHosts: ['127.0.0.1'] } })
  const { json } = await world.ask('POST', '/v1/runs', { body: { task: 'Tell a story', reflect: false } })
  const [there, gone, wrong] = [new Heard(), new Heard(), new Heard()]
  events.followRun(String(json.id), there)
  events.followRun(`run_${'0'.repeat(26)}`, gone)
  events.followRun('run_x', wrong)
  await until(() => [there, gone, wrong].every(({ end }) => end !== 'no'))
  assert.equal([there.end, gone.end, wrong.end], ['ended', 'run_not_found', 'validation_failed'])
  await close()
})

test('a key that is refused ends all readers with that', async () => {
  const { world, close } = await open({ server: { keys: () => ['good'], allowedHosts: ['127.0.0.1'] } })
  const events = createSharedEvents({ serverUrl: world.url, serverKey: 'bad' })
  const [run, feed] = [new Heard(), new Heard()]
  events.followRun(`run_${'0'.repeat(26)}`, run)
  events.onRunEvent({ ...feed, onOpen: () => {} })
  await until(() => run.end !== 'no' && feed.end !== 'no')
  assert.equal([run.end, feed.end], ['unauthenticated', 'unauthenticated'])
  await close()
})

test.run()
