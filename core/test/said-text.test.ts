/** The answer of a run for readers who take nothing back. */

import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SaidText } from '../src/contracts/log/said-text.ts'
import type { RunEvent } from '../src/index.ts'

const test = suite('text that is never taken back')

const event = (type: string, data: object): RunEvent =>
  ({ v: 1, time: '', runId: 'run_1', stage: 'execute', agentId: 'a', callId: 'c', type, data }) as unknown as RunEvent
const piece = (text: string): RunEvent => event('message.delta', { text })
const again = (): RunEvent => event('step.retrying', {})
const end = (summary: string): RunEvent => event('run.completed', { result: { verdict: 'pass', summary } })

/** What a reader has heard: one text between two breaks. */
function hear(events: readonly RunEvent[]): string[] {
  const heard = ['']
  const said = new SaidText({
    onText: (text) => heard.push((heard.pop() ?? '') + text),
    onBreak: () => heard.push(''),
  })
  for (const one of events) said.apply(one)
  said.end()
  return heard
}

test('pieces come as they are, and a draft that begins alike is not said again', () => {
  assert.equal(hear([piece('The '), piece('answer'), end('The answer')]), ['The answer'])
  assert.equal(hear([piece('The ans'), again(), piece('The '), piece('answer is 4'), end('The answer is 4')]), [
    'The answer is 4',
  ])
})

test('another draft stands by itself', () => {
  assert.equal(hear([piece('I look.'), again(), piece('It is 4.'), end('It is 4.')]), ['I look.', 'It is 4.'])
  assert.equal(hear([piece('It is 4, I think'), end('It is 4')]), ['It is 4, I think', 'It is 4'])
  assert.equal(hear([piece('It is'), end('')]), ['It is'])
})

test('whatever is drafted, the reader ends with the answer', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'ab', ' '), { maxLength: 6 })
  fc.assert(
    fc.property(fc.array(words, { maxLength: 5 }), words, fc.boolean(), (drafts, last, isSaid) => {
      const answer = last.join('')
      const heard = hear([
        ...drafts.flatMap((draft) => [...draft.map(piece), again()]),
        ...(isSaid ? last.map(piece) : []),
        end(answer),
      ])
      if (answer !== '') assert.is(heard.at(-1), answer)
      assert.ok(heard.slice(1).every((text) => text !== ''))
    }),
  )
})

test.run()
