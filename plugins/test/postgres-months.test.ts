/** The partitions of the log in PostgreSQL: one for each month, which goes when no run of the month is left. */
import type { Store } from '@svc/core'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { PostgresStore } from '../src/stores/index.ts'
import { loadPg, type PgClient } from '../src/stores/postgres/load-pg.ts'
import { newOldDatabase, postgresSuite } from './fixtures/postgres-suite.ts'
import { addRun, DAY_MS, idsOf, startIn } from './fixtures/retention.ts'
import { created, eventOf, leased, newRow } from './fixtures/run-rows.ts'
import { recorded, startCountingModel } from './fixtures/run-workers.ts'
import { until } from './fixtures/until.ts'

const { test, withServer, server } = await postgresSuite('months of the log in PostgreSQL')
const LOG = 'run_log'
const TEXTS = 'run_texts'
const LONG = 'long '.repeat(100)

/** A store whose clock is put forward by hand. */
async function openAt(time: string, url = server.newDatabase()) {
  let now = Date.parse(time)
  const database = url.split('/').at(-1) ?? ''
  const clock = (): number => now
  const open = async (): Promise<PostgresStore> => {
    const store = new PostgresStore({ url, clock })
    await store.open()
    return store
  }
  const ask = (text: string): string => server.sql(text, database)
  return {
    url,
    clock,
    open,
    ask,
    store: await open(),
    pass: (ms: number) => (now += ms),
    goTo: (to: string) => (now = Date.parse(to)),
    /** Months that a table has partitions of, without that of the time when this runs. */
    months: (table: string) =>
      ask(`SELECT month FROM (SELECT substring(inhrelid::regclass::text FROM '\\d+$') AS month FROM pg_inherits
        WHERE inhparent = 'svc.${table}'::regclass) AS m WHERE month < '2026' ORDER BY 1`).split('\n'),
    rows: (table: string) => Number(ask(`SELECT count(*) FROM svc.${table}`)),
  }
}

async function connect(url: string): Promise<PgClient> {
  const client = new (await loadPg()).Client({ connectionString: url })
  await client.connect()
  return client
}

/** A run that has ended, with a long text. */
async function addEnded(store: Store, id: string, space = 'a'): Promise<void> {
  const lease = await leased(store, newRow(id, { space }))
  await store.commit(lease, { events: [eventOf(id, { text: `${id} ${LONG}` })], run: { status: 'completed' } })
  await store.release(lease)
}

const textOf = async (store: Store, id: string): Promise<unknown> => (await store.events.list(id))[1]?.data

withServer('runs of a database of the version before are read, found, resumed and removed', async () => {
  const url = newOldDatabase(server)
  const [store, other] = [new PostgresStore({ url }), new PostgresStore({ url })]
  await Promise.all([store.open(), other.open()])
  const { data } = await store.runs.list({ q: 'cause of run_' })
  assert.equal(
    data.map(({ id }) => id),
    ['run_3', 'run_2', 'run_1'],
  )
  const [, said] = await store.events.list('run_ended')
  assert.equal(said?.data, { text: LONG, large: 'large '.repeat(5_000) })
  assert.is((await store.steps('run_ended')).length, 1)

  const half = (await store.runs.list({ space: '/half' })).data.find(({ status }) => status === 'running')?.id ?? ''
  const known = await recorded(store, [half])
  assert.is(known.size, 3)
  const model = await startCountingModel()
  const models = { small: { context: 100_000 } }
  const runtime = await createRuntime(
    {
      model: 'mine/small',
      providers: { mine: { type: 'openai', baseUrl: model.url, maxRetries: 0, models } },
      components: { consensus: false, reflect: false },
      store: { space: '/half' },
    },
    { store: other, env: {} },
  )
  assert.is((await runtime.runs.wait(half)).status, 'completed')
  assert.is((await recorded(store, [half])).size, 6)
  assert.equal(
    model.asked.filter((each) => known.has(each)),
    [],
  )
  await runtime.close()
  await model.close()

  await store.runs.delete('run_ended')
  const ask = (text: string): string => server.sql(text, url.split('/').at(-1))
  assert.is(ask('SELECT count(*) FROM svc.run_log WHERE run = 1'), '0')
  // A process of that version, which is still at work, draws a number by itself.
  const draw = `INSERT INTO svc.run_log SELECT nextval('svc.run_numbers'), 1, 1, false, 0, '' RETURNING run`
  const drawn = Number(ask(draw).split('\n')[0])
  await store.create(newRow('run_new'), [created(newRow('run_new'))])
  assert.ok(drawn < Number(ask(`SELECT seq FROM svc.runs WHERE id = 'run_new'`)))
  assert.is((await store.runs.list()).data[0]?.id, 'run_new')
  await Promise.all([store.close(), other.close()])
})

