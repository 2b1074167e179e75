/** S19: neither a model that never ends nor a server that lies about its usage spends more than a run may. */
import { definePlugin, type ModelRequest, noUsage } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { createRuntime } from '../../src/index.ts'
import { type attack, LIES, PRICE, runWith, spend } from './s19-attack.ts'

const test = suite('S19 consumption')

const LIMIT_USD = 0.05
const LIMIT_TOKENS = 20_000

for (const [name, usage] of Object.entries(LIES)) {
  test(`a server that reports ${name} is charged by svc's own count, in tokens and in money`, async () => {
    const dear = await spend(usage, { maxCostUsd: LIMIT_USD, maxTokens: 10_000_000 })
    assert.ok(dear.usd <= LIMIT_USD, JSON.stringify(dear))
    assert.equal([dear.status, dear.reason], ['incomplete', 'budget_exhausted'])
    const long = await spend(usage, { maxTokens: LIMIT_TOKENS })
    assert.ok(long.tokens <= LIMIT_TOKENS, JSON.stringify(long))
    assert.equal([long.status, long.reason], ['incomplete', 'budget_exhausted'])
  })
}

test('without these defences a cache of no number switches the limit in dollars off, and one and one that in tokens', async () => {
  const cache = {
    file: 'core/src/runtime/budget/usable-usage.ts',
    name: 'isPart',
    weaken: '() => (part) => part !== undefined',
  }
  const least = {
    file: 'core/src/runtime/budget/ledger.ts',
    name: 'atLeast',
    weaken: '() => (reported) => reported',
  }
  const { usd, tokens } = (await attackWithout('plugins/test/security/s19-attack.ts', [cache, least])) as Awaited<
    ReturnType<typeof attack>
  >
  assert.ok(usd > 2 * LIMIT_USD, String(usd))
  assert.ok(tokens > 2 * LIMIT_TOKENS, String(tokens))
})

test('hundreds of calls in each answer are spent from the same budget', async () => {
  const { tokens, reason } = await spend(LIES.nothing, { maxTokens: LIMIT_TOKENS }, 300)
  assert.ok(tokens <= LIMIT_TOKENS, String(tokens))
  assert.is(reason, 'budget_exhausted')
})

test('an answer far longer than it may be is charged as it is, and is the last', async () => {
  let calls = 0
  const { result } = await runWith(
    () => {
      calls++
      return {
        text: 'word '.repeat(100_000),
        toolCalls: [{ tool: 'calculate', args: { expression: '1+1' } }],
        usage: noUsage(),
      }
    },
    { budget: { maxTokens: LIMIT_TOKENS } },
  )
  assert.equal([result.status, result.incomplete?.reason, calls], ['incomplete', 'budget_exhausted', 1])
})

const isPlanning = ({ messages }: ModelRequest): boolean => JSON.stringify(messages).includes('"steps"')

test('a plan of thousands of steps is not worked on, and steps that send each other back come to an end', async () => {
  let calls = 0
  const steps = Array.from({ length: 5_000 }, (_, at) => ({ id: `step-${at}`, objective: `part ${at}`, dependsOn: [] }))
  const { result } = await runWith(
    (request) => {
      calls++
      return isPlanning(request) ? JSON.stringify({ steps }) : 'REOPEN step-1: it is not good enough'
    },
    { task: 'Compare Oslo, Lima and Cairo by price, then recommend one.', topology: 'CENTRALIZED' },
  )
  assert.ok(result.steps.length <= 32, String(result.steps.length))
  assert.ok(calls <= 100, String(calls))
})

/** A runtime whose model has a price, and another that has none and takes over where the first fails. */
async function withFallback(): Promise<{
  create: (more: object) => Promise<unknown>
  asked: () => number
  close(): Promise<void>
}> {
  const dear = scriptedProvider('dear', () => ({ error: new Error('out of order') }), {
    models: [{ id: 'm', price: PRICE }],
  })
  const free = scriptedProvider('free', () => 'an answer', { models: [{ id: 'm' }] })
  const models = definePlugin('two-models', ({ providers, hooks }) => {
    providers.add('dear', dear)
    providers.add('free', free)
    hooks.modelRequest.tap('change', (request, asked) =>
      JSON.stringify(asked.messages).includes('Change it') ? { ...asked, model: 'free/m' } : request,
    )
  })()
  const runtime = await createRuntime(
    { model: 'dear/m', components: { memory: false } },
    { plugins: [models], env: {} },
  )
  return {
    create: async (more) => {
      const { id } = await runtime.runs.create({ task: 'Say hello.', budget: { maxCostUsd: 1 }, ...more })
      await runtime.runs.wait(id)
      return runtime.runs.result(id)
    },
    asked: () => free.requests.length,
    close: () => runtime.close(),
  }
}

test('a model without a price is refused under a limit in dollars: of an agent, as a fallback, and put in by a plugin', async () => {
  const { create, asked, close } = await withFallback()
  for (const agent of [
    { name: 'A', model: 'free/m' },
    { name: 'A', fallbackModels: ['free/m'] },
  ]) {
    const thrown = await create({ agents: [agent] }).then(
      () => undefined,
      (error) => error,
    )
    assert.is(thrown?.code, 'validation_failed')
    assert.match(thrown.message, /no price is known for free\/m/)
  }
  const result = JSON.stringify(await create({ task: 'Change it.' }))
  assert.match(result, /no price is known for its model/)
  assert.is(asked(), 0)
  await close()
})

test.run()
