/** Going from one conversation to another, and what stays in which of them. */
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { createGate, until } from '../fixtures/until.ts'
import { field, say, turn } from './chat-page.ts'
import { SCENES } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: from one chat to another')
const { test, inBrowser } = suite

const go = (page: Page, title: string) =>
  page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: title, exact: true }).click()
const tasksOf = async (threadId: string): Promise<string[]> =>
  (await suite.opened.runtime.runs.list({ threadId })).data.map(({ task }) => task)

inBrowser('a message goes to the conversation that is shown, whatever was refused in another one', async () => {
  const { id } = await suite.opened.runtime.threads.create({ title: 'About the harbour' })
  const { page } = await suite.open('')
  await page.getByRole('button', { name: 'Options' }).click()
  await page.getByLabel('Model').fill('nobody/none')
  await field(page).fill('A first word')
  await field(page).press('Enter')
  await page.getByRole('group', { name: 'Options of the next messages' }).getByRole('alert').waitFor()
  await page.getByLabel('Model').fill('')
  await go(page, 'About the harbour')
  await page.waitForURL(new RegExp(id))
  await until(async () => (await page.locator('#chat-problem').innerText()) === '')
  await say(page, SCENES.vote)
  await until(async () => (await tasksOf(id)).length > 0)
  assert.equal(await tasksOf(id), [SCENES.vote])
})

inBrowser('a message that is long on its way stays in the conversation that it was written in', async () => {
  const { threads } = suite.opened.runtime
  const [from, to] = [await threads.create({ title: 'From here' }), await threads.create({ title: 'To there' })]
  const { page } = await suite.open(`chat/${from.id}`)
  const sent = createGate()
  await page.route(/\/v1\/runs$/, async (route) => {
    if (route.request().method() === 'POST') await sent.passed
    await route.continue()
  })
  await field(page).fill(SCENES.vote)
  await field(page).press('Enter')
  await page.getByRole('button', { name: 'Sending…' }).waitFor()
  await go(page, 'To there')
  await page.waitForURL(new RegExp(to.id))
  const read = createGate()
  await page.route(/\/messages\?/, async (route) => {
    await read.passed
    await route.continue()
  })
  sent.open()
  await until(async () => (await tasksOf(from.id)).length === 1)
  await page.getByRole('button', { name: 'Sending…' }).waitFor({ state: 'detached' })
  assert.is(await turn(page, SCENES.vote).count(), 0)
  read.open()
  await say(page, SCENES.failure)
  await turn(page, SCENES.failure).getByText('It failed:').waitFor()
  assert.is(await turn(page, SCENES.vote).count(), 0)
  assert.ok(page.url().endsWith(to.id))
  await go(page, 'From here')
  await turn(page, SCENES.vote).getByText('no number from 2 to 9').first().waitFor()
})

inBrowser('on a narrow page Escape closes what is in front: a dialog, a menu, then the list', async () => {
  await suite.opened.runtime.threads.create({ title: 'About masts' })
  const { page } = await suite.open('', { width: 360, height: 700 })
  const drawer = page.getByRole('button', { name: 'Conversations', exact: true })
  await drawer.click()
  const more = page.getByRole('button', { name: 'More for About masts' })
  await more.click()
  await page.getByRole('button', { name: 'Rename' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  assert.is(await drawer.getAttribute('aria-expanded'), 'true')
  await more.click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Rename' }).waitFor({ state: 'hidden' })
  assert.is(await drawer.getAttribute('aria-expanded'), 'true')
  assert.ok(await more.evaluate((element) => element.matches(':focus')))
  await page.keyboard.press('Escape')
  await until(async () => (await drawer.getAttribute('aria-expanded')) === 'false')
})

inBrowser('the way to the newest message stands above what is written, however long that is', async () => {
  const { threads, runs } = suite.opened.runtime
  const { id } = await threads.create({ title: 'Long' })
  for (let count = 0; count < 3; count++)
    await runs.wait((await runs.create({ task: 'Say it all. '.repeat(90), threadId: id })).id, 60_000)
  const { page } = await suite.open(`chat/${id}`, { width: 800, height: 600 })
  await page.getByRole('button', { name: 'Try again' }).last().waitFor()
  await field(page).fill('a line\n'.repeat(9))
  await page.locator('.chat-scroll').evaluate((element) => element.scrollTo(0, 0))
  const newest = page.getByRole('button', { name: 'Jump to newest' })
  const [button, form] = [
    await newest.boundingBox(),
    await page.getByRole('form', { name: 'New message' }).boundingBox(),
  ]
  assert.ok(button !== null && form !== null && button.y + button.height <= form.y)
  await newest.click()
  await newest.waitFor({ state: 'detached' })
})

inBrowser('texts that are attached are named one by one, and a text that is dropped is no file', async () => {
  const { page } = await suite.open('')
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await (await chooser).setFiles(
    ['one.txt', 'two.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`About ${name}.`) })),
  )
  await page.getByRole('list', { name: 'Goes with the message' }).getByText('two.txt').waitFor()
  await say(page, SCENES.vote)
  const attached = page.getByRole('list', { name: 'Attached' })
  assert.equal(
    (await attached.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/^\S+\s/, '')),
    ['one.txt', 'two.txt'],
  )
  const isTaken = (what: string): Promise<boolean> =>
    page.evaluate(`{
      const dataTransfer = new DataTransfer()
      ${what}
      const event = new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer })
      document.querySelector('.chat-composer textarea').dispatchEvent(event)
      event.defaultPrevented
    }`)
  assert.not(await isTaken("dataTransfer.setData('text/plain', 'a word')"))
  assert.ok(await isTaken("dataTransfer.items.add(new File(['a'], 'a.txt'))"))
})

inBrowser('who deletes a conversation by the keyboard goes on from the head of the list', async () => {
  const { threads } = suite.opened.runtime
  const { id } = await threads.create({ title: 'About sails' })
  const { page } = await suite.open('')
  await page.getByRole('button', { name: 'More for About sails' }).press('Enter')
  await page.getByRole('button', { name: 'Delete' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
  await page.getByRole('link', { name: 'About sails' }).waitFor({ state: 'detached' })
  assert.ok(await page.getByRole('link', { name: 'New chat' }).evaluate((element) => element.matches(':focus')))
  assert.not((await threads.list({ limit: 100 })).data.some((thread) => thread.id === id))
})

test.run()
