/** The console's page of plugins, hooks, providers, tools and config. */
import * as assert from 'uvu/assert'
import { SCENES } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: plugins')
const { test, inBrowser } = suite

inBrowser(
  'what is in force stands first, and a search finds plugins, tools and settings, wide and narrow',
  async () => {
    await suite.serve({ config: { budget: { maxTokens: 50_000 } } })
    const { page, audit } = await suite.open('plugins', { dark: true })
    await page.getByRole('heading', { name: 'Plugins by stage' }).waitFor()
    assert.equal((await page.getByRole('heading', { level: 2 }).allTextContents()).slice(0, 3), [
      'In force',
      'Health',
      'Plugins by stage',
    ])
    for (const hook of ['analyze', 'inspect', 'toolResult'])
      assert.is(await page.getByRole('rowheader', { name: hook, exact: true }).count(), 1, hook)
    assert.ok((await page.getByText('No plugin taps it.').count()) > 0)
    await page.getByText('healthy').waitFor()
    // The folder is said here, and at the end of every page.
    assert.is(await page.getByText(suite.opened.folder).count(), 2)
    assert.equal(await audit(), [])
    await page.setViewportSize({ width: 400, height: 900 })
    assert.not.ok(await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
    await page.getByLabel('Search plugins, tools, providers, settings and issues').fill('maxtok')
    await page.getByText('budget.maxTokens').waitFor()
    assert.is(await page.getByRole('region', { name: 'Table: Config' }).getByRole('row').count(), 2)
    await page.getByText('No tool fits the search.').waitFor()
    assert.equal(await audit(), [])
  },
)

inBrowser('equal issues of many runs stand once, with how often, and open into their events', async () => {
  await suite.serve()
  for (let round = 0; round < 4; round++) await suite.ended({ task: `${SCENES.failure} ${round}` })
  const { page, audit } = await suite.open('plugins')
  const issues = page.getByRole('region', { name: 'Issues' })
  const found = issues.getByRole('listitem')
  await found.first().waitFor()
  const texts = await found.allTextContents()
  assert.ok(texts.every((text) => / \d+ times,/.test(text)) && texts.length < 4, texts.join('\n'))
  await found.first().locator('summary').click()
  await issues
    .getByRole('link', { name: /^run .*, event/ })
    .first()
    .waitFor()
  assert.equal(await audit(), [])
})

test.run()
