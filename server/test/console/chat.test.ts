/** A conversation in the console, as a person has it: asked, watched, approved, answered, stopped, sent again. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelRequest } from '@svc/core'
import type { ScriptedAnswer } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import { field, say, turn } from './chat-page.ts'
import { answer, SCENES } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: chat')
const { test, inBrowser } = suite

const QUESTION = 'Which colour fits the shed?'
const LIST = 'List the lamps'

/** Beside the scenes: a question to the person, and an answer in Markdown. */
function script(request: ModelRequest): ScriptedAnswer {
  const { messages, tools = [] } = request
  const said = JSON.stringify(messages.findLast(({ role }) => role === 'user'))
  const results = JSON.stringify(messages.filter(({ role }) => role === 'tool'))
  if (said.includes(LIST)) return { text: '## Lamps\n\n| lamp | price |\n|---|---|\n| hall | 40 |\n' }
  if (said.includes(QUESTION) && results === '[]' && tools.some(({ id }) => id === 'ask_user'))
    return { toolCalls: [{ tool: 'ask_user', args: { question: 'Which colour?' } }] }
  if (said.includes(QUESTION)) return { text: results.includes('green') ? 'Green fits.' : 'None fits.' }
  return answer(request)
}

test.before(async () => void (await suite.serve({ script })))

inBrowser('a person asks, reads the answer as Markdown, and looks at what was done', async () => {
  const { page, audit } = await suite.open('')
  await page.getByRole('heading', { name: 'What is to be done?' }).waitFor()
  await say(page, LIST)
  await page.waitForURL(/\/console\/chat\/thr_/)
  const first = turn(page, LIST)
  await first.getByRole('cell', { name: '40' }).waitFor()
  await first.getByRole('button', { name: 'Try again' }).waitFor()
  await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: LIST }).waitFor()
  assert.match(await page.title(), new RegExp(LIST))

  await say(page, 'Summarise README.md')
  const second = turn(page, 'Summarise README.md')
  await second.getByRole('button', { name: /What was done/ }).click()
  await second.getByRole('button', { name: 'Read README.md' }).click()
  await second.getByRole('region', { name: 'Result of the call' }).getByText('It sells lamps').waitFor()
  assert.equal(await audit(), [])

  const { data } = await suite.opened.runtime.threads.list()
  const { data: runs } = await suite.opened.runtime.runs.list({ threadId: data[0]?.id ?? '' })
  assert.is(runs.length, 2, 'both are runs of one conversation')
})

inBrowser('calls are approved and questions answered where they come up', async () => {
  const { page } = await suite.open('')
  await say(page, SCENES.approval)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await turn(page, SCENES.approval).getByText('The note is in notes.md.', { exact: true }).waitFor()
  assert.match(readFileSync(join(suite.opened.folder, 'notes.md'), 'utf8'), /The console is here/)

  await say(page, QUESTION)
  await page.getByText('Which colour?').waitFor()
  await page.getByRole('region', { name: 'A question for you' }).getByRole('textbox').fill('green')
  await page.getByRole('button', { name: 'Answer', exact: true }).click()
  await turn(page, QUESTION).getByText('Green fits.', { exact: true }).waitFor()
})

inBrowser('what comes next waits and can be removed; Escape twice stops; what was stopped goes on', async () => {
  const { page } = await suite.open('')
  await page.getByRole('button', { name: 'Options' }).click()
  await page.getByLabel('Model').fill('slow/words')
  await page.getByRole('button', { name: 'Options' }).click()
  await say(page, SCENES.slow)
  const slow = turn(page, SCENES.slow).first()
  await slow.getByText(/word 60 /).waitFor()
  await field(page).fill('And then the end')
  await page.getByRole('button', { name: 'Send next' }).click()
  await turn(page, 'And then the end').getByText('Waits for its turn').waitFor()
  await turn(page, 'And then the end').getByRole('button', { name: 'Remove' }).click()
  await turn(page, 'And then the end').waitFor({ state: 'detached' })
  await field(page).press('Escape')
  await page.getByText('Press Esc again to stop').waitFor()
  await field(page).press('Escape')
  await slow.getByText('Stopped before it was done').waitFor()
  await slow.getByText(/word 60 /).waitFor()
  await slow.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('Gone on with').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped before it was done').nth(1).waitFor()
  await page.getByRole('button', { name: 'Take away slow/words' }).click()
})

inBrowser('a message is edited and sent again in a conversation of its own, and files are put back', async () => {
  const notes = join(suite.opened.folder, 'notes.md')
  rmSync(notes, { force: true })
  const { page, audit } = await suite.open('')
  await say(page, LIST)
  await turn(page, LIST).getByRole('button', { name: 'Try again' }).waitFor()
  await say(page, SCENES.approval)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  const written = turn(page, SCENES.approval)
  await written.getByRole('button', { name: 'Edit' }).waitFor()
  const before = page.url()
  await written.getByRole('button', { name: 'Edit' }).click()
  const edited = page.getByRole('form', { name: 'Edit the message' })
  await edited.getByRole('textbox').fill(SCENES.vote)
  await edited.getByRole('button', { name: 'Send again' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('notes.md').first().waitFor()
  assert.equal(await audit(), [])
  await dialog.getByRole('button', { name: 'Put back and send again' }).click()
  await turn(page, SCENES.vote).getByText('no number from 2 to 9').first().waitFor()
  assert.not(existsSync(notes), 'the file is as it was before')
  assert.is(await turn(page, LIST).count(), 1, 'what was said before is there')
  assert.is(await turn(page, SCENES.approval).count(), 0)
  await page.getByRole('link', { name: 'Earlier version' }).click()
  await page.waitForURL(before)
  await turn(page, SCENES.approval).waitFor()
})

inBrowser('a conversation is renamed, found by its title, and deleted after a question', async () => {
  const { threads } = suite.opened.runtime
  const { id } = await threads.create({ title: 'About boats' })
  const { page } = await suite.open(`chat/${id}`)
  const list = page.getByRole('navigation', { name: 'Conversations' })
  await page.getByRole('button', { name: 'More for About boats' }).click()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('Title', { exact: true }).fill('About ships')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await list.getByRole('link', { name: 'About ships' }).waitFor()
  const more = page.getByRole('button', { name: 'More for About ships' })
  assert.ok(await more.evaluate((element) => element.matches(':focus')), 'the focus is where it was')
  await page.getByLabel('Search conversations by title').fill('SHIPS')
  await until(async () => (await list.getByRole('listitem').count()) === 1)
  await page.getByRole('button', { name: 'More for About ships' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  assert.is((await threads.get(id)).title, 'About ships', 'nothing is deleted before the answer')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(/\/console\/$/)
  await until(async () => !(await threads.list({ limit: 100 })).data.some((thread) => thread.id === id))
})

test.run()
