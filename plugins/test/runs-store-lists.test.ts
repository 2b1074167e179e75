import type { RunQuery, RunRow, RunSummary, Store } from '@svc/core'
import { createMemoryStore, figuresOf, toGroup, toSummary } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { created, newFile, newRow, openStore } from './fixtures/run-rows.ts'

const test = suite('lists of runs in SQLite')

const words = ['Apples', 'PEARS', 'plums', 'ÄPFEL', 'İ', '100%', "o'clock"]
const rows = fc.array(
  fc.record({
    task: fc.subarray(words, { minLength: 1 }).map((some) => some.join(' ')),
    status: fc.constantFrom('queued', 'running', 'completed', 'failed'),
    mode: fc.constantFrom('execute', 'plan'),
    thread: fc.option(fc.constantFrom('thr_1', 'thr_2'), { nil: undefined }),
    tags: fc.subarray(['a', 'b']),
    agents: fc.subarray(['x', 'y']),
    minute: fc.integer({ min: 10, max: 14 }),
    tokens: fc.integer({ min: 0, max: 3 }),
    costUsd: fc.constantFrom(null, 0, 0.5, 1e-7),
    durationMs: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 15 },
)
const option = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 1 })
const times = fc
  .integer({ min: 9, max: 15 })
  .map((minute) => `2024-05-01T12:${String(minute).padStart(2, '0')}:00.000Z`)
const small = option(fc.integer({ min: 0, max: 3 }))
const queries = fc.record({
  minTokens: small,
  maxTokens: small,
  minDurationMs: small,
  maxDurationMs: small,
  minCostUsd: option(fc.constantFrom(0, 1e-7, 0.5)),
  maxCostUsd: option(fc.constantFrom(0, 1e-7, 0.5)),
  limit: fc.integer({ min: 1, max: 5 }),
  order: option(fc.constantFrom('asc', 'desc')),
  status: option(fc.constantFrom('queued', 'running', 'completed', 'failed')),
  mode: option(fc.constantFrom('execute', 'plan')),
  threadId: option(fc.constantFrom('thr_1', 'thr_2')),
  tag: option(fc.constantFrom('a', 'b')),
  agent: option(fc.constantFrom('x', 'y', 'z')),
  createdAfter: option(times),
  createdBefore: option(times),
  q: option(fc.constantFrom('apple', 'äpf', 'EAR', '%', "o'", 'i̇', 'none')),
})

const measured = (tokens: number, costUsd: number | null, ms: number | undefined): Partial<RunRow> => ({
  usage: { inputTokens: tokens, outputTokens: 1, estimated: false, modelCalls: 1 },
  costUsd,
  ...(ms === undefined ? {} : { startedAt: isoAt(0), finishedAt: isoAt(ms) }),
})
const isoAt = (ms: number): string => new Date(Date.parse('2024-05-01T12:00:00.000Z') + ms).toISOString()

/** A summary by its definition. */
async function summarizeByPages(store: Store, filters: RunQuery): Promise<RunSummary> {
  const runs: RunRow[] = []
  for (const id of (await idsOf(store, filters)).flat()) {
    const run = await store.runs.get(id)
    if (run !== undefined) runs.push(run)
  }
  const durations = runs.flatMap((run) => figuresOf(run).durationMs ?? [])
  return toSummary(runs.map(toGroup), durations)
}

async function idsOf(store: Store, query: RunQuery): Promise<string[][]> {
  const pages: string[][] = []
  for (let after: string | undefined; ; ) {
    const page = await store.runs.list({ ...query, ...(after === undefined ? {} : { after }) })
    pages.push(page.data.map(({ id }) => id))
    if (page.nextCursor === undefined) return pages
    after = page.nextCursor
  }
}

test('whatever is asked, page by page, the answer is that of the store in memory', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.array(queries, { minLength: 1, maxLength: 8 }), async (list, asked) => {
      const stores = [createMemoryStore(), openStore(newFile(), { fsync: 'off' })]
      for (const store of stores) {
        for (const [
          index,
          { thread, minute, agents, task, tokens, costUsd, durationMs, ...fields },
        ] of list.entries()) {
          const isOver = fields.status === 'completed' || fields.status === 'failed'
          const row = newRow(`run_${index}`, {
            ...(fields as Partial<RunRow>),
            task,
            // A run that has not begun has used nothing.
            ...(isOver ? measured(tokens, costUsd, durationMs) : {}),
            createdAt: `2024-05-01T12:${minute}:00.000Z`,
            create: { task, agents: agents.slice(0, 1) },
            agents: agents.slice(1).map((id) => ({ id, name: id, status: 'pending' })),
            ...(thread === undefined ? {} : { threadId: thread }),
          })
          await store.create(row, [created(row)])
        }
      }
      const [memory, sqlite] = stores as [Store, Store]
      for (const query of asked) {
        const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as RunQuery
        assert.equal(await idsOf(sqlite, given), await idsOf(memory, given), JSON.stringify(given))
        const { limit: _, order: __, ...filters } = given
        const { costUsd, ...summary } = (await sqlite.runs.summarize?.(filters)) ?? {}
        const { costUsd: expected, ...rest } = await summarizeByPages(memory, filters)
        assert.equal(summary, rest)
        // In another order, numbers add up to slightly another one.
        assert.ok(costUsd === expected || Math.abs(Number(costUsd) - Number(expected)) < 1e-9)
      }
      await sqlite.close()
    }),
    { numRuns: 40 },
  )
})

test('costs of many runs are added up as of one, and others are served meanwhile', async () => {
  const store = openStore(newFile(), { fsync: 'off' })
  const models = [{ model: 'm/one', inputTokens: 1, outputTokens: 1, costUsd: 0.5 }]
  const rows = Array.from({ length: 9_000 }, (_, n) => newRow(`run_${n}`, { ...measured(1, 0.5, undefined), models }))
  await Promise.all(rows.map((row) => store.create(row, [])))
  const served: string[] = []
  const asked = { per: 'month', by: 'model', utcOffsetMinutes: 0, limit: 9 } as const
  const costs = store.runs.costs?.(asked)
  setImmediate(() => served.push('who came meanwhile'))
  const data = await costs
  served.push('costs')
  assert.equal(data, [{ start: '2024-05-01', name: 'm/one', runs: 9_000, tokens: 18_000, costUsd: 4_500, unpriced: 0 }])
  assert.equal(served, ['who came meanwhile', 'costs'])
  assert.equal(await store.runs.costs?.({ ...asked, createdAfter: '2024-05-02T00:00:00.000Z' }), [])
  assert.equal(await store.runs.costs?.({ ...asked, limit: 0 }), [])
  await store.close()
})

test.run()
