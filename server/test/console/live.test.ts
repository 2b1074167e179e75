/** The console's page of a run at work, as a person uses it. */
import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import { SCENES, TEAM } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: live view')
const { test, inBrowser, ended } = suite

inBrowser('a team that is done: answer, stages by keyboard, team, texts, steps and budget', async () => {
  const id = await ended({ task: SCENES.team, ...TEAM, tags: ['docs'] })
  const { page, audit } = await suite.openRun(id)
  await page.getByRole('heading', { name: SCENES.team }).waitFor()
  await page.getByRole('region', { name: 'Text of the answer' }).waitFor()
  for (const [stage, text] of [
    ['Analyze', 'What makes it hard'],
    ['Allocate', 'of them for 3 agents'],
    ['Plan', 'planned by rule'],
    ['Reflect', 'of the checks passed'],
    ['Inspect', 'This is about how the run went'],
  ] as const) {
    await page.getByRole('button', { name: new RegExp(`^${stage}`, 'i') }).press('Enter')
    await page.getByText(text).first().waitFor()
  }
  await until(async () => (await page.locator('.react-flow__node').count()) === 7)
  assert.is(await page.locator('.topology-list li').count(), 7)
  assert.is(await page.locator('.talk').count(), 3)
  await page.locator('.step > summary').nth(1).press('Enter')
  await page.getByRole('region', { name: 'Output of step-2' }).waitFor()
  await page.getByText('of 6,952').waitFor()
  assert.is(await page.locator('.burn path').count(), 4, 'a line for the run and each agent')
  assert.equal(await audit(), [])
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 400, height: 900 })
  assert.ok(await page.locator('html').evaluate((html) => html.scrollWidth <= html.clientWidth), 'fits a narrow page')
  assert.equal(await audit(), [])
})

inBrowser('a run at work streams, is cancelled with a reason, gone on with as a new run, and deleted', async () => {
  const { runs } = suite.opened.runtime
  const { id } = await runs.create({ task: SCENES.slow, model: 'slow/words' })
  const { page } = await suite.open(`runs/${id}`, { width: 400 })
  await page.getByText(/word 120 /).waitFor()
  const frame = page.locator('.talk-frame')
  await until(() =>
    frame.evaluate(
      ({ scrollHeight, clientHeight, scrollTop }) =>
        scrollHeight > clientHeight + 40 && scrollTop + clientHeight >= scrollHeight - 30,
    ),
  )
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByLabel('Reason').fill('long enough')
  await page.getByRole('button', { name: 'Cancel the run' }).click()
  await page.getByRole('button', { name: 'Go on', exact: true }).first().waitFor()
  // Nothing is at work any more.
  await until(async () => (await page.locator('[data-status="running"]').count()) === 0)
  await page.getByRole('button', { name: 'Go on', exact: true }).first().click()
  const events = []
  for await (const event of runs.events(id)) events.push(event)
  const cancelling = events.find(({ type }) => type === 'run.cancelling')
  assert.is(cancelling?.type === 'run.cancelling' && cancelling.data.reason, 'long enough')
  await page.getByRole('dialog').getByRole('button', { name: 'Go on' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith(id))
  await page.getByRole('link', { name: /^from run/ }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await page.waitForURL(/\/console\/runs$/)
  assert.is((await suite.opened.ask('GET', `/v1/runs/${id}`)).status, 404)
})

inBrowser(
  'a call that waits is approved where the run is looked at, and the time stands still until then',
  async () => {
    const id = await ended({ task: SCENES.approval, approval: 'wait' })
    const { page, audit } = await suite.openRun(id)
    await page.getByRole('heading', { name: 'It waits for you' }).waitFor()
    const elapsed = page.locator('.stats dd').first()
    const before = await elapsed.innerText()
    assert.equal(await audit(), [])
    assert.is(await elapsed.innerText(), before)
    await page
      .getByRole('button', { name: /^Approve/ })
      .first()
      .click()
    await page.getByRole('region', { name: 'Text of the answer' }).getByText('The note is in notes.md.').waitFor()
    await page.getByRole('heading', { name: 'It waits for you' }).waitFor({ state: 'detached' })
  },
)

inBrowser(
  'a run that failed says why and what to do, and nowhere that something of it was done or is false',
  async () => {
    const { page } = await suite.openRun(await ended({ task: SCENES.failure }))
    await page.getByText('the model server refused the key').first().waitFor()
    await page.getByText("Check the provider's key on the server").waitFor()
    await page.getByRole('button', { name: /^execute.*failed/i }).waitFor()
    assert.is(await page.getByText('Part of the answer is false').count(), 0)
  },
)

test.run()
