/** What servers do wrong, on a server of our own, byte by byte. */
import type { ModelProvider } from '@svc/core'
import { CancelledError, LimitError, SvcError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createProvider } from '../src/providers/index.ts'
import { ask, failure, toRequest } from './fixtures/ask.ts'
import {
  chatEvents,
  type FakeServer,
  messagesEvents,
  sendEvents,
  sendJson,
  startFakeServer,
} from './fixtures/fake-server.ts'
import { settled, until } from './fixtures/until.ts'

const test = suite('providers and faulty servers')

const KEY = 'sk-canary-0123456789'
let server: FakeServer
let chat: ModelProvider
let messages: ModelProvider
let responses: ModelProvider

test.before(async () => {
  server = await startFakeServer()
  chat = make('openai', 'chat')
  messages = make('anthropic', 'messages')
  responses = make('openai-responses', 'responses')
})
test.after(() => server.close())

const make = (type: string, id: string, limits: { timeoutMs?: number; chunkTimeoutMs?: number } = {}): ModelProvider =>
  createProvider(
    id,
    { type, baseUrl: `${server.url}/v1`, apiKeyEnv: 'A_KEY', defaultModel: 'm', ...limits },
    { env: { A_KEY: KEY } },
  )

const delta = (fields: object, more: object = {}) => ({ choices: [{ index: 0, delta: fields, ...more }] })
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }

const statuses: [number, object | string, Record<string, string>, string, boolean, number?][] = [
  [401, { error: { message: 'no', type: 'authentication_error' } }, {}, 'provider_auth', false],
  [403, { error: { message: 'no', type: 'permission_error' } }, {}, 'provider_auth', false],
  [408, { error: { message: 'late' } }, {}, 'provider_timeout', true],
  [429, { error: { message: 'slow' } }, { 'retry-after': '3' }, 'provider_rate_limited', true, 3000],
  [
    429,
    { error: { message: 'slow' } },
    { 'retry-after-ms': '250', 'retry-after': '9' },
    'provider_rate_limited',
    true,
    250,
  ],
  [429, { error: { message: 'slow', details: [{ retryDelay: '1.5s' }] } }, {}, 'provider_rate_limited', true, 1500],
  [429, { error: { message: 'pay', code: 'insufficient_quota' } }, {}, 'provider_rate_limited', false],
  [402, { error: { message: 'pay' } }, {}, 'provider_rate_limited', false],
  [500, { error: { message: 'oops' } }, {}, 'provider_unavailable', true],
  [503, 'upstream down', { 'retry-after': '2' }, 'provider_unavailable', true, 2000],
  [529, { error: { message: 'busy', type: 'overloaded_error' } }, {}, 'provider_unavailable', true],
  [404, { error: { message: 'The model `m` does not exist', code: 'model_not_found' } }, {}, 'model_not_found', false],
  [404, '<html>nothing here</html>', {}, 'provider_bad_response', false],
  [
    400,
    { error: { message: "This model's maximum context length is 8192 tokens", code: 'context_length_exceeded' } },
    {},
    'context_overflow',
    false,
  ],
  [400, { error: { message: 'prompt is too long: 300000 tokens > 200000 maximum' } }, {}, 'context_overflow', false],
  [413, { error: { message: 'too large', type: 'request_too_large' } }, {}, 'context_overflow', false],
  [400, { error: { message: 'filtered', code: 'content_filter' } }, {}, 'content_filtered', false],
  [400, { error: { message: 'Output blocked by content filtering policy' } }, {}, 'content_filtered', false],
  [400, { error: { message: 'x is not a valid model ID' } }, {}, 'model_not_found', false],
  [400, { error: { message: "Unsupported value: 'role'" } }, {}, 'provider_bad_response', false],
]

for (const [status, body, headers, code, retryable, retryAfterMs] of statuses) {
  test(`status ${status} with ${JSON.stringify(body).slice(0, 60)} is ${code} on every wire`, async () => {
    server.answer((response) => {
      if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
      else sendJson(response, body, status, headers)
    })
    const before = server.seen.length
    for (const provider of [chat, messages, responses]) {
      const error = await failure(provider, toRequest({ stream: status % 2 === 0 }))
      assert.is(error.code, code)
      assert.is(error.retryable, retryable)
      assert.is(error.retryAfterMs, retryAfterMs)
      assert.is(error.providerStatus, status)
    }
    assert.is(server.seen.length - before, 3, 'each is asked once: the model gateway retries, nobody else')
  })
}

test('retry-after may be a date', async () => {
  const date = new Date(Date.now() + 60_000).toUTCString()
  server.answer((response) => sendJson(response, { error: { message: 'slow' } }, 429, { 'retry-after': date }))
  const { retryAfterMs = 0 } = await failure(chat, toRequest())
  assert.ok(retryAfterMs > 50_000 && retryAfterMs <= 60_000, String(retryAfterMs))
})

test('a key that a server repeats is not in the error', async () => {
  server.answer((response, request) =>
    sendJson(response, { error: { message: `Incorrect key ${request.headers.authorization}` } }, 401),
  )
  for (const provider of [chat, messages, responses]) {
    const error = await failure(provider, toRequest())
    assert.not.match(JSON.stringify([error.message, error.stack, error.cause ?? '', error.details ?? '']), KEY)
    assert.match(error.message, 'redacted')
  }
})

