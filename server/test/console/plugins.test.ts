/** The console's page of plugins, hooks, providers, tools and config. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hooksOf, toConfigRows } from '../../console/src/plugins/hook-table.ts'
import { hasBrowser, openBrowser } from './browser.ts'
import { openScenes } from './scenes.ts'

const test = suite('console: plugins')
const inBrowser = hasBrowser ? test : test.skip

test('every hook stands in the table in its order, also one that nobody taps', () => {
  const tap = { plugin: 'p', name: 't', stage: 0, mandatory: false, source: 'here', calls: 0, totalMs: 0 }
  const table = hooksOf([
    { hook: 'other', ...tap },
    { hook: 'plan', ...tap },
  ])
  assert.equal(
    table.map(({ hook }) => hook),
    [
      ...['analyze', 'allocate', 'plan', 'execute', 'reflect', 'consensus', 'inspect'],
      ...['modelRequest', 'modelResponse', 'toolRequest', 'toolResult', 'other'],
    ],
  )
  assert.is(table.find(({ hook }) => hook === 'plan')?.taps.length, 1)
  assert.is(table.find(({ hook }) => hook === 'analyze')?.taps.length, 0)
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
  const opened = await openScenes({ config: { budget: { maxTokens: 50_000 } } })
  const browser = await openBrowser()
  try {
    for (const options of [{}, { width: 400, dark: true }]) {
      const { page, faults, audit } = await browser.open(`${opened.url}/console/plugins`, options)
      await page.getByRole('heading', { name: 'Hooks' }).waitFor()
      for (const hook of ['analyze', 'inspect', 'toolResult'])
        assert.is(await page.getByRole('rowheader', { name: hook, exact: true }).count(), 1, hook)
      assert.ok((await page.getByText('No plugin taps it.').count()) > 0)
      await page.getByText('healthy').waitFor()
      await page.getByLabel('Setting, value or file contains').fill('maxtok')
      await page.getByText('budget.maxTokens').waitFor()
      assert.is(await page.locator('#config tbody tr').count(), 1)
      assert.not.ok(await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
      assert.equal(await audit(), [])
      assert.equal(faults, [])
    }
  } finally {
    await browser.close()
    await opened.close()
  }
})

test.run()
