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
mock.onMessage('slow down', {
  error: { message: 'rate limited', type: 'rate_limit_error' },
  status: 429,
  retryAfter: 7,
})
mock.onMessage('break', { error: { message: 'internal', type: 'server_error' }, status: 500 })
mock.onMessage('who are you', { error: { message: 'bad key', type: 'authentication_error' }, status: 401 })
mock.onMessage(
  'cut me',
  { content: 'a long answer that is cut off in the middle of it' },
  { truncateAfterChunks: 2, chunkSize: 5 },
)
mock.onMessage('garble', { content: 'x' }, { chaos: { malformedRate: 1 } })
mock.onMessage('hang up', { content: 'x' }, { chaos: { disconnectRate: 1 } })
mock.onMessage('take your time', { content: 'at last' }, { latency: 1_000, chunkSize: 100 })

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

    test(`${name}: a text comes through with its finish`, async () => {
      const { text, finish, parts } = await ask(providers[type], toRequest({ text: 'say hi', stream }))
      assert.is(text, 'Hello there, friend.')
      assert.is(finish.finishReason, 'stop')
      if (!stream) assert.is(parts.length, 2)
    })

    test(`${name}: the reported usage is passed on`, async () => {
      const { finish } = await ask(providers[type], toRequest({ text: 'count', stream }))
      assert.is(finish.usage.inputTokens, 11)
      assert.is(finish.usage.outputTokens, 3)
      assert.is(finish.usage.estimated, false)
    })

    test(`${name}: one tool call comes with its arguments parsed`, async () => {
      const { toolCalls, finish } = await ask(providers[type], toRequest({ text: 'one tool', stream, tools }))
      assert.equal(
        toolCalls.map(({ tool, args }) => [tool, args]),
        [['add', { a: 1 }]],
      )
      assert.ok(toolCalls[0]?.callId)
      assert.is(finish.finishReason, 'toolCalls')
    })

    test(`${name}: two calls beside a text come in order, with ids of their own and the tool's own id`, async () => {
      const { text, toolCalls } = await ask(providers[type], toRequest({ text: 'two tools', stream, tools }))
      assert.is(text, 'Both at once.')
      assert.equal(
        toolCalls.map(({ tool, args }) => [tool, args]),
        [
          ['add', { a: 1 }],
          ['mcp.files.read', {}],
        ],
      )
      assert.is(new Set(toolCalls.map((call) => call.callId)).size, 2)
    })

    test(`${name}: an output schema is answered with JSON`, async () => {
      const outputSchema = {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      }
      const { text } = await ask(providers[type], toRequest({ text: 'as json', stream, outputSchema }))
      assert.equal(JSON.parse(text), { city: 'Bonn' })
    })

    test(`${name}: reasoning is kept apart from the answer`, async () => {
      const { text, reasoning } = await ask(providers[type], toRequest({ text: 'think', stream }))
      assert.is(text, 'Thought.')
      assert.is(reasoning, 'Let me think about it.')
    })

    test(`${name}: a limit on the answer is the finish reason length`, async () => {
      const { finish } = await ask(providers[type], toRequest({ text: 'too long', stream }))
      assert.is(finish.finishReason, 'length')
    })

    test(`${name}: 429 carries the time to wait`, async () => {
      const error = await failure(providers[type], toRequest({ text: 'slow down', stream }))
      assert.is(error.code, 'provider_rate_limited')
      assert.is(error.retryAfterMs, 7000)
      assert.is(error.providerStatus, 429)
      assert.ok(error.retryable)
    })

    test(`${name}: 500 is unavailable, 401 is the key`, async () => {
      const broken = await failure(providers[type], toRequest({ text: 'break', stream }))
      assert.is(broken.code, 'provider_unavailable')
      assert.ok(broken.retryable)
      const refused = await failure(providers[type], toRequest({ text: 'who are you', stream }))
      assert.is(refused.code, 'provider_auth')
      assert.not(refused.retryable)
      assert.match(refused.message, 'check MOCK_KEY')
      assert.not.match(refused.message, 'mock-secret-key')
    })

    test(`${name}: a body that is no JSON is a bad response, a cut connection is unavailable`, async () => {
      const garbled = await failure(providers[type], toRequest({ text: 'garble', stream }))
      assert.is(garbled.code, 'provider_bad_response')
      const cut = await failure(providers[type], toRequest({ text: 'hang up', stream }))
      assert.is(cut.code, 'provider_unavailable')
    })

    test(`${name}: the contract of a provider is kept`, async () => {
      const problems = await checkProvider(() => providers[type], {
        request: { messages: toRequest({ text: 'two tools' }).messages, tools },
        // How fast a busy machine stops a stream says nothing about the provider.
        abortWithinMs: 60_000,
        slow: { messages: toRequest({ text: 'take your time' }).messages },
        failing: ['break', 'slow down', 'garble', 'hang up', 'nobody knows this'].map((text) => ({
          messages: toRequest({ text }).messages,
        })),
      })
      assert.equal(problems, [])
    })
  }

  test(`${type}: a stream that is cut is unavailable, after the pieces that came`, async () => {
    const error = await failure(providers[type], toRequest({ text: 'cut me', stream: true }))
    assert.is(error.code, 'provider_unavailable')
  })
}

test.run()
