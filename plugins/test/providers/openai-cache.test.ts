/** What OpenAI's own caches go by, and that other servers of its formats get none of it. */
import type { ContentPart, Message, ModelProvider } from '@svc/core'
import { textMessage } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createProvider } from '../../src/providers/index.ts'
import { ask, failure, toRequest } from '../fixtures/ask.ts'

const test = suite('caches of OpenAI')

type Body = Record<string, unknown> & { messages?: Said[]; input?: Said[] }
interface Said {
  role: string
  content: string | Record<string, unknown>[]
}

const ANSWERS = {
  openai: {
    choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 2_000,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 1_200, cache_write_tokens: 700 },
    },
  },
  'openai-responses': {
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'ok' }] }],
    usage: {
      input_tokens: 2_000,
      output_tokens: 5,
      input_tokens_details: { cached_tokens: 1_200, cache_write_tokens: 700 },
    },
  },
}
type Format = keyof typeof ANSWERS

/** A provider whose bodies are kept instead of sent. @param refuse answers a body with an error */
function make(type: Format, model: string, more: object = {}, refuse?: (body: string) => string | undefined) {
  const bodies: Body[] = []
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    bodies.push(JSON.parse(String(init?.body)))
    const message = refuse?.(String(init?.body))
    return message === undefined
      ? Response.json(ANSWERS[type])
      : Response.json({ error: { message, type: 'invalid_request_error' } }, { status: 400 })
  }
  const provider: ModelProvider = createProvider(
    `${type}-${model}`,
    { type, apiKeyEnv: 'KEY', defaultModel: model, ...more },
    { env: { KEY: 'none' }, fetch: fetch as typeof globalThis.fetch },
  )
  return { provider, bodies }
}

const tool = (id: string) => ({ id, description: 'looks', parameters: { type: 'object' as const, properties: {} } })
const asked = (...texts: string[]): Message => ({
  role: 'user',
  content: texts.map((text): ContentPart => ({ type: 'text', text })),
})
const system = textMessage('system', 'You look.')
const MARK = { prompt_cache_breakpoint: { mode: 'explicit' } }
const saidIn = ({ messages, input }: Body): Said[] => messages ?? input ?? []

for (const type of ['openai', 'openai-responses'] as const) {
  test(`${type}: requests with the same tools go under one key, whatever is said`, async () => {
    const { provider, bodies } = make(type, 'gpt-5.1')
    const tools = [tool('look')]
    await ask(provider, toRequest({ messages: [system, asked('one')], tools }))
    await ask(provider, toRequest({ messages: [textMessage('system', 'You write.'), asked('two')], tools }))
    await ask(provider, toRequest({ messages: [system, asked('one')], tools: [tool('write')] }))
    const keys = bodies.map(({ prompt_cache_key }) => prompt_cache_key)
    assert.type(keys[0], 'string')
    assert.is(keys[0], keys[1])
    assert.is.not(keys[0], keys[2])
  })

  test(`${type}: models that keep what is marked get marks after the system text and before the question`, async () => {
    const part = type === 'openai' ? 'text' : 'input_text'
    const { provider, bodies } = make(type, 'gpt-5.6-sol')
    const { finish } = await ask(provider, toRequest({ messages: [system, asked('material', 'question')] }))
    assert.equal(saidIn(bodies[0] ?? {}), [
      { role: 'system', content: [{ type: part, text: 'You look.', ...MARK }] },
      {
        role: 'user',
        content: [
          { type: part, text: 'material', ...MARK },
          { type: part, text: 'question' },
        ],
      },
    ])
    assert.equal(finish.usage, {
      ...{ inputTokens: 2_000, outputTokens: 5, cachedTokens: 1_200, cacheWriteTokens: 700, estimated: false },
    })
    const older = make(type, 'gpt-5.1')
    await ask(older.provider, toRequest({ messages: [system, asked('material', 'question')] }))
    assert.not.match(JSON.stringify(older.bodies), 'prompt_cache_breakpoint')
  })

  test(`${type}: other servers get nothing of it, and a question in one piece`, async () => {
    const { provider, bodies } = make(type, 'gpt-5.6-sol', { baseUrl: 'http://127.0.0.1:9/v1' })
    await ask(provider, toRequest({ messages: [system, asked('material', 'question')] }))
    assert.not.match(JSON.stringify(bodies), 'prompt_cache')
    assert.is(saidIn(bodies[0] ?? {})[1]?.content, 'material\nquestion')
  })

  test(`${type}: what is refused is left out from then on`, async () => {
    const refused = (field: string) => (body: string) =>
      body.includes(`"${field}":`) ? `Unrecognized request argument supplied: ${field}` : undefined
    for (const field of ['prompt_cache_key', 'prompt_cache_breakpoint']) {
      const { provider, bodies } = make(type, `gpt-5.6-${field}`, {}, refused(field))
      const question = toRequest({ messages: [system, asked('material', 'question')] })
      const { learnt } = await failure(provider, question)
      assert.match(learnt?.join() ?? '', field)
      await ask(provider, question)
      assert.not.match(JSON.stringify(bodies.at(-1)), `"${field}":`)
    }
  })
}

test.run()
