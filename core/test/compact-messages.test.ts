import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Message } from '../src/contracts/model/message.ts'
import { textMessage, toText } from '../src/contracts/model/message-text.ts'
import { compactMessages, estimateMessageTokens } from '../src/text/compact-messages.ts'

const test = suite('compactMessages')

const call = (callId: string, tool: string, args: unknown): Message => ({
  role: 'assistant',
  content: [],
  toolCalls: [{ callId, tool, args }],
})
const result = (toolCallId: string, text: string): Message => ({ ...textMessage('tool', text), toolCallId })
const LONG = 'a line of output with some words in it\n'.repeat(20)

/** A system message, a question, then one call and its result for each pair of arguments. */
const conversation = (args: readonly unknown[]): Message[] => [
  textMessage('system', 'You are an agent.'),
  textMessage('user', 'Read the files.'),
  ...args.flatMap((path, index) => [
    call(`call-${index}`, 'read_file', path),
    result(`call-${index}`, `${index} ${LONG}`),
  ]),
]

const texts = (messages: readonly Message[]): string[] =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => toText(content))

test('masks tool outputs older than the newest ten', () => {
  const messages = conversation(Array.from({ length: 13 }, (_, index) => ({ path: `${index}` })))
  const { messages: compacted, masked, before, after } = compactMessages(messages, { window: 100, used: 90 })
  assert.is(masked, 3)
  assert.is(before, 90)
  assert.ok(after < before)
  const outputs = texts(compacted)
  const size = estimateMessageTokens(messages[3] ?? textMessage('tool', ''))
  assert.is(outputs[0], `[output omitted: read_file, ${size} tokens, call-0]`)
  assert.match(outputs[2] ?? '', /call-2\]$/)
  assert.equal(outputs.slice(3), texts(messages).slice(3))
})

test('keeps every message, its order, its pairing, and all that is no tool output', () => {
  const anyConversation = fc.array(fc.tuple(fc.constantFrom('read_file', 'search_files'), fc.nat(4), fc.nat(30)), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(anyConversation, fc.nat(3), (calls, keep) => {
      const messages = calls.flatMap(([tool, path, length], index) => [
        call(`call-${index}`, tool, { path }),
        result(`call-${index}`, LONG.slice(0, length * 20)),
        textMessage('assistant', `step ${index}`),
      ])
      const before = structuredClone(messages)
      const compacted = compactMessages(messages, { window: 1, keep })
      assert.equal(messages, before)
      assert.is(compacted.messages.length, messages.length)
      compacted.messages.forEach((message, index) => {
        const original = messages[index]
        assert.is(message.role, original?.role)
        assert.is(message.toolCallId, original?.toolCallId)
        if (message.role !== 'tool') assert.is(message, original)
      })
      assert.ok(compacted.after <= compacted.before)
      assert.is(
        compacted.after,
        compacted.messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0),
      )
    }),
    { numRuns: 500 },
  )
})

test.run()
