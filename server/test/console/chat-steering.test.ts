/** Saying something to a run at work in the console: sent, read, too late, after it, in other windows, by the keyboard. */
import { definePlugin } from '@svc/core'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { createGate, type Gate, until } from '../fixtures/until.ts'
import { field, say, turn } from './chat-page.ts'
import { errand, SCENES, TEAM } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: steering')
const { test, inBrowser } = suite

/** By how often the errand has looked: what its model waits for, and that it does. */
let steps: Gate[] = []
let asked: Gate[] = []
/** What runs wait for after their last answer. */
let end = createGate()

const late = definePlugin('late', ({ hooks }) =>
  hooks.inspect.tapPromise({ name: 'late', stage: -1_000 }, async (answer, { task }) => {
    if (task.description.includes(SCENES.errand)) await end.passed
    return answer
  }),
)()

const long = errand(async (looks) => {
  asked[looks]?.open()
  await steps[looks]?.passed
})

test.before(async () => {
  await suite.serve({
    async script(request, call) {
      if (JSON.stringify(request.messages).includes(SCENES.team)) await steps[0]?.passed
      return long(request, call)
    },
    plugins: [late],
  })
})
test.before.each(() => {
  steps = [createGate(), createGate(), createGate()]
  asked = [createGate(), createGate(), createGate()]
  end = createGate()
})

const article = (page: Page) => turn(page, SCENES.errand).first()
const runOf = async (page: Page) => {
  const id = await article(page).getAttribute('data-run')
  return suite.opened.runtime.runs.get(id ?? '')
}
const tell = async (page: Page, text: string, key = 'Enter'): Promise<void> => {
  await field(page).fill(text)
  await field(page).press(key)
  await until(async () => (await field(page).inputValue()) === '')
}
/** Begins an errand, and waits until its model was asked first: what is said from then on is read before the next call. */
async function begin(page: Page): Promise<void> {
  await say(page, SCENES.errand)
  await page.waitForURL(/\/chat\/thr_/)
  await page.getByPlaceholder('Say something to the run at work').waitFor()
  await asked[0]?.passed
}
/** The steps that were done before it was read, and those after it. */
const ORDER = /Look 1\.[\s\S]*Look 2\.[\s\S]*In blue, please[\s\S]*Ask(?:ed|ing)/
/** All that stands in a turn, in the order in which it is read. */
const wordsOf = (page: Page): Promise<string> => article(page).innerText()

inBrowser('what is said to a run at work stands there at once, and where it was read from then on', async () => {
  const { page, audit } = await suite.open('')
  await begin(page)
  steps[0]?.open()
  await article(page).getByText('Look 1.').waitFor()
  await asked[1]?.passed
  await tell(page, 'In blue, please')
  await article(page).getByText('Sent: it is read before the next step.').waitFor()
  assert.equal(await audit(), [])
  assert.is(await page.getByRole('article').count(), 1, 'it is no turn of its own')
  steps[1]?.open()
  await article(page).getByText('Look 2.').waitFor()
  await article(page).getByRole('listitem').filter({ hasText: 'In blue, please' }).getByText('Read').waitFor()
  assert.match(await wordsOf(page), ORDER)
  await page.reload()
  await article(page).getByText('Look 2.').waitFor()
  assert.match(await wordsOf(page), ORDER)
  end.open()
  steps[2]?.open()
  await article(page).getByText('I have heard: In blue, please.').first().waitFor()
  await article(page).getByText('Said while it worked.').waitFor()
  await article(page)
    .getByRole('button', { name: /What was done/ })
    .click()
  await article(page).getByText('Look 2.').waitFor()
  assert.is(await article(page).getByText('In blue, please', { exact: true }).count(), 1)
  assert.match(await wordsOf(page), ORDER)
  assert.equal(await audit(), [])
})

