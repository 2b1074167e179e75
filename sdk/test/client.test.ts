/** An embedded client: options, connection, configs, plugins. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { definePlugin, type SvcError } from '@svc/core'
import type { Script } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ClientRunOptions, createClient, ServiceClient, type ServiceClientOptions } from '../src/index.ts'
import { scriptedModel, thrown, withClient } from './fixtures/transports.ts'

const test = suite('client')

const rejections: unknown[] = []
process.on('unhandledRejection', (reason) => rejections.push(reason))

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-sdk-')))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const put = (name: string, content: string): string => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
put('work/.git/HEAD', '')
put('work/package.json', '{"name":"demo","license":"MIT"}')
const env = { HOME: join(folder, 'home'), XDG_CONFIG_HOME: join(folder, 'home/.config') }
const cwd = join(folder, 'work')

/** A client over a scripted model, with nothing of this machine in it. */
const scripted = (script: Script, options: ServiceClientOptions = {}): ServiceClientOptions => ({
  env,
  cwd,
  config: { model: 'scripted/scripted' },
  ...options,
  plugins: [scriptedModel(script), ...(options.plugins ?? [])],
})

test('options that cannot be are refused by the constructor, by name', async () => {
  const wrong: [object, string, RegExp][] = [
    [
      { tokenBugdet: 1 },
      'validation_failed',
      /^tokenBugdet: is no option of ServiceClient: did you mean tokenBudget\?$/,
    ],
    [{ tokenBudget: 0 }, 'validation_failed', /^tokenBudget: must be a whole number of tokens above 0, not 0$/],
    [{ tokenBudget: 1.5 }, 'validation_failed', /above 0, not 1\.5/],
    [{ tokenBudget: '64000' }, 'validation_failed', /^tokenBudget: /],
    [{ defaultTopology: 7 }, 'validation_failed', /^defaultTopology: must be a text/],
    [
      { baseUrl: 'localhost:1' },
      'validation_failed',
      /^baseUrl: must be an address that starts with http.*not "localhost:1"$/,
    ],
    [{ baseUrl: 5 }, 'validation_failed', /^baseUrl: must be an address/],
    [{ provider: 5 }, 'validation_failed', /^provider: must be a text/],
    [{ persistSessions: 'yes' }, 'validation_failed', /^persistSessions: must be true or false/],
    [{ onApproval: true }, 'validation_failed', /^onApproval: must be a function/],
    [{ plugins: {} }, 'validation_failed', /^plugins: must be a list/],
    [{ plugins: ['./mine.ts'] }, 'validation_failed', /^plugins\/0: .*name and apply.* not ".\/mine.ts"$/],
    [
      { plugins: [definePlugin('a', () => {})] },
      'validation_failed',
      /^plugins\/0: .*to be called, not that function$/,
    ],
    [null as never, 'validation_failed', /^options: must be an object, not null$/],
    [5 as never, 'validation_failed', /^options: must be an object, not 5$/],
    [{ signal: {} }, 'validation_failed', /^signal: must be an AbortSignal/],
    [{ config: true }, 'validation_failed', /^config: must be a path, a config or false/],
    [{ apiKey: 'k' }, 'config_invalid', /^apiKey: say whose key it is/],
    [{ serverUrl: 'http://x', provider: 'openai' }, 'config_invalid', /^serverUrl: the server has its own provider/],
    [
      { serverUrl: 'http://x', config: false, cwd: '.' },
      'config_invalid',
      /^serverUrl: .* own config, cwd: leave them/,
    ],
    [{ serverUrl: 'x:1' }, 'validation_failed', /^serverUrl: must be the address of a server .*not "x:1"$/],
    [{ serverUrl: 'http://u:p@x' }, 'validation_failed', /^serverUrl: .*without a key in it/],
    [{ serverKey: 'k' }, 'config_invalid', /^serverKey: of use with a serverUrl only/],
    [{ serverUrl: 'http://x', timeoutMs: 0 }, 'validation_failed', /^timeoutMs: must be a whole number/],
    [{ serverUrl: 'http://x', maxRetries: -1 }, 'validation_failed', /^maxRetries: must be a whole number from 0/],
  ]
  for (const [options, code, message] of wrong) {
    const error = await thrown(() => new ServiceClient(options as ServiceClientOptions))
    assert.is(error.code, code, JSON.stringify(options))
    assert.match(error.message, message)
    assert.not.match(error.message, /undefined/)
  }
  assert.ok(new ServiceClient({ defaultTopology: 'debate', tokenBudget: 5, serverUrl: undefined } as never))
})

test('all options that cannot be are one error, each with its path, and so are those of a run', async () => {
  const options = { signal: 1, tokenBudget: -1, plugins: [{ name: 'a', apply() {} }, 5], tools: [{}], odd: 1 }
  const refused = await thrown(() => new ServiceClient(options as never))
  const paths = (error: SvcError): string[] => (error.errors ?? []).map(({ path }) => path)
  assert.equal(paths(refused), ['/signal', '/tokenBudget', '/plugins/1', '/tools/0', '/odd'])
  const client = new ServiceClient({ env, cwd, config: false })
  await client.connect()
  try {
    const wrong = {
      topology: 'NONE',
      tokenBudget: 'x',
      outputSchema: { type: 'odd' },
      tools: { allow: ['none'] },
      agents: 5,
      odd: 1,
    }
    const of = (task: unknown, given: unknown) => thrown(() => client.run(task as string, given as ClientRunOptions))
    const run = await of(' ', wrong)
    assert.equal(paths(run).sort(), [
      '/agents',
      '/odd',
      '/outputSchema/type',
      '/task',
      '/tokenBudget',
      '/tools/allow',
      '/topology',
    ])
    for (const path of paths(run)) assert.ok(run.message.includes(path), path)
    assert.equal(paths(await of('x', { signal: 1, throwOnFailure: 'no' })), ['/signal', '/throwOnFailure'])
    for (const options of [null, 5, []]) assert.match((await of('x', options)).message, /^options: must be an object/)
    assert.equal((await client.runs.list()).data, [])
  } finally {
    await client.disconnect()
  }
})

