/** Two packages of the AI SDK, one of specification v4 and one of v3, against an independent mock of the vendors' servers. */
import { LLMock } from '@copilotkit/aimock'
import type { ModelProvider } from '@svc/core'
import { checkProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createProvider, createRuntime } from '../../src/index.ts'
import { ask, failure, toRequest } from '../fixtures/ask.ts'
import { resultOf } from '../fixtures/runs.ts'

const test = suite('packages of the AI SDK against a mock server')

const mock = new LLMock({ port: 0, host: '127.0.0.1' })
const tools = [
  { id: 'add', description: 'adds', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
  { id: 'mcp.files.read', description: 'reads', parameters: { type: 'object', properties: {} } },
]
mock.onMessage('say hi', { content: 'Hello there, friend.' })
mock.onMessage('count', { content: 'counted', usage: { prompt_tokens: 11, completion_tokens: 3 } })
mock.onMessage('two tools', {
  toolCalls: [
    { name: 'add', arguments: '{"a":1}' },
    { name: 'mcp_files_read', arguments: '{}' },
  ],
})
mock.onMessage('as json', { content: '{"city":"Bonn"}' })
mock.onMessage('too long', { content: 'cut he', finishReason: 'length' })
mock.onMessage('break', { error: { message: 'internal', type: 'server_error' }, status: 500 })
mock.onMessage('too many', { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 7 })
mock.onMessage('garble', { content: 'x' }, { chaos: { malformedRate: 1 } })
mock.onMessage('hang up', { content: 'x' }, { chaos: { disconnectRate: 1 } })
mock.onMessage('take your time', { content: 'at last' }, { latency: 300, chunkSize: 100 })

const PACKAGES = {
  '@ai-sdk/google': 'v1beta',
  '@ai-sdk/openai-compatible': 'v1',
}
const make = (name: keyof typeof PACKAGES): ModelProvider =>
  createProvider(
    'bridged',
    {
      ...{ type: 'aisdk', package: name, apiKeyEnv: 'MOCK_KEY', defaultModel: 'mock-model' },
      baseUrl: `${mock.url}/${PACKAGES[name]}`,
    },
    { env: { MOCK_KEY: 'mock-secret-key' } },
  )

test.before(async () => {
  await mock.start()
})
test.after(() => mock.stop())

for (const name of ['@ai-sdk/google', '@ai-sdk/openai-compatible'] as const) {
  for (const stream of [false, true]) {
    const how = `${name}, ${stream ? 'streamed' : 'whole'}`

    test(`${how}: texts, tool calls, JSON and counts come through`, async () => {
      const provider = make(name)
      const say = (text: string, more: object = {}) => ask(provider, toRequest({ text, stream, ...more }))
      const hi = await say('say hi')
      assert.equal([hi.text, hi.finish.finishReason], ['Hello there, friend.', 'stop'])
      const { usage } = (await say('count')).finish
      assert.equal([usage.inputTokens, usage.outputTokens, usage.estimated], [11, 3, false])
      const two = await say('two tools', { tools })
      assert.equal(
        two.toolCalls.map(({ tool, args }) => [tool, args]),
        [
          ['add', { a: 1 }],
          ['mcp.files.read', {}],
        ],
      )
      assert.is(two.finish.finishReason, 'toolCalls')
      const outputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
      assert.equal(JSON.parse((await say('as json', { outputSchema })).text), { city: 'Bonn' })
      assert.is((await say('too long')).finish.finishReason, 'length')
    })

    test(`${how}: failures have the codes of svc, and the key stands in none`, async () => {
      for (const [text, code] of [
        ['break', 'provider_unavailable'],
        ['too many', 'provider_rate_limited'],
        ['garble', 'provider_bad_response'],
        ['hang up', 'provider_unavailable'],
      ]) {
        const error = await failure(make(name), toRequest({ text: text ?? '', stream }))
        assert.is(error.code, code, `${text}: ${error.message}`)
        assert.not.match(error.message, 'mock-secret-key')
      }
    })
  }

  test(`${name}: the contract of a provider is kept`, async () => {
    const problems = await checkProvider(() => make(name), {
      request: { messages: toRequest({ text: 'two tools' }).messages, tools },
      // How fast a busy machine stops a stream says nothing about the provider.
      abortWithinMs: 60_000,
      slow: { messages: toRequest({ text: 'take your time' }).messages },
      failing: ['break', 'garble', 'hang up'].map((text) => ({ messages: toRequest({ text }).messages })),
    })
    assert.equal(problems, [])
  })
}

test('a model is named by the package alone: aisdk:google/…', async () => {
  const asked: string[] = []
  const runtime = await createRuntime(
    { model: 'aisdk:google/gemini-mock', components: { reflect: false, consensus: false } },
    {
      env: { GOOGLE_GENERATIVE_AI_API_KEY: 'unused' },
      apiKeys: { 'aisdk:google': 'by hand' },
      persist: false,
      fetch: (url, init) => {
        asked.push(new Headers(init?.headers).get('x-goog-api-key') ?? '')
        return fetch(`${mock.url}${new URL(String(url)).pathname}`, init)
      },
    },
  )
  try {
    const { id } = await runtime.runs.create({ task: 'say hi' })
    const result = await resultOf(runtime, id)
    assert.equal([result.status, result.summary], ['completed', 'Hello there, friend.'])
    assert.equal(asked, ['by hand'])
  } finally {
    await runtime.close()
  }
})

test.run()
