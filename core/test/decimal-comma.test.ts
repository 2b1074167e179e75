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

test('a figure of an answer is held by them in rows with semicolons or tabs, not by two cells beside each other', async () => {
  const engine = new ReflectionEngine()
  const verdictOf = async (result: string) => {
    const script = new EventScript()
    script.tool('read_file', { path: 'shop.csv' }, { result })
    const { claims } = await engine.evaluate({
      task: { id: 'task', description: 'What is the weight of the kettle?' },
      output: 'The weight of the kettle is 1.5.',
      events: script.events,
      attempt: 1,
    })
    return claims?.[0]?.verdict
  }
  for (const text of ['item;weight;count\nkettle;1,5;3', 'item;weight\nkettle;1,5', 'item\tweight\nkettle\t1,5'])
    assert.is(await verdictOf(text), 'supported', text)
  for (const text of ['item,weight,count\nkettle,1,5', 'item;weight;count\nkettle;1;5'])
    assert.is(await verdictOf(text), 'unsupported', text)
})

test.run()
