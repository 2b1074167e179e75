import type { Page, Run, RunQuery } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findContradictions, readFilters, SINCE, STATUSES, toAddress, toQuery } from '../../console/src/runs/filters.ts'
import { EMPTY_DRAFT, findProblems, toProblems, toRunCreate } from '../../console/src/runs/new-run/draft.ts'
import { RunFeed, type RunSource } from '../../console/src/runs/run-feed.ts'
import { durationOf, RunList, toRow } from '../../console/src/runs/run-list.ts'
import { RequestKeys } from '../../console/src/session/request-keys.ts'
import { until } from '../fixtures/until.ts'

const test = suite('the list of runs')

const newRun = (n: number, more: Partial<Run> = {}): Run =>
  ({
    id: `run_${String(n).padStart(5, '0')}`,
    status: 'completed',
    mode: 'execute',
    task: `Task ${n}`,
    version: 1,
    createdAt: new Date(1_800_000_000_000 + n * 1_000).toISOString(),
    agents: [],
    usage: { inputTokens: 10, outputTokens: 5, estimated: false, modelCalls: 1 },
    costUsd: 0,
    links: {},
    ...more,
  }) as Run

const down = (from: number, to: number): Run[] =>
  Array.from({ length: from - to + 1 }, (_, index) => newRun(from - index))
const ids = (list: RunList): number[] => list.rows.map(({ id }) => Number(id.slice(4)))

