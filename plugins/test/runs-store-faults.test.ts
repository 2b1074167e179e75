import { existsSync, readFileSync } from 'node:fs'
import { SvcError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { created, eventOf, leased, newFile, newRow, openStore } from './fixtures/run-rows.ts'
import { until } from './fixtures/until.ts'

const test = suite('faults of runs in SQLite')

const LONG = 'the answer '.repeat(60)
const LARGE = 'a large answer '.repeat(2_000)

const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work()
    return 'nothing thrown'
  } catch (thrown) {
    return SvcError.isInstance(thrown) ? thrown.code : String(thrown)
  }
}

test('a run of a newer svc is refused by name, and others are served', async () => {
  const file = newFile()
  const store = openStore(file)
  for (const id of ['run_new', 'run_old']) await store.create(newRow(id), [created(newRow(id))])
  const db = new Sqlite(file)
  db.exec("UPDATE runs SET format = 3 WHERE id = 'run_new'")
  db.close()
  for (const work of [
    () => store.runs.get('run_new'),
    () => store.events.list('run_new'),
    () => store.steps('run_new'),
    () => store.command('run_new', { id: 'c', kind: 'cancel', reason: 'r', by: 'b' }),
  ]) {
    assert.is(await codeOf(work), 'store_unavailable')
  }
  assert.equal(
    (await store.claim('x', { limit: 9, ttlMs: 1_000 })).map(({ run }) => run.id),
    ['run_old'],
  )
  const { data } = await store.runs.list()
  assert.match(data.find(({ id }) => id === 'run_new')?.error?.message ?? '', 'update svc')
  await store.close()
})

test('a write of a group that is refused takes no other along, and writes nothing', async () => {
  const store = openStore(newFile())
  const [one, two] = [await leased(store, newRow('run_1')), await leased(store, newRow('run_2'))]
  const results = await Promise.all([
    store.commit(one, { events: [eventOf('run_1', 1)] }),
    codeOf(() => store.commit({ ...one, epoch: 9 }, { events: [eventOf('run_1', 'stale')] })),
    store.commit(two, { events: [eventOf('run_2', 1)] }),
    codeOf(() => store.command('run_none', { id: 'c', kind: 'cancel', reason: 'r', by: 'b' })),
    store.commit(one, { events: [eventOf('run_1', 2)] }),
  ])
  assert.equal([results[1], results[3]], ['lease_lost', 'run_not_found'])
  assert.equal((await store.events.list('run_1')).map(({ data }) => data).slice(1), [1, 2])
  assert.is((await store.events.list('run_2')).length, 2)
  await store.close()
})

test('a write to a damaged run, or to one of a newer svc, takes no other along', async () => {
  const file = newFile()
  const store = openStore(file)
  const leases = [await leased(store, newRow('run_1')), await leased(store, newRow('run_2'))]
  await store.create(newRow('run_3'), [created(newRow('run_3'))])
  await store.close()
  const db = new Sqlite(file)
  db.exec("UPDATE runs SET state = '{ }' WHERE id = 'run_1'; UPDATE runs SET format = 3 WHERE id = 'run_3'")
  db.close()
  const again = openStore(file)
  const codes = await Promise.all([
    ...leases.map((lease) => codeOf(() => again.commit(lease, { events: [eventOf(lease.runId, 1)] }))),
    codeOf(() => again.command('run_3', { id: 'c', kind: 'cancel', reason: 'r', by: 'b' })),
  ])
  assert.equal(codes, ['log_corrupt', 'nothing thrown', 'store_unavailable'])
  assert.is((await again.events.list('run_2')).length, 2)
  await again.close()
})

test('a file that another process holds is tried again, without keeping the event loop waiting', async () => {
  const file = newFile()
  const store = openStore(file)
  const lease = await leased(store, newRow('run_1'), 1_000)
  const other = new Sqlite(file)
  other.exec('BEGIN IMMEDIATE')
  let turns = 0
  const timer = setInterval(() => turns++, 5)
  let isWritten = false
  const written = Promise.resolve(store.commit(lease, { events: [eventOf('run_1', 'x')] })).then(() => {
    isWritten = true
  })
  await until(() => turns >= 8)
  assert.not.ok(isWritten)
  assert.is((await store.events.list('run_1')).length, 1, 'reads go on')
  other.exec('COMMIT')
  await written
  assert.is((await store.events.list('run_1')).length, 2)
  other.exec('BEGIN IMMEDIATE')
  assert.is(await codeOf(() => store.commit(lease, { events: [eventOf('run_1', 'y')] })), 'store_unavailable')
  other.exec('ROLLBACK')
  const [event] = await store.commit(lease, { events: [eventOf('run_1', 'z')] })
  assert.is(event?.seq, 3)
  clearInterval(timer)
  other.close()
  await store.close()
})

test('a removed run leaves nothing in the file, and payloads stay as long as another run refers to them', async () => {
  const file = newFile()
  const store = openStore(file)
  const secret = 'xyzzy-secret-of-the-run'
  const ids = ['run_1', 'run_2']
  for (const id of ids) {
    const row = newRow(id, {
      task: `${secret} ${id}`,
      tags: [secret],
      agents: [{ id: secret, name: 'a', status: 'pending' }],
    })
    const lease = await leased(store, row)
    const step = {
      key: 'k',
      effect: 'pure' as const,
      state: 'done' as const,
      outcome: `${LONG}${secret}`,
      time: 1,
      seq: 1,
    }
    await store.commit(lease, { events: [eventOf(id, [`${LONG}${secret}`, `${LARGE}${secret}`])], steps: [step] })
    await store.command(id, { id: 'c', kind: 'cancel', reason: secret, by: 'b' })
    await store.payloads.put(id, Buffer.from(`${secret} in a payload`))
  }
  await store.runs.delete('run_1')
  assert.equal((await store.events.list('run_2')).at(-1)?.data, [`${LONG}${secret}`, `${LARGE}${secret}`])
  await store.runs.delete('run_2')
  const db = new Sqlite(file)
  for (const { name } of db.all("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'run%'")) {
    // An index is read by the table that lists what it holds.
    const isIndex = String(name).startsWith('run_grams') && name !== 'run_grams_said'
    if (isIndex || name === 'run_indexed' || name === 'run_turn' || name === 'run_processes') continue
    assert.is(db.get(`SELECT count(*) AS rows FROM ${name}`)?.rows, 0, String(name))
  }
  db.close()
  for (const name of [file, `${file}-wal`]) {
    assert.not.ok(existsSync(name) && readFileSync(name).includes(secret), name)
  }
  await store.close()
})

test.run()
