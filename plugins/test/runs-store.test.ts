/** The embedded store against the contract of stores: two handles in one process, and two processes. */
import type { RunChange } from '@svc/core'
import { checkStore } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SqliteStore } from '../src/stores/index.ts'
import { openRemote } from './fixtures/remote-store.ts'
import { created, eventOf, leased, newFile, newRow, openStore } from './fixtures/run-rows.ts'
import { until } from './fixtures/until.ts'

const test = suite('runs in SQLite')

for (const fsync of ['group', 'always', 'off'] as const) {
  test(`two handles in one process keep the contract, with fsync ${fsync}`, async () => {
    const problems = await checkStore({
      left: true,
      open: async (clock) => {
        const file = newFile()
        const [store, other] = [new SqliteStore({ file, fsync, clock }), new SqliteStore({ file, fsync, clock })]
        store.open()
        other.open()
        return { store, other, close: async () => void (await Promise.all([store.close(), other.close()])) }
      },
    })
    assert.equal(problems, [])
  })
}

test('two handles in two processes keep the contract', async () => {
  const problems = await checkStore({
    left: true,
    open: async (clock) => {
      const file = newFile()
      const store = new SqliteStore({ file, clock })
      store.open()
      const remote = await openRemote(file, clock)
      return {
        store,
        other: remote.store,
        close: async () => void (await Promise.all([store.close(), remote.close()])),
      }
    },
  })
  assert.equal(problems, [])
})

test('a watcher hears of what another handle does: of events, status, commands, release and removal', async () => {
  const file = newFile()
  const [store, other] = [openStore(file), openStore(file)]
  const lease = await leased(other)
  const heard: RunChange[] = []
  const all: string[] = []
  const stops = [store.watch('run_1', (_, change) => heard.push(change)), store.watch('*', (id) => all.push(id))]
  const hears = async (work: () => unknown, change: RunChange): Promise<void> => {
    heard.length = 0
    await work()
    await until(() => heard.includes(change))
  }
  await hears(() => other.commit(lease, { events: [eventOf('run_1', 1)] }), 'events')
  await hears(() => other.commit(lease, { run: { status: 'running' } }), 'any')
  await hears(() => other.command('run_1', { id: 'c', kind: 'cancel', reason: 'r', by: 'b' }), 'any')
  await hears(() => other.release(lease), 'any')
  assert.ok(all.includes('run_1'))
  await hears(() => other.runs.delete('run_1'), 'status')
  await other.create(newRow('run_2'), [created(newRow('run_2'))])
  await until(() => all.includes('run_2'))
  for (const stop of stops) stop()
  await store.close()
  await other.close()
})

test('a process works only on runs of its own folder, and cancels any', async () => {
  const file = newFile()
  const [here, there] = [openStore(file, { space: '/here' }), openStore(file, { space: '/there' })]
  await here.create(newRow('run_1'), [created(newRow('run_1'))])
  assert.equal(await there.claim('a', { limit: 9, ttlMs: 1_000 }), [])
  assert.is((await there.claim('a', { limit: 9, ttlMs: 1, only: 'run_1' })).length, 1)
  await until(async () => (await here.claim('a', { limit: 9, ttlMs: 1_000 })).length === 1)
  await here.close()
  await there.close()
})

test.run()
