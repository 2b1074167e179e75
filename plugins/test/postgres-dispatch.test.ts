/** Runs in PostgreSQL, handed by DBOS to whichever worker is free. */
import type { ClaimedRun, RunRow } from '@svc/core'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { PostgresStore } from '../src/stores/index.ts'
import { loadDbos } from '../src/stores/postgres/dispatch/load-dbos.ts'
import { startCuttingProxy } from './fixtures/cutting-proxy.ts'
import { postgresSuite } from './fixtures/postgres-suite.ts'
import { created, newRow } from './fixtures/run-rows.ts'
import { ended, newTask, recorded, startCountingModel, startService, startWorker } from './fixtures/run-workers.ts'
import { until } from './fixtures/until.ts'

const isNightly = process.env.SVC_NIGHTLY === '1'
const { test, withServer, server } = await postgresSuite('runs handed out over PostgreSQL')

const stores: PostgresStore[] = []
test.after.each(async () => {
  // Those that a failed test has left open would be in the way of the next.
  for (const store of stores.splice(0)) await store.close().catch(() => {})
})

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function opened(
  url: string,
  limits?: { runningRuns?: number; startsPerMinute?: number },
): Promise<PostgresStore> {
  const store = new PostgresStore({ url, limits })
  await store.open()
  stores.push(store)
  return store
}

/** Queues so many new runs. */
async function queue(store: PostgresStore, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) await store.create(newRow(`run_${n}`), [created(newRow(`run_${n}`))])
}

/** Works on a run that is offered: claims it, does what a test says, and ends it. */
const working =
  (store: PostgresStore, during: (runId: string) => unknown = () => {}, owner = 'proc_1') =>
  async (runId: string, held?: ClaimedRun): Promise<boolean> => {
    const [claimed] = held === undefined ? await store.claim(owner, { limit: 1, ttlMs: 60_000, only: runId }) : [held]
    if (claimed === undefined) return true
    await during(runId)
    await store.commit(claimed.lease, { run: { status: 'completed', finishedAt: '2026-01-01T00:00:00.000Z' } })
    await store.release(claimed.lease)
    return true
  }

test('a missing package is named with the command that installs it', async () => {
  const thrown = await loadDbos(() => Promise.reject(new Error('none'))).catch((error: unknown) => error as Error)
  assert.match((thrown as Error).message, /npm install @dbos-inc\/dbos-sdk/)
})

/** Makes a new database ready and begins to hand out runs, over a connection that is cut at one statement. @returns how many it took */
async function startCutAt(statement: number, isAnswer: boolean): Promise<number> {
  const proxy = await startCuttingProxy(server.port)
  proxy.cutAt(statement, isAnswer)
  const store = await opened(server.newDatabase().replace(`:${server.port}/`, `:${proxy.port}/`))
  const stop = await store.dispatch(async () => true, { limit: 1 })
  const { statements } = proxy
  await stop(0)
  await store.close()
  proxy.close()
  return statements
}

withServer('a connection that is cut at any statement of a start does not end it', async () => {
  const all = await startCutAt(Number.POSITIVE_INFINITY, false)
  const step = isNightly ? 1 : Math.ceil(all / 5)
  for (let at = 2; at <= all; at += step) {
    await startCutAt(at, false)
    if (isNightly) await startCutAt(at, true)
  }
})

withServer(
  'a worker whose connections are all forgotten by the network goes on over others, and can be stopped',
  async () => {
    const proxy = await startCuttingProxy(server.port)
    const url = server.newDatabase()
    const store = await opened(url.replace(`:${server.port}/`, `:${proxy.port}/`))
    const asking = await opened(url)
    const begun = new Set<string>()
    const stop = await store.dispatch(
      working(store, (runId) => begun.add(runId)),
      { limit: 8 },
    )
    const create = (names: readonly string[]) =>
      Promise.all(names.map((id) => asking.create(newRow(id), [created(newRow(id))])))
    const names = (round: number) => Array.from({ length: 24 }, (_, n) => `run_${round}_${n}`)
    await create(names(1))
    await until(() => begun.size === 24)
    proxy.forget()
    await create(names(2))
    await until(() => begun.size === 48)
    proxy.forget()
    await stop(0)
    await store.close()
    proxy.close()
  },
)

