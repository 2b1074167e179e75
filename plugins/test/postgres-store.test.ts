/** The store in PostgreSQL against the contract of stores, and what it says when the database is not as it should be. */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunQuery, SvcError } from '@svc/core'
import { checkStore } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { createRuntime } from '../src/index.ts'
import { PostgresStore } from '../src/stores/index.ts'
import { loadPg } from '../src/stores/postgres/load-pg.ts'
import { mountSmallDisk } from './fixtures/faults/small-disk.ts'
import { memoryIn, testMemories } from './fixtures/memories.ts'
import { newOldDatabase, postgresSuite } from './fixtures/postgres-suite.ts'
import { testRetention } from './fixtures/retention.ts'
import { created, eventOf, leased, newRow } from './fixtures/run-rows.ts'
import { until } from './fixtures/until.ts'

const { test, withServer, server } = await postgresSuite('runs in PostgreSQL')

withServer('two handles keep the contract', async () => {
  const problems = await checkStore({
    left: true,
    open: async (clock) => {
      const url = server.newDatabase()
      const [store, other] = [new PostgresStore({ url, clock }), new PostgresStore({ url, clock })]
      await Promise.all([store.open(), other.open()])
      return { store, other, close: async () => void (await Promise.all([store.close(), other.close()])) }
    },
  })
  assert.equal(problems, [])
})

withServer('who opens a store twice has one, which closes', async () => {
  const url = server.newDatabase()
  const store = new PostgresStore({ url })
  await Promise.all([store.open(), store.open()])
  await store.open()
  await store.runs.list()
  await store.close()
  const name = url.split('/').at(-1)
  const count = `SELECT count(*) FROM pg_stat_activity WHERE datname = '${name}'`
  await until(() => server.sql(count) === '0')
})

/** What opening a store ends with. */
async function failureOf(url: string): Promise<SvcError> {
  try {
    const store = new PostgresStore({ url })
    await store.open()
    await store.close()
  } catch (thrown) {
    if (SvcError.isInstance(thrown)) return thrown
    throw thrown
  }
  throw new Error('it was opened')
}

test('a missing driver is named with the command that installs it', async () => {
  const failure = await loadPg(() => Promise.reject(new Error('not there'))).catch((thrown) => thrown)
  assert.is(failure.code, 'store_unavailable')
  assert.match(failure.message, 'npm install pg')
})

test('a database that is not there, and an address that is none, are errors at once that keep the password', async () => {
  for (const [url, code] of [
    ['postgres://me:secret@127.0.0.1:1/svc', 'store_unavailable'],
    ['postgres://me:secret@[/svc', 'config_invalid'],
    ['postgres://me:secret#1@127.0.0.1/svc', 'config_invalid'],
    ['postgres://me:secret@127.0.0.1/%zz', 'config_invalid'],
    ['postgres:/me:secret@127.0.0.1/svc', 'config_invalid'],
  ] as const) {
    const failure = await failureOf(url)
    assert.is(failure.code, code, url)
    if (code === 'config_invalid')
      assert.match(failure.message, /^\/store\/url \(or SVC_DATABASE_URL\) .*: write postgres:/)
    assert.not.match(`${failure.message} ${failure.stack}`, 'secret')
    assert.not.match(JSON.stringify(failure.toInfo()), 'secret')
  }
})

