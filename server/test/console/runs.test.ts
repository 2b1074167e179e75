import { answerOf } from '@svc/core/text'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { makeFolder } from '../fixtures/folder.ts'
import { openScenes, SCENES, type SceneServer } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('the page of runs')
const { test, inBrowser: check } = suite

test.before.each(async () => {
  await suite.serve()
})

/** Makes runs, each with its last word as a tag. */
const ended = async (...tasks: string[]): Promise<string[]> => {
  const made: string[] = []
  for (const task of tasks) made.push(await suite.ended({ task, tags: task.split(' ').slice(-1) }))
  return made
}
const tasks = (page: Page): Promise<string[]> => page.locator('.run-row a.task').allTextContents()
const row = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })

check('who comes first finds an open box with examples, says a task, and sees the run', async () => {
  const { page, audit } = await suite.open('runs')
  await page.getByText('No run yet').waitFor()
  await page.getByText('scripted/scripted').first().waitFor()
  await page.locator('textarea:focus').waitFor()
  assert.equal(await audit(), [])
  await page.getByRole('button', { name: 'Summarise README.md' }).click()
  await page.keyboard.press('Control+Enter')
  await page.waitForURL(/\/console\/runs\/run_/)
  const [run] = (await suite.opened.runtime.runs.list()).data
  assert.is(run?.task, 'Summarise README.md')
  await page.goBack()
  await row(page, 'Summarise README.md').waitFor()
})

check('filters stand in the address, the back button undoes them, and a link brings them back', async () => {
  await ended('Count lamps', 'Count rooms', SCENES.failure)
  const { page, audit } = await suite.open('runs')
  await row(page, 'Count lamps').waitFor()
  await page.getByLabel('Text of the task or the answer').pressSequentially('count')
  await page.waitForURL(/\?q=count$/)
  await row(page, SCENES.failure).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Filters/ }).click()
  await page.getByLabel('Tag', { exact: true }).fill('rooms')
  await page.waitForURL(/q=count&tag=rooms$/)
  await row(page, 'Count lamps').waitFor({ state: 'detached' })
  await row(page, 'Count rooms').waitFor()
  assert.equal(await tasks(page), ['Count rooms'])
  assert.equal(await audit(), [])
  await page.goBack()
  await row(page, 'Count lamps').waitFor()
  assert.is(await page.getByLabel('Tag', { exact: true }).inputValue(), '')
  await page.goBack()
  await row(page, SCENES.failure).waitFor()
  assert.is(new URL(page.url()).search, '')
  await page.getByRole('link', { name: /^failed 1$/ }).click()
  await page.waitForURL(/\?status=failed$/)
  await row(page, 'Count lamps').waitFor({ state: 'detached' })
  await page.goto(`${suite.opened.url}/console/runs?minTokens=1000000`)
  await page.getByText('No run fits these filters.').waitFor()
  await page.goto(`${suite.opened.url}/console/runs?minTokens=9&maxTokens=8`)
  await page.getByText('must not be above the most, which is 8').waitFor()
  await page.getByRole('link', { name: 'Show all runs' }).click()
  await row(page, 'Count lamps').waitFor()
})

check('what begins is offered and does not push away what one reads; what changes does so in place', async () => {
  const { runs } = suite.opened.runtime
  await ended('Count lamps')
  const slow = await runs.create({ task: SCENES.slow, model: 'slow/words' })
  const { page } = await suite.open('runs')
  await row(page, SCENES.slow).getByText('running').waitFor()
  await page.getByRole('link', { name: /^running 1$/ }).waitFor()
  await ended('Count rooms', 'Count chairs of the shop')
  await page.getByRole('button', { name: '2 new runs: show' }).waitFor()
  assert.equal(await tasks(page), [SCENES.slow, 'Count lamps'])
  await runs.cancel(slow.id)
  await row(page, SCENES.slow).getByText('cancelled').waitFor()
  await page.getByRole('button', { name: '2 new runs: show' }).click()
  await row(page, 'Count rooms').waitFor()
  assert.equal(await tasks(page), ['Count chairs of the shop', 'Count rooms', SCENES.slow, 'Count lamps'])
  await page.getByRole('link', { name: /^All 4$/ }).waitFor()
})