withServer('who stops while runs are being handed out leaves nothing behind that others wait for', async () => {
  const url = server.newDatabase()
  for (let round = 0; round < (isNightly ? 12 : 3); round++) {
    const store = await opened(url)
    const stop = await store.dispatch(async () => false, { limit: 8 })
    const rows = Array.from({ length: 10 }, (_, n) => newRow(`run_${round}_${n}`))
    await Promise.all(rows.map((row) => store.create(row, [created(row)])))
    await pause(round)
    await stop(0)
    await store.close()
  }
})

withServer('what a killed worker held goes on elsewhere long before its lease has run out', async () => {
  const url = server.newDatabase()
  const model = await startCountingModel(200)
  const store = new PostgresStore({ url })
  const service = await startService(store)
  const leaseMs = 3_600_000
  const killed = await startWorker(url, model.url, leaseMs)
  const { id } = await service.runs.create(newTask('held', 20))
  await until(() => model.asked.length > 3)
  killed.kill('SIGKILL')
  await ended(killed)
  const known = await recorded(store, [id])
  const before = model.asked.length
  await startWorker(url, model.url, leaseMs)
  await until(() => model.asked.length > before)
  assert.equal(
    model.asked.slice(before).filter((objective) => known.has(objective)),
    [],
  )
  await service.runs.cancel(id)
  await service.close()
  await model.close()
})

if (isNightly)
  withServer(
    'a worker is whole again as soon as a database is that was away for longer than anything waits',
    async () => {
      const [places, before, after] = [8, 60, 300]
      const store = await opened(server.newDatabase())
      const queueMore = (count: number, name: string) =>
        Promise.all(
          Array.from({ length: count }, (_, n) =>
            store.create(newRow(`${name}_${n}`), [created(newRow(`${name}_${n}`))]),
          ),
        )
      const atWork = new Set<string>()
      let [done, doneWhenFull] = [0, Number.POSITIVE_INFINITY]
      const work = async (runId: string): Promise<void> => {
        if (atWork.add(runId).size === places && runId.startsWith('after')) doneWhenFull = Math.min(doneWhenFull, done)
        await pause(200)
        atWork.delete(runId)
        done++
      }
      const stop = await store.dispatch(working(store, work), { limit: places })
      await queueMore(before, 'before')
      await until(() => done > 0)
      server.stop(true)
      await pause(70_000)
      server.start()
      done = 0
      await queueMore(after, 'after')
      await until(() => done >= after)
      assert.ok(doneWhenFull < after / 3, `${places} at once only after ${doneWhenFull} of ${after}`)
      await stop(1_000)
      await store.close()
    },
  )

/** Lets six workers begin at once with twelve runs. @returns how many were at work together at most */
async function atWorkTogether(runningRuns: number): Promise<number> {
  const store = await opened(server.newDatabase(), { runningRuns })
  await queue(store, 12)
  const atWork = new Set<string>()
  let most = 0
  const work = async (runId: string): Promise<void> => {
    most = Math.max(most, atWork.add(runId).size)
    await pause(30)
    atWork.delete(runId)
  }
  const workers = Array.from({ length: 6 }, (_, n) => working(store, work, `proc_${n}`))
  const stops = await Promise.all(workers.map((worker) => store.dispatch(worker, { limit: 8 })))
  await until(async () => (await store.runs.list({ status: 'queued' })).data.length === 0)
  for (const stop of stops) await stop(1_000)
  await store.close()
  return most
}

withServer('limits hold over all workers, also while all begin at the same moment', async () => {
  for (let round = 0; round < (isNightly ? 120 : 8); round++) assert.is(await atWorkTogether(2), 2)
})

withServer('no more runs begin in a minute than may', async () => {
  const url = server.newDatabase()
  const store = await opened(url, { startsPerMinute: 3 })
  await queue(store, 6)
  const offered: string[] = []
  const stop = await store.dispatch(
    async (runId) => {
      await store.claim('proc_1', { limit: 1, ttlMs: 60_000, only: runId })
      offered.push(runId)
      return true
    },
    { limit: 8 },
  )
  await until(() => offered.length >= 3)
  await pause(500)
  assert.is(offered.length, 3)
  await stop(100)
  await store.close()
})