inBrowser('an agent that has just answered answers again, and what it had said stays', async () => {
  const { page } = await suite.open('')
  steps[0]?.open()
  steps[1]?.open()
  await begin(page)
  await article(page).getByText('Look 2.').waitFor()
  await asked[2]?.passed
  await tell(page, 'Also the roof')
  await article(page).getByText(/^Sent/).waitFor()
  steps[2]?.open()
  await article(page).getByText('I have heard: nothing.').waitFor()
  await article(page).getByText('I have heard: Also the roof.').first().waitFor()
  end.open()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  assert.equal(
    (await runOf(page)).messages?.map(({ text }) => text),
    ['Also the roof'],
  )
})

inBrowser('what came too late is sent as the next message, once, by the window that sent it', async () => {
  const { page } = await suite.open('')
  for (const step of steps) step.open()
  await begin(page)
  await until(async () => (await runOf(page)).agents.some(({ status }) => status === 'completed'))
  const other = await page.context().newPage()
  await other.goto(page.url())
  await tell(page, SCENES.vote)
  for (const each of [page, other]) await article(each).getByText(SCENES.vote).waitFor()
  const { threadId = '' } = await runOf(page)
  // It does so wherever it is then.
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByRole('heading', { name: 'What is to be done?' }).waitFor()
  end.open()
  await turn(other, SCENES.vote).getByText('no number from 2 to 9').first().waitFor()
  assert.is((await suite.opened.runtime.runs.list({ threadId })).data.length, 2)
  await page.goto(other.url())
  await turn(page, SCENES.vote).getByText('no number from 2 to 9').first().waitFor()
  assert.is(await page.getByRole('button', { name: 'Send as the next message' }).count(), 0)
})

inBrowser('after a reload what nobody has read stands there, to be sent by hand', async () => {
  const { page, audit } = await suite.open('', { width: 360, height: 740 })
  for (const step of steps) step.open()
  await begin(page)
  await until(async () => (await runOf(page)).agents.some(({ status }) => status === 'completed'))
  await tell(page, SCENES.vote)
  await article(page).getByText(/^Sent/).waitFor()
  // What is at work then is another errand.
  steps[0] = createGate()
  await tell(page, `${SCENES.errand} once more`, 'Alt+Enter')
  await page.reload()
  await article(page).getByText(/^Sent/).waitFor()
  end.open()
  await turn(page, 'once more').getByText('Asking').waitFor()
  await page.getByText('Not read: the run had ended.').waitFor()
  assert.equal(await audit(), [])
  await page.getByRole('button', { name: 'Send as the next message' }).click()
  await turn(page, SCENES.vote).getByText('Waits for its turn').waitFor()
  await page.getByText('Not read: the run had ended.').waitFor({ state: 'detached' })
  steps[0]?.open()
  await turn(page, SCENES.vote).getByText('no number from 2 to 9').first().waitFor()
})

inBrowser('what several agents of a team read stands in one place', async () => {
  const { runs, threads } = suite.opened.runtime
  const { id: threadId } = await threads.create({ title: 'A team' })
  const { id } = await runs.create({ task: SCENES.team, ...TEAM, threadId })
  const { page, audit } = await suite.open(`chat/${threadId}`)
  await page.getByPlaceholder('Say something to the run at work').waitFor()
  await tell(page, 'Mind the cost of each')
  await turn(page, SCENES.team).getByText(/^Sent/).waitFor()
  steps[0]?.open()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await page.getByRole('button', { name: /What was done/ }).click()
  await page.getByRole('listitem').filter({ hasText: 'Mind the cost of each' }).getByText('Read').waitFor()
  assert.is(await turn(page, SCENES.team).getByText('Mind the cost of each', { exact: true }).count(), 1)
  assert.equal(await audit(), [])
  const readers = new Set<string>()
  for await (const event of runs.events(id)) if (event.type === 'agent.steered') readers.add(event.agentId ?? '')
  assert.ok(readers.size > 1)
})

inBrowser('who stops a run is not made to begin another by what it had not read', async () => {
  const { page } = await suite.open('')
  await begin(page)
  await tell(page, 'One more thing')
  await article(page).getByText(/^Sent/).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Not read: the run had ended.').waitFor()
  await page.getByRole('button', { name: 'Send as the next message' }).waitFor()
  const { threadId = '' } = await runOf(page)
  assert.is((await suite.opened.runtime.runs.list({ threadId })).data.length, 1)
})

