import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hasBrowser, openBrowser } from './browser.ts'
import { openScenes, SCENES, TEAM } from './scenes.ts'

const test = suite('the page that compares two runs')
const check = hasBrowser ? test : test.skip

check('two runs stand side by side with what differs, and lead to the events in which they part', async () => {
  const opened = await openScenes()
  const browser = await openBrowser()
  try {
    const { runs } = opened.runtime
    const make = async (create: Parameters<typeof runs.create>[0]): Promise<string> => {
      const { id } = await runs.create(create)
      await runs.wait(id)
      return id
    }
    const team = await make({ task: SCENES.team, ...TEAM })
    const vote = await make({ task: SCENES.vote })
    const { firstDivergence } = await runs.diff(team, vote)
    const [left, right] = firstDivergence?.seq ?? []

    const { page, faults, audit } = await browser.open(`${opened.url}/console/compare/${team}/${vote}`)
    await page.getByRole('heading', { name: 'Where the logs part' }).waitFor()
    assert.is(await page.getByRole('row', { name: /^Topology/ }).textContent(), 'Topology differsCENTRALIZEDSINGLE')
    const answer = page.getByRole('region', { name: 'Answer of run B' })
    assert.match((await answer.textContent()) ?? '', 'divides 97')
    assert.ok((await answer.locator('mark').count()) > 0)
    await page
      .getByText(/^Agents/)
      .last()
      .waitFor()
    const link = page.getByRole('link', { name: `Run A at event ${left}` })
    assert.is(await link.getAttribute('href'), `/console/runs/${team}/timeline?at=${left}`)
    const other = page.getByRole('link', { name: `Run B at event ${right}` })
    assert.is(await other.getAttribute('href'), `/console/runs/${vote}/timeline?at=${right}`)
    await page.getByRole('region', { name: 'What differs in the events' }).getByText('/data/score').waitFor()
    assert.equal(await audit(), [])

    await page.getByRole('link', { name: 'Swap sides' }).click()
    await page.getByRole('link', { name: `Run A at event ${right}` }).waitFor()
    assert.match((await page.getByRole('region', { name: 'Answer of run A' }).textContent()) ?? '', 'divides 97')

    await page.goto(`${opened.url}/console/compare/${team}/${team}`)
    await page.getByText('Both sides are the same run').waitFor()
    await page.getByText('what only one of them says is marked').waitFor({ state: 'detached' })

    await page.goto(`${opened.url}/console/compare/${team}/run_00000000000000000000000000`)
    await page.getByRole('alert').getByText('run_not_found').waitFor()
    await page.getByRole('row', { name: /^Topology/ }).waitFor()
    assert.equal(await audit(), [])

    const slow = await runs.create({ task: SCENES.slow, model: 'slow/words' })
    await page.setViewportSize({ width: 400, height: 800 })
    await page.goto(`${opened.url}/console/compare/${team}/${slow.id}`)
    await page.getByText('are compared once both runs have ended').waitFor()
    await runs.cancel(slow.id)
    await page.getByRole('heading', { name: 'Differences' }).waitFor()
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 400)
    assert.equal(await audit(), [])
    assert.equal(faults, [])
  } finally {
    await browser.close()
    await opened.close()
  }
})

test.run()
