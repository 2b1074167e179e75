/** All wire formats, streamed and not, against an independent mock of the vendors' servers. */
import { LLMock } from '@copilotkit/aimock'
import type { ModelProvider } from '@svc/core'
import { checkProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createProvider } from '../src/providers/index.ts'
import { ask, failure, toRequest } from './fixtures/ask.ts'

const test = suite('providers against a mock server')

const mock = new LLMock({ port: 0, host: '127.0.0.1' })
const tools = [
  { id: 'add', description: 'adds', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
  { id: 'mcp.files.read', description: 'reads', parameters: { type: 'object', properties: {} } },
]

mock.onMessage('say hi', { content: 'Hello there, friend.' })
mock.onMessage('count', {
  content: 'counted',
  usage: { prompt_tokens: 11, completion_tokens: 3, input_tokens: 11, output_tokens: 3 },
})
mock.onMessage('one tool', { toolCalls: [{ name: 'add', arguments: '{"a":1}' }] })
mock.onMessage('two tools', {
  content: 'Both at once.',
  toolCalls: [
    { name: 'add', arguments: '{"a":1}' },
    { name: 'mcp_files_read', arguments: '{}' },
  ],
})
mock.onMessage('as json', { content: '{"city":"Bonn"}' })
mock.onMessage('think', { content: 'Thought.', reasoning: 'Let me think about it.' })
mock.onMessage('too long', { content: 'cut he', finishReason: 'length' })
mock.onMessage('break', { error: { message: 'internal', type: 'server_error' }, status: 500 })
mock.onMessage(
  'cut me',
  { content: 'a long answer that is cut off in the middle of it' },
  { truncateAfterChunks: 2, chunkSize: 5 },
)
mock.onMessage('garble', { content: 'x' }, { chaos: { malformedRate: 1 } })
mock.onMessage('hang up', { content: 'x' }, { chaos: { disconnectRate: 1 } })
mock.onMessage('take your time', { content: 'at last' }, { latency: 300, chunkSize: 100 })

let providers: Record<'openai' | 'openai-responses' | 'anthropic', ModelProvider>

test.before(async () => {
  await mock.start()
  const make = (type: string, baseUrl: string) =>
    createProvider(
      'mock',
      { type, baseUrl, apiKeyEnv: 'MOCK_KEY', defaultModel: 'mock-model' },
      { env: { MOCK_KEY: 'mock-secret-key' } },
    )
  providers = {
    openai: make('openai', `${mock.url}/v1`),
    'openai-responses': make('openai-responses', `${mock.url}/v1`),
    anthropic: make('anthropic', mock.url),
  }
})
test.after(() => mock.stop())

for (const type of ['openai', 'openai-responses', 'anthropic'] as const) {
  for (const stream of [false, true]) {
    const name = `${type}, ${stream ? 'streamed' : 'whole'}`

    test(`${name}: texts, reasoning, tool calls, JSON and counts come through`, async () => {
      const say = (text: string, more: object = {}) => ask(providers[type], toRequest({ text, stream, ...more }))
      const hi = await say('say hi')
      assert.equal([hi.text, hi.finish.finishReason], ['Hello there, friend.', 'stop'])
      if (!stream) assert.is(hi.parts.length, 2)
      const { usage } = (await say('count')).finish
      assert.equal([usage.inputTokens, usage.outputTokens, usage.estimated], [11, 3, false])
      const one = await say('one tool', { tools })
      assert.equal(
        one.toolCalls.map(({ tool, args }) => [tool, args]),
        [['add', { a: 1 }]],
      )
      assert.is(one.finish.finishReason, 'toolCalls')
      const two = await say('two tools', { tools })
      assert.is(two.text, 'Both at once.')
      assert.equal(
        two.toolCalls.map(({ tool, args }) => [tool, args]),
        [
          ['add', { a: 1 }],
          ['mcp.files.read', {}],
        ],
      )
      assert.is(new Set(two.toolCalls.map((call) => call.callId)).size, 2)
      const outputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
      assert.equal(JSON.parse((await say('as json', { outputSchema })).text), { city: 'Bonn' })
      const thought = await say('think')
      assert.equal([thought.text, thought.reasoning], ['Thought.', 'Let me think about it.'])
      assert.is((await say('too long')).finish.finishReason, 'length')
    })

    test(`${name}: a body that is no JSON is a bad response, a cut connection is unavailable`, async () => {
      for (const [text, code] of [
        ['garble', 'provider_bad_response'],
        ['hang up', 'provider_unavailable'],
        ...(stream ? [['cut me', 'provider_unavailable']] : []),
      ])
        assert.is((await failure(providers[type], toRequest({ text: text ?? '', stream }))).code, code)
    })
  }

  test(`${type}: the contract of a provider is kept`, async () => {
    const problems = await checkProvider(() => providers[type], {
      request: { messages: toRequest({ text: 'two tools' }).messages, tools },
      // How fast a busy machine stops a stream says nothing about the provider.
      abortWithinMs: 60_000,
      slow: { messages: toRequest({ text: 'take your time' }).messages },
      failing: ['break', 'garble', 'hang up', 'nobody knows this'].map((text) => ({
        messages: toRequest({ text }).messages,
      })),
    })
    assert.equal(problems, [])
  })
}

test.run()