withServer(
  'a process takes its own new runs at once until it is half full, and what is left over as places come free',
  async () => {
    const url = server.newDatabase()
    const store = await opened(url)
    const begun: string[] = []
    const ends = new Map<string, () => void>()
    const work = async (runId: string): Promise<void> => {
      begun.push(runId)
      await new Promise<void>((resolve) => ends.set(runId, resolve))
    }
    const stop = await store.dispatch(working(store, work), { limit: 4 })
    const holder = { owner: 'proc_1', ttlMs: 60_000 }
    const create = (n: number) =>
      store.create(newRow(`run_${n}`), [created(newRow(`run_${n}`))], undefined, undefined, holder)
    const offersOf = () =>
      server.sql("SELECT string_agg(offers::text, ' ' ORDER BY seq) FROM svc.runs", new URL(url).pathname.slice(1))
    for (const n of [0, 1]) await create(n)
    await until(() => begun.length === 2)
    assert.is(offersOf(), '0 0')
    for (const n of [2, 3, 4, 5]) await create(n)
    await until(() => begun.length === 4)
    await pause(1_500)
    assert.equal(begun.length, 4)
    assert.is(offersOf(), '0 0 1 1 0 0')
    for (const done of [4, 5, 6]) {
      const [[runId, end] = ['', () => {}]] = ends
      ends.delete(runId)
      end()
      await until(() => begun.length === Math.min(6, done + 1))
    }
    for (const end of ends.values()) end()
    await stop(1_000)
    await store.close()
  },
)

withServer('tenants take turns, however much one of them has queued; each has its own order', async () => {
  const store = await opened(server.newDatabase())
  const make = (names: readonly string[], more: Partial<RunRow>) =>
    Promise.all(names.map((id) => store.create(newRow(id, more), [created(newRow(id, more))])))
  const crew = Array.from({ length: 300 }, (_, n) => `crew_${n}`)
  const first = crew.slice(0, 5)
  for (const id of first) await make([id], { owner: 'crew' })
  await make(crew.slice(first.length), { owner: 'crew' }) // at once, so that any of them may be made first
  await make(['other'], { owner: 'other' })
  await make(['folder'], {})
  await make(['urgent'], { owner: 'crew', create: { task: 'a task', priority: 5 } })
  const begun: string[] = []
  const work = (runId: string): unknown => (begun.push(runId) < 8 ? undefined : new Promise(() => {}))
  const stop = await store.dispatch(working(store, work), { limit: 1 })
  await until(() => begun.length === 8)
  assert.equal(new Set(begun.slice(0, 3)), new Set(['urgent', 'other', 'folder']))
  assert.equal(begun.slice(3), first)
  await stop(0)
  await store.close()
})

withServer('runs of one tenant begin in the order in which they were made, over several workers', async () => {
  const store = await opened(server.newDatabase())
  const runs = 60
  const begun: number[] = []
  const ends: (() => void)[] = []
  const work = (runId: string): Promise<void> => {
    begun.push(Number(runId.slice('run_'.length)))
    return new Promise((resolve) => ends.push(resolve))
  }
  const stops = await Promise.all(
    ['one', 'two'].map((owner) => store.dispatch(working(store, work, owner), { limit: 2 })),
  )
  const queued = queue(store, runs)
  for (let places = 4, freed = 1; ; places += freed, freed = (freed % 4) + 1) {
    const expected = Math.min(runs, places)
    await until(() => begun.length >= expected)
    // How soon a worker claims what it was offered is its own affair; while all have begun something, no offer is on its way.
    assert.equal(
      begun.toSorted((one, other) => one - other),
      Array.from({ length: expected }, (_, index) => index + 1),
    )
    if (expected === runs) break
    for (let n = 0; n < freed; n++) (n % 2 === 0 ? ends.shift() : ends.pop())?.()
  }
  for (const end of ends) end()
  await queued
  for (const stop of stops) await stop(1_000)
  await store.close()
})

withServer('a worker without work leaves the database alone', async () => {
  const proxy = await startCuttingProxy(server.port)
  const url = server.newDatabase().replace(`:${server.port}/`, `:${proxy.port}/`)
  const runtime = await createRuntime({ model: 'offline/offline', store: { url } }, { env: {} })
  const { id } = await runtime.runs.create({ task: 'Say hello', mode: 'analyze' })
  await runtime.runs.wait(id)
  await pause(1_000)
  const [before, from] = [proxy.sent, performance.now()]
  await pause(10_000)
  const seconds = (performance.now() - from) / 1_000
  const statements = proxy.sent - before
  await runtime.close()
  proxy.close()
  assert.ok(statements > 0 && statements <= 5 * seconds, `${statements} statements in ${seconds} s`)
})

