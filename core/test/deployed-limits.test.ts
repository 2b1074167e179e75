/** What a run may take, where the config changes while it is in flight, and where a person adds to it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Run, Runtime, Store, SvcConfig } from '../src/index.ts'
import { createMemoryStore } from '../src/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { ended, expire, model, start, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('limits of runs in flight')

const CALLS = 4
const asking = (isCut: () => boolean) =>
  tiny({
    execute: async (run) => {
      for (let n = 1; n <= CALLS; n++) {
        await run.model({ key: `m${n}`, agentId: 'agent-1', model: '', messages: [], stream: false })
        if (n === CALLS - 1 && !isCut()) return new Promise(() => {})
      }
      return execution('done')
    },
  })

/** A run that was cut off before the last of its calls, and what goes on with it. */
async function cutOff(
  config: SvcConfig,
): Promise<{ store: Store; id: string; next: (config: SvcConfig) => Promise<Runtime> }> {
  const store = createMemoryStore()
  const { store: mortal, faults } = faultyStore(store)
  let isCut = false
  const plugins = [asking(() => isCut), model(() => 'word '.repeat(200))]
  const first = await start(plugins, { store: mortal, config })
  const { id } = await first.runs.create({ task: 'x' })
  await until(async () => (await store.steps(id)).filter(({ state }) => state === 'done').length === CALLS - 1)
  faults.die()
  isCut = true
  await expire(store, id)
  return { store, id, next: (config) => start(plugins, { store, config, claims: 'own' }) }
}

async function resumed(runtime: Runtime, id: string, addBudget?: number): Promise<Run> {
  const { id: next } = await runtime.runs.resume(id, addBudget === undefined ? {} : { addBudget })
  await ended(runtime, next)
  return runtime.runs.get(next)
}

const SMALLER: SvcConfig[] = [{ budget: { maxSteps: 2 } }, { budget: { maxTokens: 30 } }, { tokenBudget: 10 }]

for (const config of SMALLER) {
  test(`a run in flight keeps its limits where a deploy sets ${JSON.stringify(config)}, and a new one has these`, async () => {
    const { id, next } = await cutOff({})
    const runtime = await next(config)
    const run = await resumed(runtime, id)
    assert.is(run.status, 'completed', JSON.stringify(run.error))
    const { id: young } = await runtime.runs.create({ task: 'x' })
    await ended(runtime, young)
    if (config.budget !== undefined) assert.is((await runtime.runs.get(young)).status, 'incomplete')
    await runtime.close()
  })
}

test('what a person adds counts for a run in flight, for one that a limit ended, and for its model calls', async () => {
  const limits: SvcConfig[] = [{ budget: { maxSteps: CALLS - 1 } }, { budget: { maxTokens: 600 } }]
  for (const config of limits) {
    const { id, next } = await cutOff(config)
    const runtime = await next(config)
    const run = await resumed(runtime, id)
    assert.is(run.status, 'incomplete')
    assert.is((await resumed(runtime, id)).status, 'incomplete', 'what ended goes on under the same limits')
    assert.is((await resumed(runtime, id, 64_000)).status, 'completed')
    await runtime.close()
    const other = await cutOff(config)
    const again = await other.next(config)
    assert.is((await resumed(again, other.id, 64_000)).id, other.id)
    assert.is((await again.runs.get(other.id)).status, 'completed')
    await again.close()
  }
})

test.run()
