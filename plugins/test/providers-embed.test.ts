/** Vectors over the official client, against an independent mock of the vendor's server. */
import { LLMock } from '@copilotkit/aimock'
import { CancelledError, type ModelProvider, type ProviderConfig, ProviderError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createProvider } from '../src/providers/index.ts'

const test = suite('provider vectors')

const mock = new LLMock({ port: 0, host: '127.0.0.1' })
mock.onEmbedding('a fixed one', { embedding: [0.5, -0.5, 1] })
mock.onEmbedding('slow down', {
  error: { message: 'rate limited', type: 'rate_limit_error' },
  status: 429,
  retryAfter: 7,
})
mock.onEmbedding('break', { error: { message: 'internal', type: 'server_error' }, status: 500 })
mock.onEmbedding('who are you', { error: { message: 'bad key mock-secret-key', type: 'auth' }, status: 401 })

test.before(async () => {
  await mock.start()
})
test.before.each(() => mock.clearRequests())
test.after(() => mock.stop())

const make = (config: Partial<ProviderConfig> = {}, embedder?: string): ModelProvider =>
  createProvider(
    'mock',
    { type: 'openai', baseUrl: `${mock.url}/v1`, apiKeyEnv: 'MOCK_KEY', ...config },
    { env: { MOCK_KEY: 'mock-secret-key' }, ...(embedder === undefined ? {} : { embedder }) },
  )

async function embed(provider: ModelProvider, texts: string[], more: { signal?: AbortSignal; model?: string } = {}) {
  if (provider.embed === undefined) throw new Error('the provider does not embed')
  return provider.embed(texts, { signal: new AbortController().signal, ...more })
}

async function failure(provider: ModelProvider, text: string): Promise<ProviderError> {
  const thrown = await embed(provider, [text]).then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  )
  if (thrown instanceof ProviderError) return thrown
  throw thrown
}

const modelsAsked = (): unknown[] => mock.getRequests().map(({ body }) => (body as { model?: string } | null)?.model)

for (const type of ['openai', 'openai-responses']) {
  test(`${type}: each text gets the vector that the server gives it`, async () => {
    const { vectors } = await embed(make({ type }, 'small'), ['a fixed one'])
    assert.equal(vectors, [[0.5, -0.5, 1]])
  })
}

test('many texts go in requests of at most 96, and their vectors come in the order of the texts', async () => {
  const provider = make({}, 'small')
  const texts = Array.from({ length: 200 }, (_, index) => `text number ${index}`)
  const { vectors } = await embed(provider, texts)
  assert.is(mock.getRequests().length, 3)
  assert.is(vectors.length, 200)
  for (const index of [0, 95, 96, 199]) {
    assert.equal(vectors[index], (await embed(provider, [texts[index] ?? ''])).vectors[0], `text ${index}`)
  }
  assert.not.equal(vectors[0], vectors[1])
})

test('the model is the one asked for, else the first marked in the config, else the one of the memory', async () => {
  const models = { chat: {}, vectors: { id: 'vectors-v2', embedding: true }, later: { embedding: true } }
  await embed(make({ models }, 'small'), ['a'])
  await embed(make({ models }), ['a'], { model: 'vectors' })
  await embed(make({ models }), ['a'], { model: 'another' })
  await embed(make({ models: { chat: {} } }, 'small'), ['a'])
  assert.equal(modelsAsked(), ['vectors-v2', 'vectors-v2', 'another', 'small'])
})

test('a provider that nothing says has such a model offers no vectors', () => {
  assert.is(make().embed, undefined)
  assert.is(make({ type: 'openai-responses' }).embed, undefined)
  assert.type(createProvider('openai', { type: 'openai' }, { env: { OPENAI_API_KEY: 'x' } }).embed, 'function')
})

test('usage that the server reports is passed on over all requests', async () => {
  let requests = 0
  const reported: typeof fetch = async (_url, init) => {
    const { input } = JSON.parse(String(init?.body)) as { input: string[] }
    const data = input.map((_text, index) => ({ index, embedding: [index + 1] }))
    const usage = requests++ === 2 ? {} : { usage: { prompt_tokens: 10, total_tokens: 10 } }
    return Response.json({ data: data.reverse(), ...usage })
  }
  const config = { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }
  const provider = createProvider('mock', config, { env: {}, fetch: reported, embedder: 'small' })
  const { usage, vectors } = await embed(
    provider,
    Array.from({ length: 97 }, () => 'text'),
  )
  assert.equal(usage, { inputTokens: 20, outputTokens: 0, estimated: false })
  assert.equal([vectors[0], vectors[95], vectors[96]], [[1], [96], [1]])
  const unreported = await embed(provider, ['some words to count'])
  assert.is(unreported.usage.estimated, true)
  assert.ok(unreported.usage.inputTokens > 0)
})

test('an answer without a vector for each text is a bad response', async () => {
  for (const data of [[], [{ index: 0 }], [{ index: 0, embedding: ['x'] }], undefined]) {
    const config = { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }
    const answer: typeof fetch = async () => Response.json({ data })
    const provider = createProvider('mock', config, { env: {}, fetch: answer, embedder: 'small' })
    assert.is((await failure(provider, 'a')).code, 'provider_bad_response', JSON.stringify(data))
  }
})

test('failures have the codes that those of generate have, and hold no key', async () => {
  const provider = make({}, 'small')
  const limited = await failure(provider, 'slow down')
  assert.equal([limited.code, limited.retryable, limited.retryAfterMs], ['provider_rate_limited', true, 7000])
  const broken = await failure(provider, 'break')
  assert.equal([broken.code, broken.retryable], ['provider_unavailable', true])
  const refused = await failure(provider, 'who are you')
  assert.is(refused.code, 'provider_auth')
  assert.not.match(refused.message, 'mock-secret-key')
})

test('a server that stays silent is given up in time, and at an abort', async () => {
  let onAsked = (): void => {}
  const silent: typeof fetch = (_url, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
      onAsked()
    })
  const config = { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', timeoutMs: 50 }
  const hasty = createProvider('mock', config, { env: {}, fetch: silent, embedder: 'small' })
  assert.is((await failure(hasty, 'a')).code, 'provider_timeout')
  const patient = createProvider(
    'mock',
    { ...config, timeoutMs: 60_000 },
    { env: {}, fetch: silent, embedder: 'small' },
  )
  const abort = new AbortController()
  onAsked = () => setImmediate(() => abort.abort())
  const asked = embed(patient, ['a'], { signal: abort.signal }).catch((error: unknown) => error)
  assert.instance(await asked, CancelledError)
})

test.run()
