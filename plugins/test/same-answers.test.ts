/** What a runtime answers of costs, conversations and memories is the same over each store, also over one that adds nothing up itself. */
import type { MemoryRecord, Run, RunCosts, RunRow, Runtime, Store, ThreadMessage } from '@svc/core'
import { createMemoryStore, SvcError } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createJsonlStore } from '../../examples/own-parts/src/jsonl/jsonl-store.ts'
import { createRuntime } from '../src/index.ts'
import { PostgresStore } from '../src/stores/index.ts'
import { missing, type Postgres, startPostgres } from './fixtures/postgres.ts'
import { created, newFile, newFolder, newRow, openStore } from './fixtures/run-rows.ts'
import { endedRun, modelOf } from './fixtures/runs.ts'

const test = suite('the same answers over each store')
if (missing !== undefined) console.log(`PostgreSQL is left out: ${missing}`)

let server: Postgres | undefined
test.before(async () => {
  if (missing === undefined) server = await startPostgres()
})
test.after(() => server?.close())

async function openAll(): Promise<Record<string, Store>> {
  const stores: Record<string, Store> = {
    memory: createMemoryStore(),
    sqlite: openStore(newFile(), { fsync: 'off' }),
    jsonl: createJsonlStore({ url: 'jsonl:runs.jsonl', dir: newFolder(), clock: Date.now }),
    ...(server !== undefined && { postgres: new PostgresStore({ url: server.newDatabase() }) }),
  }
  await stores.jsonl?.open?.()
  await stores.postgres?.open()
  return stores
}

/** Does the same with a runtime over each store. */
async function withEach<T>(
  work: (runtime: Runtime, store: Store) => Promise<T>,
  claims: 'all' | 'none' = 'all',
): Promise<Record<string, T>> {
  const answers: Record<string, T> = {}
  for (const [name, store] of Object.entries(await openAll())) {
    const plugins = [modelOf(({ messages }) => `answer ${messages.length} 😀 \u202e`, 'fake')]
    const runtime = await createRuntime({ model: 'fake/small', plugins }, { env: {}, store, claims })
    answers[name] = await work(runtime, store)
    await runtime.close()
    await store.close()
  }
  return answers
}

/** @param answers by the names of the stores; that of the first is right */
function areTheSame(answers: Record<string, unknown>, what = ''): void {
  const [[, right] = [], ...others] = Object.entries(answers)
  for (const [name, answer] of others) assert.equal(answer, right, `${name} ${what}`)
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing was thrown',
    (thrown) => (SvcError.isInstance(thrown) ? thrown.code : String(thrown)),
  )

const NOW = Date.parse('2024-02-28T21:00:00.000Z')
const HOUR_MS = 3_600_000
const after = (hours: number): string => new Date(NOW + hours * HOUR_MS).toISOString()

const price = fc.constantFrom(null, 0, 0.25, 0.5, 1e-7)
const use = fc.record({
  model: fc.constantFrom('m/one', 'm/two', 'm/😀', 'm/\u0000x', "m/o'%"),
  inputTokens: fc.nat(9),
  outputTokens: fc.nat(2),
  costUsd: price,
})
const spent = fc.record({
  hours: fc.integer({ min: 0, max: 24 * 40 }),
  space: fc.constantFrom(undefined, '/a', '/ä b', '/c%'),
  owner: fc.constantFrom(undefined, 'one', 'two'),
  asked: fc.constantFrom(undefined, 'm/one', 'm/asked-alone'),
  models: fc.uniqueArray(use, { maxLength: 3, selector: ({ model }) => model }),
})
type Spent = typeof spent extends fc.Arbitrary<infer T> ? T : never

async function spend(store: Store, { hours, space, owner, asked, models }: Spent, n: number): Promise<void> {
  const row: RunRow = {
    ...newRow(`run_${n}`, { createdAt: after(hours) }),
    create: { task: 'a task', ...(asked !== undefined && { model: asked }) },
    ...(space !== undefined && { space }),
    ...(owner !== undefined && { owner }),
  }
  await store.create(row, [created(row)])
  const [claimed] = await store.claim('spender', { limit: 1, ttlMs: 60_000, only: row.id })
  if (claimed === undefined) return
  const sum = (of: 'inputTokens' | 'outputTokens'): number => models.reduce((all, each) => all + each[of], 0)
  const isPriced = models.every(({ costUsd }) => costUsd !== null)
  await store.commit(claimed.lease, {
    run: {
      models,
      usage: { ...row.usage, inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') },
      costUsd: isPriced ? models.reduce((all, each) => all + (each.costUsd ?? 0), 0) : null,
    },
  })
}

const option = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const hour = option(fc.integer({ min: -9, max: 24 * 41 }).map(after))
const costQueries = fc
  .record({
    from: hour,
    to: hour,
    per: option(fc.constantFrom('day', 'week', 'month')),
    by: option(fc.constantFrom('model', 'folder')),
    utcOffsetMinutes: option(fc.constantFrom(0, 345, -720, 1_080, -1_080)),
    space: option(fc.constantFrom('/a', '/ä b', '/none')),
    owner: option(fc.constantFrom('one', 'nobody')),
    all: fc.constant(true),
  })
  .map((query) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)))