test('before connect everything says not_connected, asynchronous methods by rejecting', async () => {
  const client = new ServiceClient({ env, cwd, config: false })
  const asynchronous: ((client: ServiceClient) => Promise<unknown>)[] = [
    (c) => c.run('x'),
    (c) => c.plan('x'),
    (c) => c.analyze('x'),
    (c) => c.createAgent({ name: 'x' }),
    (c) => c.listAgents(),
    (c) => c.writeMemory({ content: 'x' }),
    (c) => c.queryMemory('x'),
    (c) => c.inspect(),
    (c) => c.describe(),
    (c) => c.health(),
  ]
  const synchronous: ((client: ServiceClient) => unknown)[] = [
    (c) => c.onEvent(() => {}),
    (c) => c.stream('x'),
    (c) => c.runs,
    (c) => c.approvals,
    (c) => c.agents,
    (c) => c.memory,
    (c) => c.threads,
  ]
  for (const call of asynchronous) {
    let promise: Promise<unknown> | undefined
    assert.not.throws(() => {
      promise = call(client)
    })
    assert.is((await thrown(() => promise)).code, 'not_connected')
  }
  for (const call of synchronous) assert.is((await thrown(() => call(client))).code, 'not_connected')
})

test('connecting and disconnecting twice does no harm, and a client can be used again', async () => {
  const client = new ServiceClient({ env, cwd, config: false })
  await client.disconnect()
  await Promise.all([client.connect(), client.connect()])
  await client.connect()
  const { id } = await client.createAgent({ name: 'Reader' })
  assert.is(id, 'reader')
  await Promise.all([client.disconnect(), client.disconnect()])
  assert.is((await thrown(() => client.run('x'))).code, 'not_connected')
  await client.connect()
  assert.is((await client.health()).status, 'ok')
  await client[Symbol.asyncDispose]()
  assert.is((await thrown(() => client.health())).code, 'not_connected')
  const broken = new ServiceClient({ env, cwd, config: join(folder, 'missing.json') })
  assert.is((await thrown(() => broken.connect())).code, 'config_invalid')
  put('missing.json', '{}')
  await broken.connect()
  await broken.disconnect()
})

test('configs: a path, an object, files as they are found, or none', async () => {
  const file = put('other/svc.json', '{"tokenBudget": 9000}')
  put('work/.svcrc.json', '{"tokenBudget": 5000}')
  try {
    const total = (options: ServiceClientOptions) =>
      withClient({ env, cwd, ...options }, async (client) => (await client.plan('Count the files here')).budget.total)
    assert.is(await total({ config: file }), 9000)
    assert.is(await total({ config: { tokenBudget: 7000 } }), 7000)
    assert.is(await total({}), 5000)
    assert.is(await total({ config: false }), 64_000)
    assert.is(await total({ config: file, tokenBudget: 8000 }), 8000)
    const error = await thrown(() => createClient({ env, cwd, config: { tokenBugdet: 1 } as never }))
    assert.is(error.code, 'config_invalid')
    assert.match(error.message, /tokenBugdet.*did you mean.*tokenBudget/)
  } finally {
    rmSync(join(cwd, '.svcrc.json'))
  }
})

test('components are swapped and plugins answer before the defaults', async () => {
  const mine = definePlugin('mine', ({ hooks }) =>
    hooks.analyze.tap('mine', (_answer, { task }) => ({
      taskId: task.id,
      score: 0.42,
      recommendedTopology: 'SINGLE',
      confidence: 1,
      agents: 1,
      features: {},
      contributions: {},
      utilities: { SINGLE: 1, SEQUENTIAL: 0, PARALLEL: 0, CENTRALIZED: 0, DECENTRALIZED: 0, HYBRID: 0 },
      alternatives: [],
      estimatedTurns: 1,
      explanation: [],
      openQuestions: [],
      source: 'calibrated',
    })),
  )
  const score = (options: ServiceClientOptions) =>
    withClient(
      scripted(() => 'x', options),
      async (client) => (await client.run('Name it.')).complexity?.score,
    )
  assert.is(await score({ components: { analyze: mine() } }), 0.42)
  assert.is(await score({ plugins: [mine()] }), 0.42)
  assert.is.not(await score({}), 0.42)
  await withClient(
    scripted(() => 'x', { components: { memory: false, inspect: false } }),
    async (client) => {
      assert.is((await client.run('Name it.')).inspection, undefined)
      assert.is((await thrown(() => client.writeMemory({ content: 'x' }))).code, 'config_invalid')
    },
  )
  const off = await thrown(() => createClient({ env, cwd, config: false, components: { plan: false } as never }))
  assert.is(off.code, 'config_invalid')
})

test('without a key and a model the offline provider works in the folder, and says so', async () => {
  await withClient({ env, cwd }, async (client) => {
    const result = await client.run('What is the licence of this package?')
    assert.match(result.summary, /MIT.*package\.json:1/)
    assert.ok(result.warnings.some(({ code }) => code === 'offline_provider'))
    assert.ok((await client.health()).warnings.some(({ code }) => code === 'offline_provider'))
  })
})

test('nothing was rejected without anybody hearing of it', async () => {
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(rejections, [])
})

test.run()
