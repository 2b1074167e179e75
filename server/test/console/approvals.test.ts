/** The console's page of approvals, as a person uses it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createGate, until } from '../fixtures/until.ts'
import { SCENES } from './scenes.ts'
import { consoleSuite } from './suite.ts'
import { defineTool } from './tools.ts'

const suite = consoleSuite('console: approvals')
const { test, inBrowser } = suite

inBrowser('a person approves, denies with a note, and edits arguments; the number in the title follows', async () => {
  const { opened } = suite
  const { runs, approvals } = opened.runtime
  const { page, audit } = await suite.open('approvals')
  await page.getByText('Nothing waits for you').waitFor()
  const first = await runs.create({ task: SCENES.approval, approval: 'wait' })
  await page.locator('article').waitFor()
  await page.waitForFunction(`document.title.startsWith('(1) ')`)
  assert.match(await page.locator('.places').innerText(), /notes\.md/)

  // What a keyboard does on arrival approves nothing.
  await runs.wait(first.id, 60_000)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Space')
  assert.is((await runs.get(first.id)).status, 'waiting')

  await page.getByRole('button', { name: 'Edit arguments…' }).click()
  const field = page.getByLabel('Arguments to call it with instead')
  await field.fill('{"path": ')
  await page.getByText('This is not JSON yet').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Approve with these arguments' }).isDisabled())
  await field.fill('{"path": 3, "content": "x"}')
  await page.getByRole('button', { name: 'Approve with these arguments' }).click()
  await page.locator('.error-text', { hasText: '/path' }).waitFor()
  assert.equal(await audit(), [])
  await field.fill('{"path": "notes.md", "content": "edited"}')
  await page.getByRole('button', { name: 'Approve with these arguments' }).click()
  await page.getByText('Nothing waits for you').waitFor()
  await page.waitForFunction(`!document.title.startsWith('(')`)
  await runs.wait(first.id, 60_000)
  const written = (): string => readFileSync(join(opened.folder, 'notes.md'), 'utf8')
  assert.is(written(), 'edited')

  const second = await runs.create({ task: SCENES.approval, approval: 'wait' })
  await page.getByRole('button', { name: 'Deny…' }).click()
  await page.getByLabel('Why not').fill('not today')
  await page.getByRole('button', { name: 'Deny', exact: true }).click()
  await page.getByText('Nothing waits for you').waitFor()
  await runs.wait(second.id, 60_000)
  assert.is(written(), 'edited')

  const third = await runs.create({ task: SCENES.approval, approval: 'wait' })
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByText('Nothing waits for you').waitFor()
  await runs.wait(third.id, 60_000)
  assert.match(written(), /The console is here/)

  // A call that was answered does not stand in the place of the next one.
  for (const task of [SCENES.approval, SCENES.approval]) await runs.create({ task, approval: 'wait' })
  await until(async () => (await approvals.list({ status: 'pending' })).data.length === 2)
  const [one, other] = (await approvals.list({ status: 'pending' })).data
  await page.goto(`${opened.url}/console/approvals/${one?.id}`)
  await page.getByRole('button', { name: 'Deny…' }).click()
  await page.getByRole('button', { name: 'Deny', exact: true }).click()
  await page.locator('article [data-status="denied"]').waitFor()
  await page.evaluate(`{
    const link = document.querySelector('main a')
    link.href = '/console/approvals/${other?.id}'
    link.click()
  }`)
  await page.locator(`[data-approval="${other?.id}"]`).waitFor()
  await page.getByRole('button', { name: 'Deny…' }).click()
  await page.getByRole('button', { name: 'Deny', exact: true }).click()
  await page.locator('article [data-status="denied"]').waitFor()

  await page.getByRole('link', { name: 'History' }).click()
  // All that was decided is there before less of it is asked for.
  await page.locator('.history-row').nth(4).waitFor()
  await page.getByLabel('Status').selectOption('denied')
  await page.locator('.history-row [data-status="approved"]').first().waitFor({ state: 'detached' })
  await page.locator('.history-row [data-status="denied"]').nth(2).waitFor()
  assert.is(await page.locator('.history-row').count(), 3)
  assert.equal(await audit(), [])
  assert.is((await approvals.list({ status: 'pending' })).data.length, 0)
})

inBrowser('an answer about what waits that comes late does not take the place of a newer one', async () => {
  const { runs } = suite.opened.runtime
  const { page } = await suite.open('approvals')
  await page.getByText('Nothing waits for you').waitFor()
  const late = createGate()
  let held = 0
  const lateOne = new Promise<void>((done) => {
    void page.route(/approvals\?.*status=pending/, async (route) => {
      if (held > 0) return route.continue()
      held = 1
      const response = await route.fetch()
      held = 2
      await late.passed
      await route.fulfill({ response })
      done()
    })
  })
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('link', { name: 'Waiting' }).click()
  await until(() => held === 2)
  const { id } = await runs.create({ task: SCENES.approval, approval: 'wait' })
  await page.locator('article').waitFor()
  late.open()
  await lateOne
  await page.evaluate('fetch("/health").then((response) => response.text())')
  assert.is(await page.locator('article').count(), 1)
  await runs.cancel(id)
})

inBrowser('what somebody else has decided is said kindly, and destructive calls take a second step', async () => {
  const opened = await suite.serve({
    plugins: [defineTool({ id: 'drop_table', risk: 'destructive' })],
    config: {
      policy: {
        rules: [
          { tool: 'drop_table', decision: 'allow' },
          { tool: 'drop_table', decision: 'ask' },
        ],
      },
    },
    script: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'Done.'
        : { toolCalls: [{ tool: 'drop_table', args: { name: 'lamps' } }] },
  })
  const { runs, approvals } = opened.runtime
  const { page, faults, onTheWay, audit } = await suite.open('approvals', { width: 400, dark: true })
  await runs.create({ task: 'Drop it', approval: 'wait' })
  await page.getByRole('button', { name: 'Approve…' }).click()
  const yes = page.getByRole('button', { name: 'Approve drop_table' })
  assert.ok(await yes.isDisabled())
  await page.getByLabel('I have read what it would do').check()
  assert.equal(await audit(), [])
  // Meanwhile somebody denies it, of which the page does not hear.
  await until(() => onTheWay.size === 0)
  const [open] = (await approvals.list({ status: 'pending' })).data
  await page.route('**/v1/approvals?*', (route) => route.abort())
  await approvals.resolve(open?.id ?? '', { decision: 'deny' })
  await yes.click()
  await page.getByText('has been decided already').waitFor()
  await page.getByRole('button', { name: 'Show how it stands' }).click()
  await page.unroute('**/v1/approvals?*')
  await page.getByText('Nothing waits for you').waitFor()
  await page.getByRole('link', { name: 'Policy in force' }).click()
  await page.getByText('asks before drop_table').waitFor()
  assert.equal(await audit(), [])
  // What this test cut off is no fault.
  faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('ERR_FAILED')))
})

