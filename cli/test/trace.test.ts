/** What the taps of a run did, out of logs of every kind. */
import type { RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderTrace, toTrace } from '../src/render/run/trace.ts'
import { widthOf } from '../src/render/width.ts'
import { json } from './fixtures/notes.ts'
import { each, svc } from './fixtures/svc.ts'
import { makeWorld } from './fixtures/world.ts'

const test = suite('svc runs trace')

const event = (type: string, stage: string, data: unknown, seq: number): RunEvent =>
  ({ v: 1, seq, time: '2026-01-01T00:00:00.000Z', runId: 'run_x', type, stage, data }) as unknown as RunEvent

const began = (stage: string, seq: number, plugins = ['a']) => event('stage.started', stage, { plugins }, seq)
const ended = (stage: string, seq: number, taps?: unknown[]) =>
  event('stage.completed', stage, { durationMs: 9, plugin: 'a', ...(taps && { taps }) }, seq)
const tap = (plugin: string, durationMs: number, more = {}) => ({
  plugin,
  tap: plugin,
  durationMs,
  answered: true,
  ...more,
})

test('a stage that is asked again counts its attempts, and totals are by plugin', () => {
  const long = { path: '/steps/0', before: null, after: 'x'.repeat(400) }
  const found = toTrace([
    began('plan', 1),
    ended('plan', 2, [tap('a', 1, { answered: false }), tap('b', 3, { tokens: 30 })]),
    began('execute', 3),
    ended('execute', 4, [tap('a', 4, { tokens: 10, tap: 'run', changes: [long] })]),
    began('execute', 5),
  ])
  assert.equal(
    found.stages.map(({ stage, attempt, status }) => [stage, attempt, status]),
    [
      ['plan', 1, 'completed'],
      ['execute', 1, 'completed'],
      ['execute', 2, 'running'],
    ],
  )
  assert.equal(found.totals, [
    { plugin: 'a', taps: 2, durationMs: 5, timeShare: 5 / 8, tokens: 10, tokenShare: 0.25 },
    { plugin: 'b', taps: 1, durationMs: 3, timeShare: 3 / 8, tokens: 30, tokenShare: 0.75 },
  ])
  const text = renderTrace(found, 72)
  assert.match(text, /^plan\n {2}a +1.00 ms {2}deferred\n {2}b +3.00 ms {2}answered {2}30 tokens$/m)
  assert.match(text, /^execute\n {2}a: run +4.00 ms {2}amended {2}10 tokens\n {4}\/steps\/0: nothing -> "x+…$/m)
  assert.match(text, /^execute, attempt 2: running\n {2}its taps are logged when it ends$/m)
  assert.match(text, /^a +2 +5.00 ms +62.5 % +10 +25.0 %$/m)
  for (const line of text.split('\n')) assert.ok(widthOf(line) <= 72, line)
})

test('in a run that was cancelled no stage has failed, and none goes on', () => {
  const cancelled = event('stage.failed', 'execute', { error: { code: 'cancelled', message: 'enough' } }, 4)
  const end = { ...event('run.cancelled', '', { result: {} }, 5), stage: undefined } as unknown as RunEvent
  const { stages } = toTrace([began('plan', 1), began('execute', 2), cancelled, end])
  assert.equal(
    stages.map(({ status }) => status),
    ['cancelled', 'cancelled'],
  )
})

test('a run, a run that failed and an imported one are traced by part of their id', async () => {
  const plugin = `export default { name: 'louder', apply(host) {
    host.hooks.plan.tap({ name: 'tone', stage: 1000 }, (plan, { task }) => {
      if (task.description.includes('FAIL')) throw new Error('too loud')
      return { ...plan, warnings: ['louder was here'] }
    })
  } }`
  const here = makeWorld({ LICENSE: 'MIT', '.svc/plugins/louder.mjs': plugin })
  const there = makeWorld({})
  const [, done, failed] = await each(here, [
    'trust',
    ['run', '--json', 'Which license is this?'],
    ['run', '--json', 'Which license is this? FAIL'],
  ])
  const [id, failedId] = [done, failed].map((outcome) => json<{ runId: string }>(outcome ?? ({} as never)).runId)
  const [traced, table, text, whole, broken, none, exported] = await each(here, [
    ['run', '--trace-hooks', 'Which license is this?'],
    'plugins',
    ['runs', 'trace', (id ?? '').slice(-6)],
    ['runs', 'trace', id ?? '', '--json'],
    ['runs', 'trace', failedId ?? ''],
    'runs trace',
    ['runs', 'export', id ?? '', 'run.jsonl'],
  ])
  const line = /^ {2}louder: tone +[\d.]+ ms {2}amended\n {4}\/warnings\/0: nothing -> "louder was here"$/m
  for (const trace of [traced.err, text.out]) assert.match(trace, line)
  assert.match(table.out, /louder +.*\.svc\/plugins\/louder\.mjs +amends the answer/)
  const { runId, status, stages, totals } = json<{ runId: string; status: string } & ReturnType<typeof toTrace>>(
    whole as never,
  )
  assert.equal([runId, status], [id, 'completed'])
  assert.ok(totals.some((total) => total.plugin === 'louder' && total.taps === 1))
  const amended = stages.flatMap(({ taps = [] }) => taps).find(({ outcome }) => outcome === 'amended')
  assert.equal(amended?.changes, [{ path: '/warnings/0', before: null, after: 'louder was here' }])
  assert.match(
    broken.out,
    /^plan: failed\n(.*\n)+ {2}louder: tone +[\d.]+ ms {2}failed\n.*too loud.*\[plugin_failed\]$/m,
  )
  assert.is(none.code, 2)
  assert.is(exported.code, 0, exported.err)
  const imported = await each(there, [
    ['runs', 'import', `${here.work}/run.jsonl`],
    ['runs', 'trace', id ?? ''],
  ])
  assert.is(imported[1]?.out, text.out)
  assert.match((await svc(here, 'runs --help')).out, /trace <id>/)
})

test.run()
