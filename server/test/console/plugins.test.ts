/** The console's page of plugins, hooks, providers, tools and config. */
import * as assert from 'uvu/assert'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: plugins')
const { test, inBrowser } = suite

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
