import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import { SCENES, TEAM } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('the page that compares two runs')
const { test, inBrowser, ended } = suite

inBrowser('two runs stand side by side with what differs, and lead to the events in which they part', async () => {
  const { runs } = suite.opened.runtime
  const team = await ended({ task: SCENES.team, ...TEAM })
  const vote = await ended({ task: SCENES.vote })
  const { firstDivergence } = await runs.diff(team, vote)
  const [left, right] = firstDivergence?.seq ?? []

  const { page, audit } = await suite.open(`compare/${team}/${vote}`)
  const go = (path: string) => page.goto(`${suite.opened.url}/console/compare/${path}`)
  await page.getByRole('heading', { name: 'Where the logs part' }).waitFor()
  const topology = page.getByRole('row', { name: /^Topology/ })
  await until(async () => (await topology.textContent()) === 'Topology differscentralizedsingle')
  const answer = page.getByRole('region', { name: 'Answer of run B' })
  await answer.getByText('divides 97').waitFor()
  await answer.locator('mark').first().waitFor()
  for (const [side, id, at] of [
    ['A', team, left],
    ['B', vote, right],
  ]) {
    const link = page.getByRole('link', { name: `Run ${side} at event ${at}` })
    assert.is(await link.getAttribute('href'), `/console/runs/${id}/timeline?at=${at}`)
  }
  await page.getByRole('region', { name: 'What differs in the events' }).getByText('/data/score').waitFor()
  assert.equal(await audit(), [])

  await page.getByRole('link', { name: 'Swap sides' }).click()
  await page.getByRole('link', { name: `Run A at event ${right}` }).waitFor()
  await page.getByRole('region', { name: 'Answer of run A' }).getByText('divides 97').waitFor()
  await go(`${team}/${team}`)
  await page.getByText('Both sides are the same run').waitFor()
  await page.getByText('what only one of them says is marked').waitFor({ state: 'detached' })
  await go(`${team}/run_00000000000000000000000000`)
  await page.getByRole('alert').getByText('run_not_found').waitFor()
  await page.getByRole('row', { name: /^Topology/ }).waitFor()

  const slow = await runs.create({ task: SCENES.slow, model: 'slow/words' })
  await page.setViewportSize({ width: 400, height: 800 })
  await go(`${team}/${slow.id}`)
  await page.getByText('are compared once both runs have ended').waitFor()
  await runs.cancel(slow.id)
  await page.getByRole('heading', { name: 'Differences' }).waitFor()
  assert.is(await page.evaluate('document.documentElement.scrollWidth'), 400)
  assert.equal(await audit(), [])
})

test.run()
