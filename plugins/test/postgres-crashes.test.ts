/** Runs in PostgreSQL while workers, connections and the database itself go away. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { PostgresStore } from '../src/stores/index.ts'
import { startCuttingProxy } from './fixtures/cutting-proxy.ts'
import { postgresSuite } from './fixtures/postgres-suite.ts'
import { created as createdEvent, eventOf, leased, newRow } from './fixtures/run-rows.ts'
import { newTask, recorded, startCountingModel, startService, startWorker } from './fixtures/run-workers.ts'
import { until } from './fixtures/until.ts'

const isNightly = process.env.SVC_NIGHTLY === '1'
const { test, withServer, server } = await postgresSuite('crashes over PostgreSQL')
const STEPS = 8

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

withServer('a connection that is cut in the middle of a write neither loses it nor writes it twice', async () => {
  const database = server.newDatabase()
  const proxy = await startCuttingProxy(server.port)
  const store = new PostgresStore({ url: database.replace(`:${server.port}/`, `:${proxy.port}/`) })
  await store.open()
  for (const cut of ['cutAnswerTo', 'cutBefore'] as const) {
    const row = newRow(`run_${cut}`)
    proxy[cut](row.id)
    const created = await store.create(row, [createdEvent(row)], {
      scope: 's',
      key: cut,
      bodyHash: 'h',
      expiresAt: Date.now() + 60_000,
    })
    assert.is(created.replayed, false)
    proxy[cut]('proc_one')
    const [claimed, ...more] = await store.claim('proc_one', { limit: 5, ttlMs: 60_000 })
    assert.equal([claimed?.run.id, more.length], [row.id, 0])
    if (claimed === undefined) return
    const { lease } = claimed
    for (let n = 0; n < 5; n++) {
      proxy[cut](`note ${n}`)
      const events = await store.commit(lease, {
        events: [eventOf(row.id, { text: `note ${n}` })],
        steps: [{ key: `k${n}`, effect: 'pure', state: 'done', outcome: n, time: 1, seq: n }],
        run: { costUsd: n },
      })
      assert.equal(
        events.map(({ seq }) => seq),
        [n + 2],
      )
    }
    proxy[cut]('cmd_1')
    await store.command(row.id, { id: 'cmd_1', kind: 'cancel', reason: 'r', by: 'user' })
    assert.is((await store.commands(row.id)).length, 1)
    const events = await store.events.list(row.id)
    assert.equal(
      events.map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6],
    )
    assert.is((await store.steps(row.id)).length, 5)
    assert.is((await store.runs.get(row.id))?.version, 6)
    await store.commit(lease, { run: { status: 'completed' } })
    proxy[cut](row.id)
    await store.release(lease)
  }
  assert.is(proxy.cuts, 18)
  await store.close()
  proxy.close()
})

withServer('who watches hears of runs again after the network forgot the connection over which it heard', async () => {
  const url = server.newDatabase()
  const proxy = await startCuttingProxy(server.port)
  const watching = new PostgresStore({ url: url.replace(`:${server.port}/`, `:${proxy.port}/`) })
  const making = new PostgresStore({ url })
  for (const store of [watching, making]) await store.open()
  const heard: string[] = []
  let made = 0
  const stop = watching.watch('*', (runId) => heard.push(runId))
  const hears = (name: string): Promise<void> =>
    until(async () => {
      const row = newRow(`${name}_${++made}`)
      await making.create(row, [createdEvent(row)])
      await pause(200)
      return heard.some((runId) => runId.startsWith(name))
    })
  await hears('before')
  proxy.forget()
  await hears('after')
  stop()
  for (const store of [watching, making]) await store.close()
  proxy.close()
})

withServer('who watches hears of runs that began and ended before it could hear', async () => {
  const url = server.newDatabase()
  const proxy = await startCuttingProxy(server.port)
  const watching = new PostgresStore({ url: url.replace(`:${server.port}/`, `:${proxy.port}/`) })
  const making = new PostgresStore({ url })
  await watching.open()
  await making.open()
  proxy.close()
  const heard: string[] = []
  const stop = watching.watch('*', (runId) => heard.push(runId))
  const lease = await leased(making, newRow('run_missed'))
  await making.commit(lease, { run: { status: 'completed' } })
  assert.equal(heard, [])
  const back = await startCuttingProxy(server.port, proxy.port)
  await until(() => heard.includes('run_missed'))
  stop()
  await watching.close()
  await making.close()
  back.close()
})

withServer('runs get over a database that is killed and started again under load', async () => {
  const url = server.newDatabase()
  const model = await startCountingModel()
  const store = new PostgresStore({ url })
  const service = await startService(store)
  await Promise.all([startWorker(url, model.url, 3_000), startWorker(url, model.url, 3_000)])
  const ids: string[] = []
  const snapshots: { known: Set<string>; from: number }[] = []
  for (let kill = 0; kill < (isNightly ? 25 : 2); kill++) {
    const made = Array.from({ length: 6 }, (_, n) => service.runs.create(newTask(`run ${kill}-${n}`, STEPS)))
    ids.push(...(await Promise.all(made)).map(({ id }) => id))
    await pause(100 + Math.random() * 300)
    server.stop(true)
    server.start()
    snapshots.push({ known: await recorded(store, ids), from: model.asked.length })
  }
  const runs = await Promise.all(ids.map((id) => service.runs.wait(id)))
  assert.equal(
    runs.map(({ status, error }) => error?.message ?? status),
    ids.map(() => 'completed'),
  )
  const repeated = snapshots.flatMap(({ known, from }) => model.asked.slice(from).filter((each) => known.has(each)))
  assert.equal(repeated, [])
  for (const id of ids) {
    const events = await store.events.list(id)
    assert.equal(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    )
    assert.is(events.filter(({ type }) => type === 'run.completed').length, 1)
  }
  await service.close()
  await model.close()
})

withServer('of two that write under one lease no write is lost, and numbers have no gap', async () => {
  const url = server.newDatabase()
  const [one, two] = [new PostgresStore({ url }), new PostgresStore({ url })]
  await Promise.all([one.open(), two.open()])
  const lease = await leased(one, newRow('run_1'))
  const write = (store: PostgresStore, n: number) => store.commit(lease, { events: [eventOf('run_1', { n })] })
  for (let n = 0; n < 10; n++) await Promise.all([write(one, n), write(two, n)])
  const events = await one.events.list('run_1')
  assert.equal(
    events.map(({ seq }) => seq),
    Array.from({ length: 21 }, (_, index) => index + 1),
  )
  await Promise.all([one.close(), two.close()])
})

for (const how of ['at work', 'frozen'])
  withServer(`the server of a test that is killed ends, and its files go, while it is ${how}`, async () => {
    const program = argumentsFor(new URL('./fixtures/postgres-owner.ts', import.meta.url))
    const owner = spawn(process.execPath, [...program, how])
    const [said] = (await once(owner.stdout, 'data')) as [Buffer]
    const [pid = '', data = ''] = said.toString().trim().split(' ')
    assert.ok(existsSync(`/proc/${pid}`) && existsSync(data))
    owner.kill('SIGKILL')
    await until(() => !existsSync(`/proc/${pid}`) && !existsSync(dirname(data)))
  })

test.run()