withServer('an upgrade that waits for a long transaction lets others pass, and is done after it', async () => {
  const url = newOldDatabase(server)
  const [long, reader] = [await connect(url), await connect(url)]
  await long.query('BEGIN; LOCK TABLE svc.run_log IN ROW EXCLUSIVE MODE')
  const store = new PostgresStore({ url })
  const opened = store.open()
  const waits = `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'svc.run_log'::regclass`
  await until(() => server.sql(waits, url.split('/').at(-1)) === '1')
  const { rows } = await reader.query('SELECT count(*) FROM svc.run_log')
  assert.ok(Number(rows[0]?.count) > 4)
  await long.query('COMMIT')
  await opened
  assert.is((await store.events.list('run_ended')).length, 2)
  await Promise.all([store.close(), long.end(), reader.end()])
})

withServer(
  'a run keeps its partition over the turn of the month, and who writes in a new one prepares the next',
  async () => {
    const { store, pass, goTo, ask, months, clock } = await openAt('2024-05-31T23:59:59.999Z')
    const lease = await leased(store, newRow('run_may'))
    pass(1)
    await store.create(newRow('run_june'), [])
    await store.commit(lease, { events: [eventOf('run_may', { text: LONG })] })
    await until(() => months(TEXTS).includes('202407'))
    assert.equal(months(LOG), ['0', '202405', '202406', '202407'])
    assert.is(ask('SELECT count(*) FROM svc.run_log_202405'), '2')
    assert.equal(await textOf(store, 'run_may'), { text: LONG })
    assert.equal(await idsOf(store), ['may', 'june'])

    // Nobody has been there for months.
    goTo('2024-12-31T23:59:59.999Z')
    await store.create(newRow('run_december'), [created(newRow('run_december', { task: LONG }))])
    pass(1)
    await store.create(newRow('run_january', { task: LONG }), [created(newRow('run_january'))])
    assert.equal(await idsOf(store), ['may', 'june', 'december', 'january'])
    assert.is((await store.runs.get('run_january'))?.task, LONG)
    // One that has said nothing yet has no partition before it does.
    const late = newRow('run_late')
    goTo('2025-06-15T00:00:00Z')
    await store.create(late, [])
    const [claimed] = await store.claim('owner', { limit: 1, ttlMs: 60_000, only: late.id })
    if (claimed === undefined) throw new Error('it cannot be claimed')
    await store.commit(claimed.lease, { events: [created(late)] })
    assert.is((await store.events.list(late.id)).length, 1)
    assert.ok(clock() > 0)
    await store.close()
  },
)

withServer('two processes that need the same partition make it once, and all that they write is there', async () => {
  const { store, open, goTo, months } = await openAt('2024-05-15T00:00:00Z')
  const other = await open()
  for (const time of ['2024-09-15T00:00:00Z', '2025-03-15T00:00:00Z']) {
    goTo(time)
    const ids = Array.from({ length: 20 }, (_, n) => `run_${time}_${n}`)
    await Promise.all(
      ids.map((id, n) => (n % 2 === 0 ? store : other).create(newRow(id, { task: LONG }), [created(newRow(id))])),
    )
    const read = await Promise.all(ids.map((id) => store.events.list(id)))
    assert.ok(read.every(({ length }) => length === 1))
  }
  for (const month of ['202409', '202503']) for (const table of [LOG, TEXTS]) assert.ok(months(table).includes(month))
  await Promise.all([store.close(), other.close()])
})

withServer('pruning drops the months of which no run is left, and keeps what it must of others', async () => {
  const { store, open, goTo, months, rows, ask, clock } = await openAt('2024-03-10T00:00:00Z')
  for (let n = 0; n < 12; n++) await addEnded(store, `run_march${n}`)
  goTo('2024-04-10T00:00:00Z')
  for (let n = 0; n < 30; n++) await addEnded(store, `run_april${n}`)
  await addRun(store, 'run_unfinished', 'a')
  goTo('2024-05-10T00:00:00Z')
  await addEnded(store, 'run_may')
  await addEnded(store, 'run_elsewhere', 'b')
  goTo('2024-06-30T00:00:00Z')
  await addEnded(store, 'run_june')
  const runtime = await startIn(await open(), clock, 'a', {})
  assert.equal((await runtime.prune({ olderThanMs: 0, dryRun: true })).runs, 43)
  assert.is(rows('runs'), 46)
  assert.equal((await runtime.prune({ olderThanMs: 10 * DAY_MS })).runs, 43)
  assert.equal(months(LOG), ['202404', '202405', '202406', '202407'])
  assert.equal(months(TEXTS), months(LOG))
  assert.equal(await idsOf(store), ['unfinished', 'elsewhere', 'june'])
  assert.equal(['run_log_202404', 'run_log_202405', TEXTS, 'run_remains'].map(rows), [1, 2, 2, 0])
  assert.equal(await textOf(store, 'run_elsewhere'), { text: `run_elsewhere ${LONG}` })

  // A month that has just ended stays for a day, empty.
  await runtime.prune({ olderThanMs: 0 })
  goTo('2024-07-01T12:00:00Z')
  await runtime.prune({ olderThanMs: 0 })
  assert.ok(months(LOG).includes('202406'))
  goTo('2024-07-03T00:00:00Z')
  await runtime.prune({ olderThanMs: 0 })
  assert.equal(months(LOG), ['202404', '202405', '202407', '202408'])
  await runtime.prune({ olderThanMs: 0, all: true })
  assert.equal(months(LOG), ['202404', '202407', '202408'])

  // It goes on as if nothing had been dropped, also by a clock that was put back.
  goTo('2024-03-11T00:00:00Z')
  await addEnded(store, 'run_again')
  assert.equal(await textOf(store, 'run_again'), { text: `run_again ${LONG}` })
  assert.ok(ask('SELECT count(*) FROM svc.run_texts_202403') === '1')
  await runtime.close()
  await store.close()
})

