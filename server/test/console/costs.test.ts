/** The page of costs, and what it makes of the figures of the server. */
import type { CostFigure, RunRow } from '@svc/core'
import { createMemoryStore } from '@svc/core'
import * as assert from 'uvu/assert'
import { addressOf, periodsOf, queryOf, readView } from '../../console/src/costs/cost-view.ts'
import { toSeries } from '../../console/src/costs/series.ts'
import { formatCost } from '../../console/src/parts/format.ts'
import { consoleSuite } from './suite.ts'
import { setClockOff } from './tools.ts'

const suite = consoleSuite('the page of costs')
const { test, inBrowser: check } = suite

test('what is shown stands in the address, and what an address says wrongly counts as nothing', () => {
  const usual = readView({ per: 'year', by: 'toString', range: '31', measure: 'love', folders: 'none' })
  assert.equal(usual, { per: 'day', by: 'model', measure: undefined, range: '30', folders: undefined })
  assert.is(addressOf(usual), '/console/costs')
  const other = { per: 'week', by: 'folder', measure: 'tokens', range: '90', folders: 'all' } as const
  assert.equal(readView(Object.fromEntries(new URL(addressOf(other), 'http://console').searchParams)), other)
})

test('periods are whole ones of the calendar of who looks, the newest with today', () => {
  // A Monday, at one in the night, three hours ahead of UTC.
  const calendar = { now: Date.parse('2026-03-01T22:00:00.000Z'), utcOffsetMinutes: 180 }
  const days = periodsOf({ per: 'day', range: '7' }, calendar)
  assert.equal([days.length, days[0], days.at(-1)], [7, '2026-02-24', '2026-03-02'])
  assert.equal(periodsOf({ per: 'week', range: '30' }, calendar), [
    '2026-01-26',
    '2026-02-02',
    '2026-02-09',
    '2026-02-16',
    '2026-02-23',
    '2026-03-02',
  ])
  assert.equal(periodsOf({ per: 'month', range: '7' }, calendar), ['2026-02-01', '2026-03-01'])
  const view = readView({ per: 'day', range: '7', folders: 'all' })
  assert.equal(queryOf(view, days, calendar), {
    per: 'day',
    by: 'model',
    from: '2026-02-23T21:00:00.000Z',
    utcOffsetMinutes: 180,
    all: true,
  })
})

test('what took most comes first, and of many the least are shown together', () => {
  const figures = Array.from(
    { length: 12 },
    (_, n): CostFigure => ({
      start: n % 2 === 0 ? '2026-03-01' : '2026-03-02',
      name: `m/${n}`,
      runs: 1,
      tokens: 100 * n,
      costUsd: n === 11 ? null : n,
      unpriced: n === 11 ? 1 : 0,
    }),
  )
  const series = toSeries(figures, ['2026-03-01', '2026-03-02'], 'cost')
  assert.equal(
    series.map(({ name }) => name),
    ['m/10', 'm/9', 'm/8', 'm/7', 'm/6', 'm/5', 'm/4', '5 others'],
  )
  const rest = series.at(-1)
  assert.equal([rest?.costUsd, rest?.unpriced, rest?.values], [6, 1, [2, 4]])
  assert.is(toSeries(figures, ['2026-03-01', '2026-03-02'], 'tokens')[0]?.name, 'm/11')
})

test('costs are written with two digits that say something, however small', () => {
  assert.equal([null, 0, 1.239, 0.005, 0.000_000_5].map(formatCost), ['–', '$0', '$1.24', '$0.0050', '$0.00000050'])
})

async function storeOf(models: NonNullable<RunRow['models']>): Promise<ReturnType<typeof createMemoryStore>> {
  const store = createMemoryStore()
  const usage = { inputTokens: 0, outputTokens: 0, estimated: false, modelCalls: 1 }
  const create = { task: 'Count lamps' }
  await store.create(
    {
      id: 'run_1',
      status: 'completed',
      mode: 'execute',
      task: create.task,
      recoveries: 0,
      version: 1,
      createdAt: new Date().toISOString(),
      lastSeq: 0,
      agents: [],
      usage,
      costUsd: null,
      models,
      links: {},
      format: 1,
      create,
      configHash: 'hash',
    },
    [],
  )
  return store
}

check('costs are drawn by model, told in a table, and what has no price is said', async () => {
  const use = { inputTokens: 1_000, outputTokens: 200 }
  const store = await storeOf([
    { model: 'acme/large', ...use, costUsd: 1.25 },
    { model: 'home/free', ...use, costUsd: null },
  ])
  await suite.serve({ runtime: { store } })
  const { page, audit } = await suite.open('costs')
  const table = page.getByRole('region', { name: 'Costs per day by model, as a table' })
  await table.getByRole('cell', { name: '$1.25' }).first().waitFor()
  await page.getByText('Without a known price, and so in no cost: home/free (1 run).').waitFor()
  await page.locator('.chart canvas').waitFor({ state: 'attached' })
  assert.equal(await audit(), [])
  await page.getByLabel('Show').selectOption('tokens')
  await page.waitForURL(/measure=tokens$/)
  await page
    .getByRole('region', { name: 'Tokens per day by model, as a table' })
    .getByRole('cell', { name: '2,400' })
    .waitFor()
  await page.getByLabel(/^By/).selectOption('folder')
  await page.getByText('No run took anything in this time.').waitFor()
  assert.equal(await audit(), [])
  // The newest day is that of the server.
  await setClockOff(page, -72)
  await page.goto(`${suite.opened.url}/console/costs`)
  await table.getByRole('cell', { name: '$1.25' }).first().waitFor()
})

test.run()
