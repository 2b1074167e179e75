/** Which model speaks when a run names none. */
import { ConfigError, type LoadOptions } from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { resultOf } from './fixtures/runs.ts'

const test = suite('the default model')

/** Nobody listens there: asking it for its models fails at once. */
const NOWHERE = 'http://127.0.0.1:9/v1'

async function defaultModel(env: Record<string, string>, flags: LoadOptions['flags'] = {}): Promise<string> {
  const loaded = await loadConfig({ env, flags, files: false })
  const runtime = await createRuntime(loaded, { env })
  try {
    return (await runtime.describe()).defaultModel
  } finally {
    await runtime.close()
  }
}

async function warningOf(flags: LoadOptions['flags'], env: Record<string, string> = {}): Promise<string> {
  const runtime = await createRuntime(await loadConfig({ env, flags, files: false }), { env })
  try {
    const { id } = await runtime.runs.create({ task: 'What is 2 + 3?' })
    const { warnings } = await resultOf(runtime, id)
    const said = [...warnings, ...(await runtime.health()).warnings].filter(({ code }) => code === 'offline_provider')
    assert.is(said.length, 2)
    assert.is(said[0]?.message, said[1]?.message)
    return said[0]?.message ?? ''
  } finally {
    await runtime.close()
  }
}

test('a request for the offline provider says what it is, a request for none what to set', async () => {
  assert.match(await warningOf({}), /^no model is configured: .* not a language model\. Set a key/)
  for (const [flags, env] of [
    [{ provider: 'offline' }, {}],
    [{ model: 'offline/extractive' }, {}],
    [{}, { SVC_PROVIDER: 'offline' }],
  ] as const) {
    const message = await warningOf(flags, env)
    assert.match(message, /answers by extracting .* not a language model\.$/)
    assert.not.match(message, /no model is configured|Set a key/)
  }
})

const described = { type: 'openai', baseUrl: NOWHERE, defaultModel: 'small' }

test('the one provider that is described, and has no key, stops the runs that need it by its own reason, and no other', async () => {
  const house = { ...described, apiKeyEnv: 'HOUSE_MODEL_KEY' }
  const loaded = await loadConfig({ env: {}, flags: { providers: { house } }, files: false })
  const runtime = await createRuntime(loaded, { env: {} })
  try {
    const said = (await runtime.health()).warnings.filter(({ message }) => message.includes('HOUSE_MODEL_KEY'))
    assert.is(said.length, 1)
    assert.is((await runtime.describe()).defaultModelError?.code, 'no_provider')
    const thrown = await runtime.runs.create({ task: 'What is 2 + 3?' }).then(
      () => undefined,
      (error: ConfigError) => error,
    )
    assert.is(thrown?.code, 'no_provider')
    assert.match(thrown?.message ?? '', /'house' has no key.*HOUSE_MODEL_KEY/)
    const { id } = await runtime.runs.create({ task: 'What is 2 + 3?', model: 'offline/extractive' })
    assert.is((await runtime.runs.wait(id)).status, 'completed')
  } finally {
    await runtime.close()
  }
})

const mine = { providers: { mine: described } }
const at = { SVC_MODEL_BASE_URL: NOWHERE }
for (const [what, env, flags, model] of [
  ['at an address of its own it is that address’s', { ...at, SVC_MODEL: 'vendor/model' }, {}, 'custom/vendor/model'],
  ['also without a slash', { ...at, SVC_MODEL: 'model' }, {}, 'custom/model'],
  ['also with the name of the address', { ...at, SVC_MODEL: 'custom/vendor/model' }, {}, 'custom/vendor/model'],
  ['of a known provider it is that provider’s', { ...at, SVC_MODEL: 'offline/extractive' }, {}, 'offline/extractive'],
  ['of a described provider it is that provider’s', { ...at, SVC_MODEL: 'mine/big' }, mine, 'mine/big'],
  [
    'of nobody known it is of the provider whose key is set',
    { SVC_MODEL: 'meta/llama', OPENROUTER_API_KEY: 'key' },
    {},
    'openrouter/meta/llama',
  ],
  ['beside a provider it is that provider’s', {}, { ...mine, provider: 'mine', model: 'a/b' }, 'mine/a/b'],
  ['with the name of that provider too', {}, { ...mine, provider: 'mine', model: 'mine/b' }, 'mine/b'],
  ['a provider alone has its own', {}, { ...mine, provider: 'mine' }, 'mine/small'],
  [
    'of another provider, in a weaker layer, it is not taken',
    { SVC_MODEL: 'offline/extractive' },
    { ...mine, provider: 'mine' },
    'mine/small',
  ],
  [
    'of the provider, in a weaker layer, it is taken',
    { SVC_MODEL: 'mine/big' },
    { ...mine, provider: 'mine' },
    'mine/big',
  ],
  ['beside a provider in one layer', { SVC_MODEL: 'a/b', SVC_PROVIDER: 'mine' }, mine, 'mine/a/b'],
] as [string, Record<string, string>, LoadOptions['flags'], string][]) {
  test(`the default model: ${what}`, async () => assert.is(await defaultModel(env, flags), model))
}

test('a provider that nobody knows is refused by name, with the nearest one that is known', async () => {
  const runtime = await createRuntime({}, { env: {} })
  try {
    await runtime.runs.create({ task: 'hello there', model: 'oflline/x' })
    assert.unreachable()
  } catch (thrown) {
    assert.instance(thrown, ConfigError)
    assert.match(
      (thrown as ConfigError).message,
      /^there is no provider "oflline": did you mean "offline"\? Known: offline$/,
    )
  } finally {
    await runtime.close()
  }
})

test('an untrusted folder names models of the provider that speaks without it, and of no other', async () => {
  const tryFolder = async (tightening: { model?: string; fallback?: string[] }) => {
    const env = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }
    const loaded = await loadConfig({ env, files: false })
    const runtime = await createRuntime(
      { ...loaded, tightening: { source: '/f/svc.config.json', ...tightening } },
      { env },
    )
    try {
      const { defaultModel, config } = await runtime.describe()
      const { fallback } = config.value as { fallback?: string[] }
      const said = (await runtime.health()).warnings.find(({ code }) => code === 'config_restricted')?.message
      return { defaultModel, fallback, said }
    } finally {
      await runtime.close()
    }
  }
  const { defaultModel: own } = await tryFolder({})
  assert.match(own, /^anthropic\//)
  const taken = await tryFolder({ model: 'claude-a', fallback: ['anthropic/claude-b'] })
  assert.equal(taken, { defaultModel: 'anthropic/claude-a', fallback: ['anthropic/claude-b'], said: undefined })
  const left = await tryFolder({ model: 'openai/gpt-x', fallback: ['claude-b', 'openai/gpt-y'] })
  assert.equal([left.defaultModel, left.fallback], [own, undefined])
  assert.match(left.said ?? '', /^\/f\/svc\.config\.json names openai\/gpt-x, openai\/gpt-y, .* "svc trust"/)
})

test.run()
