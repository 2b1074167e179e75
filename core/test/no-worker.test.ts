/** A process that answers and works on no runs: what it takes in is worked on by others, and it says where nobody does. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMemoryStore, type Runtime } from '../src/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { ended, expire, model, start, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('a process that works on no runs')

const codes = async (runtime: Runtime): Promise<string[]> =>
  (await runtime.health()).warnings.map(({ code }) => code).filter((code) => code === 'no_worker')

test('its health names what waits where nobody works on runs, and nothing while somebody does', async () => {
  const store = createMemoryStore()
  let now = Date.now()
  const clock = (): number => now
  const asker = await start([tiny(), model()], { store, clock, claims: 'none' })
  const { id } = await asker.runs.create({ task: 'x' })
  assert.equal(await codes(asker), [], 'a worker may be about to take it')
  now += 31_000
  assert.equal(await codes(asker), ['no_worker'])
  const [{ message = '' } = {}] = (await asker.health()).warnings.filter(({ code }) => code === 'no_worker')
  assert.match(message, new RegExp(`${id} for 31 s.*svc worker`))
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  const slow = tiny({ execute: () => opened.then(() => execution('done')) })
  const worker = await start([slow, model()], { store, clock, config: { server: { limits: { runningRuns: 1 } } } })
  await until(async () => (await asker.runs.get(id)).status === 'running')
  const next = await asker.runs.create({ task: 'y' })
  now += 20_000
  assert.equal(await codes(asker), [], 'the worker is busy')
  open()
  for (const run of [id, next.id]) await ended(asker, run)
  assert.equal(await codes(asker), [])
  await Promise.all([asker.close(), worker.close()])
})

test('what is resumed there with more tokens goes on in a process that works', async () => {
  const store = createMemoryStore()
  const { store: mortal, faults } = faultyStore(store)
  let begun = 0
  const hangs = tiny({
    execute: async () => {
      begun++
      return new Promise(() => {})
    },
  })
  const gone = await start([hangs, model()], { store: mortal, leaseMs: 600_000 })
  const { id } = await gone.runs.create({ task: 'x', budget: { maxTokens: 5_000 } })
  await until(() => begun === 1)
  faults.die()
  await expire(store, id)
  const executed: string[] = []
  const act = tiny({
    execute: async (_, task) => {
      executed.push(task)
      return execution('done')
    },
  })
  const asker = await start([act, model()], { store, claims: 'none' })
  await asker.runs.resume(id, { addBudget: 1_000 })
  assert.equal(executed, [])
  assert.ok(((await store.runs.get(id))?.limits?.tokenBudget ?? 0) > 0)
  const worker = await start([act, model()], { store })
  await ended(worker, id)
  assert.is((await asker.runs.get(id)).status, 'completed')
  assert.equal(executed, ['x'])
  await Promise.all([asker.close(), worker.close()])
})

test.run()