withServer('runs of a thread are handed out one after the other', async () => {
  const store = await opened(server.newDatabase())
  for (const n of [1, 2]) {
    const row = { ...newRow(`run_${n}`), threadId: 'thr_1' as const }
    await store.create(row, [created(row)])
  }
  const offered: string[] = []
  let endFirst = (): void => {}
  const work = working(store, async (runId) => {
    if (runId === 'run_1') await new Promise<void>((resolve) => (endFirst = resolve))
  })
  const offering = (runId: string): Promise<boolean> => {
    offered.push(runId)
    return work(runId)
  }
  const stop = await store.dispatch(offering, { limit: 8 })
  await until(() => offered.length === 1)
  await pause(400)
  assert.equal(offered, ['run_1'])
  endFirst()
  await until(() => offered.length === 2)
  await stop(1_000)
  await store.close()
})

withServer('a run that nobody can work on is offered again, and one whose ticket was taken in vain', async () => {
  const url = server.newDatabase()
  const store = await opened(url)
  await queue(store, 2)
  const offered: string[] = []
  // The first is refused; at the second the process goes away before it has claimed it.
  const stop = await store.dispatch(
    (runId) => {
      offered.push(runId)
      return runId === 'run_1' ? Promise.resolve(false) : new Promise(() => {})
    },
    { limit: 8 },
  )
  await until(() => offered.length >= 3)
  assert.ok(offered.filter((runId) => runId === 'run_1').length >= 2)
  await stop(50)
  const again = new Set<string>()
  const stopAgain = await store.dispatch(
    async (runId) => {
      await store.claim('proc_2', { limit: 1, ttlMs: 60_000, only: runId })
      again.add(runId)
      return true
    },
    { limit: 8 },
  )
  await until(() => again.size === 2)
  await stopAgain(100)
  await store.close()
})

withServer('a run that one process cannot work on is offered to another that begins later', async () => {
  const url = server.newDatabase()
  const [unable, able] = [await opened(url), await opened(url)]
  let refused = 0
  const refuse = async (): Promise<boolean> => {
    refused++
    return false
  }
  const stopUnable = await unable.dispatch(refuse, { limit: 8 })
  await queue(unable, 1)
  await until(() => refused >= 3)
  const taken: string[] = []
  const stopAble = await able.dispatch(
    working(able, (runId) => taken.push(runId)),
    { limit: 8 },
  )
  await until(() => taken.length === 1)
  await stopAble(1_000)
  await stopUnable(1_000)
})

withServer('a process works on the runs of one database; for a second one it is named what to do', async () => {
  const [first, second] = [server.newDatabase(), server.newDatabase()]
  const options = { env: {} }
  const config = { model: 'offline/offline' }
  const one = await createRuntime({ ...config, store: { url: first } }, options)
  const beside = await createRuntime({ ...config, store: { url: first } }, options)
  const thrown = await createRuntime({ ...config, store: { url: second } }, options).catch((error: Error) => error)
  assert.match((thrown as Error).message, /works on the runs of another database.*svc worker/)
  const own = await createRuntime({ ...config, store: { url: second } }, { ...options, claims: 'own' })
  await one.close()
  for (const runtime of [beside, own]) {
    const { id } = await runtime.runs.create({ task: 'Say hello', mode: 'analyze' })
    assert.is((await runtime.runs.wait(id)).status, 'completed')
    await runtime.close()
  }
})

withServer('a worker of one folder neither lists, touches nor begins what is of another', async () => {
  const url = server.newDatabase()
  const open = (space: string, claims: 'all' | 'none') =>
    createRuntime({ model: 'offline/offline', store: { url, space } }, { env: {}, claims })
  const asking = await open('/a', 'none')
  const worker = await open('/b', 'all')
  const [own, ...others] = await Promise.all(
    [worker, asking, asking, asking].map(({ runs }) => runs.create({ task: 'Say hello', mode: 'analyze' })),
  )
  const idsOf = async (reach: { all?: boolean }) => (await worker.runs.list(reach)).data.map(({ id }) => id).sort()
  assert.is((await worker.runs.wait(own?.id ?? '')).status, 'completed')
  assert.equal(await idsOf({}), [own?.id])
  assert.equal(await idsOf({ all: true }), [own, ...others].map((run) => run?.id).sort())
  for (const { id } of others) {
    for (const act of [() => worker.runs.get(id), () => worker.runs.cancel(id), () => worker.runs.delete(id)]) {
      const thrown = await act().catch((error: Error) => error)
      assert.match((thrown as Error).message, /is of \/a, and this process works for \/b/)
    }
    assert.is((await asking.runs.get(id)).status, 'queued')
  }
  await worker.close()
  const next = await open('/a', 'all')
  for (const { id } of others) assert.is((await next.runs.wait(id)).status, 'completed')
  await next.close()
  await asking.close()
})

test.run()
