/** What svc knows of models without asking anybody, and the model servers of this machine. */
import type { ProviderConfig, RunCreate } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  ANTHROPIC_DEFAULT_MODEL,
  createRuntime,
  describeLocalServer,
  findLocalServers,
  OPENAI_DEFAULT_MODEL,
} from '../src/index.ts'
import { createProvider } from '../src/providers/index.ts'
import { chatEvents, sendJson, startFakeServer } from './fixtures/fake-server.ts'
import { resultOf } from './fixtures/runs.ts'

const test = suite('facts of models')

const infosOf = async (config: ProviderConfig, env: Record<string, string> = {}) =>
  createProvider('made', config, { env: { A: 'key-of-a-test', ...env } }).models()

test('windows, limits and prices of the default models are known', async () => {
  for (const [type, model] of [
    ['openai', OPENAI_DEFAULT_MODEL],
    ['anthropic', ANTHROPIC_DEFAULT_MODEL],
  ] as const) {
    const info = (await infosOf({ type, apiKeyEnv: 'A' })).find(({ id }) => id === model)
    assert.ok((info?.context ?? 0) >= 200_000)
    assert.ok((info?.maxOutput ?? 0) >= 32_000)
    assert.ok((info?.price?.output ?? 0) > (info?.price?.input ?? 0))
  }
})

test('a config counts more, field by field; elsewhere, and of other models, nothing is known', async () => {
  const models = { 'gpt-4o': { maxOutput: 100 }, mine: {} }
  const own = await infosOf({ type: 'openai', apiKeyEnv: 'A', models })
  const known = own.find(({ id }) => id === 'gpt-4o')
  assert.equal([known?.maxOutput, known?.context], [100, 128_000])
  assert.equal(
    own.find(({ id }) => id === 'mine'),
    { id: 'mine' },
  )
  const gateway = await infosOf({ type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', models })
  assert.equal(gateway, [{ id: 'gpt-4o', maxOutput: 100 }, { id: 'mine' }])
})

test('a cost limit works with the default model, and its price is charged', async () => {
  const body = { choices: [{ message: { content: 'Oslo' }, finish_reason: 'stop' }] }
  const usage = { prompt_tokens: 1_000, completion_tokens: 100 }
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const asked = JSON.parse(String(init?.body)) as { stream: boolean; max_completion_tokens: number }
    // Of a dollar, each token of the answer may cost its part.
    assert.ok(asked.max_completion_tokens > 4_096 && asked.max_completion_tokens < 1e6 / 20)
    return asked.stream
      ? new Response(chatEvents({ choices: [{ delta: body.choices[0]?.message, finish_reason: 'stop' }], usage }), {
          headers: { 'content-type': 'text/event-stream' },
        })
      : Response.json({ ...body, usage })
  }
  const runtime = await createRuntime(
    {},
    { env: { OPENAI_API_KEY: 'sk-test' }, fetch: fetch as typeof globalThis.fetch },
  )
  const task = 'Name the capital of Norway.'
  const { id } = await runtime.runs.create({ task, budget: { maxCostUsd: 1 } } as RunCreate)
  const result = await resultOf(runtime, id)
  await runtime.close()
  assert.is(result.status, 'completed')
  assert.ok(result.costUsd !== null && result.costUsd > 0.001 && result.costUsd < 0.02, String(result.costUsd))
})

test('model servers of this machine are found by what they answer, and are asked for their models alone', async () => {
  const [models, other, silent] = await Promise.all([startFakeServer(), startFakeServer(), startFakeServer()])
  const servers = { models, other, silent }
  models.answer((response) => sendJson(response, { data: [{ id: 'llama3.2' }, { id: 'qwen3' }] }))
  other.answer((response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
  silent.answer(() => {})
  const usual = (name: keyof typeof servers) => ({
    name,
    port: Number(new URL(servers[name].url).port),
    use: `--${name}`,
  })
  const nobody = { name: 'nobody', port: 9, use: '' }
  const found = await findLocalServers([usual('models'), usual('other'), nobody], 60_000)
  assert.equal(await findLocalServers([usual('silent')], 100), [])
  for (const server of Object.values(servers)) await server.close()
  assert.equal(
    found.map(({ name, models: ids }) => [name, ids]),
    [['models', ['llama3.2', 'qwen3']]],
  )
  assert.equal(found.map(describeLocalServer), [
    `models answers at ${models.url}/v1 with llama3.2 and 1 more; svc uses it with --models`,
  ])
  assert.equal(
    models.seen.map(({ method, path }) => `${method} ${path}`),
    ['GET /v1/models'],
  )
})

test.run()