check('with the keyboard alone one goes through the rows, opens one, and chooses two to compare', async () => {
  const [lamps, rooms] = await ended('Count lamps', 'Count rooms')
  const { page, audit } = await suite.open('runs')
  const focused = (): Promise<string | null> => page.evaluate('document.activeElement?.textContent ?? null')
  await row(page, 'Count lamps').waitFor()
  await page.getByRole('list', { name: 'Runs, the newest first' }).focus()
  await page.keyboard.press('ArrowDown')
  assert.is(await focused(), 'Count rooms')
  await page.keyboard.press('ArrowDown')
  assert.is(await focused(), 'Count lamps')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Space')
  const link = page.getByRole('link', { name: 'Compare the two' })
  assert.is(await link.getAttribute('href'), `/console/compare/${rooms}/${lamps}`)
  assert.equal(await audit(), [])
  await page.getByRole('button', { name: 'Choose none' }).click()
  await page.getByRole('list', { name: 'Runs, the newest first' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/console/runs/${rooms}`)
})

check(
  'what the server refuses is said beside its field, nothing entered is lost, and one run comes of two clicks',
  async () => {
    await ended('Count lamps')
    const { page, audit } = await suite.open('runs')
    await row(page, 'Count lamps').waitFor()
    await page.keyboard.press('n')
    await page.keyboard.press('Escape')
    await page.waitForFunction(`document.activeElement?.textContent === 'New run'`)
    await page.keyboard.press('n')
    await page.keyboard.type('Count the rooms')
    await page.getByRole('button', { name: 'Options' }).click()
    await page.getByLabel('Topology').selectOption('PARALLEL')
    await page.getByLabel('Tags').fill('docs, nightly')
    await page.getByLabel('Token budget').fill('many')
    const files = page.getByLabel('Files of the workspace')
    await files.fill('price')
    await page.locator('datalist option', { hasText: 'prices.csv' }).waitFor({ state: 'attached' })
    for (const name of ['prices.csv', 'missing.csv']) {
      await files.fill(name)
      await files.press('Enter')
      await page.getByRole('button', { name: `Take away ${name}` }).waitFor()
    }
    const model = page.getByRole('form', { name: 'New run' }).getByLabel('Model')
    await model.fill('nobody/nothing')
    await page.getByRole('button', { name: 'Start run' }).click()
    await page.getByText('must be a whole number of tokens above 0').waitFor()
    await page.getByLabel('Token budget').fill('20000')
    await page.getByRole('button', { name: 'Start run' }).click()
    await page.getByRole('alert').getByText('there is no provider "nobody"').waitFor()
    await model.fill('')
    await page.getByRole('button', { name: 'Start run' }).click()
    await page.getByRole('alert').getByText('missing.csv').waitFor()
    assert.is(await files.getAttribute('aria-invalid'), 'true')
    assert.is(await page.getByLabel('What is to be done?').inputValue(), 'Count the rooms')
    assert.equal(await audit(), [])
    await page.getByRole('button', { name: 'Take away missing.csv' }).click()
    await page.getByRole('button', { name: 'Start run' }).dblclick()
    await page.waitForURL(/\/console\/runs\/run_/)
    const { data } = await suite.opened.runtime.runs.list({ q: 'Count the rooms' })
    assert.is(data.length, 1)
    assert.equal(data[0]?.tags, ['docs', 'nightly'])
  },
)

check('what an answer says is found, and shown with the words marked', async () => {
  await ended('Count lamps', SCENES.failure)
  const [run] = (await suite.opened.runtime.runs.list({ q: 'Count lamps' })).data
  const words = answerOf(run?.result).trim().split(' ').slice(-2).join(' ')
  const { page, audit } = await suite.open(`runs?q=${encodeURIComponent(words.toUpperCase())}`)
  await row(page, 'Count lamps').getByText('In the answer:').waitFor()
  assert.is(await row(page, 'Count lamps').locator('mark').textContent(), words)
  assert.equal(await tasks(page), ['Count lamps'])
  assert.equal(await audit(), [])
})

check('many runs are chosen at once, and deleted with one question that names them; what fails is said', async () => {
  const [, , rooms] = await ended('Count lamps', 'Count chairs', 'Count rooms', 'Count windows')
  const { runs } = suite.opened.runtime
  await runs.create({ task: SCENES.slow, model: 'slow/words' })
  const { page, audit } = await suite.open('runs')
  await row(page, SCENES.slow).getByText('running').waitFor()
  const box = (text: string) => row(page, text).getByRole('checkbox')
  await box(SCENES.slow).click()
  await box('Count chairs').click({ modifiers: ['Shift'] })
  await page.getByText('4 runs chosen').waitFor()
  assert.is(await box('Count rooms').isChecked(), true)
  assert.is(await box('Count lamps').isChecked(), false)
  await page.getByRole('button', { name: 'Delete 3…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 3 runs?' })
  await dialog.getByText('1 other chosen run left as it is: not ended yet.').waitFor()
  assert.is(await dialog.getByRole('list', { name: 'The runs' }).getByRole('listitem').count(), 3)
  assert.equal(await audit(), [])
  // One is gone by the time the question is answered.
  await runs.delete(rooms ?? '')
  await dialog.getByRole('button', { name: 'Delete 3 runs' }).click()
  await dialog.getByText('Deleted: 2 of 3; failed: 1').waitFor()
  await dialog.getByText('run_not_found').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await row(page, 'Count windows').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Cancel 1…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel 1 run' }).click()
  await row(page, SCENES.slow).getByText('cancelled').waitFor()
  assert.equal(
    (await runs.list()).data.map(({ task }) => task),
    [SCENES.slow, 'Count lamps'],
  )
})

check('columns are chosen, stay in the browser, and are handed on by a link', async () => {
  await ended('Count lamps')
  const { page, audit } = await suite.open('runs')
  await row(page, 'Count lamps').waitFor()
  const heads = page.locator('.run-row.heads')
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Topology' }).check()
  await heads.getByText('Topology').waitFor()
  await page.getByRole('checkbox', { name: 'Duration' }).uncheck()
  await heads.getByText('Duration').waitFor({ state: 'detached' })
  assert.equal(await audit(), [])
  const link = await page.getByRole('link', { name: 'Link with these columns' }).getAttribute('href')
  await page.keyboard.press('Escape')
  await page.reload()
  await heads.getByText('Topology').waitFor()
  assert.is(await heads.getByText('Duration').count(), 0)
  const { page: other } = await suite.open(String(link).replace('/console/', ''))
  await other.locator('.run-row.heads').getByText('Topology').waitFor()
  await other.getByRole('button', { name: 'Columns' }).click()
  await other.getByRole('button', { name: 'Usual columns' }).click()
  await other.locator('.run-row.heads').getByText('Duration').waitFor()
})

check('filters in force are kept under a name, and found again', async () => {
  await ended('Count lamps', SCENES.failure)
  const { page, audit } = await suite.open('runs?status=failed&verdict=pass&model=scripted%2Fscripted')
  await page.getByText('No run fits these filters.').waitFor()
  await page.getByRole('button', { name: 'Save these filters' }).click()
  await page.getByLabel('Name of these filters').fill('Odd ones')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Odd ones' }).waitFor()
  assert.equal(await audit(), [])
  await page.getByRole('link', { name: 'Clear all' }).click()
  await row(page, 'Count lamps').waitFor()
  await page.getByRole('link', { name: 'Odd ones' }).click()
  await page.waitForURL(/status=failed&verdict=pass&model=scripted%2Fscripted$/)
  await page.getByRole('button', { name: 'Forget the filter Odd ones' }).click()
  await page.getByRole('link', { name: 'Odd ones' }).waitFor({ state: 'detached' })
})

check('on a narrow page rows have two lines and nothing is wider than the page', async () => {
  await ended('Count lamps', 'Count rooms')
  const { page, audit } = await suite.open('runs', { width: 400, dark: true })
  await row(page, 'Count lamps').waitFor()
  // Where there is room for few words, what is not verified is the rule, and left out.
  await row(page, 'Count lamps').getByText('unverified').waitFor({ state: 'hidden' })
  assert.is(await page.evaluate('document.documentElement.scrollWidth'), 400)
  assert.equal(await audit(), [])
})

check('runs of other folders are listed with their folder where all are asked for, and open to be read', async () => {
  const dir = makeFolder()
  const at = (space: string) => ({ runtime: { persist: { dir } }, config: { store: { space } } })
  await suite.serve(at('/projects/here'))
  await ended('Count lamps')
  const other = await openScenes(at('/projects/there'))
  try {
    await showsFolders(other)
  } finally {
    await other.close()
  }
})

async function showsFolders(other: SceneServer): Promise<void> {
  const { id } = await other.runtime.runs.create({ task: 'Count boats' })
  await other.runtime.runs.wait(id)
  const { page, audit } = await suite.open('runs')
  await row(page, 'Count lamps').waitFor()
  assert.equal(await tasks(page), ['Count lamps'])
  await page.getByRole('button', { name: /^Filters/ }).click()
  await page.getByLabel('Folders').selectOption('all')
  await page.waitForURL(/\?folders=all$/)
  await row(page, 'Count boats').getByText('there', { exact: true }).waitFor()
  await row(page, 'Count lamps').getByText('here', { exact: true }).waitFor()
  assert.equal(await audit(), [])
  // What begins there from now on is listed too.
  await other.runtime.runs.create({ task: 'Count trains' })
  await page.getByRole('button', { name: '1 new run: show' }).click()
  await row(page, 'Count trains').waitFor()
  await row(page, 'Count boats').getByRole('link').click()
  await page.getByRole('heading', { name: 'Count boats' }).waitFor()
  await page.getByText('completed').first().waitFor()
  const actions = page.getByRole('button', { name: /^(Cancel|Go on|Delete|Fork|Approve|Deny|Edit arguments|Answer)/ })
  const isReadOnly = async (): Promise<void> => {
    await page.getByText('Of another folder, /projects/there').waitFor()
    assert.is(await actions.count(), 0)
    assert.is(await page.getByRole('link', { name: 'Fork' }).count(), 0)
    assert.equal(await audit(), [])
  }
  await isReadOnly()
  const asked = await other.runtime.runs.create({ task: SCENES.approval, approval: 'wait' })
  await other.runtime.runs.wait(asked.id)
  await page.goto(`${suite.opened.url}/console/runs/${asked.id}`)
  await page.getByText('It waits for a person').waitFor()
  await page.getByText('Exact arguments').waitFor()
  await isReadOnly()
  // The same of this folder has them.
  const own = await suite.ended({ task: SCENES.approval, approval: 'wait' })
  await page.goto(`${suite.opened.url}/console/runs/${own}`)
  await page.getByText('It waits for you').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).waitFor()
  assert.ok((await actions.count()) >= 4)
}

test.run()
