/** Searches and lists of runs mean the same in every store, with an index of words and without. */
import { readFileSync } from 'node:fs'
import type { Page, RunQuery, Store } from '@svc/core'
import { createMemoryStore } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { PostgresStore } from '../src/stores/index.ts'
import { indexed } from './fixtures/indexed.ts'
import { missing, type Postgres, startPostgres } from './fixtures/postgres.ts'
import { created, newFile, newRow, openStore } from './fixtures/run-rows.ts'
import { until } from './fixtures/until.ts'

const test = suite('searches of runs')
if (missing !== undefined) console.log(`PostgreSQL is left out: ${missing}`)

let server: Postgres | undefined
test.before(async () => {
  if (missing === undefined) server = await startPostgres()
})
test.after(() => server?.close())

/** More than any store reads one by one before it asks an index. */
const MANY = 1_600
const NOW = Date.parse('2024-05-01T12:00:00.000Z')
const minute = (n: number): string => new Date(NOW + n * 60_000).toISOString()

async function openAll(): Promise<Record<string, Store>> {
  const stores: Record<string, Store> = {
    memory: createMemoryStore(),
    sqlite: openStore(newFile(), { fsync: 'off' }),
    ...(server !== undefined && { postgres: new PostgresStore({ url: server.newDatabase() }) }),
  }
  await stores.postgres?.open()
  return stores
}

const closeAll = (stores: Record<string, Store>): Promise<unknown> =>
  Promise.all(Object.values(stores).map((store) => store.close()))

async function idsOf(store: Store, query: RunQuery): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ; ) {
    const page: Page<{ id: string }> = await store.runs.list({ ...query, ...(after !== undefined && { after }) })
    ids.push(...page.data.map(({ id }) => id))
    // Some pages say that the next one begins where it has to.
    if (page.nextCursor === undefined || ids.length >= 60) return ids
    after = page.nextCursor
  }
}

/** Scripts and signs on which stores could differ: cases, accents, signs of two units and halves of them, marks of their own. */
const PARTS = [
  'apple',
  'PEAR',
  'İstanbul',
  'ΟΔΟΣ',
  'Straße',
  '東京の天気',
  '天気',
  'コード',
  '😀',
  '😃x',
  '\ud83d',
  '\ude00',
  '\0',
  '\ufffe',
  '\uffff',
  '"',
  "'",
  '%',
  '_',
  '*',
  '^',
  'a AND b',
  'NOT',
  '(',
  '\n',
  'e\u0301',
  'é',
  '12',
  '1',
]
/** What is found among many that have its pieces, over pages, in both orders and with filters of every kind. */
const EXAMPLES: [RunQuery][] = [
  ...PARTS.map((q): [RunQuery] => [{ q, limit: 7 }]),
  ...(['asc', 'desc'] as const).flatMap((order): [RunQuery][] => [
    [{ q: 'cou all', limit: 1, order }],
    [{ q: 'cou all', limit: 7, order, tag: 'tag6' }],
    [{ q: 'cou al', limit: 2, order, left: true, createdAfter: minute(500) }],
    [{ q: 'cou nowhere', limit: 7, order }],
  ]),
]
const texts = fc.array(fc.constantFrom(...PARTS, ' '), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))