inBrowser(
  'a tab that was not opened by a link reads and starts runs, and says why it is not asked to decide',
  async () => {
    const opened = await suite.serve()
    const { browser } = suite
    const run = await opened.runtime.runs.create({ task: SCENES.approval, approval: 'wait' })
    await opened.runtime.runs.wait(run.id, 60_000)
    const { page, faults } = await browser.open(`${opened.url}/console/approvals`)
    await page.locator('article').waitFor()
    await page.getByText('open the link that svc serve').first().waitFor()
    assert.is(await page.getByRole('button', { name: 'Approve' }).count(), 0)
    await page.goto(`${opened.url}/console/memory`)
    await page.getByRole('button', { name: 'Remember something…' }).click()
    await page.getByText('open the link that svc serve').first().waitFor()

    // The code is good for one tab, and gone from its address.
    const link = opened.server.consoleLink()
    await page.goto(link.replace('/console/', '/console/approvals'))
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    assert.is(new URL(page.url()).hash, '')
    const other = await browser.open(link.replace('/console/', '/console/approvals'))
    await other.page.getByText('open the link that svc serve').first().waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('Nothing waits for you').waitFor()
    assert.is((await opened.runtime.runs.wait(run.id, 60_000)).status, 'completed')
    assert.equal([...faults, ...other.faults], [])
    await page.context().close()
    await other.page.context().close()
  },
)

test.run()
