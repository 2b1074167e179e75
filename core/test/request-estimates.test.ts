import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Message, type ModelRequest, textMessage } from '../src/index.ts'
import { estimateRequest, RequestEstimates } from '../src/runtime/calls/model/estimate-request.ts'

const test = suite('request estimates')

const message = (text: string): Message => textMessage('user', text)

const request = (messages: Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: '',
  messages,
  stream: false,
  ...more,
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
