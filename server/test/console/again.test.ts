/** What is begun anew: a run again, a fork by what changes, by buttons, shortcuts and the command palette. */
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { SCENES, TEAM } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('begun anew')
const { test, inBrowser: check } = suite

const idOf = (page: Page): string => /run_\w+/.exec(page.url())?.[0] ?? ''
const toOtherRun = (page: Page, id: string) =>
  page.waitForURL((url) => /\/runs\/run_/.test(url.pathname) && !url.pathname.includes(id))

check('a run is asked for again with every option of the earlier one, and leads to what differs', async () => {
  const { runtime } = suite.opened
  await runtime.agents.put({ name: 'Reviewer', role: 'critic', instructions: 'Look twice.' })
  const asked = {
    task: 'Summarise README.md',
    topology: 'SINGLE',
    agents: ['reviewer'],
    riskLevel: 'high',
    consensus: false,
    tokenBudget: 70_000,
    budget: { maxTokens: 200_000, maxSteps: 20 },
    tools: { deny: ['calculate'] },
    files: ['README.md'],
    tags: ['docs', 'nightly'],
    temperature: 0.2,
    threadId: (await runtime.threads.create()).id,
  } as const
  const id = await suite.ended({
    ...asked,
    agents: [...asked.agents],
    tools: { deny: ['calculate'] },
    files: ['README.md'],
    tags: [...asked.tags],
  })
  const { page, audit } = await suite.openRun(id)
  await page.getByRole('button', { name: 'Run again' }).click()
  const form = page.getByRole('form', { name: 'New run' })
  await form.getByText('everything is filled in').waitFor()
  assert.equal(await audit(), [])
  await form.getByRole('textbox', { name: 'What is to be done?' }).fill('Summarise README.md once more')
  await form.getByRole('button', { name: 'Start run' }).click()
  await toOtherRun(page, id)
  const again = idOf(page)
  await runtime.runs.wait(again, 60_000)
  const optionsOf = async (runId: string) => {
    for await (const event of runtime.runs.events(runId)) if (event.type === 'run.created') return event.data.options
    return undefined
  }
  const { approval: _, ...options } = (await optionsOf(again)) ?? {}
  const { context: _files, ...before } = (await optionsOf(id)) ?? {}
  assert.equal({ ...options, context: undefined }, { ...before, metadata: { earlierRunId: id }, context: undefined })
  assert.is((await runtime.runs.get(again)).threadId, asked.threadId)
  await page.getByRole('link', { name: 'Compare with the earlier one' }).click()
  await page.getByRole('heading', { name: 'Compare two runs' }).waitFor()
  assert.ok(page.url().endsWith(`/${id}/${again}`))
})

check(
  'a fork says where it begins, keeps what the change does not reach, and one that changes nothing is refused',
  async () => {
    const id = await suite.ended({ task: SCENES.team, ...TEAM })
    const { page, audit } = await suite.openRun(id)
    await page.getByRole('button', { name: 'Fork', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Fork this run' })
    await dialog.getByText('Nothing is changed yet').waitFor()
    await dialog.getByRole('button', { name: 'Start the fork' }).click()
    await dialog.getByText(/a fork needs another task/).waitFor()
    await dialog.getByRole('button', { name: 'Budget', exact: true }).click()
    await dialog.getByLabel('Token budget').fill('many')
    await dialog.getByText('must be a whole number above 0').waitFor()
    await dialog.getByLabel('Token budget').fill('90000')
    await dialog.getByText('allocate, plan, execute').waitFor()
    assert.equal(await audit(), [])
    await dialog.getByRole('button', { name: 'Start the fork' }).click()
    await toOtherRun(page, id)
    const { runs } = suite.opened.runtime
    await runs.wait(idOf(page), 60_000)
    const kept: string[] = []
    for await (const event of runs.events(idOf(page)))
      if (event.type === 'stage.completed' && event.data.inherited === true) kept.push(event.stage ?? '')
    assert.equal(kept, ['analyze'])
  },
)

check('the palette finds commands, pages and runs by the keyboard alone, and gives the focus back', async () => {
  const id = await suite.ended({ task: 'Count the lamps of the harbour' })
  const { page, audit } = await suite.open('agents')
  await page.getByRole('heading', { name: 'Agents' }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: /^What to do/ })
  await field.waitFor()
  await page.getByRole('option', { name: 'New run' }).waitFor()
  assert.equal(await audit(), [])
  await field.fill('lamps harb')
  await field.fill('harbour')
  await page.getByRole('option', { name: /Count the lamps/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(id))
  await page.getByRole('button', { name: 'Run again' }).waitFor()
  await page.keyboard.press('Control+k')
  await field.fill('fork')
  await page.getByRole('option', { name: 'Fork', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Fork this run' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Fork this run' }).waitFor({ state: 'detached' })
})

check('shortcuts do what their list says, and nothing while one writes or where they are switched off', async () => {
  const { page, audit } = await suite.open('memory')
  await page.getByRole('heading', { name: 'Memory' }).waitFor()
  await page.getByRole('searchbox').focus()
  await page.keyboard.type('gr?n')
  assert.is(await page.getByRole('searchbox').inputValue(), 'gr?n')
  await page
    .getByRole('heading', { name: 'Memory' })
    .focus()
    .catch(() => undefined)
  await page.locator('#main').focus()
  await page.keyboard.type('gr')
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByText('New run').waitFor()
  assert.equal(await audit(), [])
  await help.getByLabel('Shortcuts of letters alone work').uncheck()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await page.locator('#main').focus()
  await page.keyboard.type('ga')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^What to do/ }).waitFor()
  assert.ok(page.url().endsWith('/console/runs'))
})

check('on a narrow page the other views stand under "More", which the keyboard opens and closes', async () => {
  const { page, audit } = await suite.open('memory', { width: 360, height: 700 })
  await page.getByRole('heading', { name: 'Memory' }).waitFor()
  const more = page.getByRole('button', { name: 'More', exact: true })
  await more.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Plugins' }).waitFor()
  assert.equal(await audit(), [])
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Plugins' }).waitFor({ state: 'hidden' })
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('heading', { name: 'Agents' }).waitFor()
})

test.run()
