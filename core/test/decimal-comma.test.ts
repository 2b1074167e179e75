import { ReflectionEngine } from '@svc/core'
import { readDecimalComma } from '@svc/core/text'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EventScript } from './fixtures/events.ts'

const test = suite('decimal commas')

test('a number with a decimal comma, with points between thousands or none', () => {
  for (const [text, value] of [
    ['1,5', 1.5],
    ['-1.234,50', -1234.5],
    ['1.000.000', 1_000_000],
    ['12', 12],
  ] as const)
    assert.is(readDecimalComma(text), value)
  for (const text of ['1.5', '1,234,567', '1,', 'a', '']) assert.is(readDecimalComma(text), undefined, text)
})

test('a figure of an answer rests on them in rows with semicolons only', async () => {
  const engine = new ReflectionEngine()
  const check = async (result: string) => {
    const script = new EventScript()
    script.tool('read_file', { path: 'shop.csv' }, { result })
    const { checks } = await engine.evaluate({
      task: { id: 'task', description: 'How heavy is the kettle?' },
      output: 'The kettle weighs 1.5 kg.',
      events: script.events,
      attempt: 1,
      grounded: true,
    })
    return checks.find(({ id }) => id === 'numbers')?.result
  }
  for (const text of ['kettle;1,5;3', '1,5;kettle', 'kettle;1,5', 'kettle;1,5 €\ncup;2'])
    assert.is(await check(text), 'pass', text)
  for (const text of ['kettle,1,5', '1,5', '7\t1,5']) assert.is(await check(text), 'fail', text)
})

test.run()
