import type { RunEvent } from '@svc/core/client'
import fc from 'fast-check'
import { Create } from 'typebox/value'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DURABLE_EVENT_DATA, EPHEMERAL_EVENT_DATA } from '../../../core/src/contracts/log/event-data.ts'
import { describeEvent } from '../../console/src/run/timeline/log/describe-event.ts'
import { findCriticalPath } from '../../console/src/state/critical-path.ts'
import { RunState } from '../../console/src/state/run-state.ts'
import type { Span } from '../../console/src/state/spans.ts'
import { openScenes, SCENES, TEAM } from './scenes.ts'

/** Logs of real runs, with the pieces that were sent and not kept where they came. */
const streams = await record()
const RUNS = fc.nat(streams.length - 1)

async function record(): Promise<RunEvent[][]> {
  const { runtime, close } = await openScenes()
  try {
    const { runs, approvals } = runtime
    const follow = async (create: Parameters<typeof runs.create>[0]): Promise<RunEvent[]> => {
      const { id } = await runs.create(create)
      const events: RunEvent[] = []
      for await (const event of runs.events(id)) {
        events.push(event)
        if (event.type === 'approval.requested') await approvals.resolve(event.data.id, { decision: 'approve' })
      }
      return events
    }
    const all = await Promise.all([
      follow({ task: SCENES.team, ...TEAM }),
      follow({ task: SCENES.vote, riskLevel: 'high', consensus: true }),
      follow({ task: SCENES.approval, approval: 'wait' }),
      follow({ task: SCENES.failure }),
      follow({ task: 'Summarise README.md' }),
    ])
    const last = all[4]?.[0]
    const fork = await runs.fork(last?.runId ?? '', { atSeq: 24 })
    await runs.wait(fork.id, 60_000)
    const forked: RunEvent[] = []
    for await (const event of runs.events(fork.id)) forked.push(event)
    return [...all, forked]
  } finally {
    await close()
  }
}

const kept = (events: readonly RunEvent[]): RunEvent[] => events.filter(({ seq }) => seq !== undefined)

/** What a state shows, as plain data. */
const shown = (state: RunState): unknown => ({
  events: state.events.map(({ seq }) => seq),
  status: state.view.status,
  usage: state.view.usage,
  calls: state.view.modelCalls.map((call) => ({ ...call })),
  tools: state.view.toolCalls.map((call) => ({ ...call })),
  steps: [...state.view.steps],
  agents: [...state.view.agents],
  stages: state.stages.all.map(({ stage, rounds, tokens, modelCalls }) => ({ stage, rounds, tokens, modelCalls })),
  spans: state.spans.all.map((span) => ({ ...span, parent: span.parent?.seq })),
  graph: { nodes: [...state.graph.nodes], edges: state.graph.edges },
})

test('a run is shown the same after a resume that repeats events, and with pieces lost on the way', () => {
  fc.assert(
    fc.property(RUNS, fc.nat(), fc.nat(30), fc.infiniteStream(fc.boolean()), (run, cut, overlap, losses) => {
      const events = streams[run] ?? []
      const at = cut % events.length
      // What is not kept is not sent again.
      const again = kept(events.slice(Math.max(0, at - overlap), at))
      const resumed = [...events.slice(0, at), ...again, ...events.slice(at)]
      const received = resumed.filter((event) => event.seq !== undefined || losses.next().value !== true)
      assert.equal(shown(new RunState(received)), shown(new RunState(kept(events))))
    }),
  )
})

test('a run is shown the same when its events come in batches, and as it was at an event by the events up to it', () => {
  fc.assert(
    fc.property(RUNS, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }), (run, sizes) => {
      const events = streams[run] ?? []
      const state = new RunState()
      for (let at = 0, turn = 0; at < events.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1
        for (const event of events.slice(at, at + size)) state.apply(event)
        const seq = (size * turn * 7) % (state.events.length + 3)
        assert.equal(
          shown(state.at(seq)),
          shown(new RunState(kept(events).slice(0, Math.min(seq, state.events.length)))),
        )
        at += size
      }
      assert.equal(shown(state), shown(new RunState(events)))
    }),
  )
})

const spanOf = (seq: number, parent: Span | undefined, startedAt: number, endedAt: number): Span => ({
  seq,
  kind: 'step',
  label: `${seq}`,
  parent,
  startedAt,
  endedAt,
  status: 'completed',
  tokens: 0,
  retries: 0,
  isRecorded: false,
})

test('the critical path goes back from the span that ended last, and down into each span on it', () => {
  const step = spanOf(1, undefined, 0, 100)
  const beside = spanOf(2, undefined, 10, 60)
  const early = spanOf(3, step, 0, 40)
  const late = spanOf(4, step, 40, 95)
  const short = spanOf(5, step, 45, 50)
  assert.equal([...findCriticalPath([step, beside, early, late, short], 200)].sort(), [1, 3, 4])
})

/** Its ids have a pattern, from which nothing can be made. */
const MADE: Record<string, unknown> = { 'agent.created': { id: 'agent-1', name: 'Agent 1', role: 'lead' } }

test('every type of event is described on one line, and in words', () => {
  for (const [type, schema] of Object.entries({ ...DURABLE_EVENT_DATA, ...EPHEMERAL_EVENT_DATA })) {
    const data = (type in MADE ? MADE[type] : Create(schema)) as { result?: unknown }
    // What a run returns has no schema to make one from.
    if ('result' in data && data.result === undefined) data.result = { summary: 'done' }
    const event = { v: 1, seq: 1, runId: 'run_1', time: '2026-01-01T00:00:00.000Z', type, data } as RunEvent
    const text = describeEvent(event)
    assert.not(/undefined|\[object|NaN|\n/.test(text), `${type}: ${text}`)
  }
  for (const event of streams.flat()) {
    const text = describeEvent(event)
    assert.ok(text !== '' || event.type.endsWith('.delta') || event.type.endsWith('.snapshot'), event.type)
    assert.not(/undefined|\[object|NaN|\n/.test(text), `${event.type}: ${text}`)
  }
  const unknown = { v: 1, runId: 'r', time: '', type: 'news.arrived', data: { a: 1 } } as unknown as RunEvent
  assert.is(describeEvent(unknown), '{"a":1}')
})

test.run()
