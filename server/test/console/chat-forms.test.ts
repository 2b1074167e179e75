/** Where messages of a conversation are written, and how the page fits windows and keyboards. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import { field } from './chat-page.ts'
import { SCENES } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: writing in a chat')
const { test, inBrowser } = suite

inBrowser('a keyboard alone completes commands and files, brings the last message back, and begins anew', async () => {
  const { page, audit } = await suite.open('')
  await field(page).focus()
  await page.keyboard.type('/pl')
  await page.getByRole('option', { name: /\/plan/ }).waitFor()
  assert.equal(await audit(), [])
  await page.keyboard.press('Tab')
  assert.is(await field(page).inputValue(), '/plan ')
  await page.keyboard.type('Sum up @REA')
  await page.getByRole('option', { name: 'README.md' }).waitFor()
  await page.keyboard.press('Enter')
  assert.is(await field(page).inputValue(), '/plan Sum up README.md ')
  await page.getByRole('list', { name: 'Goes with the message' }).getByText('README.md').waitFor()
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('in two lines')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/chat\/thr_/)
  const turn = page.getByRole('article').first()
  await turn.getByRole('list', { name: 'Attached' }).getByText('README.md').waitFor()
  await turn.getByRole('button', { name: 'Try again' }).waitFor()
  const { data } = await suite.opened.runtime.runs.list({ limit: 1 })
  assert.is(data[0]?.mode, 'plan')
  assert.is(data[0]?.task, 'Sum up README.md \nin two lines')
  assert.ok(await field(page).evaluate((element) => element.matches(':focus')), 'the focus stays')
  await page.keyboard.press('ArrowUp')
  assert.is(await field(page).inputValue(), 'Sum up README.md \nin two lines')
  await field(page).fill('/nonsense')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('There is no /nonsense here').waitFor()
  await field(page).fill('')
  await page.keyboard.press('Control+Shift+O')
  await page.waitForURL(/\/console\/$/)
})

inBrowser('texts and images are attached, and what is too much is said before it is sent', async () => {
  const { page } = await suite.open('')
  const notes = join(suite.opened.folder, 'outside.txt')
  writeFileSync(notes, 'The lamp is green.')
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await (await chooser).setFiles(notes)
  await page.getByRole('list', { name: 'Goes with the message' }).getByText('outside.txt').waitFor()
  await field(page).fill('x'.repeat(200_001))
  await field(page).press('Enter')
  await page.getByRole('alert').getByText('at most 200,000 can be sent').waitFor()
  await field(page).fill(SCENES.vote)
  await field(page).press('Enter')
  await page.getByRole('list', { name: 'Attached' }).getByText('outside.txt').waitFor()
  const { data } = await suite.opened.runtime.threads.list({ limit: 1 })
  const messages = await suite.opened.runtime.threads.messages(data[0]?.id ?? '')
  assert.match(JSON.stringify(messages[0]?.context), /The lamp is green/)
  assert.not.match(JSON.stringify(messages[0]), /x{1000}/)
})

inBrowser('what a server refuses is said at the field that it is about, and nothing is lost', async () => {
  const { page } = await suite.open('')
  await page.getByRole('button', { name: 'Options' }).click()
  await page.getByLabel('Model').fill('nobody/none')
  await page.getByRole('button', { name: 'Options' }).click()
  await field(page).fill(SCENES.vote)
  await field(page).press('Enter')
  await page.getByRole('group', { name: 'Options of the next messages' }).getByRole('alert').waitFor()
  assert.is(await field(page).inputValue(), SCENES.vote)
  await page.getByLabel('Model').fill('')
  await field(page).press('Enter')
  await page.getByText('no number from 2 to 9').first().waitFor()
})

for (const [name, width, height] of [
  ['a narrow window', 360, 740],
  ['a window of twice the size', 720, 450],
  ['a middle window', 768, 1024],
  ['a wide window', 1440, 900],
] as const)
  inBrowser(`in ${name} nothing is cut, and all is in order for people who cannot see it`, async () => {
    const { threads, runs } = suite.opened.runtime
    const { id } = await threads.create({ title: `A title ${'of many words '.repeat(12)}` })
    const word = 'w'.repeat(400)
    for (const task of [SCENES.vote, `Say ${word}`, SCENES.failure]) {
      const run = await runs.create({ task, threadId: id })
      await runs.wait(run.id, 60_000)
    }
    const { page, audit } = await suite.open(`chat/${id}`, { width, height, dark: width === 768 })
    await page.getByText('It failed:').waitFor()
    assert.equal(await audit(), [])
    const isCut = async (): Promise<boolean> => page.evaluate(`document.documentElement.scrollWidth > innerWidth + 1`)
    assert.not(await isCut())
    const box = await field(page).boundingBox()
    assert.ok(box !== null && box.y + box.height <= height, 'one can write')
    const drawer = page.getByRole('button', { name: 'Conversations', exact: true })
    if (width <= 820) {
      await drawer.click()
      await page.getByRole('link', { name: 'New chat' }).waitFor()
      assert.equal(await audit(), [])
      await page.keyboard.press('Escape')
      await until(async () => (await drawer.getAttribute('aria-expanded')) === 'false')
    } else assert.not(await drawer.isVisible())
  })

inBrowser('where no language model answers it is said once, where the model is named', async () => {
  await suite.serve({ config: { model: 'offline/offline' } })
  const { page, audit } = await suite.open('')
  await page.getByText('No language model is set up').waitFor()
  await field(page).fill('What is 17% of 2340?')
  await field(page).press('Enter')
  await page.getByText('397.8').first().waitFor()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  assert.is(await page.getByText(/no language model/i).count(), 1)
  assert.is(await page.getByText(/not a language model/).count(), 0)
  assert.equal(await audit(), [])
})

test.run()