test('an error inside a stream keeps its kind', async () => {
  server.answer((response) =>
    sendEvents(response, chatEvents(delta({ content: 'a' }), { error: { message: 'rate', code: 429 } })),
  )
  assert.is((await failure(chat, toRequest({ stream: true }))).code, 'provider_rate_limited')
  server.answer((response) =>
    sendEvents(response, messagesEvents({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })),
  )
  assert.is((await failure(messages, toRequest({ stream: true }))).code, 'provider_unavailable')
  const failed = {
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'insufficient_quota', message: 'pay' } },
  }
  const bare = { type: 'error', code: 'server_error', message: 'oops' }
  for (const [event, code, retryable] of [
    [failed, 'provider_rate_limited', false],
    [bare, 'provider_unavailable', true],
  ] as const) {
    server.answer((response) => sendEvents(response, messagesEvents(event)))
    const error = await failure(responses, toRequest({ stream: true }))
    assert.equal([error.code, error.retryable], [code, retryable])
  }
})

test('a stream that ends without a finish is a bad response', async () => {
  const half = chatEvents(delta({ content: 'half' })).replace('data: [DONE]\n\n', '')
  server.answer((response) => sendEvents(response, half))
  assert.is((await failure(chat, toRequest({ stream: true }))).code, 'provider_bad_response')
  server.answer((response) =>
    sendEvents(
      response,
      messagesEvents(
        { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ),
    ),
  )
  assert.is((await failure(messages, toRequest({ stream: true }))).code, 'provider_bad_response')
  server.answer((response) =>
    sendEvents(response, messagesEvents({ type: 'response.output_text.delta', delta: 'half' })),
  )
  assert.is((await failure(responses, toRequest({ stream: true }))).code, 'provider_bad_response')
})

test('a stream cut after the stop is a whole answer with estimated usage', async () => {
  server.answer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const parts = `data: ${JSON.stringify(delta({ content: 'all of it' }))}\n\ndata: ${JSON.stringify(stop)}\n\n`
    response.write(parts, () => response.destroy())
  })
  const { text, finish } = await ask(chat, toRequest({ stream: true }))
  assert.is(text, 'all of it')
  assert.is(finish.usage.estimated, true)
  assert.ok(finish.usage.outputTokens > 0)
})

test('answers that are no answers are bad responses', async () => {
  const bodies = [
    'null',
    '[]',
    '{}',
    '"text"',
    '{"choices":[]}',
    '{"content":null}',
    '{"choices":[{"message":null}]}',
    '{"a":',
    '',
  ]
  for (const body of bodies) {
    server.answer((response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body))
    for (const provider of [chat, messages, responses]) {
      assert.is((await failure(provider, toRequest())).code, 'provider_bad_response', body)
    }
  }
  server.answer((response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>login</html>'))
  for (const provider of [chat, messages, responses]) {
    assert.is((await failure(provider, toRequest())).code, 'provider_bad_response', 'html')
  }
})

test('broken events are bad responses and print nothing', async () => {
  const printed: unknown[] = []
  const { error, warn } = console
  console.error = (...values: unknown[]) => printed.push(values)
  console.warn = (...values: unknown[]) => printed.push(values)
  try {
    for (const text of [
      'data: {"choices":[{"del\n\n',
      'data: 7\n\n',
      'event: message_start\ndata: {"type"\n\n',
      'nonsense',
    ]) {
      server.answer((response) => sendEvents(response, text))
      for (const provider of [chat, messages, responses]) {
        assert.is((await failure(provider, toRequest({ stream: true }))).code, 'provider_bad_response', text)
      }
    }
  } finally {
    Object.assign(console, { error, warn })
  }
  assert.equal(printed, [])
})

test('a server that never answers times out, also in the middle of a stream', async () => {
  const hangs: ((response: import('node:http').ServerResponse) => void)[] = [
    () => {},
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(delta({ content: 'a' }))}\n\n`)
    },
  ]
  const limits = { timeoutMs: 300, chunkTimeoutMs: 200 }
  const hasty = [make('openai', 'chat', limits), make('anthropic', 'messages', limits)]
  for (const hang of hangs) {
    server.answer(hang)
    for (const provider of hasty)
      assert.is((await failure(provider, toRequest({ stream: true }))).code, 'provider_timeout')
  }
})

test('nobody listens: unavailable, with the reason', async () => {
  for (const type of ['openai', 'openai-responses', 'anthropic']) {
    const provider = createProvider('gone', { type, baseUrl: 'http://127.0.0.1:9/v1', defaultModel: 'm' }, { env: {} })
    const error = await failure(provider, toRequest())
    assert.is(error.code, 'provider_unavailable')
    assert.ok(error.retryable)
  }
})

test('an abort ends a hanging call, throws its reason, and closes the connection', async () => {
  const reason = new LimitError('run_timeout', 'time is up')
  for (const provider of [chat, messages, responses]) {
    for (const stream of [false, true]) {
      for (const given of [undefined, reason]) {
        let closed = false
        server.answer((response) => {
          response.on('close', () => {
            closed = true
          })
          if (stream) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
          void settled().then(() => controller.abort(given))
        })
        const controller = new AbortController()
        try {
          await ask(provider, toRequest({ stream }), controller.signal)
          assert.unreachable()
        } catch (thrown) {
          if (given === undefined) assert.ok(thrown instanceof CancelledError)
          else assert.is(thrown, reason)
          assert.ok(SvcError.isInstance(thrown))
        }
        await until(() => closed)
      }
    }
  }
})

test('a caller that stops reading closes the connection', async () => {
  let closed = false
  server.answer((response) => {
    response.on('close', () => {
      closed = true
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify(delta({ content: 'a' }))}\n\n`)
  })
  for await (const _part of chat.generate(toRequest({ stream: true }), { signal: new AbortController().signal })) break
  await until(() => closed)
})

test.run()
