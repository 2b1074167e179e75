/** The console's page of a run at work, as a person uses it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hasBrowser, openBrowser, type TestBrowser } from './browser.ts'
import { openScenes, SCENES, type SceneServer, TEAM } from './scenes.ts'

const test = suite('console: live view')
const inBrowser = hasBrowser ? test : test.skip
let opened: SceneServer
let browser: TestBrowser

test.before(async () => {
  opened = await openScenes()
  if (hasBrowser) browser = await openBrowser()
})
test.after(async () => {
  await browser?.close()
  await opened.close()
})

const address = (id: string): string => `${opened.url}/console/runs/${id}`

inBrowser('a team that is done: answer, stages by keyboard, team, texts, steps and budget', async () => {
  const { id } = await opened.runtime.runs.create({ task: SCENES.team, ...TEAM, tags: ['docs'] })
  await opened.runtime.runs.wait(id, 60_000)
  for (const [width, dark] of [
    [1440, false],
    [400, true],
  ] as const) {
    const { page, faults, audit } = await browser.open(address(id), { width, dark })
    await page.getByRole('heading', { name: SCENES.team }).waitFor()
    await page.getByRole('region', { name: 'Text of the answer' }).waitFor()
    for (const [stage, text] of [
      ['Analyze', 'What makes it hard'],
      ['Allocate', 'of them for 3 agents'],
      ['Plan', 'planned by rule'],
      ['Reflect', 'of the checks passed'],
      ['Inspect', 'This is about how the run went'],
    ]) {
      await page.getByRole('button', { name: new RegExp(`^${stage}`, 'i') }).press('Enter')
      await page
        .getByText(text ?? '')
        .first()
        .waitFor()
    }
    assert.is(await page.locator('.react-flow__node').count(), 7)
    assert.is(await page.locator('.topology-list li').count(), 7)
    assert.is(await page.locator('.talk').count(), 3)
    await page.locator('.step > summary').nth(1).press('Enter')
    await page.getByRole('region', { name: 'Output of step-2' }).waitFor()
    await page.getByText('of 6,952').waitFor()
    assert.is(await page.locator('.burn canvas').count(), 1)
    assert.ok(await page.locator('html').evaluate((html) => html.scrollWidth <= html.clientWidth), `fits at ${width}`)
    assert.equal(await audit(), [])
    assert.equal(faults, [])
    await page.context().close()
  }
})

inBrowser('a run at work streams, is cancelled with a reason, gone on with as a new run, and deleted', async () => {
  const { id } = await opened.runtime.runs.create({ task: SCENES.slow, model: 'slow/words' })
  const { page, faults } = await browser.open(address(id), { width: 400 })
  await page.getByText(/word 120 /).waitFor()
  const frame = page.locator('.talk-frame')
  assert.ok(await frame.evaluate((element) => element.scrollHeight > element.clientHeight + 40))
  assert.ok(await frame.evaluate((element) => element.scrollTop + element.clientHeight >= element.scrollHeight - 30))
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByLabel('Reason').fill('long enough')
  await page.getByRole('button', { name: 'Cancel the run' }).click()
  await page.getByRole('button', { name: 'Go on', exact: true }).first().click()
  const events = []
  for await (const event of opened.runtime.runs.events(id)) events.push(event)
  const cancelling = events.find(({ type }) => type === 'run.cancelling')
  assert.is(cancelling?.type === 'run.cancelling' && cancelling.data.reason, 'long enough')
  await page.getByRole('dialog').getByRole('button', { name: 'Go on' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith(id))
  await page.getByRole('link', { name: /^from run/ }).waitFor()
  await page.getByRole('link', { name: /^from run/ }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await page.waitForURL(/\/console\/$/)
  assert.is((await opened.ask('GET', `/v1/runs/${id}`)).status, 404)
  assert.equal(faults, [])
})

inBrowser('a call that waits is approved where the run is looked at', async () => {
  const { id } = await opened.runtime.runs.create({ task: SCENES.approval, approval: 'wait' })
  const { page, faults, audit } = await browser.open(address(id))
  await page.getByRole('heading', { name: 'It waits for you' }).waitFor()
  assert.equal(await audit(), [])
  await page
    .getByRole('button', { name: /^Approve/ })
    .first()
    .click()
  await page.getByRole('region', { name: 'Text of the answer' }).getByText('The note is in notes.md.').waitFor()
  assert.is(await page.getByRole('heading', { name: 'It waits for you' }).count(), 0)
  assert.equal(faults, [])
})

inBrowser('a run that failed says why and what to do', async () => {
  const { id } = await opened.runtime.runs.create({ task: SCENES.failure })
  await opened.runtime.runs.wait(id, 60_000)
  const { page, faults } = await browser.open(address(id))
  await page.getByText('the model server refused the key').first().waitFor()
  await page.getByText("Check the provider's key on the server").waitFor()
  assert.equal(faults, [])
})

test.run()
