import * as assert from 'uvu/assert'
import { SCENES, TEAM } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: timeline')
const { test, inBrowser, ended } = suite

let read = ''
test.before(async () => {
  read = await ended({ task: 'Summarise README.md' })
})

inBrowser('a run is looked at as it was at any event, by keyboard and by address', async () => {
  const id = await ended({ task: SCENES.team, ...TEAM })
  const { page } = await suite.openRun(id, '/timeline?at=30')
  const history = page.getByRole('region', { name: 'History' })
  await history.getByText('The run as it was at event 30').waitFor()
  const slider = history.getByRole('slider')
  await slider.press('ArrowRight')
  await history.getByText('The run as it was at event 31').waitFor()
  await slider.press('PageDown')
  await history.getByText('The run as it was at event 21').waitFor()
  assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /^event 21 of \d+, model\.completed/)
  await page.waitForURL(/\?at=21$/)
  await page.getByText('● running').first().waitFor()
  await slider.press('Home')
  await history.getByText('The run as it was at event 1,').waitFor()
  await page.getByText('Nothing has begun yet').waitFor()
  await slider.press('End')
  await history.getByText('The run as it is now').waitFor()
  await page.waitForURL((url) => url.search === '')
  // What is looked at stays when one goes to the other view of the run.
  await slider.press('PageDown')
  await history.getByText('The run as it was at').waitFor()
  await page.getByRole('link', { name: 'Live' }).click()
  await page.waitForURL(/\/console\/runs\/[^/]+\?at=\d+$/)
  await history.getByRole('button', { name: 'Now' }).click()
  await history.getByText('The run as it is now').waitFor()
})

inBrowser('spans are gone through by keyboard, folded, and looked at closely', async () => {
  const id = read
  const { page, audit } = await suite.openRun(id, '/timeline')
  const rows = page.getByRole('list', { name: 'Spans of the run' }).getByRole('listitem')
  await rows.filter({ hasText: 'read_file' }).waitFor()
  const all = await rows.count()
  await rows.filter({ hasText: 'step-1' }).getByRole('button', { name: 'step step-1' }).click()
  await page.getByRole('heading', { name: 'Objective' }).waitFor()
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: 'Offered tools' }).waitFor()
  await page.getByRole('heading', { name: /^Prompt, \d+ messages/ }).waitFor()
  await page.getByRole('region', { name: 'Arguments of read_file' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('region', { name: 'Result of the call' }).getByText('It sells lamps').waitFor()
  await page.waitForURL(/\?span=\d+$/)
  await page.keyboard.press('k')
  await page.keyboard.press('k')
  await page.getByRole('heading', { name: 'Objective' }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await rows.filter({ hasText: 'read_file' }).waitFor({ state: 'detached' })
  assert.is(await rows.count(), all - 3)
  await page.keyboard.press('ArrowRight')
  await rows.filter({ hasText: 'read_file' }).waitFor()
  await page.getByRole('button', { name: 'Shorter time' }).click()
  await page.getByRole('button', { name: 'Whole run' }).click()
  await page.getByLabel('Critical path only').check()
  assert.ok((await rows.count()) <= all)
  assert.equal(await audit(), [])
  await page.getByRole('button', { name: 'Close the details' }).click()
  await page.waitForURL((url) => url.search === '')
})

inBrowser('the wheel looks closer at the waterfall, and a fork that is not begun gives the focus back', async () => {
  const { page } = await suite.openRun(read, '/timeline')
  await page.getByRole('button', { name: 'tool call read_file' }).hover()
  const whole = page.getByRole('button', { name: 'Whole run' })
  assert.ok(await whole.isDisabled())
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -100)
  await page.keyboard.up('Control')
  await whole.and(page.locator(':enabled')).waitFor()
  const fork = page.getByRole('button', { name: 'Fork from here' })
  await fork.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.is(await page.evaluate('document.activeElement?.textContent'), 'Fork from here')
})

inBrowser('what was chosen stands over the page where there is no place beside it', async () => {
  const id = read
  const { page, audit } = await suite.openRun(id, '/timeline', { width: 400 })
  await page.getByRole('button', { name: 'tool call read_file' }).click()
  const sheet = page.getByRole('dialog', { name: 'Details' })
  await sheet.getByRole('region', { name: 'Result of the call' }).waitFor()
  assert.equal(await audit(), [])
  await sheet.getByRole('button', { name: 'Span before' }).click()
  await sheet.getByRole('heading', { name: 'Called tools' }).waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'hidden' })
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  assert.ok(width <= 400, `the page is ${width} pixels wide`)
})

inBrowser('the log is searched, narrowed, and shows an event as it is kept', async () => {
  const id = read
  const { page, audit } = await suite.openRun(id, '/timeline?view=log')
  const log = page.getByRole('list', { name: 'Events of the run' })
  await log.getByText('run.completed').waitFor()
  await page.getByRole('button', { name: 'Tools', exact: true }).click()
  await page.getByText(/^3 of \d+ events$/).waitFor()
  await page.getByRole('button', { name: 'Tools', exact: true }).click()
  await page.getByRole('searchbox').fill('sells lamps')
  await log.getByRole('button', { name: /tool\.completed/ }).click()
  await page
    .getByRole('region', { name: /as it is kept/ })
    .getByText('"durationMs"')
    .waitFor()
  await page.getByRole('button', { name: 'Show the run at this event' }).click()
  await page.getByText('The run as it was at').waitFor()
  await page.waitForURL(/view=log&at=\d+$/)
  assert.equal(await audit(), [])
  await page.getByRole('searchbox').fill('nothing says this')
  await page.getByText('No event fits').waitFor()
})

inBrowser('a fork begins with another result of a tool, and says what was wrong beside its field', async () => {
  const id = read
  let at = 0
  for await (const { type, seq = 0 } of suite.opened.runtime.runs.events(id)) if (type === 'tool.completed') at = seq
  const { page, audit } = await suite.openRun(id, `/timeline?at=${at}`)
  await page.getByText(`The run as it was at event ${at}`).waitFor()
  await page.getByRole('button', { name: 'Fork from here' }).click()
  const dialog = page.getByRole('dialog', { name: /^Fork from event/ })
  await dialog.getByRole('button', { name: "A tool's result" }).click()
  await dialog.getByLabel('Another result of a tool call').selectOption({ index: 1 })
  await dialog.getByLabel('Result of read_file').fill('1\tIt sells chairs.')
  assert.equal(await audit(), [])
  await dialog.getByRole('textbox', { name: 'Task', exact: true }).fill('x'.repeat(200_001))
  await dialog.getByRole('button', { name: 'Start the fork' }).click()
  await dialog.getByRole('alert').waitFor()
  assert.is(await dialog.getByLabel('Result of read_file').inputValue(), '1\tIt sells chairs.')
  await dialog.getByRole('textbox', { name: 'Task', exact: true }).fill('Summarise README.md')
  await dialog.getByRole('button', { name: 'Start the fork' }).click()
  await page.waitForURL((url) => !url.pathname.includes(id) && /\/runs\/run_/.test(url.pathname))
  const [fork = ''] = /run_[^/?]+/.exec(page.url()) ?? []
  const made = await suite.opened.runtime.runs.wait(fork, 60_000)
  assert.is(made.parentRunId, id)
  assert.is(made.status, 'completed')
  const sent = suite.opened.provider.requests.at(-1)
  assert.match(JSON.stringify(sent), /It sells chairs/)
})

test.run()
