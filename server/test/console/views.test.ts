/** Going from view to view: what is marked, named, focused, where one is afterwards, and what is not there. */
import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import { SCENES } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: views')
const { test, inBrowser, ended } = suite

inBrowser('each view is marked, is named in the title, and takes the focus when one goes there', async () => {
  const id = await ended({ task: SCENES.vote })
  const { page, audit } = await suite.open('runs')
  const nav = page.getByRole('navigation', { name: 'Views', exact: true })
  const marks = async (): Promise<string[]> => nav.locator('[aria-current="page"]').allTextContents()
  const named = async (title: string): Promise<void> => {
    await until(async () => (await page.title()) === title)
  }

  await named('Runs · svc')
  assert.equal(await marks(), ['Runs'])
  assert.is(await page.evaluate(`document.activeElement.id`), '')
  for (const name of ['Approvals', 'Memory', 'Plugins', 'Runs']) {
    await nav.getByRole('link', { name, exact: true }).click()
    await named(`${name} · svc`)
    assert.equal(await marks(), [name])
    await page.locator('#main:focus').waitFor()
    await page.getByRole('main', { name, exact: true }).waitFor()
  }
  await page.getByRole('link', { name: SCENES.vote }).click()
  await named(`${SCENES.vote} · svc`)
  assert.equal(await marks(), ['Runs'])
  await page.locator('#main:focus').waitFor()

  // A tab is no other view: the focus stays on it.
  const tab = page.getByRole('link', { name: 'Timeline', exact: true })
  await tab.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/timeline$/)
  await page.locator('a:focus', { hasText: 'Timeline' }).waitFor()

  await page.goto(`${suite.opened.url}/console/compare/${id}/${id}`)
  await named('Compare two runs · svc')
  assert.equal(await marks(), ['Runs'])
  await page.goto(`${suite.opened.url}/console/nowhere`)
  await named('No such page · svc')
  assert.equal(await marks(), [])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.locator('#main:focus').waitFor()
  assert.equal(await audit(), [])
})

inBrowser('addresses of what is not there, or says nothing of use, are clear pages', async () => {
  const id = await ended({ task: SCENES.vote })
  const { page, audit } = await suite.open('runs/run_01JZ4K0M6T8N2QW3E5R7Y9V1XA')
  const go = (path: string) => page.goto(`${suite.opened.url}/console/${path}`)
  const isMissing = () => page.getByRole('heading', { name: 'There is no such run' }).waitFor()
  await isMissing()
  assert.is(await page.getByText('queued').count(), 0)
  assert.equal(await audit(), [])
  await go('runs/nonsense/timeline?at=-3&span=x')
  await isMissing()
  assert.not.match(await page.locator('main').innerText(), /pattern|\^/)
  await go(`runs/${id}/timeline?at=99999&span=99999`)
  await page.locator('input[type=range]').first().waitFor()
  await go('runs?status=nonsense&minTokens=-4&since=ever')
  await page.locator(`a[href*="${id}"]`).first().click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await suite.opened.ask('DELETE', `/v1/runs/${id}`)
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await page.getByRole('alert').getByText('run_not_found').waitFor()
})

inBrowser('the back button leads to the place of the list that one left', async () => {
  const { runs } = suite.opened.runtime
  for (let n = 1; n <= 130; n++) await runs.create({ task: `${SCENES.vote} ${n}`, mode: 'analyze' })
  const { page } = await suite.open('runs')
  const row = page.getByRole('link', { name: `${SCENES.vote} 9`, exact: true })
  await page.getByRole('list', { name: 'Runs, the newest first' }).hover()
  while ((await row.count()) === 0) {
    await page.mouse.wheel(0, 600)
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
  await row.click()
  await page.getByRole('heading', { name: `${SCENES.vote} 9`, level: 1, exact: true }).waitFor()
  await page.goBack()
  await row.waitFor()
  await page.getByRole('link', { name: 'Plugins', exact: true }).click()
  await page.getByRole('heading', { name: 'Plugins', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await page.getByRole('link', { name: `${SCENES.vote} 130`, exact: true }).waitFor()
})

test.run()
