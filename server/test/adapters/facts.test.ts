/** What clients of every protocol learn of a run beside its answer. */
import * as assert from 'uvu/assert'
import { posting, postingScript } from '../fixtures/good-requests.ts'
import { openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('what clients learn of a run')

interface Facts {
  warnings?: { code: string }[]
}
const codesOf = ({ warnings = [] }: Facts): string[] => warnings.map(({ code }) => code)

const said = Array.from({ length: 40 }, (_, index) => [
  { role: 'user', content: `Question ${index}? ${'word '.repeat(1_000)}` },
  { role: 'assistant', content: 'Yes.' },
]).flat()
const messages = [...said, { role: 'user', content: 'What is 6 times 7?' }].map((message, at) => ({
  ...message,
  id: `m${at}`,
}))

test('turns that a model was not sent are named in the protocols that bring turns', async () => {
  const { ask } = await openServer()
  const chat = await ask('POST', '/v1/chat/completions', { body: { model: 'svc', messages } })
  assert.equal(codesOf(chat.json.svc as Facts), ['turns_left_out'])
  const message = await ask('POST', '/v1/messages', { body: { model: 'svc', max_tokens: 1_000, messages } })
  assert.equal(codesOf(message.json.svc as Facts), ['turns_left_out'], message.text)
  const page = await ask('POST', '/agui', { body: { threadId: 't', runId: 'r', messages } })
  const finished = page.text.split('\n').find((line) => line.includes('"RUN_FINISHED"')) ?? ''
  const { result } = JSON.parse(finished.slice('data: '.length)) as { result: Facts }
  assert.equal(codesOf(result), ['turns_left_out'])
})

test('a call that was denied is said in the text of a chat, whole or in pieces', async () => {
  const { ask } = await openServer({ script: postingScript, plugins: [posting()] })
  const body = { model: 'svc', messages: [{ role: 'user', content: 'Post a message to the team' }] }
  const note = /I posted the message "hello"\.\n\n\[svc: post_message may use the network/
  const whole = await ask('POST', '/v1/chat/completions', { body })
  const [choice] = whole.json.choices as { message: { content: string } }[]
  assert.match(choice?.message.content ?? '', note)
  const pieces = await ask('POST', '/v1/chat/completions', { body: { ...body, stream: true } })
  const text = [...pieces.text.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)].map(([, piece]) => JSON.parse(piece ?? '""'))
  assert.match(text.join(''), note)
})

test('a forced call of Anthropic that is asked for again under its key is the same call', async () => {
  const { ask } = await openServer({ script: () => '{"city":"Bonn"}' })
  const body = {
    model: 'svc',
    max_tokens: 1_000,
    messages: [{ role: 'user', content: 'Bonn?' }],
    tools: [{ name: 'get_weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }],
    tool_choice: { type: 'tool', name: 'get_weather' },
  }
  const headers = { 'idempotency-key': 'once' }
  const first = await ask('POST', '/v1/messages', { body, headers })
  const again = await ask('POST', '/v1/messages', { body, headers })
  assert.is(first.json.stop_reason, 'tool_use', first.text)
  assert.equal(again.json, first.json)
})

test.run()
