import type { ProviderAdapter, ProviderConfig } from '@svc/core'
import { ConfigError, fits } from '@svc/core'
import { ProviderConfig as ProviderConfigSchema } from '@svc/core/schema'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  ANTHROPIC_DEFAULT_MODEL,
  createProvider,
  detectProvider,
  KEY_VARIABLES,
  OPENAI_DEFAULT_MODEL,
  PRESETS,
  resolveKey,
} from '../src/providers/index.ts'
import { ask, toRequest } from './fixtures/ask.ts'
import { type FakeServer, sendJson, startFakeServer } from './fixtures/fake-server.ts'

const test = suite('finding and making providers')

let server: FakeServer
test.before(async () => {
  server = await startFakeServer()
  server.answer((response) =>
    sendJson(response, {
      choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }],
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
    }),
  )
})
test.after(() => server.close())

function configError(make: () => unknown): ConfigError {
  try {
    make()
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown
    throw thrown
  }
  throw new Error('it did not fail')
}

/** The variables in the order in which they are looked at, and the provider that each is for. */
const ORDER = Object.entries({
  ANTHROPIC_API_KEY: 'anthropic',
  OPENAI_API_KEY: 'openai',
  OPENROUTER_API_KEY: 'openrouter',
  GEMINI_API_KEY: 'gemini',
  GOOGLE_API_KEY: 'gemini',
  MISTRAL_API_KEY: 'mistral',
  GROQ_API_KEY: 'groq',
  DEEPSEEK_API_KEY: 'deepseek',
  XAI_API_KEY: 'xai',
  TOGETHER_API_KEY: 'together',
  OLLAMA_HOST: 'ollama',
})

test('the environment is searched in the documented order', () => {
  for (const [first, [name, id]] of ORDER.entries()) {
    const found = detectProvider(Object.fromEntries(ORDER.slice(first).map(([each]) => [each, 'localhost'])))
    assert.equal([found?.id, found?.source, found?.apiKey], [id, name, id === 'ollama' ? undefined : 'localhost'])
  }
  assert.is(detectProvider({}), undefined)
  const custom = detectProvider({ OPENAI_API_KEY: 'b', SVC_MODEL_BASE_URL: server.url, SVC_MODEL_API_KEY: 'c' })
  assert.equal([custom?.id, custom?.config.baseUrl, custom?.apiKey], ['custom', server.url, 'c'])
  assert.is(configError(() => detectProvider({ SVC_MODEL_BASE_URL: 'localhost:1' })).code, 'config_invalid')
  assert.is(detectProvider({ ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '  ' }), undefined)
  assert.equal(
    [...KEY_VARIABLES].sort(),
    [...ORDER.map(([name]) => name), 'SVC_MODEL_API_KEY'].filter((name) => name !== 'OLLAMA_HOST').sort(),
  )
})

test('OLLAMA_HOST is read in all its forms', () => {
  for (const [host, url] of [
    ['localhost', 'http://localhost:11434/v1'],
    ['0.0.0.0:11434', 'http://127.0.0.1:11434/v1'],
    [':8000', 'http://127.0.0.1:8000/v1'],
    ['http://box:1234/', 'http://box:1234/v1'],
    ['https://box.example/ollama/v1', 'https://box.example/ollama/v1'],
  ]) {
    assert.is(detectProvider({ OLLAMA_HOST: host })?.config.baseUrl, url)
  }
})

