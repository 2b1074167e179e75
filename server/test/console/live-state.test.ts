/** What the live view works out of a run's log, without a page. */

import type { RunEvent } from '@svc/core'
import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ceilingOf } from '../../console/src/state/burn.ts'
import { choiceLabel, fieldsOf, toAnswer } from '../../console/src/state/form.ts'
import { columnsOf, type GraphEdge, placesOf } from '../../console/src/state/graph.ts'
import { answerOf, cureOf, resultOf, seqOf } from '../../console/src/state/outcome.ts'
import { RunState } from '../../console/src/state/run-state.ts'
import { StageViews } from '../../console/src/state/stages.ts'
import { nameOf, talkOf } from '../../console/src/state/talk.ts'
import { waitOf } from '../../console/src/state/wait.ts'
import { openScenes, SCENES, TEAM } from './scenes.ts'

const test = suite('console: state of the live view')

const edgesOf = (count: number) =>
  fc
    .array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: count * 3 })
    .map((pairs): GraphEdge[] => pairs.map(([from, to]) => ({ from: `n${from}`, to: `n${to}`, kind: 'feeds' })))
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`)

const SAMPLE = fc.integer({ min: 1, max: 14 }).chain((count) => fc.tuple(fc.constant(count), edgesOf(count)))

test('no two nodes of a graph stand in one place, and without loops each stands to the right of all that lead to it', () => {
  fc.assert(
    fc.property(SAMPLE, ([count, edges]) => {
      const places = [...placesOf(names(count), edges).values()]
      assert.is(new Set(places.map(({ column, row }) => `${column} ${row}`)).size, count)
      const forward = edges.filter(({ from, to }) => Number(from.slice(1)) < Number(to.slice(1)))
      const without = placesOf(names(count), forward)
      for (const { from, to } of forward) assert.ok((without.get(from)?.column ?? 0) < (without.get(to)?.column ?? 0))
    }),
  )
})

test('a chain in which each step builds on all before it is laid out at once', () => {
  const nodes = names(60)
  const edges = nodes.flatMap((to, index) => nodes.slice(0, index).map((from) => ({ from, to, kind: 'feeds' })))
  assert.is(columnsOf(nodes.reverse(), edges).get('n59'), 59)
})

test('a form has an entry for each property of a schema, and its answer has the kinds that were asked for', () => {
  const fields = fieldsOf({
    type: 'object',
    required: ['callId', 'choice', 'count'],
    properties: {
      callId: { const: 'c1' },
      choice: { enum: ['retry', 'skip'] },
      count: { type: 'integer' },
      isSure: { type: 'boolean' },
      result: {},
      note: { type: 'string' },
    },
  })
  assert.equal(
    fields.map(({ kind }) => kind),
    ['fixed', 'choice', 'number', 'boolean', 'json', 'text'],
  )
  const entered = new Map([
    ['choice', '1'],
    ['count', '12'],
    ['isSure', 'true'],
    ['result', '{"a":1}'],
  ])
  assert.equal(toAnswer(fields, entered), {
    value: { callId: 'c1', choice: 'skip', count: 12, isSure: true, result: { a: 1 } },
  })
  const wrong = toAnswer(
    fields,
    new Map([
      ['count', 'twelve'],
      ['result', '{'],
    ]),
  )
  assert.equal('errors' in wrong && [...wrong.errors.keys()], ['choice', 'count', 'result'])
  assert.equal(toAnswer(fieldsOf(undefined), new Map([['', 'At noon']])), { value: 'At noon' })
  assert.equal(toAnswer(fieldsOf({ enum: ['red', null] }), new Map([['', '1']])), { value: null })
  assert.is(choiceLabel(null), 'I do not know')
})

test('a team says who spoke in which order, what each stage answered and what came of it', async () => {
  const opened = await openScenes()
  try {
    const { runs } = opened.runtime
    const { id } = await runs.create({ task: SCENES.team, ...TEAM })
    const state = new RunState()
    for await (const event of runs.events(id)) state.apply(event)
    const talks = talkOf(state.view)
    assert.equal(
      talks.map(({ name }) => name),
      ['Agent 1', 'Agent 2', 'Agent 3'],
    )
    assert.is(talks[0]?.items.length, 2)
    assert.is(nameOf(state.view, ''), 'The pipeline')
    assert.is(resultOf(state)?.status, 'completed')
    assert.is(resultOf(state.at(20)), undefined)
    assert.is(waitOf(state), undefined)
    for (const stage of ['analyze', 'allocate', 'plan', 'reflect', 'inspect'] as const)
      assert.ok(answerOf(state, stage), `${stage} has an answer`)
    assert.is(answerOf(state, 'execute'), undefined)
    assert.is(answerOf(state.at(3), 'analyze'), undefined)

    const vote = await runs.create({ task: SCENES.vote, riskLevel: 'high', consensus: true })
    const voted = new RunState()
    for await (const event of runs.events(vote.id)) voted.apply(event)
    for (const { stage, tokens, newest } of voted.stages.all) {
      const ofTaps = newest?.taps.reduce((sum, tap) => sum + (tap.tokens ?? 0), 0)
      assert.is(ofTaps, tokens, `the tokens of the taps of ${stage} are those of its model calls`)
    }
    assert.ok((voted.stages.get('consensus')?.tokens ?? 0) > 0)
  } finally {
    await opened.close()
  }
})

test('an event that a finding names is one of this run only, and an error has what to do about it', () => {
  assert.is(seqOf('run_1:12', 'run_1'), 12)
  assert.is(seqOf('run_2:12', 'run_1'), undefined)
  assert.is(seqOf('run_1:', 'run_1'), undefined)
  assert.match(cureOf({ code: 'provider_auth', message: '', retryable: false }) ?? '', /key/)
  assert.match(cureOf({ code: 'provider_timeout', message: '', retryable: true }) ?? '', /reach/)
  assert.is(cureOf({ code: 'tool_failed', message: '', retryable: false }), undefined)
})

test('a chart of tokens is as high as what was spent, and shows the limits that are near', () => {
  assert.is(ceilingOf(0, [undefined, undefined]), 1)
  assert.is(Math.round(ceilingOf(1_000, [])), 1_150)
  assert.is(Math.round(ceilingOf(1_000, [40_000, 80_000])), 1_450)
  assert.is(Math.round(ceilingOf(30_000, [40_000, 80_000])), 44_000)
  assert.is(Math.round(ceilingOf(50_000, [40_000, 80_000])), 88_000)
})

test('a stage that a run went on without is shown otherwise than one that is to come', () => {
  const stages = new StageViews()
  const time = '2026-01-01T00:00:00.000Z'
  const event = (seq: number, rest: object): RunEvent => ({ v: 1, runId: 'run', seq, time, ...rest }) as RunEvent
  stages.apply(event(1, { type: 'stage.started', stage: 'execute', data: { plugins: [] } }))
  const states = (): string[] => stages.all.map(({ state }) => state)
  assert.equal(states(), ['skipped', 'skipped', 'skipped', 'running', 'idle', 'idle', 'idle'])
  stages.apply(event(2, { type: 'run.cancelled', data: { result: {} } }))
  assert.equal(states().slice(3), ['cancelled', 'skipped', 'skipped', 'skipped'])
})

test('the work itself has failed where no step of it was finished', () => {
  const stages = new StageViews()
  const apply = (seq: number, type: string, data: object): void =>
    stages.apply({
      v: 1,
      runId: 'run',
      seq,
      time: '2026-01-01T00:00:00.000Z',
      stage: 'execute',
      type,
      data,
    } as RunEvent)
  apply(1, 'stage.started', { plugins: ['p'] })
  apply(2, 'step.failed', { error: {} })
  apply(3, 'stage.completed', { durationMs: 1, plugin: 'p' })
  assert.is(stages.get('execute')?.state, 'failed')
  apply(4, 'step.completed', { output: '' })
  assert.is(stages.get('execute')?.state, 'completed')
})

test.run()
