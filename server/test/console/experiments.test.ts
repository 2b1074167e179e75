/** The console's page of experiments: the list, a report with its plots, and where there is none. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { makeExperiments } from '../fixtures/experiment.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: experiments')
const { test, inBrowser } = suite

inBrowser('without one the page says how to begin', async () => {
  const { page, audit } = await suite.open('experiments', { width: 360 })
  await page.getByText('There is no experiment in this folder yet.').waitFor()
  await page.getByRole('region', { name: 'Commands' }).getByText('svc experiment budgets.json --dry-run').waitFor()
  assert.equal(await audit(), [])
  assert.not.ok(await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
})

inBrowser('a report says first what failed and what was found, and each plot stands as a table too', async () => {
  await suite.serve({ server: { experiments: makeExperiments('topologies') } })
  const { page, audit } = await suite.open('experiments')
  await page.getByRole('link', { name: 'topologies' }).click()
  const showed = page.getByRole('region', { name: 'What it showed' })
  await showed.getByText(/^Failed runs: no-reflection \d+ of 120/).waitFor()
  await showed.getByText('no verdict', { exact: true }).waitFor()
  for (const table of ['Differences from the base', 'Arms', 'Cost and quality'])
    assert.ok(
      (await page
        .getByRole('region', { name: `Table: ${table}` })
        .getByRole('row')
        .count()) > 3,
      table,
    )
  await page.getByText('No choice, since too many runs failed: no-reflection.').waitFor()
  await page.getByText(/^few-tokens: \d+ tasks/).click()
  await page.getByRole('region', { name: 'Table: Worst regressions of few-tokens' }).waitFor()
  await page.getByText(/The sample shows a difference of/).waitFor()
  assert.equal(await audit(), [])
  await page.setViewportSize({ width: 360, height: 800 })
  assert.not.ok(await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
  await page.getByRole('link', { name: 'All experiments' }).click()
  await page.getByRole('list', { name: 'Experiments' }).waitFor()
})

inBrowser('figures as large as numbers can be leave the plots whole', async () => {
  const folder = makeExperiments('topologies')
  const file = join(folder, 'topologies', 'report.json')
  const large = (name: string, value: unknown): unknown =>
    typeof value === 'number' && name !== 'format' ? 1e308 : value
  writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8'), large)))
  await suite.serve({ server: { experiments: folder } })
  const { page } = await suite.open('experiments/topologies')
  await page.getByRole('region', { name: 'Table: Differences from the base' }).waitFor()
})

test.run()
