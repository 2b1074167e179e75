/** Going from view to view: what is marked, named, focused, and where one is afterwards. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import { hasBrowser, openBrowser } from './browser.ts'
import { openScenes, SCENES } from './scenes.ts'

const test = suite('console: views')
const inBrowser = hasBrowser ? test : test.skip

inBrowser('each view is marked, is named in the title, and takes the focus when one goes there', async () => {
  const opened = await openScenes()
  const browser = await openBrowser()
  try {
    const { runs } = opened.runtime
    const { id } = await runs.create({ task: SCENES.vote })
    await runs.wait(id)
    const { page, faults, audit } = await browser.open(`${opened.url}/console/`)
    const nav = page.getByRole('navigation', { name: 'Views', exact: true })
    const marks = async (): Promise<string[]> => nav.locator('[aria-current="page"]').allTextContents()
    const named = async (title: string): Promise<void> => {
      await until(async () => (await page.title()) === title)
    }
    const focused = (): Promise<string> => page.evaluate(`document.activeElement.id`)

    await named('Runs · svc')
    assert.equal(await marks(), ['Runs'])
    assert.is(await focused(), '')
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

    await page.goto(`${opened.url}/console/compare/${id}/${id}`)
    await named('Compare two runs · svc')
    assert.equal(await marks(), ['Runs'])
    await page.goto(`${opened.url}/console/nowhere`)
    await named('No such page · svc')
    assert.equal(await marks(), [])

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('#main:focus').waitFor()
    assert.equal(await audit(), [])
    assert.equal(faults, [])
  } finally {
    await browser.close()
    await opened.close()
  }
})

inBrowser('the back button leads to the place of the list that one left', async () => {
  const opened = await openScenes()
  const browser = await openBrowser()
  try {
    const { runs } = opened.runtime
    for (let n = 1; n <= 130; n++) await runs.create({ task: `${SCENES.vote} ${n}`, mode: 'analyze' })
    const { page, faults } = await browser.open(`${opened.url}/console/`)
    const list = page.getByRole('list', { name: 'Runs, the newest first' })
    const row = page.getByRole('link', { name: `${SCENES.vote} 9`, exact: true })
    await list.hover()
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
    assert.equal(faults, [])
  } finally {
    await browser.close()
    await opened.close()
  }
})

test.run()