withServer('a refused password, a missing right, a missing database and a newer schema say what to do', async () => {
  const url = server.newDatabase()
  const name = url.slice(url.lastIndexOf('/') + 1)
  server.sql("CREATE ROLE locked LOGIN PASSWORD 'right'; CREATE ROLE poor LOGIN")
  server.sql('CREATE DATABASE songs')
  server.sql('CREATE SCHEMA svc; CREATE TABLE svc.runs (title TEXT)', 'songs')
  const as = (user: string, database = name): string => `postgres://${user}@127.0.0.1:${server.port}/${database}`
  const expected: [string, RegExp][] = [
    [as('locked:secret'), /refuses the user locked: check the name and the password/],
    [as('poor'), /poor lacks a right in the database .*CREATE SCHEMA svc AUTHORIZATION poor/],
    [`${url}?sslmode=verify-full`, /does not support SSL connections: .*\?sslmode=disable/],
    [as('svc', 'nowhere'), /has no database nowhere: run createdb nowhere/],
    [as('svc', '').slice(0, -1), /has no database svc: run createdb svc/],
    [as('svc', 'songs'), /the schema svc in the database songs .* belongs to another program/],
  ]
  for (const [address, message] of expected) {
    const failure = await failureOf(address)
    assert.is(failure.code, 'store_unavailable')
    assert.match(failure.message, message)
    assert.not.match(`${failure.message} ${failure.stack}`, 'secret')
  }
  server.sql('CREATE SCHEMA svc AUTHORIZATION poor', name)
  const store = new PostgresStore({ url: as('poor') })
  await store.open()
  await store.close()
  const started = await createRuntime(
    { model: 'offline/offline', store: { url: as('poor') } },
    { env: {}, claims: 'all' },
  ).catch((thrown) => thrown)
  assert.match(
    started.message,
    /poor lacks a right in the database .*CREATE SCHEMA svc_dbos AUTHORIZATION poor/,
    'of the tables of the queue',
  )
  server.sql('INSERT INTO svc.migrations (version) VALUES (99)', name)
  assert.match((await failureOf(url)).message, /written by a newer svc \(format 99; .*update svc/)
})

withServer('runs that ended under an earlier svc are measured when the store is next opened', async () => {
  const url = server.newDatabase()
  const first = new PostgresStore({ url })
  await first.open()
  const usage = { inputTokens: 40, outputTokens: 2, estimated: false, modelCalls: 1 }
  const [startedAt, finishedAt] = ['2024-05-01T12:00:00.000Z', '2024-05-01T12:00:00.009Z']
  const lease = await leased(first)
  await first.commit(lease, { run: { status: 'running', startedAt, usage, costUsd: 0.5 } })
  await first.commit(lease, { run: { status: 'completed', finishedAt, result: 'long '.repeat(100) as never } })
  const imported = newRow('run_2', { status: 'failed', startedAt, finishedAt: startedAt })
  await first.create(imported, [created(imported)])
  const summary = await first.runs.summarize?.({})
  assert.equal([summary?.tokens, summary?.durationMs], [42, { p50: 0, p95: 9 }])
  await first.close()
  server.sql('UPDATE svc.runs SET tokens = NULL, cost = NULL, duration = NULL', url.split('/').at(-1))
  const next = new PostgresStore({ url })
  await next.open()
  assert.equal(await next.runs.summarize?.({}), summary)
  const { data } = await next.runs.list({ minTokens: 42, maxCostUsd: 0.5, minDurationMs: 9 })
  assert.equal(
    data.map(({ id }) => id),
    ['run_1'],
  )
  await next.close()
})

withServer('runs that ended under an earlier svc are found by what they answered, by verdict and model', async () => {
  const url = server.newDatabase()
  const first = new PostgresStore({ url })
  await first.open()
  const lease = await leased(first)
  const at = { v: 1, time: '2024-05-01T12:00:00.000Z', runId: 'run_1' } as const
  const usage = { inputTokens: 40, outputTokens: 2, estimated: false }
  const data = { provider: 'acme', model: 'large', toolCalls: [], finishReason: 'stop', usage, costUsd: 0.5 } as never
  const result = { summary: `The capital is Lima. ${'More of it. '.repeat(50)}` } as never
  await first.commit(lease, { events: [{ ...at, type: 'model.completed', callId: 'c', agentId: 'a', data }] })
  const events = [{ ...at, type: 'run.completed', data: { result } }] as const
  await first.commit(lease, { events, run: { status: 'completed', verdict: 'pass', result } })
  await first.close()
  // As a process of before would have left it, which is still at work.
  server.sql(
    `UPDATE svc.runs SET verdict = NULL, is_found = NULL; DELETE FROM svc.run_models;
     UPDATE svc.run_requests SET words = split_part(words, chr(10), 1)`,
    url.split('/').at(-1),
  )
  const [next, other] = [new PostgresStore({ url }), new PostgresStore({ url })]
  await Promise.all([next.open(), other.open()])
  const total = async (query: RunQuery): Promise<number> => (await next.runs.list(query)).data.length
  await until(async () => (await total({ verdict: 'pass' })) === 1)
  await Promise.all([next.close(), other.close()])
  await next.open()
  assert.equal([await total({ q: 'capital IS lima' }), await total({ model: 'acme/large' })], [1, 1])
  const costs = await next.runs.costs?.({ per: 'day', by: 'model', utcOffsetMinutes: 0, limit: 9 })
  assert.equal(
    costs?.map(({ name, tokens, costUsd }) => [name, tokens, costUsd]),
    [['acme/large', 42, 0.5]],
  )
  await next.close()
  const words = server.sql('SELECT words FROM svc.run_requests', url.split('/').at(-1))
  assert.is(words.split('lima').length, 2, 'two processes add it once')
})

withServer('runs that an earlier svc has queued begin after an upgrade, and are found', async () => {
  const url = newOldDatabase(server)
  const back = `DROP TABLE svc.run_tenants;
    ALTER TABLE svc.runs DROP COLUMN tenant, ADD COLUMN ticket_for integer;
    ALTER TABLE svc.runs RENAME COLUMN offers TO tickets;
    ALTER TABLE svc.runs RENAME COLUMN offer_after TO ticket_after;
    CREATE INDEX runs_without_ticket ON svc.runs (rank, seq) WHERE ended_at IS NULL AND ticket_for IS DISTINCT FROM epoch;
    DROP FUNCTION svc.grams(text) CASCADE;
    UPDATE svc.runs SET tickets = 1, ticket_for = 0;
    DELETE FROM svc.migrations WHERE version > 6`
  server.sql(back, url.split('/').at(-1))
  const next = new PostgresStore({ url })
  await next.open()
  const found = await next.runs.list({ q: 'CAUSE OF RUN_2' })
  assert.equal(
    found.data.map(({ id }) => id),
    ['run_2'],
  )
  const begun: string[] = []
  const stop = await next.dispatch(
    async (runId) => {
      begun.push(runId)
      return (await next.claim('proc_1', { limit: 1, ttlMs: 60_000, only: runId })).length > 0
    },
    { limit: 4, space: '/a' },
  )
  await until(() => begun.length === 2)
  assert.equal(begun.sort(), ['run_1', 'run_3'])
  await stop(100)
  await next.close()
})

withServer(
  'long texts are kept once, payloads until their last run is gone, and all is removed with its run',
  async () => {
    const url = server.newDatabase()
    const [one, two] = [new PostgresStore({ url }), new PostgresStore({ url })]
    await Promise.all([one.open(), two.open()])
    const [long, large] = ['long \u0000"\ud800" '.repeat(60), 'large '.repeat(5_000)]
    const leases = [await leased(one, newRow('run_1', { task: long })), await leased(two, newRow('run_2'))]
    for (const lease of leases) {
      for (let n = 0; n < 3; n++) await one.commit(lease, { events: [eventOf(lease.runId, { long, large })] })
    }
    const events = await two.events.list('run_1', { after: 1 })
    assert.equal(
      events.map(({ data }) => data),
      [1, 2, 3].map(() => ({ long, large })),
    )
    assert.is((await two.runs.get('run_1'))?.task, long)
    assert.is((await two.runs.list({ q: 'LONG' })).data.length, 1)
    const count = (table: string): number =>
      Number(server.sql(`SELECT count(*) FROM svc.${table}`, url.split('/').at(-1)))
    assert.equal([count('run_payloads'), count('run_texts')], [1, 4])
    await one.runs.delete('run_1')
    assert.equal([count('run_payloads'), count('run_payload_uses')], [1, 1])
    await two.runs.delete('run_2')
    const tables = ['runs', 'run_requests', 'run_log', 'run_texts', 'run_payloads', 'run_payload_uses', 'run_agents']
    assert.equal(
      tables.map(count),
      tables.map(() => 0),
    )
    await Promise.all([one.close(), two.close()])
  },
)

withServer('an imported run keeps its steps', async () => {
  const store = new PostgresStore({ url: server.newDatabase() })
  await store.open()
  const step = { key: 'k', effect: 'pure', state: 'done', outcome: { text: 'x' }, time: 1, seq: 1 } as const
  for (const events of [[created(newRow('run_1'))], []]) {
    const row = newRow(`run_${events.length}`, { status: 'completed' })
    await store.create(row, events, undefined, [step])
    assert.equal(await store.steps(row.id), [step])
    assert.is((await store.events.list(row.id)).length, events.length)
  }
  assert.equal(await store.claim('owner', { limit: 5, ttlMs: 1_000 }), [])
  await store.close()
})

withServer('a database that was made read-only is not writable, and is again afterwards', async () => {
  const url = server.newDatabase()
  const store = new PostgresStore({ url })
  await store.open()
  const database = url.split('/').at(-1)
  const become = (readOnly: 'on' | 'off'): void => {
    server.sql(`ALTER DATABASE ${database} SET default_transaction_read_only = ${readOnly}`)
    server.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`)
  }
  await store.assertWritable()
  become('on')
  let thrown: unknown
  // A connection that is being cut answers as before, and one that was cut is noticed by the first who uses it.
  await until(async () => {
    thrown = await store.assertWritable().catch((error: unknown) => error)
    return /read-only/.test(String(thrown))
  })
  assert.is((thrown as SvcError).code, 'store_unavailable')
  assert.match((thrown as SvcError).message, 'read-only transaction')
  assert.equal((await store.runs.list()).data, [], 'it can be read')
  become('off')
  await until(async () => (await store.assertWritable().catch((error: unknown) => error)) === undefined)
  await store.close()
})

withServer(
  'a database whose disk is full is not writable once a write found no room, and is again when there is room',
  async () => {
    const disk = mountSmallDisk(40_000_000)
    if (typeof disk === 'string') return console.log(disk)
    execFileSync('chown', ['postgres', disk.dir])
    server.sql(`CREATE TABLESPACE small LOCATION '${disk.dir}'`)
    server.sql('CREATE DATABASE crowded TABLESPACE small')
    const store = new PostgresStore({ url: `postgres://svc@127.0.0.1:${server.port}/crowded` })
    await store.open()
    await store.create(newRow('run_0'), [])
    const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
      work.then(
        () => undefined,
        ({ code }) => code,
      )
    const put = () => codeOf(Promise.resolve(store.payloads.put('run_0', randomBytes(100_000))))
    disk.fill(0)
    await until(async () => (await put()) === 'disk_full')
    assert.is(await codeOf(store.assertWritable()), 'disk_full')
    disk.empty()
    assert.is(await codeOf(store.assertWritable()), undefined)
    assert.is(await put(), undefined)
    assert.is(server.sql("SELECT count(*) FROM svc.run_payloads WHERE id LIKE 'probe%'", 'crowded'), '0')
    await store.close()
    server.sql('DROP DATABASE crowded')
    server.sql('DROP TABLESPACE small')
    disk.close()
  },
)

testRetention(withServer, async (clock) => {
  const url = server.newDatabase()
  return async () => {
    const store = new PostgresStore({ url, clock })
    await store.open()
    return store
  }
})

let memories: string | undefined
testMemories(withServer, () => {
  memories ??= server.newDatabase()
  const url = memories
  // Each test has a database that remembers nothing.
  const isNew = server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'svc'", url.split('/').at(-1)) === '0'
  if (!isNew) server.sql('TRUNCATE svc.records, svc.record_versions', url.split('/').at(-1))
  return async (options) => {
    const store = new PostgresStore({ url })
    await store.open()
    return memoryIn(store, options)
  }
})

withServer('a runtime keeps its runs, and what they leave, where store.url or SVC_DATABASE_URL says', async () => {
  const url = server.newDatabase()
  const nothing = mkdtempSync(join(tmpdir(), 'svc-empty-'))
  const ids: string[] = []
  for (const [config, env] of [
    [{ store: { url } }, {}],
    [{ store: { url: url.replace('postgres:', 'postgresql:') } }, {}],
    [{}, { SVC_DATABASE_URL: url }],
  ] as const) {
    // What the offline provider says depends on what it finds to read.
    const runtime = await createRuntime({ model: 'offline/offline', ...config }, { env, workspace: nothing })
    const { id } = await runtime.runs.create({ task: 'What is 6 times 7?' })
    assert.is((await runtime.runs.wait(id)).status, 'completed')
    ids.unshift(id)
    await runtime.memory.write({ content: `said beside ${id}` })
    const said = (await runtime.memory.list({ limit: 100 })).data.filter(({ content }) => content.startsWith('said'))
    assert.is(said.length, ids.length)
    await runtime.close()
  }
  const store = new PostgresStore({ url })
  await store.open()
  assert.equal(
    (await store.runs.list()).data.map(({ id }) => id),
    ids,
  )
  await store.close()
  rmSync(nothing, { recursive: true })
})

/** A process that has nothing else to wait for. */
const alone = async (...args: string[]): Promise<[number | null, string]> => {
  const file = new URL('./fixtures/wait-and-close.ts', import.meta.url)
  const child = spawn(process.execPath, [...argumentsFor(file), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return [code, said]
}

withServer(
  'a process that closes its store at once, with nothing else to wait for, hears that it is closed',
  async () => {
    for (let n = 0; n < 3; n++) assert.equal(await alone(server.newDatabase()), [0, 'closed'])
  },
)

withServer('a process that waits for a run of another process stays until it has ended', async () => {
  const url = server.newDatabase()
  const store = new PostgresStore({ url })
  await store.open()
  const lease = await leased(store)
  const waiting = alone(url, lease.runId)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await store.commit(lease, { run: { status: 'completed' } })
  await store.release(lease)
  assert.equal(await waiting, [0, 'closed'])
  await store.close()
})

test.run()
