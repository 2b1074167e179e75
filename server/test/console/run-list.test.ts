import type { Run, RunEvent } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rowsBetween, withChosen } from '../../console/src/runs/chosen/chosen.ts'
import {
  findContradictions,
  readFilters,
  SINCE,
  STATUSES,
  toAddress,
  toQuery,
  VERDICTS,
} from '../../console/src/runs/filters.ts'
import { EMPTY_DRAFT, toRunCreate } from '../../console/src/runs/new-run/draft.ts'
import { RunFeed, type RunSource } from '../../console/src/runs/run-feed.ts'
import { RunList, toRow } from '../../console/src/runs/run-list.ts'
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
      verdict: fc.constantFrom(...VERDICTS),
      model: word,
      mode: fc.constantFrom('execute', 'plan', 'analyze'),
      since: fc.constantFrom(...(Object.keys(SINCE) as (keyof typeof SINCE)[])),
      q: word,
      agent: word,
      tag: word,
      folders: fc.constant('all' as const),
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
  assert.is(toAddress({}), '/console/runs')
  // What is wrong narrows nothing.
  const wrong = {
    status: 'gone',
    verdict: 'good',
    folder: '/elsewhere',
    mode: 'fly',
    since: 'toString',
    minCost: 'much',
    maxTokens: '-1',
    q: ' ',
  }
  assert.equal(readFilters(wrong), {})
})

test('filters become the question that the server is asked', () => {
  assert.equal(toQuery({ status: 'failed', since: '1h', minSeconds: 1.5, maxCost: 0.25 }, 3_600_000), {
    status: 'failed',
    createdAfter: '1970-01-01T00:00:00.000Z',
    minDurationMs: 1_500,
    maxCostUsd: 0.25,
  })
  assert.equal(toQuery({ folders: 'all', folder: '/a', verdict: 'fail', model: 'm/n' }), {
    verdict: 'fail',
    model: 'm/n',
    all: true,
    space: '/a',
  })
  assert.equal(Object.keys(findContradictions({ minTokens: 9, maxTokens: 8, minCost: 1, maxCost: 1 })), ['minTokens'])
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

test('what changed while the list could not be asked for is asked for once it can be', async () => {
  const old = newRun(1)
  let tell = (_runId: string): void => {}
  let isRefused = false
  let asked = 0
  let reloaded = 0
  const feed = new RunFeed(
    {
      runs: {
        async list() {
          if (isRefused) throw new Error('refused')
          return { data: asked++ === 0 ? [old] : [], hasMore: true, nextCursor: 'next' }
        },
        async get() {
          reloaded++
          return old
        },
      } as unknown as RunSource['runs'],
      onRunEvent(onEvent) {
        tell = (runId) => onEvent({ runId } as RunEvent)
        return () => {}
      },
    },
    () => ({}),
    () => {},
  )
  await until(() => feed.list.rows.length === 1)
  isRefused = true
  tell(old.id)
  await until(() => feed.error !== undefined)
  isRefused = false
  await feed.more()
  await until(() => reloaded === 1)
  feed.stop()
})

test('runs are chosen one by one and from one to another, in either direction', () => {
  const rows = down(5, 0).map(toRow)
  const idsOf = (some: readonly { id: string }[]): number[] => some.map(({ id }) => Number(id.slice(4)))
  const [at5 = '', , at3 = '', , at1 = ''] = rows.map(({ id }) => id)
  assert.equal(idsOf(rowsBetween(rows, at5, at3)), [5, 4, 3])
  assert.equal(idsOf(rowsBetween(rows, at1, at3)), [3, 2, 1])
  assert.equal(idsOf(rowsBetween(rows, undefined, at3)), [3])
  assert.equal(idsOf(rowsBetween(rows, 'run_gone', at3)), [3])
  const all = withChosen(new Map(), rows, true)
  assert.equal(idsOf([...withChosen(all, rowsBetween(rows, at5, at3), false).values()]), [2, 1, 0])
})

test('a draft becomes the run that it asks for, and what is left open is left to the server', () => {
  assert.equal(toRunCreate({ ...EMPTY_DRAFT, task: ' Do it ' }), {
    task: 'Do it',
    mode: 'execute',
    topology: 'AUTO',
    approval: 'wait',
  })
  const whole = toRunCreate({
    ...EMPTY_DRAFT,
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

test.run()
