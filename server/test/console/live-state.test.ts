/** What the live view works out of a run's log, without a page. */

import type { RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { choiceLabel, fieldsOf, toAnswer } from '../../console/src/state/form.ts'
import { StageViews } from '../../console/src/state/stages.ts'

const test = suite('console: state of the live view')

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