test('the same words find the same runs in every store, in the same order', async () => {
  const stores = await openAll()
  const file = newFile()
  const late = openStore(file, { fsync: 'off' })
  stores.indexed = openStore(file, { fsync: 'off' })
  const some = fc.sample(texts, { numRuns: 300, seed: 7 })
  for (const [name, store] of Object.entries(stores)) {
    if (name === 'indexed') continue
    const targets = name === 'sqlite' ? [store, late] : [store]
    await Promise.all(
      targets.flatMap((target) =>
        Array.from({ length: MANY }, (_, n) => {
          // What few say, and what many said long ago, is found by an index.
          // Most have the pieces of what these few say.
          const said = n % 700 === 20 ? 'count cou all' : n < 300 ? (some[n] ?? '') : 'count'
          const task = `${said} to ${n % 9 === 0 ? n : 'all'}`
          const row = newRow(`run_${n}`, {
            task,
            create: { task },
            createdAt: minute(n % 50 === 0 ? n - 400 : n),
            tags: [`tag${n % 7}`],
          })
          return target.create(row, [created(row)])
        }),
      ),
    )
  }
  await indexed(file)
  const pieces = fc.oneof(
    fc.constantFrom(...PARTS),
    texts,
    fc
      .tuple(fc.constantFrom(...some), fc.nat(9), fc.nat(9))
      .map(([text, from, length]) => text.slice(from, from + length + 1)),
    fc.constantFrom('count', 'to all', '9', ' 63', 'TO 1', 'nowhere', 'zz', '', 'count to 1593'),
  )
  const times = fc.option(fc.integer({ min: -500, max: MANY + 9 }).map(minute), { nil: undefined })
  const queries = fc
    .record({
      q: fc.option(pieces, { nil: undefined, freq: 9 }),
      createdAfter: times,
      createdBefore: times,
      tag: fc.option(fc.constantFrom('tag3', 'none'), { nil: undefined }),
      left: fc.option(fc.constant(true), { nil: undefined }),
      order: fc.constantFrom('asc' as const, 'desc' as const),
      limit: fc.constantFrom(7, 100),
    })
    .map((query) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as RunQuery)
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      const { memory, ...others } = stores
      assert.ok(memory)
      const expected = await idsOf(memory, query)
      for (const [name, store] of Object.entries(others))
        assert.equal(await idsOf(store, query), expected, `${name}: ${JSON.stringify(query)}`)
    }),
    { numRuns: process.env.SVC_NIGHTLY ? 1_000 : 120, examples: EXAMPLES },
  )
  await closeAll({ ...stores, late })
})

test('a run that is removed leaves no word of it in the file, and is found no more', async () => {
  const file = newFile()
  const store = openStore(file)
  const rows = Array.from({ length: 300 }, (_, n) => {
    const task = n === 5 ? 'say xqjvkz twice' : `say ${n}`
    return newRow(`run_${n}`, { task, create: { task } })
  })
  await Promise.all(rows.map((row) => store.create(row, [])))
  await indexed(file)
  await store.close()
  const holds = (letters: string): boolean => readFileSync(file).includes(letters)
  assert.ok(['xqj', 'qjv', 'jvk', 'vkz'].every(holds), 'the index has its letters')
  const again = openStore(file)
  await again.runs.delete('run_5')
  assert.equal((await again.runs.list({ q: 'xqjvkz' })).data, [])
  assert.is((await again.runs.list({ q: 'say 299' })).data.length, 1)
  await again.close()
  assert.not.ok(['xqj', 'qjv', 'jvk', 'vkz'].some(holds))
})

test('runs that are seen in a status are listed in the order of the store, whatever their ids', async () => {
  const stores = await openAll()
  const ids = ['run_m', 'run_z', 'run_a', 'run_k', 'run_b', 'run_y', 'run_c']
  const listed: Record<string, Record<string, string[][]>> = {}
  for (const [name, store] of Object.entries(stores)) {
    for (const id of ids) await store.create(newRow(id), [created(newRow(id))])
    for (const id of ['run_z', 'run_k', 'run_c']) await store.claim('gone', { limit: 1, ttlMs: 1, only: id })
    await until(async () => (await store.runs.list({ left: true })).data.length === ids.length)
    const runtime = await createRuntime({ model: 'offline/offline' }, { env: {}, store, claims: 'none' })
    for (const id of ['run_z', 'run_k', 'run_y']) await runtime.runs.cancel(id)
    const pages = async (query: RunQuery): Promise<string[][]> => {
      const all: string[][] = []
      for (let after: string | undefined; ; ) {
        const page = await runtime.runs.list({ ...query, ...(after !== undefined && { after }) })
        all.push(page.data.map(({ id }) => id))
        if (page.nextCursor === undefined) return all
        after = page.nextCursor
      }
    }
    listed[name] = {
      cancelling: await pages({ status: 'cancelling', limit: 2 }),
      upwards: await pages({ status: 'cancelling', order: 'asc' }),
      queued: (await pages({ status: 'queued' })).slice(0, 1),
    }
    await runtime.close()
  }
  for (const [name, lists] of Object.entries(listed))
    assert.equal(
      lists,
      {
        cancelling: [['run_y', 'run_k'], ['run_z']],
        upwards: [['run_z', 'run_k', 'run_y']],
        queued: [['run_c', 'run_b', 'run_a', 'run_m']],
      },
      name,
    )
})

test.run()