inBrowser('what has files, and what is said to a run that only plans, waits for the end of the turn', async () => {
  const { page } = await suite.open('')
  await begin(page)
  await field(page).fill('Look at @README')
  await page.getByRole('option', { name: 'README.md' }).click()
  await page.getByText('It is sent now, and begins when the run at work has ended.').waitFor()
  await field(page).press('Enter')
  await turn(page, 'Look at README.md').getByText('Waits for its turn').waitFor()
  assert.is(await turn(page, 'Look at README.md').getByRole('button', { name: 'Send now' }).count(), 0)
  await turn(page, 'Look at README.md').getByRole('button', { name: 'Remove' }).click()
  await turn(page, 'Look at README.md').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped before it was done').waitFor()
})

inBrowser('a keyboard alone sends for after the turn, edits, removes, and says now what waits', async () => {
  const { page, audit } = await suite.open('', { width: 360, height: 740 })
  await begin(page)
  await field(page).fill('First this')
  await page.getByText('Alt+Enter: it begins when this run has ended.').waitFor()
  assert.equal(await audit(), [])
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
  await field(page).press('Alt+Enter')
  const first = turn(page, 'First this')
  await first.getByText('Waits for its turn').waitFor()
  await tell(page, 'Then that', 'Alt+Enter')
  await tell(page, 'Never this', 'Alt+Enter')
  const never = turn(page, 'Never this')
  await never.getByText('Waits for its turn').waitFor()
  assert.equal(await audit(), [])
  await never.getByRole('button', { name: 'Remove' }).press('Enter')
  await never.waitFor({ state: 'detached' })
  assert.ok(await field(page).evaluate((element) => element.matches(':focus')))
  await first.getByRole('button', { name: 'Edit' }).press('Enter')
  await page.keyboard.press('Escape')
  assert.ok(await first.getByRole('button', { name: 'Edit' }).evaluate((element) => element.matches(':focus')))
  await page.keyboard.press('Enter')
  await page.keyboard.type(' and more')
  await page.keyboard.press('Enter')
  await turn(page, 'First this and more').getByText('Waits for its turn').waitFor()
  await turn(page, 'Then that').getByRole('button', { name: 'Send now' }).press('Enter')
  await turn(page, 'Then that').waitFor({ state: 'detached' })
  await article(page).getByText('Then that').waitFor()
  end.open()
  for (const step of steps) step.open()
  await article(page).getByText('I have heard: Then that.').first().waitFor()
  await turn(page, 'First this and more').getByRole('button', { name: 'Try again' }).waitFor()
})

inBrowser('a message that begins while it is taken back stays, with its answer', async () => {
  const { page } = await suite.open('')
  await begin(page)
  await tell(page, SCENES.vote, 'Alt+Enter')
  const next = turn(page, SCENES.vote)
  await next.getByText('Waits for its turn').waitFor()
  const id = (await next.getAttribute('data-run')) ?? ''
  await page.route(`**/v1/runs/${id}/cancel`, async (route) => {
    end.open()
    for (const step of steps) step.open()
    await suite.opened.runtime.runs.wait(id)
    await route.continue()
  })
  const answered = page.waitForResponse(`**/v1/runs/${id}/cancel`)
  await next.getByRole('button', { name: 'Remove' }).click()
  await answered
  // What is read again then is what is left.
  await page.waitForResponse(/\/messages/)
  await next.getByText('no number from 2 to 9').first().waitFor()
  assert.is((await suite.opened.runtime.runs.get(id)).status, 'completed')
})

inBrowser('a run that waits for an approval gets a message, and reads it once it is answered', async () => {
  const { page } = await suite.open('')
  await say(page, SCENES.approval)
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
  await tell(page, 'And greet them')
  const asked = turn(page, SCENES.approval)
  await asked.getByText('it is read once what waits above is answered').waitFor()
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await asked.getByText('Said while it worked.').waitFor()
})

test.run()
