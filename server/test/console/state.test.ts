import type { RunEvent } from '@svc/core/client'
import fc from 'fast-check'
import { Create } from 'typebox/value'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DURABLE_EVENT_DATA, EPHEMERAL_EVENT_DATA } from '../../../core/src/contracts/log/event-data.ts'
import { formatTick, moved, ticksOf, zoomed } from '../../console/src/run/timeline/axis.ts'
import { describeEvent } from '../../console/src/run/timeline/log/describe-event.ts'
import { filterLog } from '../../console/src/run/timeline/log/log-filter.ts'
import { toRows } from '../../console/src/run/timeline/rows.ts'
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

test('each span lies within its parent, unless the parent was ended before it', () => {
  for (const events of streams) {
    const { spans } = new RunState(events)
    assert.ok(spans.all.length > 0)
    for (const { parent, startedAt, endedAt, endSeq, seq } of spans.all) {
      if (parent === undefined) continue
      assert.ok(parent.seq < seq && parent.startedAt <= startedAt)
      // What a stage gave up on may end after it.
      if ((endSeq ?? 0) > (parent.endSeq ?? 0)) continue
      assert.ok((endedAt ?? 0) <= (parent.endedAt ?? 0), `span ${seq} ends after ${parent.seq}`)
    }
  }
})

test('the tokens of a span are those of the spans within it, and those of the run those of all calls', () => {
  for (const events of streams) {
    const { spans, view } = new RunState(events)
    for (const span of spans.all) {
      if (span.kind !== 'stage' && span.kind !== 'step') continue
      const within = spans.all.filter(({ parent }) => parent === span)
      assert.is(span.tokens, sum(within))
    }
    const { inputTokens, outputTokens } = view.usage
    assert.is(sum(spans.all.filter(({ kind }) => kind === 'model')), inputTokens + outputTokens)
  }
})

test('calls that a fork answers from records are shown as such', () => {
  const { spans } = new RunState(streams.at(-1))
  const calls = spans.all.filter(({ kind }) => kind === 'model')
  assert.ok(calls.some(({ isRecorded }) => isRecorded))
  for (const { isRecorded, startedAt, endedAt } of calls) if (isRecorded) assert.is(startedAt, endedAt)
})

const sum = (spans: readonly Span[]): number => spans.reduce((total, { tokens }) => total + tokens, 0)

/** Trees of spans: each within an earlier one, begun after it and ended before it. */
const TREES = fc
  .array(fc.tuple(fc.nat(), fc.nat(1_000), fc.nat(1_000)), { minLength: 1, maxLength: 40 })
  .map((rows) => {
    const spans: Span[] = []
    for (const [index, [chosen, a, b]] of rows.entries()) {
      const parent = chosen % (index + 1) === index ? undefined : spans[chosen % (index + 1)]
      const [from, to] = parent === undefined ? [0, 1_000] : [parent.startedAt, parent.endedAt ?? 1_000]
      const [start, end] = [a, b].map((part) => from + Math.round((part / 1_000) * (to - from))).sort((x, y) => x - y)
      spans.push(spanOf(index + 1, parent, start ?? 0, end ?? 0))
    }
    return spans
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

test('the critical path has the span that ended last at each level, no two at once, and no gap that one could fill', () => {
  fc.assert(
    fc.property(TREES, (spans) => {
      const path = findCriticalPath(spans, 2_000)
      for (const span of spans)
        if (path.has(span.seq) && span.parent !== undefined) assert.ok(path.has(span.parent.seq), 'parents are on it')
      for (const parent of [undefined, ...spans.filter(({ seq }) => path.has(seq))]) {
        const level = spans.filter((span) => span.parent === parent)
        if (level.length === 0) continue
        const on = level
          .filter(({ seq }) => path.has(seq))
          .sort((a, b) => a.startedAt - b.startedAt || (a.endedAt ?? 0) - (b.endedAt ?? 0))
        const end = Math.max(...level.map(({ endedAt = 0 }) => endedAt))
        assert.ok(
          on.some(({ endedAt }) => endedAt === end),
          'the last one is on it',
        )
        for (const [index, span] of on.entries()) {
          const before = on[index - 1]
          if (before !== undefined) assert.ok((before.endedAt ?? 0) <= span.startedAt, 'no two at once')
          const from = before?.endedAt ?? Number.NEGATIVE_INFINITY
          const missed = level.filter(
            ({ seq, endedAt = 0 }) => !path.has(seq) && endedAt > from && endedAt <= span.startedAt,
          )
          assert.equal(missed, [], 'nothing that ended in a gap was left out')
        }
      }
    }),
  )
})

test('rows are the spans below their parents, without what is folded away', () => {
  fc.assert(
    fc.property(TREES, fc.func(fc.boolean()), (spans, isFolded) => {
      assert.is(toRows(spans, new Set()).length, spans.length)
      const folded = new Set(spans.filter(({ seq }) => isFolded(seq)).map(({ seq }) => seq))
      for (const { span, depth } of toRows(spans, folded)) {
        let above = 0
        for (let { parent } = span; parent !== undefined; { parent } = parent) {
          above++
          assert.not(folded.has(parent.seq))
        }
        assert.is(depth, above)
      }
      const path = findCriticalPath(spans, 2_000)
      assert.is(toRows(spans, new Set(), path).length, path.size)
    }),
  )
})

test('ticks are round, and what is pointed at stays where it is when one looks closer', () => {
  assert.equal(
    ticksOf({ from: 1_000, to: 1_430 }, 1_000, 5).map(({ label }) => label),
    ['0', '100 ms', '200 ms', '300 ms', '400 ms'],
  )
  assert.equal([1_500, 90_000, 120_000, 3_900_000].map(formatTick), ['1.5 s', '1:30 min', '2 min', '1:05 h'])
  const whole = { from: 0, to: 10_000 }
  const half = zoomed(whole, whole, 0.5, 0.2) ?? whole
  assert.equal(half, { from: 1_000, to: 6_000 })
  assert.equal(moved(half, whole, -2), { from: 0, to: 5_000 })
  assert.is(zoomed(half, whole, 2), undefined)
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

test('the log is found by type and by what it says', () => {
  const events = kept(streams[2] ?? [])
  const tools = filterLog(events, ['Tools'], '')
  assert.ok(tools.length > 0 && tools.every(({ type }) => /^(tool|approval)\./.test(type)))
  assert.ok(filterLog(events, [], ' NOTES.md').length > 0)
  assert.equal(filterLog(events, [], ''), events)
})

test.run()
