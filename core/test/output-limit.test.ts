/** How long an answer may get, what is set aside for it, and what it is charged. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ExecutionResult, ModelInfo, RunContext, RunCreate, RunEvent } from '../src/index.ts'
import { definePlugin, type LimitError, ProviderError, startRuntime } from '../src/index.ts'
import { costOf, toDollars } from '../src/runtime/budget/cost.ts'
import { Ledger } from '../src/runtime/budget/ledger.ts'
import { type Script, scriptedProvider } from '../src/testing/index.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('output limits and charges')

const used = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens, estimated: false })
const { signal } = new AbortController()
const price = { input: 2, output: 10 }

async function go(
  script: Script,
  info: Partial<ModelInfo>,
  options: Partial<RunCreate> = {},
  request: object = {},
): Promise<{ result: ExecutionResult; sent: (number | undefined)[]; events: RunEvent[] }> {
  const provider = scriptedProvider('scripted', script)
  const known = { ...provider, models: async () => [{ id: 'scripted', ...info }] }
  const host = definePlugin('model', ({ providers }) => providers.add('scripted', known))()
  const act = tiny({
    execute: async (run: RunContext) => {
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }]
      const answer = await run.model({ key: 'one', agentId: 'agent-1', model: '', messages, stream: false, ...request })
      return execution(answer.text)
    },
  })
  const runtime = await startRuntime({ plugins: [host, act].map((plugin) => ({ plugin })), defaultModel: 'scripted' })
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({ task: 'do it', ...options })
  await runtime.runs.wait(id)
  const result = (await runtime.runs.result(id)) as ExecutionResult
  await runtime.close()
  return { result, sent: provider.requests.map(({ maxOutputTokens }) => maxOutputTokens), events }
}

test("the model's own limit is sent, the agent's where it is lower, and none where nobody knows one", async () => {
  assert.equal((await go(() => 'x', { maxOutput: 32_000 })).sent, [32_000])
  assert.equal((await go(() => 'x', { maxOutput: 32_000 }, {}, { maxOutputTokens: 500 })).sent, [500])
  assert.equal((await go(() => 'x', {}, {}, { maxOutputTokens: 500 })).sent, [500])
  assert.equal((await go(() => 'x', {})).sent, [undefined])
  const [shared] = (await go(() => 'x', { context: 32_000, maxOutput: 32_000 })).sent
  assert.ok(shared !== undefined && shared > 31_900 && shared < 32_000, 'input and output share the window')
})

test('where tokens or dollars are short, what is left of them is the limit', async () => {
  const [few] = (await go(() => 'x', {}, { budget: { maxTokens: 3_000 } })).sent
  assert.ok(few !== undefined && few > 2_500 && few < 3_000, String(few))
  const [some] = (await go(() => 'x', {}, { budget: { maxTokens: 20_000 } })).sent
  assert.ok(some !== undefined && some > 15_000 && some < 20_000, String(some))
  const [cheap] = (await go(() => 'x', { price }, { budget: { maxCostUsd: 0.05 } })).sent
  assert.ok(cheap !== undefined && cheap > 4_500 && cheap <= 5_000, String(cheap))
})

test('the long answer of one agent leaves room for the others at once', () => {
  const ledger = new Ledger({ softTokens: 64_000, hardTokens: 128_000 })
  const shares = Array.from({ length: 8 }, (_, index) => ({ agentId: `agent-${index}`, role: 'worker', tokens: 8_000 }))
  const reserves = { coordination: 0, synthesis: 0, reflection: 0, consensus: 0, final: 0, contingency: 0 }
  ledger.allocate({ total: 64_000, topology: 'PARALLEL', shares, reserves, underfunded: false, explanation: [] })
  for (const { agentId } of shares) {
    const reserved = ledger.reserve(agentId, 1_000, 128_000, undefined, signal)
    assert.not.instance(reserved, Promise, 'nobody waits')
    assert.ok('outputTokens' in reserved && reserved.outputTokens >= 4_096)
  }
  assert.ok(ledger.snapshot().reserved <= 128_000)
  for (const { agentId } of shares.slice(1)) ledger.finish(agentId)
})

test('what is charged is what is reported, or the estimate where that is larger, in tokens and in money', () => {
  const charge = (reported: ReturnType<typeof used>, estimate: ReturnType<typeof used>) => {
    const ledger = new Ledger({ softTokens: 64_000, hardTokens: 128_000, maxCostUsd: 1 })
    const reserved = ledger.reserve('agent-1', 3_000, 100, price, signal)
    if (reserved instanceof Promise) throw new Error('it waits')
    ledger.settle(reserved, reported, estimate, costOf(reported, price))
    const next = ledger.reserve('agent-1', 0, 10_000_000, price, signal)
    if (next instanceof Promise) throw new Error('it waits')
    return { tokens: ledger.used, shown: ledger.costUsd }
  }
  assert.is(charge(used(800, 59), used(3_000, 40)).tokens, 3_059)
  assert.is(charge(used(3_000, 59), used(800, 40)).tokens, 3_059)
  assert.is(
    charge(used(800, 59), used(3_000, 40)).shown,
    (800 * 2 + 59 * 10) / 1e6,
    'what is shown is what is reported',
  )
})

test('a cost limit that is reached is said in money', () => {
  const ledger = new Ledger({ softTokens: 64_000, hardTokens: 128_000, maxCostUsd: 0.01 })
  const reserved = ledger.reserve('agent-1', 1_000, 100, price, signal)
  if (reserved instanceof Promise) throw new Error('it waits')
  ledger.settle(reserved, used(4_000, 100), used(1_000, 100), costOf(used(4_000, 100), price))
  assert.throws(
    () => ledger.reserve('agent-1', 1_000, 100, price, signal),
    (thrown: LimitError) => {
      assert.is(thrown.code, 'budget_exhausted')
      assert.match(thrown.message, 'the cost limit of $0.01 is used up: $0.009 spent, $0.00 in flight')
      return true
    },
  )
})

test('dollars are read at a glance', () => {
  assert.equal([0, 0.000_123_4, 0.0456, 0.5, 12].map(toDollars), ['$0.00', '$0.00012', '$0.046', '$0.50', '$12.00'])
})

test('a request that its provider refused for its shape is made again at once, and is no retry', async () => {
  let calls = 0
  const learnt = ['quirks.noStreamUsage: true']
  const refusal = new ProviderError('provider_bad_response', '400 stream_options is not supported', {
    provider: 'scripted',
    providerStatus: 400,
    retryable: false,
    learnt,
  })
  const { result, events } = await go(() => (++calls === 1 ? { error: refusal } : { text: 'yes' }), {})
  assert.equal([result.status, result.summary, calls], ['completed', 'yes', 2])
  assert.equal(
    events.flatMap((event) => (event.type === 'model.adapted' ? [[event.data.learnt, event.data.cause?.message]] : [])),
    [[learnt, '400 stream_options is not supported']],
  )
  assert.not.ok(events.some(({ type }) => type === 'model.retrying'))
  // Nothing was worked on: the run took what the second request took.
  const [completed] = events.flatMap((event) => (event.type === 'model.completed' ? [event.data.usage] : []))
  assert.is(result.usage.inputTokens, completed?.inputTokens)
})

test('a provider that always learns is asked nine times', async () => {
  let calls = 0
  const error = () =>
    new ProviderError('provider_bad_response', 'no', { provider: 'scripted', retryable: false, learnt: [`l${calls}`] })
  const { result } = await go(() => {
    calls++
    return { error: error() }
  }, {})
  assert.equal([result.status, calls], ['failed', 9])
})

test.run()
