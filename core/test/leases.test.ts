import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createMemoryStore } from '../src/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { codeOf, ended, model, settled, start, summaryOf, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('leases')

/** Answers once it is released. */
function held() {
  let release: () => void = () => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  const plugin = tiny({
    execute: async () => {
      await until
      return execution('done')
    },
  })
  return { plugin, release: () => release() }
}

test('a renewal that fails is tried again, and ends nothing as long as the lease is valid', async () => {
  const { store, faults } = faultyStore(createMemoryStore())
  const { plugin, release } = held()
  const runtime = await start([plugin, model()], { store, leaseMs: 3_000 })
  const { id } = await runtime.runs.create({ task: 'x' })
  await until(async () => (await runtime.runs.get(id)).status === 'running')
  const renewals = (): number => faults.calls.get('renew') ?? 0
  const another = async (): Promise<void> => {
    const before = renewals()
    await until(() => renewals() > before)
  }
  faults.failing.set('renew', new Error('the network is down'))
  await another()
  faults.failing.clear()
  await another()
  release()
  assert.is((await runtime.runs.wait(id)).status, 'completed')
  await runtime.close()
})

test('a worker whose lease another took writes nothing, and the result of the other stands', async () => {
  const memory = createMemoryStore()
  const slow = faultyStore(memory)
  const work = held()
  const first = await start([work.plugin, model()], { store: slow.store, leaseMs: 40 })
  const { id } = await first.runs.create({ task: 'x' })
  await until(async () => (await memory.runs.get(id))?.status === 'running')
  slow.faults.failing.set('renew', new Error('cut off')) // the first process is alive, but does not reach the store in time
  await memory.release({ runId: id, owner: '', epoch: 1, expiresAt: 0 })
  const second = await start([tiny({ execute: async () => execution('by the second') }), model()], { store: memory })
  await ended(second, id)
  slow.faults.failing.clear()
  work.release()
  await settled()
  assert.is((await second.runs.get(id)).status, 'completed')
  assert.is(await summaryOf(second, id), 'by the second')
  assert.is((await first.runs.wait(id)).status, 'completed', 'a wait in the first process ends with the run elsewhere')
  assert.is(await summaryOf(first, id), 'by the second')
  const ends = (await memory.events.list(id)).filter(({ type }) => type.startsWith('run.completed'))
  assert.is(ends.length, 1)
  await first.close()
  await second.close()
})

test('what a process puts for a run that it has lost is refused', async () => {
  const memory = createMemoryStore()
  const { store, faults } = faultyStore(memory)
  let said: Promise<string | undefined> | undefined
  const putting = tiny({
    execute: async (run) => {
      await new Promise((resolve) => run.signal.addEventListener('abort', resolve))
      said = codeOf(Promise.resolve(run.records('note', '').put('one', 'of a run that ends elsewhere')))
      return execution('done')
    },
  })
  const runtime = await start([putting, model()], { store, leaseMs: 40 })
  const { id } = await runtime.runs.create({ task: 'x' })
  await until(async () => (await memory.runs.get(id))?.status === 'running')
  faults.failing.set('renew', new Error('cut off'))
  await until(() => said !== undefined)
  assert.is(await said, 'lease_lost')
  assert.is(await memory.records('note', '').get('one'), undefined)
  faults.failing.clear()
  await runtime.close()
})

test('a process that works on none but its own runs takes a left one up when it is asked to, and one that only asks takes none', async () => {
  const store = createMemoryStore()
  const { plugin, release } = held()
  const first = await start([plugin, model()], { store, drainMs: 1 })
  const { id } = await first.runs.create({ task: 'left behind' })
  await until(async () => (await store.runs.get(id))?.status === 'running')
  await first.close() // releases what did not end in time
  release()

  const asking = await start([tiny({ execute: async () => execution('by nobody') }), model()], {
    store,
    claims: 'none',
  })
  const own = await start([tiny({ execute: async () => execution('by its own') }), model()], { store, claims: 'own' })
  const queued = await asking.runs.create({ task: 'for others' })
  const made = await own.runs.create({ task: 'made here' })
  assert.is((await own.runs.wait(made.id)).status, 'completed')
  assert.is((await asking.runs.get(id)).status, 'running', 'nobody goes on with it unasked')
  assert.is((await asking.runs.get(queued.id)).status, 'queued')
  assert.is((await own.runs.resume(id)).status, 'running')
  assert.is((await own.runs.wait(id)).status, 'completed')
  assert.is(await summaryOf(own, id), 'by its own')
  assert.is(await codeOf(own.runs.resume(id)), 'invalid_transition')
  await asking.runs.cancel(queued.id)
  await ended(own, queued.id)
  assert.is((await asking.runs.get(queued.id)).status, 'cancelled', 'a cancel needs no more than a process that can')
  await Promise.all([asking.close(), own.close()])
})

test('closing lets a run at work end in time, and lets go of one that does not', async () => {
  const store = createMemoryStore()
  const { plugin, release } = held()
  const first = await start([plugin, model()], { store, drainMs: 5_000 })
  const { id } = await first.runs.create({ task: 'x' })
  await until(async () => (await first.runs.get(id)).status === 'running')
  const closing = first.close()
  release()
  await closing
  assert.is((await store.runs.get(id))?.status, 'completed')

  const second = await start([held().plugin, model()], { store, drainMs: 20 })
  const run = await second.runs.create({ task: 'y' })
  await until(async () => (await second.runs.get(run.id)).status === 'running')
  const waited = codeOf(second.runs.wait(run.id))
  await second.close()
  assert.is(await waited, 'shutting_down')
  assert.is((await store.runs.get(run.id))?.status, 'running')
  const third = await start([tiny({ execute: async () => execution('went on') }), model()], { store })
  await ended(third, run.id)
  assert.is(await summaryOf(third, run.id), 'went on')
  await third.close()
})

test.run()
