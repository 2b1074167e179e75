import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Message, ModelRequest } from '../src/index.ts'
import { estimateRequest, RequestEstimates } from '../src/runtime/calls/model/estimate-request.ts'

const test = suite('request estimates')

let reads = 0

/** A message that counts how often its content is read. */
const message = (text: string): Message => ({
  role: 'user',
  get content() {
    reads++
    return [{ type: 'text' as const, text }]
  },
})

const request = (messages: Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: '',
  messages,
  stream: false,
  ...more,
})

test('a turn reads only the messages that are new to it', () => {
  const estimates = new RequestEstimates()
  const messages = Array.from({ length: 100 }, (_, index) => message(`this is message ${index}`))
  const before = estimates.of('agent-1', request(messages))
  reads = 0
  const after = estimates.of('agent-1', request([...messages, message('one more')]))
  assert.is(reads, 1)
  assert.ok(after > before)
})

test('each turn is estimated as if it stood alone: longer, cut, changed in the middle, of another agent', () => {
  const estimates = new RequestEstimates()
  const messages = ['a', 'some words more', 'and a few others'].map(message)
  const tools = [{ id: 'look', description: 'looks', parameters: { type: 'object' } }]
  const changed = [messages[0] as Message, message('masked'), messages[2] as Message, message('new')]
  const turns: [string, ModelRequest][] = [
    ['agent-1', request(messages)],
    ['agent-2', request(messages.slice(1), { tools })],
    ['agent-1', request([...messages, message('on')], { tools })],
    ['agent-1', request(messages.slice(0, 2), { outputSchema: { type: 'object', properties: {} } })],
    ['agent-1', request(changed)],
    ['agent-2', request([...messages.slice(1), message('longer')], { tools })],
  ]
  for (const [agentId, turn] of turns) assert.is(estimates.of(agentId, turn), estimateRequest(turn))
})

test('messages that were added to the same list since are counted', () => {
  const estimates = new RequestEstimates()
  const messages = [message('first')]
  estimates.of('agent-1', request(messages))
  messages.push(message('second'))
  assert.is(estimates.of('agent-1', request(messages)), estimateRequest(request(messages)))
})

test.run()
