/** The client against a mock of the vendors' servers: both wire formats, and who gets which key. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLMock } from '@copilotkit/aimock'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createClient, type ServiceClientOptions } from '../src/index.ts'

const test = suite('client and providers')

const mock = new LLMock({ port: 0, host: '127.0.0.1' })
mock.onMessage('capital of Norway', { content: 'Oslo' })

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'svc-sdk-providers-')))
const CANARY = 'sk-canary-of-the-environment'
const env = { HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'config'), OPENAI_API_KEY: CANARY, ANTHROPIC_API_KEY: CANARY }

test.before(async () => {
  await mock.start()
})
test.after(async () => {
  await mock.stop()
  rmSync(cwd, { recursive: true, force: true })
})

/** Runs one task and answers with it and with the headers of the calls that it made. */
async function ask(options: ServiceClientOptions) {
  mock.clearRequests()
  const seen: { url: string; headers: Headers }[] = []
  const watching: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    seen.push({ url: request.url, headers: request.headers })
    return fetch(input, init)
  }
  const client = await createClient({ env, cwd, config: false, fetch: watching, ...options })
  try {
    return { result: await client.run('Name the capital of Norway.'), seen, health: await client.health() }
  } finally {
    await client.disconnect()
  }
}

const keysOf = (seen: readonly { headers: Headers }[]): (string | null)[] => [
  ...new Set(seen.map(({ headers }) => headers.get('x-api-key') ?? headers.get('authorization'))),
]

test('openai: provider, key, model and address by hand', async () => {
  const { result, seen, health } = await ask({
    provider: 'openai',
    apiKey: 'key-by-hand',
    model: 'gpt-small',
    baseUrl: `${mock.url}/v1`,
  })
  assert.is(result.status, 'completed', result.error?.message)
  assert.is(result.summary, 'Oslo')
  assert.is(result.agents[0]?.model, 'openai/gpt-small')
  assert.ok(seen.length > 0 && seen.every(({ url }) => url.startsWith(`${mock.url}/v1/`)))
  assert.equal(keysOf(seen), ['Bearer key-by-hand'])
  assert.is(health.provider, 'openai')
})

test('an address alone is an OpenAI-compatible model, and gets no key of anybody else', async () => {
  for (const options of [
    { baseUrl: `${mock.url}/v1`, model: 'vendor/small' },
    { baseUrl: `${mock.url}/v1`, model: 'small', provider: 'openai' },
    { baseUrl: mock.url, model: 'small', provider: 'anthropic' },
  ]) {
    const { result, seen } = await ask(options)
    assert.is(result.status, 'completed', `${JSON.stringify(options)}: ${result.error?.message}`)
    assert.not.match(JSON.stringify(keysOf(seen)), /canary/, JSON.stringify(options))
    assert.not.match(JSON.stringify(result), /canary/)
  }
  const { seen } = await ask({ baseUrl: `${mock.url}/v1`, model: 'small', apiKey: 'mine' })
  assert.equal(keysOf(seen), ['Bearer mine'])
})

test('a run that names a provider without its key is refused for that, and the client goes on', async () => {
  const bare = { HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'config') }
  const client = await createClient({ env: bare, cwd, config: false })
  try {
    const thrown = await client.run('What is 2 + 3?', { model: 'openai/gpt-x' }).then(
      () => undefined,
      (error: { code: string; message: string }) => error,
    )
    assert.is(thrown?.code, 'no_provider')
    assert.match(thrown?.message ?? '', /'openai' has no key\. Fix: export OPENAI_API_KEY=/)
    assert.is((await client.run('What is 2 + 3?')).status, 'completed')
  } finally {
    await client.disconnect()
  }
})

test.run()