test('filters that are written to an address are read from it as they were', () => {
  const amount = fc.double({ min: 0, max: 1e9, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
  const word = fc.string({ minLength: 1 }).filter((text) => text.trim() === text && text !== '')
  const filters = fc.record(
    {
      status: fc.constantFrom(...STATUSES),
      mode: fc.constantFrom('execute', 'plan', 'analyze'),
      since: fc.constantFrom(...(Object.keys(SINCE) as (keyof typeof SINCE)[])),
      q: word,
      agent: word,
      tag: word,
      minCost: amount,
      maxTokens: amount,
      minSeconds: amount,
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  fc.assert(
    fc.property(filters, (given) => {
      const { searchParams } = new URL(toAddress(given as never), 'http://console')
      assert.equal(readFilters(Object.fromEntries(searchParams)), given)
    }),
  )
  assert.is(toAddress({}), '/console/')
  // What is wrong narrows nothing.
  const wrong = { status: 'gone', mode: 'fly', since: 'toString', minCost: 'much', maxTokens: '-1', q: ' ' }
  assert.equal(readFilters(wrong), {})
})

test('filters become the question that the server is asked', () => {
  assert.equal(toQuery({ status: 'failed', since: '1h', minSeconds: 1.5, maxCost: 0.25 }, 3_600_000), {
    status: 'failed',
    createdAfter: '1970-01-01T00:00:00.000Z',
    minDurationMs: 1_500,
    maxCostUsd: 0.25,
  })
  assert.equal(Object.keys(findContradictions({ minTokens: 9, maxTokens: 8, minCost: 1, maxCost: 1 })), ['minTokens'])
})

test('rows keep their places while pages are loaded and runs begin and change', () => {
  const list = new RunList()
  list.append({ data: down(9, 5), hasMore: true, nextCursor: 'c' })
  list.append({ data: down(4, 0), hasMore: false })
  assert.equal(ids(list), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  list.refresh(
    [newRun(11), newRun(10), newRun(9, { version: 2, status: 'failed' }), newRun(8, { version: 0, task: 'old' })],
    true,
  )
  assert.equal(ids(list), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  assert.is(list.rows[0]?.status, 'failed')
  assert.is(list.rows[1]?.task, 'Task 8')
  assert.is(list.fresh.length, 2)
  assert.not(list.isTorn)
  list.show()
  assert.equal(ids(list), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  assert.is(list.fresh.length, 0)
  list.remove('run_00010')
  assert.equal(ids(list).slice(0, 3), [11, 9, 8])
})

test('a list without rows shows what begins at once, and one that has missed a page says that it is torn', () => {
  const list = new RunList()
  list.append({ data: [], hasMore: false })
  list.refresh([newRun(1)], false)
  assert.equal(ids(list), [1])
  list.refresh(down(80, 31), true)
  assert.ok(list.isTorn)
  assert.equal(ids(list), [1])
})

test('however pages, changes and looks are mixed, no run is twice in the list and the newest come first', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('begin' as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constantFrom('more' as const, 'refresh' as const, 'show' as const), count: fc.constant(0) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const list = new RunList()
      const all = down(9, 0)
      list.append({ data: all.slice(0, 3), hasMore: true, nextCursor: all[2]?.id ?? '' })
      for (const { kind, count } of steps) {
        if (kind === 'begin') for (let n = 0; n < count; n++) all.unshift(newRun(all.length))
        else if (kind === 'refresh') list.refresh(all.slice(0, 5), all.length > 5)
        else if (kind === 'show') list.show()
        else if (list.hasMore) {
          const from = all.findIndex(({ id }) => id === list.cursor) + 1
          const data = all.slice(from, from + 3)
          list.append({ data, hasMore: from + 3 < all.length, nextCursor: data.at(-1)?.id ?? '' })
        }
        const shown = ids(list)
        assert.equal(
          shown,
          [...new Set(shown)].sort((one, other) => other - one),
        )
        assert.not(list.fresh.some(({ id }) => list.rows.some((row) => row.id === id)))
      }
    }),
  )
})

test('a row says how long a run has taken so far, and nothing heavy of it', () => {
  const row = toRow(newRun(1, { task: 'word '.repeat(40_000), startedAt: '2026-01-01T00:00:00.000Z' }))
  assert.ok(row.task.length <= 300)
  assert.is(durationOf(row, Date.parse('2026-01-01T00:00:02.000Z')), 2_000)
  assert.is(durationOf({ ...row, finishedAt: '2026-01-01T00:00:01.000Z' }, 0), 1_000)
  assert.is(durationOf({ ...row, startedAt: undefined }, 0), undefined)
})

test('a feed loads page by page, takes in what happens, and asks for rows further down one by one', async () => {
  const all = down(249, 0)
  let tell = (_: string): void => {}
  const asked: RunQuery[] = []
  const source = {
    runs: {
      async list(query: RunQuery = {}): Promise<Page<Run>> {
        asked.push(query)
        const from = query.after === undefined ? 0 : all.findIndex(({ id }) => id === query.after) + 1
        const data = all.slice(from, from + (query.limit ?? 20))
        return { data, hasMore: from + data.length < all.length, nextCursor: data.at(-1)?.id ?? '' }
      },
      get: async (id: string) => all.find((run) => run.id === id),
    },
    onRunEvent(handler: (event: { runId: string }) => void) {
      tell = (runId) => handler({ runId })
      return () => {}
    },
  } as unknown as RunSource
  const feed = new RunFeed(
    source,
    () => ({ tag: 'x' }),
    () => {},
  )
  await until(() => !feed.isLoading)
  assert.is(feed.list.rows.length, 100)
  await feed.more()
  await feed.more()
  await feed.more()
  assert.is(feed.list.rows.length, 250)
  assert.ok(asked.every(({ tag }) => tag === 'x'))
  all[200] = newRun(49, { version: 2, status: 'failed' })
  all.unshift(newRun(250))
  tell('run_00049')
  tell('run_00250')
  await until(() => feed.list.fresh.length > 0)
  assert.is(feed.list.rows[200]?.status, 'failed')
  assert.is(feed.list.rows.length, 250)
  feed.stop()
})

test('a draft becomes the run that it asks for, and what is left open is left to the server', () => {
  assert.equal(toRunCreate({ ...EMPTY_DRAFT, task: ' Do it ' }), {
    task: 'Do it',
    mode: 'execute',
    topology: 'AUTO',
    approval: 'wait',
  })
  const whole = toRunCreate({
    task: 'x',
    mode: 'plan',
    topology: 'PARALLEL',
    tokenBudget: '5000',
    maxCostUsd: '$0.5',
    model: 'a/b',
    riskLevel: 'high',
    consensus: 'no',
    tags: 'docs, nightly,,docs',
    files: ['README.md'],
  })
  assert.equal(whole, {
    task: 'x',
    mode: 'plan',
    topology: 'PARALLEL',
    approval: 'wait',
    tokenBudget: 5_000,
    budget: { maxCostUsd: 0.5 },
    model: 'a/b',
    riskLevel: 'high',
    consensus: false,
    tags: ['docs', 'nightly'],
    files: ['README.md'],
  })
})

test('what is wrong is said beside the field that it concerns', () => {
  assert.equal(Object.keys(findProblems({ ...EMPTY_DRAFT, tokenBudget: '1.5', maxCostUsd: '-1' })), [
    'task',
    'tokenBudget',
    'maxCostUsd',
  ])
  const errors = [
    { path: '/budget/maxCostUsd', message: 'must be > 0' },
    { path: '/files/1', message: 'is outside the root' },
    { path: '/tags/0', message: 'is too long' },
    { path: '/strange', message: 'is strange' },
  ]
  assert.equal(
    toProblems({ code: 'validation_failed', message: 'm', errors }, { ...EMPTY_DRAFT, files: ['a', '../b'] }),
    {
      maxCostUsd: 'must be > 0',
      files: '../b: is outside the root',
      tags: 'is too long',
      other: '/strange is strange',
    },
  )
  assert.equal(toProblems({ code: 'model_not_found', message: 'no such', errors: undefined }, EMPTY_DRAFT), {
    model: 'no such',
  })
  assert.equal(toProblems({ code: 'queue_full', message: 'full', errors: undefined }, EMPTY_DRAFT), { other: 'full' })
})

test('the same run asked for twice has the same key until it is there', () => {
  const keys = new RequestKeys()
  const key = keys.keyOf({ task: 'x' })
  assert.is(keys.keyOf({ task: 'x' }), key)
  assert.is.not(keys.keyOf({ task: 'y' }), key)
  const again = keys.keyOf({ task: 'x' })
  keys.renew()
  assert.is.not(keys.keyOf({ task: 'x' }), again)
})

test.run()
