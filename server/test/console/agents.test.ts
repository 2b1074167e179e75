/** The agents page: profiles seen, made, changed, used and deleted; and a change that somebody else made meanwhile. */
import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import { SCENES } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('agents and notifications')
const { test, inBrowser: check } = suite

/** What the browser shows to a person cannot be seen by a test: it is noted instead. */
const NOTED = `
globalThis.shown = []
globalThis.Notification = class {
  static permission = 'granted'
  static requestPermission = async () => 'granted'
  close() {}
  constructor(title, { body, tag }) { shown.push({ title, body, tag, click: () => this.onclick() }) }
}`

/** As a browser hides a tab; headless ones are always in sight. */
const HIDE = `
Object.defineProperty(document, 'hidden', { value: true, configurable: true })
document.dispatchEvent(new Event('visibilitychange'))`

check('an agent is made, with its faults beside the fields, used in a run, and deleted', async () => {
  const { page, audit } = await suite.open('agents')
  await page.getByText('No agents yet').waitFor()
  await page.getByRole('link', { name: 'New agent' }).click()
  const form = page.getByRole('form', { name: 'New agent' })
  await form.getByRole('button', { name: 'Make the agent' }).click()
  await form.getByText('is empty: write what it is called').waitFor()
  assert.equal(await audit(), [])
  await form.getByLabel('Name').fill('Reviewer')
  await form.getByLabel('Id', { exact: true }).fill('Not an id!')
  await form.getByLabel('Instructions').fill('Look twice.\u202e')
  await form.getByRole('button', { name: 'Make the agent' }).click()
  await form.getByRole('textbox', { name: 'Id', exact: true }).and(page.locator('[aria-invalid="true"]')).waitFor()
  await form.getByLabel('Id', { exact: true }).fill('reviewer')
  await form.getByRole('button', { name: 'Make the agent' }).click()
  await page.getByRole('heading', { name: 'Reviewer' }).waitFor()
  await page.getByText('No run has used it yet').waitFor()
  await page.getByText('saved here, by the console or the API').waitFor()
  assert.equal(await audit(), [])
  await page.getByRole('button', { name: 'Use in a run' }).click()
  const run = page.getByRole('form', { name: 'New run' })
  assert.is(await run.getByRole('textbox', { name: 'Agents' }).inputValue(), 'reviewer')
  await run.getByRole('textbox', { name: 'What is to be done?' }).fill('Summarise README.md')
  await run.getByRole('button', { name: 'Start run' }).click()
  await page.waitForURL(/\/runs\/run_/)
  await suite.opened.runtime.runs.wait(/run_\w+/.exec(page.url())?.[0] ?? '', 60_000)
  await page.goto(`${suite.opened.url}/console/agents/reviewer`)
  await page.getByRole('link', { name: 'Summarise README.md' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('No agents yet').waitFor()
})

check('what somebody else changed meanwhile is not written over unseen', async () => {
  const { agents } = suite.opened.runtime
  await agents.put({ name: 'Writer', instructions: 'Write.', temperature: 0.3 })
  const { page, audit } = await suite.open('agents/writer')
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const form = page.getByRole('form', { name: 'Change Writer' })
  await form.getByLabel('Instructions').fill('Write short sentences.')
  await agents.put({ name: 'Writer', instructions: 'Write for children.', temperature: 0.3 })
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  await form.getByText('Somebody changed this agent').waitFor()
  await form.getByRole('cell', { name: 'Write for children.' }).waitFor()
  assert.is((await agents.get('writer')).instructions, 'Write for children.')
  assert.equal(await audit(), [])
  await form.getByRole('button', { name: 'Save mine over it' }).click()
  await page.getByRole('heading', { name: 'Writer' }).waitFor()
  const { instructions, temperature } = await agents.get('writer')
  assert.equal([instructions, temperature], ['Write short sentences.', 0.3], 'what the form has no field for stays')
})

check('who asked for it is notified of a call that waits, once, while no window is in sight', async () => {
  const { page } = await suite.open('plugins')
  const { origin } = new URL(page.url())
  await page.context().grantPermissions(['notifications'], { origin })
  await page.context().addInitScript(NOTED)
  await page.reload()
  const button = page.getByRole('button', { name: 'Notify me' })
  await button.click()
  await button.and(page.locator('[aria-pressed="true"]')).waitFor()
  const other = await page.context().newPage()
  await other.goto(page.url())
  const notes = async () =>
    Promise.all([page, other].map((one) => one.evaluate("shown.map(({ title, body }) => title + ': ' + body)")))
  // Hidden as a browser hides a tab; headless ones are always in sight.
  for (const one of [page, other]) await one.evaluate(HIDE)
  const { runs } = suite.opened.runtime
  const { id } = await runs.create({ task: SCENES.approval, approval: 'wait' })
  await runs.wait(id, 60_000)
  await until(async () => ((await notes()) as string[][]).flat().length > 0)
  const all = ((await notes()) as string[][]).flat()
  assert.is(all.length, 1, all.join('\n'))
  assert.match(all[0] ?? '', /^Approval needed: \w+: .*release note/)
  await until(async () => (await page.title()).startsWith('(1)'))
  assert.match((await page.locator('link[rel="icon"]').getAttribute('href')) ?? '', /icon-waits/)
  const speaker = (await page.evaluate<number>('shown.length')) > 0 ? page : other
  await speaker.evaluate('shown[0].click()')
  await speaker.waitForURL(/\/approvals\/apr_/)
})

test.run()
