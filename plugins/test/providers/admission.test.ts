/** What a provider's server and config say of its limits, over the runs of a process. */
import type { RunEvent } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createProvider, createRuntime } from '../../src/index.ts'
import { toRequest } from '../fixtures/ask.ts'
import { type FakeServer, sendJson, startFakeServer } from '../fixtures/fake-server.ts'
import { until } from '../fixtures/until.ts'

const test = suite('limits of providers')

let server: FakeServer
test.before.each(async () => {
  server = await startFakeServer()
})
test.after.each(() => server.close())

const answer = {
  choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 1 },
}

test('the headers of an answer say what is left, in the words of both vendors', async () => {
  const { signal } = new AbortController()
  for (const [headers, limits] of [
    [
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1m2.5s',
        'x-ratelimit-limit-requests': '60',
      },
      { requests: { remaining: 0, resetMs: 62_500, limit: 60 } },
    ],
    [
      { 'x-ratelimit-remaining-tokens': '7', 'x-ratelimit-reset-tokens': '17ms' },
      { tokens: { remaining: 7, resetMs: 17 } },
    ],
    [{ 'x-ratelimit-remaining-tokens': 'many', 'x-ratelimit-reset-tokens': '1s' }, undefined],
    [
      { 'anthropic-ratelimit-requests-remaining': '3', 'anthropic-ratelimit-requests-reset': '2020-01-01T00:00:00Z' },
      { requests: { remaining: 3, resetMs: 0 } },
    ],
  ] as const) {
    server.answer((response) => sendJson(response, answer, 200, headers))
    const provider = createProvider(
      'mine',
      { type: 'openai', baseUrl: `${server.url}/v1`, defaultModel: 'm' },
      { env: {} },
    )
    const got = await provider.complete?.(toRequest(), { signal })
    assert.equal(got?.limits, limits)
  }
})

for (const [name, bounds] of [
  ['provider', { requestsPerMinute: 2 }],
  ['model', { models: { m: { context: 100_000, requestsPerMinute: 2 } } }],
] as const) {
  test(`a run whose ${name} takes no more this minute waits, says so, and ends when it is cancelled`, async () => {
    server.answer((response) => sendJson(response, answer))
    const provider = { type: 'openai', baseUrl: `${server.url}/v1`, models: { m: { context: 100_000 } }, ...bounds }
    const config = {
      model: 'mine/m',
      providers: { mine: provider },
      components: { reflect: false as const, consensus: false as const },
    }
    const runtime = await createRuntime(config, { env: {}, persist: false })
    try {
      const lines: RunEvent[] = []
      runtime.onEvent((event) => {
        if (event.type === 'log.line') lines.push(event)
      })
      for (const task of ['one', 'two']) await runtime.runs.wait((await runtime.runs.create({ task })).id)
      const { id } = await runtime.runs.create({ task: 'three' })
      await until(() => lines.length > 0)
      assert.match(JSON.stringify(lines[0]?.data), 'a call to mine/m waits for its turn: requestsPerMinute')
      await runtime.runs.cancel(id)
      assert.is((await runtime.runs.wait(id)).status, 'cancelled')
      assert.is(server.seen.length, 2)
    } finally {
      await runtime.close()
    }
  })
}

test('a wait that the server asks one run for holds the others, too', async () => {
  server.answer((response) => sendJson(response, { error: { message: 'slow down' } }, 429, { 'retry-after': '55' }))
  const provider = { type: 'openai', baseUrl: `${server.url}/v1`, models: { m: { context: 100_000 } } }
  const runtime = await createRuntime(
    { model: 'mine/m', providers: { mine: provider }, components: { reflect: false, consensus: false } },
    { env: {}, persist: false },
  )
  try {
    const seen: string[] = []
    runtime.onEvent((event) => void seen.push(`${event.runId} ${event.type}`))
    const first = await runtime.runs.create({ task: 'one' })
    await until(() => seen.includes(`${first.id} model.retrying`))
    const second = await runtime.runs.create({ task: 'two' })
    await until(() => seen.includes(`${second.id} log.line`))
    assert.is(server.seen.length, 1)
    for (const { id } of [first, second]) await runtime.runs.cancel(id)
    for (const { id } of [first, second]) assert.is((await runtime.runs.wait(id)).status, 'cancelled')
  } finally {
    await runtime.close()
  }
})

test('an outage is not asked more than three times for ten calls and twenty in all, whatever calls are tried', async () => {
  server.answer((response) => sendJson(response, { error: { message: 'down' } }, 500, { 'retry-after-ms': '0' }))
  const provider = { type: 'openai', baseUrl: `${server.url}/v1`, models: { m: { context: 100_000 } } }
  const runtime = await createRuntime(
    { model: 'mine/m', providers: { mine: provider }, components: { reflect: false, consensus: false } },
    { env: {}, persist: false },
  )
  try {
    const runs = 40
    for (let count = 0; count < runs; count++) {
      const { id } = await runtime.runs.create({ task: `Ask ${count}.` })
      await runtime.runs.wait(id)
    }
    const calls = new Set(server.seen.map(({ body }) => JSON.stringify(body))).size
    assert.ok(calls >= runs)
    assert.ok(server.seen.length <= 1.3 * 2 * runs + 20, `${server.seen.length} requests of ${runs} runs`)
  } finally {
    await runtime.close()
  }
})

test.run()