/** Sums of fractions differ in their last digits by the order in which they are made. */
const rounded = ({ data, ...asked }: RunCosts): unknown => ({
  ...asked,
  data: data.map((figure) => ({
    ...figure,
    costUsd: figure.costUsd === null ? null : Number(figure.costUsd.toPrecision(9)),
  })),
})

test('costs are those that are added up run by run, whatever is asked, by any calendar', async () => {
  const runs = fc.sample(spent, { numRuns: 120, seed: 11 })
  const queries = fc.sample(costQueries, { numRuns: process.env.SVC_NIGHTLY ? 1_000 : 150, seed: 12 })
  const answers = await withEach(async (runtime, store) => {
    for (const [n, each] of runs.entries()) await spend(store, each, n)
    const costs: unknown[] = []
    for (const query of queries) costs.push(rounded(await runtime.runs.costs(query)))
    return costs
  }, 'none')
  for (const [n, query] of queries.entries())
    areTheSame(
      Object.fromEntries(Object.entries(answers).map(([name, costs]) => [name, costs[n]])),
      JSON.stringify(query),
    )
  assert.ok(answers.memory?.some((costs) => (costs as RunCosts).data.length > 20))
})

test('what was said in a conversation comes in both orders, page by page', async () => {
  const answers = await withEach(async (runtime) => {
    const { id } = await runtime.threads.create({})
    for (const task of ['one', 'two\u0000', '三 😀', 'four']) await endedRun(runtime, { task, threadId: id })
    const all: ThreadMessage[] = []
    for (const message of await runtime.threads.messages(id)) all.push(message)
    assert.is(all.length, 8)
    for (const order of ['asc', 'desc'] as const) {
      for (const limit of [1, 3, 100]) {
        const pages: ThreadMessage[] = []
        let next: string | undefined
        do {
          const page = await runtime.threads.listMessages(id, {
            order,
            limit,
            ...(next !== undefined && { after: next }),
          })
          assert.ok(page.data.length <= limit)
          assert.is(page.hasMore, page.nextCursor !== undefined)
          pages.push(...page.data)
          next = page.nextCursor
        } while (next !== undefined)
        assert.equal(pages, order === 'asc' ? all : [...all].reverse(), `${order} by ${limit}`)
      }
    }
    const codes = [{ after: 'nowhere' }, { limit: 0 }].map((query) => codeOf(runtime.threads.listMessages(id, query)))
    return [all.map(({ role, content }) => [role, content]), await Promise.all(codes)]
  })
  areTheSame(answers)
})

test('a memory that is changed is found by its new text alone, and one that is gone is not changed', async () => {
  const shown = ({ content, kind, tags, trust, source, validTo }: MemoryRecord): unknown => ({
    content,
    kind,
    tags,
    trust,
    origin: source.origin,
    ...(validTo !== undefined && { validTo }),
  })
  const answers = await withEach(async ({ memory }) => {
    const { id } = await memory.write({ content: 'The office is in Oslo.', layer: 'long-term', kind: 'fact' })
    const found = async (query: string): Promise<boolean> =>
      (await memory.query({ query })).data.some((hit) => hit.id === id)
    const seen: unknown[] = [await found('Oslo')]
    seen.push(shown(await memory.update(id, { content: 'The branch moved to Lima 😀.', tags: ['moved'] })))
    seen.push(await found('Oslo'), await found('Lima'), shown(await memory.get(id)))
    seen.push(shown(await memory.update(id, { validTo: '2999-01-01T00:00:00.000Z' })))
    seen.push(shown(await memory.update(id, { validTo: null })))
    seen.push((await memory.list({ layer: 'long-term' })).data.map(shown))
    for (const wrong of [{ content: '' }, { validTo: 'soon' }, { trust: 'trusted' }, {}])
      seen.push(await codeOf(memory.update(id, wrong as never)))
    // Of changes at once each is whole.
    const texts = Array.from({ length: 8 }, (_, n) => `Change ${n}`)
    await Promise.all(texts.map((content) => memory.update(id, { content, tags: [content] })))
    const { content, tags } = await memory.get(id)
    assert.equal(tags, [content])
    await memory.delete(id)
    seen.push(await codeOf(memory.update(id, { content: 'again' })), await codeOf(memory.get(id)))
    return seen
  })
  areTheSame(answers)
  assert.equal(answers.memory?.slice(-2), ['memory_not_found', 'memory_not_found'])
})

test('a run is found by its task and its answer, and with its verdict and model, over each store', async () => {
  const answers = await withEach(async (runtime) => {
    const runs = [
      await endedRun(runtime, { task: 'Which İstanbul?' }),
      await endedRun(runtime, { task: 'Which 東京?' }),
    ]
    const found = async (query: object): Promise<unknown> =>
      (await runtime.runs.list({ order: 'asc', ...query })).data.map(({ id, found: piece }: Run) => [
        runs.indexOf(id),
        piece,
      ])
    return [
      await found({ q: 'i̇stanbul' }),
      await found({ q: '東京' }),
      await found({ q: 'ANSWER' }),
      await found({ q: '😀' }),
      await found({ q: 'nowhere' }),
      await found({ q: 'which', model: 'fake/small' }),
      await found({ q: 'which', model: 'fake' }),
      await found({ verdict: 'fail' }),
    ]
  })
  areTheSame(answers)
  assert.ok(Array.isArray(answers.memory?.[2]) && answers.memory[2].length === 2)
})

test.run()
