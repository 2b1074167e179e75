import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Plugin, RunEvent } from '../src/index.ts'
import { definePlugin, startRuntime } from '../src/index.ts'
import { TokenCorrection } from '../src/runtime/budget/token-correction.ts'
import { scriptedProvider } from '../src/testing/index.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('correction of token estimates')
const used = (inputTokens: number, estimated = false) => ({ inputTokens, outputTokens: 5, estimated })

test('stays between a half and two, whatever a provider reports', () => {
  const correction = new TokenCorrection()
  for (let n = 0; n < 200; n++) {
    correction.observe('high', 10, used(1_000_000))
    correction.observe('low', 1_000_000, used(1))
  }
  assert.ok(Math.abs(correction.factorOf('high') - 2) < 1e-6 && correction.factorOf('high') <= 2)
  assert.ok(Math.abs(correction.factorOf('low') - 0.5) < 1e-6 && correction.factorOf('low') >= 0.5)
})

test('learns nothing from what nobody counted', () => {
  const correction = new TokenCorrection()
  correction.observe('a/m', 100, used(300, true))
  correction.observe('a/m', 100, used(0))
  correction.observe('a/m', 0, used(100))
  assert.is(correction.factorOf('a/m'), 1)
})

/** Estimates of four equal calls whose input is reported as `tokens`. */
async function estimates(tokens: number): Promise<{ estimated: number[]; used: number[] }> {
  const provider = scriptedProvider('scripted', () => ({ text: 'fine', usage: used(Math.round(tokens)) }))
  const plugins: Plugin[] = [
    definePlugin('model', ({ providers }) => providers.add('scripted', provider))(),
    tiny({
      execute: async (run) => {
        for (let n = 1; n <= 4; n++) {
          await run.model({
            key: `model:${n}`,
            agentId: 'agent-1',
            model: '',
            messages: [
              { role: 'user', content: [{ type: 'text', text: 'one two three four five six seven '.repeat(30) }] },
            ],
            stream: false,
          })
        }
        return execution('done')
      },
    }),
  ]
  const runtime = await startRuntime({ plugins: plugins.map((plugin) => ({ plugin })), defaultModel: 'scripted' })
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({ task: 'count' })
  await runtime.runs.wait(id)
  await runtime.close()
  return {
    estimated: events.flatMap((event) => (event.type === 'model.started' ? [event.data.estimatedInputTokens] : [])),
    used: events.flatMap((event) => (event.type === 'budget.updated' ? [event.data.used] : [])),
  }
}

/** What the first of the calls is estimated, before anything is learnt. */
async function firstEstimate(): Promise<number> {
  const { estimated } = await estimates(1)
  return estimated[0] ?? 0
}

test('raises the estimates of a model that counts more', async () => {
  const first = await firstEstimate()
  const { estimated } = await estimates(1.5 * first)
  const [, second = 0, third = 0, fourth = 0] = estimated
  assert.ok(Math.abs(second / first - 1.05) < 0.01, `${first}, ${second}`)
  assert.ok(third > second && fourth > third)
})

test('shows lower estimates of a model that counts less, and charges its own count all the same', async () => {
  const first = await firstEstimate()
  const { estimated, used: charged } = await estimates(0.6 * first)
  const [, , , fourth = 0] = estimated
  assert.ok(fourth < first)
  assert.ok((charged.at(-1) ?? 0) >= 4 * first)
})

test.run()