withServer('what a pruning that was cut off has left is not read, and goes with the next', async () => {
  const { store, url, goTo, months, rows, ask } = await openAt('2024-03-10T00:00:00Z')
  await addEnded(store, 'run_kept')
  for (let n = 0; n < 60; n++) await addEnded(store, `run_${n}`)
  goTo('2024-04-10T00:00:00Z')
  for (let n = 0; n < 3; n++) await addEnded(store, `run_april${n}`)
  goTo('2024-05-10T00:00:00Z')
  await store.runs.deleteMany?.(Array.from({ length: 60 }, (_, n) => `run_${n}`))
  await store.runs.deleteMany?.(['run_april0', 'run_april1', 'run_april2', 'run_none'])
  assert.equal(await idsOf(store), ['kept'])
  assert.is((await store.events.list('run_7')).length, 0)
  assert.is(rows('run_remains'), 63)
  // The partition was on its way out when the process ended.
  const [long, gone] = [await connect(url), await connect(url)]
  await long.query('BEGIN; SELECT count(*) FROM svc.run_log')
  const {
    rows: [process],
  } = await gone.query('SELECT pg_backend_pid() AS pid')
  const detach = 'ALTER TABLE svc.run_log DETACH PARTITION svc.run_log_202404 CONCURRENTLY'
  const refused = gone.query(detach).catch((thrown: unknown) => thrown)
  await until(() => ask('SELECT count(*) FROM pg_inherits WHERE inhdetachpending') === '1')
  ask(`SELECT pg_cancel_backend(${process?.pid})`)
  assert.match(String(await refused), 'canceling statement')
  await long.query('COMMIT')
  let pieces = 1
  while ((await store.runs.reclaim?.()) === true) pieces++
  assert.is(pieces, 3)
  assert.equal(months(LOG), ['202403', '202405', '202406'])
  assert.equal(months(TEXTS), months(LOG))
  assert.equal([LOG, TEXTS, 'run_remains'].map(rows), [2, 1, 0])
  await Promise.all([store.close(), long.end(), gone.end()])
})

withServer('what two processes reclaim at once is gone once, beside runs that are being made', async () => {
  const { store, open, goTo, months, rows } = await openAt('2024-03-10T00:00:00Z')
  const other = await open()
  await addEnded(store, 'run_kept')
  for (let n = 0; n < 30; n++) await addEnded(store, `run_${n}`)
  goTo('2024-04-10T00:00:00Z')
  for (let n = 0; n < 3; n++) await addEnded(store, `run_april${n}`)
  goTo('2024-05-10T00:00:00Z')
  await store.runs.deleteMany?.(Array.from({ length: 30 }, (_, n) => `run_${n}`))
  await store.runs.deleteMany?.(['run_april0', 'run_april1', 'run_april2'])
  const reclaim = async (by: PostgresStore): Promise<void> => {
    while ((await by.runs.reclaim?.()) === true);
  }
  const made = Array.from({ length: 20 }, (_, n) => addEnded(n % 2 === 0 ? store : other, `run_new${n}`))
  await Promise.all([reclaim(store), reclaim(other), ...made])
  await reclaim(store)
  assert.equal(months(LOG), ['202403', '202405', '202406'])
  assert.equal([rows('runs'), rows(TEXTS), rows('run_remains')], [21, 21, 0])
  await Promise.all([store.close(), other.close()])
})

withServer('a copy has the partitions, and what is restored from it goes on and is pruned', async () => {
  const first = await openAt('2024-03-10T00:00:00Z')
  await addEnded(first.store, 'run_march')
  first.goTo('2024-04-10T00:00:00Z')
  await addEnded(first.store, 'run_april')
  await first.store.close()
  server.run('pg_dump', ['--schema=svc', '--file=months.sql', first.url])
  const url = server.newDatabase()
  server.run('psql', ['-q', '--set=ON_ERROR_STOP=1', '--single-transaction', '--file=months.sql', url])
  const { store, months, goTo, clock } = await openAt('2024-04-11T00:00:00Z', url)
  assert.equal(months(LOG), first.months(LOG))
  for (const id of ['run_march', 'run_april']) assert.equal(await textOf(store, id), { text: `${id} ${LONG}` })
  await addEnded(store, 'run_new')
  assert.equal(await idsOf(store), ['march', 'april', 'new'])
  goTo('2024-06-10T00:00:00Z')
  const runtime = await startIn(store, clock, 'a', {})
  await runtime.prune({ olderThanMs: DAY_MS })
  assert.equal(months(LOG), ['202406', '202407'])
  await runtime.close()
  await store.close()
})

test.run()