test("a custom address never gets the vendor's key", () => {
  const env = { OPENAI_API_KEY: 'vendor-key', ANTHROPIC_API_KEY: 'vendor-key', MY_KEY: 'my-key' }
  for (const type of ['openai', 'anthropic']) {
    assert.is(resolveKey('x', { type }, env), 'vendor-key')
    assert.is(resolveKey('x', { type, baseUrl: 'https://evil.example/v1' }, env), undefined)
    assert.is(resolveKey('x', { type, baseUrl: 'https://api.openai.com.evil.example/v1' }, env), undefined)
    assert.is(resolveKey('x', { type, baseUrl: server.url, apiKeyEnv: 'MY_KEY' }, env), 'my-key')
    assert.is(resolveKey('x', { type, baseUrl: server.url, apiKeyEnv: ['NONE', 'MY_KEY'] }, env), 'my-key')
    assert.is(resolveKey('x', { type, baseUrl: server.url, apiKeyEnv: 'NONE' }, env), undefined)
  }
  assert.is(resolveKey('x', { type: 'openai' }, { ...env, OPENAI_BASE_URL: server.url }), 'vendor-key')
  assert.is(
    resolveKey('x', { type: 'openai', baseUrl: 'https://evil.example' }, { ...env, OPENAI_BASE_URL: server.url }),
    undefined,
  )
})

test('what goes over the wire holds to it, headers of the process included', async () => {
  const names = [
    'OPENAI_API_KEY',
    'OPENAI_ORG_ID',
    'OPENAI_CUSTOM_HEADERS',
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_CUSTOM_HEADERS',
  ]
  const kept = names.map((name) => process.env[name])
  for (const name of names) process.env[name] = name.endsWith('HEADERS') ? 'X-Team: canary' : 'canary'
  try {
    for (const type of ['openai', 'anthropic']) {
      const provider = createProvider('x', { type, baseUrl: server.url, defaultModel: 'm' }, { env: process.env })
      await ask(provider, toRequest())
      assert.not.match(JSON.stringify(server.last().headers), 'canary')
      assert.is(server.last().headers.authorization, undefined)
    }
  } finally {
    names.forEach((name, index) => {
      if (kept[index] === undefined) delete process.env[name]
      else process.env[name] = kept[index]
    })
  }
})

test('the address in the base-URL variable gets key and headers of the process', async () => {
  const openai = {
    OPENAI_BASE_URL: `${server.url}/v1`,
    OPENAI_API_KEY: 'the-key',
    OPENAI_CUSTOM_HEADERS: 'X-Team: blue',
  }
  await ask(createProvider('openai', undefined, { env: openai }), toRequest({ model: 'm' }))
  assert.is(server.last().headers.authorization, 'Bearer the-key')
  assert.is(server.last().headers['x-team'], 'blue')
  assert.is(server.last().path, '/v1/chat/completions')
  const anthropic = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'the-key' }
  await ask(createProvider('anthropic', undefined, { env: anthropic }), toRequest({ model: 'm' }))
  assert.match(JSON.stringify(server.last().headers), 'the-key')
  assert.is(server.last().path, '/v1/messages')
})

test('ten lines of JSON are a provider', async () => {
  const file = `{
    "type": "openai",
    "baseUrl": "${server.url}/v1",
    "apiKeyEnv": "MY_KEY",
    "headers": { "X-Org": "{env:MY_ORG}" },
    "query": { "v": "2" },
    "models": {
      "small": { "id": "vendor/small-1", "context": 32000, "price": { "input": 0.1, "output": 0.4 } }
    }
  }`
  const config: unknown = JSON.parse(file)
  assert.ok(fits(ProviderConfigSchema, config))
  const provider = createProvider('mine', config as ProviderConfig, { env: { MY_KEY: 'k', MY_ORG: 'org-7' } })
  assert.is(provider.defaultModel, 'vendor/small-1')
  assert.is((await ask(provider, toRequest())).text, 'ok')
  const { headers, path, body } = server.last()
  assert.equal(
    [headers.authorization, headers['x-org'], path, body.model],
    ['Bearer k', 'org-7', '/v1/chat/completions?v=2', 'vendor/small-1'],
  )
})

