import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  askForSummary,
  cutForSummary,
  SUMMARY_SECTIONS,
  withSummary,
} from '../src/components/adaptive-orchestrator/running/agent/summary.ts'
import type { Message } from '../src/contracts/model/message.ts'
import { textMessage, toText } from '../src/contracts/model/message-text.ts'
import { estimateMessageTokens } from '../src/text/compact-messages.ts'

const test = suite('summary of earlier turns')

const WORDS = 'a line of output with some words in it '
const sizeOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0)

/** System, objective, then turns of so many calls each, every result so many lines long; some turns end with a note. */
const conversation = (turns: readonly { calls: number; lines: number; note: boolean }[]): Message[] => [
  textMessage('system', 'You are an agent.'),
  textMessage('user', 'Read the files.'),
  ...turns.flatMap(({ calls, lines, note }, turn): Message[] => [
    {
      ...textMessage('assistant', `turn ${turn}`),
      toolCalls: Array.from({ length: calls }, (_, index) => ({ callId: `c${turn}.${index}`, tool: 'read', args: {} })),
    },
    ...Array.from({ length: calls }, (_, index): Message => {
      return { ...textMessage('tool', WORDS.repeat(lines)), toolCallId: `c${turn}.${index}` }
    }),
    ...(note ? [textMessage('user', 'Half of the budget is used.')] : []),
  ]),
]
const turnOf = fc.record({ calls: fc.integer({ min: 0, max: 4 }), lines: fc.nat({ max: 60 }), note: fc.boolean() })

const isPaired = (messages: readonly Message[]): boolean => {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ callId }) => callId))
  const results = messages.flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolCallId]))
  return JSON.stringify(calls) === JSON.stringify(results)
}

test('keeps calls paired, the first and the last messages, and makes every conversation smaller', () => {
  let cuts = 0
  fc.assert(
    fc.property(fc.array(turnOf, { maxLength: 24 }), fc.nat({ max: 2_000 }), (turns, lines) => {
      const messages = conversation(turns)
      const cut = cutForSummary(messages)
      if (cut === undefined) return
      cuts++
      assert.equal([...cut.head, ...cut.middle, ...cut.tail], messages)
      const shorter = withSummary(cut, WORDS.repeat(lines))
      assert.ok(isPaired(shorter))
      assert.equal(shorter.slice(0, 2), messages.slice(0, 2))
      assert.is(shorter.at(-1), messages.at(-1))
      assert.is(cut.tail.filter(({ role }) => role === 'assistant').length, Math.floor(turns.length / 2))
      assert.ok(sizeOf(shorter) < sizeOf(messages), `${sizeOf(shorter)} < ${sizeOf(messages)}`)
      assert.ok(cut.maxOutputTokens <= 1_024)
    }),
  )
  assert.ok(cuts > 20)
})

test('an earlier summary is summed up again instead of being kept beside the next', () => {
  const turns = Array.from({ length: 8 }, () => ({ calls: 1, lines: 30, note: false }))
  const first = cutForSummary(conversation(turns))
  assert.ok(first)
  const once = withSummary(first, '## Done\nread four files')
  const second = cutForSummary(once)
  assert.ok(second)
  assert.match(toText(second.middle[0]?.content ?? []), 'read four files')
  assert.match(toText(askForSummary(second, 100_000)[1]?.content ?? []), 'read four files')
  const twice = withSummary(second, 'all')
  assert.is(twice.filter(({ content }) => toText(content).includes('<summary>')).length, 1)
})

test('a turn whose call is answered later is not torn from its result', () => {
  const messages = conversation(Array.from({ length: 6 }, () => ({ calls: 1, lines: 30, note: false })))
  const [late] = messages.splice(7, 1) // the result of the third call
  assert.ok(late)
  const cut = cutForSummary([...messages, late])
  assert.ok(cut)
  assert.is(toText(cut.tail[0]?.content ?? []), 'turn 2')
})

test('a conversation that is short, or all in one turn, is not worth a summary', () => {
  assert.is(cutForSummary([]), undefined)
  assert.is(cutForSummary(conversation([{ calls: 4, lines: 500, note: false }])), undefined)
  assert.is(
    cutForSummary(conversation(Array.from({ length: 4 }, () => ({ calls: 1, lines: 1, note: false })))),
    undefined,
  )
})

test('the question names the sections and fits the window, however long the turns are', () => {
  const cut = cutForSummary(conversation(Array.from({ length: 10 }, () => ({ calls: 2, lines: 400, note: false }))))
  assert.ok(cut)
  const question = askForSummary(cut, 2_000)
  for (const name of SUMMARY_SECTIONS) assert.match(toText(question[0]?.content ?? []), `## ${name}`)
  assert.match(toText(question[1]?.content ?? []), '<objective>\nRead the files.')
  assert.ok(sizeOf(question) < 1_600, String(sizeOf(question)))
})

test.run()
