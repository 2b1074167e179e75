import { ReflectionEngine } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EventScript } from './fixtures/events.ts'

const test = suite('decimal commas')

test('a figure of an answer is read as the source writes it, with decimal commas or points; another is refused', async () => {
  const engine = new ReflectionEngine()
  const verdictOf = async (result: string, weight: string) => {
    const script = new EventScript()
    script.tool('read_file', { path: 'shop.csv' }, { result })
    const { claims } = await engine.evaluate({
      task: { id: 'task', description: 'What is the weight of the kettle?' },
      output: `The weight of the kettle is ${weight}.`,
      events: script.events,
      attempt: 1,
    })
    return claims?.[0]?.verdict
  }
  for (const text of [
    'item;weight;count\nkettle;21,5;30',
    'item;weight\nkettle;21,5',
    'item\tweight\nkettle\t21,5',
    'item,weight\nkettle,21.5',
  ])
    for (const [weight, verdict] of [
      ['21.5', 'unsupported'],
      ['21,5', 'unsupported'],
      ['27.5', 'contradicted'],
      ['27,5', 'contradicted'],
    ])
      assert.is(await verdictOf(text, `${weight}`), verdict, `${text}, ${weight}`)
})

test.run()
