/** The console's page of plugins, hooks, providers, tools and config. */
import * as assert from 'uvu/assert'
import { hooksOf, toConfigRows } from '../../console/src/plugins/tables.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: plugins')
const { test, inBrowser } = suite

test('every hook stands in the table in its order, also one that nobody taps', () => {
  const tap = { plugin: 'p', name: 't', stage: 0, mandatory: false, source: 'here', calls: 0, totalMs: 0 }
  const table = hooksOf([
    { hook: 'other', ...tap },
    { hook: 'plan', ...tap },
  ])
  assert.equal(
    table.map(({ hook, taps }) => `${hook} ${taps.length}`),
    [
      ...['analyze 0', 'allocate 0', 'plan 1', 'execute 0', 'reflect 0', 'consensus 0', 'inspect 0'],
      ...['modelRequest 0', 'modelResponse 0', 'toolRequest 0', 'toolResult 0', 'other 1'],
    ],
  )
})

test('the config is a row for each value, with the source of what it stands in', () => {
  const rows = toConfigRows({ value: { a: { b: 1, c: [] }, d: 'x' }, origin: { a: 'file', 'a.b': 'flags' } })
  assert.equal(rows, [
    { path: 'a.b', value: '1', source: 'flags' },
    { path: 'a.c', value: '[]', source: 'file' },
    { path: 'd', value: 'x', source: '' },
  ])
})

inBrowser('who answers what, models, tools, health and config are shown, wide and narrow', async () => {
  await suite.serve({ config: { budget: { maxTokens: 50_000 } } })
  const { page, audit } = await suite.open('plugins', { dark: true })
  await page.getByRole('heading', { name: 'Hooks' }).waitFor()
  for (const hook of ['analyze', 'inspect', 'toolResult'])
    assert.is(await page.getByRole('rowheader', { name: hook, exact: true }).count(), 1, hook)
  assert.ok((await page.getByText('No plugin taps it.').count()) > 0)
  await page.getByText('healthy').waitFor()
  assert.equal(await audit(), [])
  await page.setViewportSize({ width: 400, height: 900 })
  assert.not.ok(await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
  await page.getByLabel('Setting, value or file contains').fill('maxtok')
  await page.getByText('budget.maxTokens').waitFor()
  assert.is(await page.locator('#config tbody tr').count(), 1)
})

test.run()