test('a provider that cannot be made says what to type', () => {
  const noKey = configError(() => createProvider('anthropic', undefined, { env: {} }))
  assert.is(noKey.code, 'no_provider')
  assert.is(noKey.exitCode, 3)
  assert.match(noKey.message, 'export ANTHROPIC_API_KEY=...')
  const two = configError(() => createProvider('gemini', undefined, { env: {} }))
  assert.match(two.message, 'export GEMINI_API_KEY=..., or export GOOGLE_API_KEY=...')
  const header = configError(() =>
    createProvider('x', { type: 'openai', baseUrl: server.url, headers: { 'X-A': '{env:NOT_SET}' } }, { env: {} }),
  )
  assert.match(header.message, 'export NOT_SET=...')
  const typo = configError(() => createProvider('anthropc', undefined, { env: {} }))
  assert.is(typo.code, 'unknown_provider')
  assert.match(typo.message, "did you mean 'anthropic'?")
  assert.match(typo.message, 'lmstudio')
  const type = configError(() => createProvider('x', { type: 'opena1' }, { env: {} }))
  assert.is(type.code, 'unknown_provider')
  assert.match(type.message, "did you mean 'openai'?")
  for (const id of ['__proto__', 'constructor', 'toString']) {
    assert.is(configError(() => createProvider(id, undefined, { env: {} })).code, 'unknown_provider')
    assert.is(configError(() => createProvider('x', { type: id }, { env: {} })).code, 'unknown_provider')
  }
})

test('a config under the id of a preset keeps its address', async () => {
  const provider = createProvider('groq', { type: 'openai', defaultModel: 'mine' }, { env: { GROQ_API_KEY: 'k' } })
  assert.is(provider.defaultModel, 'mine')
  const error = configError(() => createProvider('groq', { type: 'openai' }, { env: { OPENAI_API_KEY: 'k' } }))
  assert.match(error.message, 'export GROQ_API_KEY=...')
})

test('a wire format of a plugin is used as the built-in ones are, and named where it is missing', () => {
  const seen: unknown[] = []
  const own = createProvider('offline', { type: 'offline' }, { env: {} })
  const mine: ProviderAdapter = (id, config, context) => {
    seen.push([id, config, context])
    return { ...own, id }
  }
  const adapters = { get: (type: string) => (type === 'my-format' ? mine : undefined), ids: () => ['my-format'] }
  const config = { type: 'my-format', baseUrl: 'http://127.0.0.1:9' }
  assert.is(createProvider('house', config, { env: {} }, adapters).id, 'house')
  assert.equal(seen, [['house', config, { env: {} }]])
  assert.throws(
    () => createProvider('house', { type: 'my-fromat' }, { env: {} }, adapters),
    (thrown: ConfigError) => thrown.message.includes("did you mean 'my-format'"),
  )
})

test('every preset fits the schema, is named by its key, and has a default model or finds one', async () => {
  for (const [id, config] of Object.entries(PRESETS)) {
    assert.ok(fits(ProviderConfigSchema, config), id)
    const provider = createProvider(id, undefined, { env: {}, apiKey: 'k' })
    assert.ok(provider.defaultModel !== undefined || config.discover, id)
    if (provider.defaultModel !== undefined && !config.discover) {
      assert.ok(
        (await provider.models()).some((model) => model.id === provider.defaultModel),
        id,
      )
    }
  }
  assert.is(createProvider('openai', undefined, { env: {}, apiKey: 'k' }).defaultModel, OPENAI_DEFAULT_MODEL)
  assert.is(createProvider('anthropic', undefined, { env: {}, apiKey: 'k' }).defaultModel, ANTHROPIC_DEFAULT_MODEL)
})

test("the vendor's base-URL variable needs no model named: what the server lists, else the vendor's own", async () => {
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${server.url}/v1` }
  const made = (): Promise<{ id: string }[]> => createProvider('openai', undefined, { env }).models()
  assert.is((await made())[0]?.id, OPENAI_DEFAULT_MODEL)
  const listing = await startFakeServer()
  listing.answer((response) => sendJson(response, { object: 'list', data: [{ id: 'house-model', object: 'model' }] }))
  env.OPENAI_BASE_URL = `${listing.url}/v1`
  assert.is((await made())[0]?.id, 'house-model')
  await listing.close()
})

test.run()
