/** Who waits in PostgreSQL for what others hold: those that say nothing, being stopped or gone, and those that wait themselves. */
import type { Lease } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PostgresStore } from '../src/stores/index.ts'
import { startCuttingProxy } from './fixtures/cutting-proxy.ts'
import { missing, type Postgres, startPostgres } from './fixtures/postgres.ts'
import { created, eventOf, newRow } from './fixtures/run-rows.ts'
import { killWorkers, startWorker } from './fixtures/run-workers.ts'
import { until } from './fixtures/until.ts'

const test = suite('locks in PostgreSQL')
const withServer = missing === undefined ? test : test.skip

let server: Postgres
test.before(async () => {
  if (missing === undefined) server = await startPostgres()
})
test.after.each(killWorkers)
test.after(() => {
  if (missing === undefined) server.close()
})

for (const [what, mark] of [
  ['makes the tables', 'CREATE TABLE svc.run_tenants'],
  ['makes the tables of the queue', 'dbos_migrations'],
] as const) {
  withServer(`another process gets on that starts while one hangs that ${what}`, async () => {
    const url = server.newDatabase()
    const proxy = await startCuttingProxy(server.port)
    proxy.holdBefore(mark)
    startWorker(url.replace(`:${server.port}/`, `:${proxy.port}/`), 'http://127.0.0.1:1').catch(() => {})
    await until(() => proxy.isHeld)
    const store = new PostgresStore({ url })
    await store.open()
    const stop = await store.dispatch(async () => true, { limit: 1 })
    await stop(0)
    await store.close()
    proxy.close()
  })
}

withServer('commits, renewals and releases of the same runs never wait for each other in a circle', async () => {
  const url = server.newDatabase()
  const store = new PostgresStore({ url })
  await store.open()
  const holder = { owner: 'owner', ttlMs: 60_000 }
  const make = (n: number) => {
    const row = newRow(`run_${n}`)
    return store.create(row, [created(row)], undefined, undefined, holder)
  }
  const made = await Promise.all(Array.from({ length: 400 }, (_, n) => make(n)))
  const leases = made.flatMap(({ lease = [] }) => lease)
  for (let round = 0; round < 10; round++) {
    const write = (lease: Lease) => store.commit(lease, { events: [eventOf(lease.runId, { round })] })
    await Promise.all([
      store.renew(leases, 60_000),
      store.renew(leases.toReversed(), 60_000),
      ...leases.toReversed().map(write),
    ])
  }
  await Promise.all([store.renew(leases, 60_000), ...leases.toReversed().map((lease) => store.release(lease))])
  await store.close()
  const name = url.split('/').at(-1)
  // What a connection has counted is known when it has ended.
  await until(() => server.sql(`SELECT count(*) FROM pg_stat_activity WHERE datname = '${name}'`) === '0')
  assert.is(server.sql(`SELECT deadlocks FROM pg_stat_database WHERE datname = '${name}'`), '0')
})

test.run()
