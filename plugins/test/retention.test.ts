/** Which runs are kept, and for how long. */
import { fork } from 'node:child_process'
import { createMemoryStore } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { createRuntime } from '../src/index.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { addRun, createClock, DAY_MS, idsOf, type NewStore, startIn, testRetention } from './fixtures/retention.ts'
import { newFile, openStore } from './fixtures/run-rows.ts'
import { until } from './fixtures/until.ts'

const test = suite('runs that are kept')

const STORES: Readonly<Record<string, NewStore>> = {
  SQLite: async (clock) => {
    const file = newFile()
    return async () => openStore(file, { clock })
  },
  memory: async (clock) => {
    const store = createMemoryStore({ clock })
    return async () => store
  },
}

for (const [name, newStore] of Object.entries(STORES)) {
  testRetention((title, work) => test(`${name}: ${title}`, work), newStore)

  test(`${name}: pruned is what ended long ago, of a folder or all, with a status or any, and a dry run says as much`, async () => {
    const space = fc.constantFrom('a', 'b')
    const status = fc.constantFrom('completed' as const, 'failed' as const, undefined)
    const runs = fc.array(fc.record({ space, status }), { maxLength: 45 })
    const query = fc.record({
      olderThanMs: fc.integer({ min: 0, max: 50 * DAY_MS }),
      all: fc.boolean(),
      isFailed: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(runs, query, async (all, { isFailed, ...asked }) => {
        const { clock, pass } = createClock()
        const store = await (await newStore(clock))()
        for (const [n, run] of all.entries()) {
          await addRun(store, `run_${n}`, run.space, run.status)
          pass(DAY_MS)
        }
        const runtime = await startIn(store, clock, 'a', {})
        const goes = all.map(
          (run, n) =>
            run.status !== undefined &&
            (asked.all || run.space === 'a') &&
            (!isFailed || run.status === 'failed') &&
            (all.length - n) * DAY_MS > asked.olderThanMs,
        )
        const which = { ...asked, ...(isFailed && { status: 'failed' as const }) }
        const said = await runtime.prune({ ...which, dryRun: true })
        assert.is((await idsOf(store)).length, all.length)
        assert.equal(await runtime.prune(which), said)
        assert.is(said.runs, goes.filter(Boolean).length)
        assert.equal(
          await idsOf(store),
          goes.flatMap((isGone, n) => (isGone ? [] : [String(n)])),
        )
        await runtime.close()
      }),
      { numRuns: 12 },
    )
  })
}

test('a store in memory keeps as many ended runs as the config says, at once', async () => {
  const runtime = await createRuntime(
    { store: { retainRuns: 2 }, model: 'offline/offline' },
    { env: {}, persist: false },
  )
  const ids: string[] = []
  for (let n = 0; n < 4; n++) {
    const { run, done } = await runtime.runs.start({ task: `Say ${n}`, topology: 'SINGLE' })
    await done
    ids.push(run.id)
  }
  assert.equal((await runtime.runs.list()).data.map(({ id }) => id).reverse(), ids.slice(2))
  await runtime.close()
})

test('an age that is none and a status that no run ends with are refused by name', async () => {
  const { clock } = createClock()
  const runtime = await startIn(createMemoryStore({ clock }), clock, 'a', {})
  const refused = async (query: Parameters<typeof runtime.prune>[0]): Promise<unknown> =>
    runtime.prune(query).then(
      () => 'nothing',
      (thrown) => thrown.errors[0].path,
    )
  assert.is(await refused({ olderThanMs: -1 }), '/olderThanMs')
  assert.is(await refused({ olderThanMs: Number.NaN }), '/olderThanMs')
  assert.is(await refused({ olderThanMs: 1, status: 'running' }), '/status')
  await runtime.close()
})

test('a process that is killed while it removes runs leaves none half, and the next one goes on', async () => {
  const file = newFile()
  const store = openStore(file)
  const count = 150
  for (let n = 0; n < count; n++) await addRun(store, `run_${n}`, 'a', 'completed')
  for (let n = 0; n < count; n++)
    await store.payloads.put(`run_${n}`, Buffer.from(`a large value of ${Math.floor(n / 2)}`))
  const args = argumentsFor(new URL('fixtures/retaining-process.ts', import.meta.url))
  const child = fork(args.at(-1) ?? '', [file], { execArgv: args.slice(0, -1) })
  const left = async (): Promise<number> => (await store.runs.summarize?.({}))?.total ?? 0
  await until(async () => (await left()) < count)
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  assert.ok((await left()) > 0) // mostly it was killed in the middle: a piece goes every 50 ms
  const db = new Sqlite(file)
  const orphans = (table: string): unknown =>
    db.get(`SELECT count(*) AS rows FROM ${table} WHERE run NOT IN (SELECT seq FROM runs)`)?.rows
  for (const table of ['run_log', 'run_requests', 'run_payload_uses']) assert.is(orphans(table), 0, table)
  const unused = 'SELECT count(*) AS rows FROM run_payloads WHERE id NOT IN (SELECT payload FROM run_payload_uses)'
  assert.is(db.get(unused)?.rows, 0)
  db.close()
  const runtime = await startIn(store, () => Date.now() + 61_000, 'a', { retainRuns: 0 })
  await until(async () => (await left()) === 0)
  await runtime.close()
})

test.run()
