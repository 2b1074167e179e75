/** Many windows of the console over one server: all are live, and they share one stream. */
import type { BrowserContext, Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { createGate, until } from '../fixtures/until.ts'
import { SCENES, slowWords } from './scenes.ts'
import { consoleSuite } from './suite.ts'
import { setClockOff } from './tools.ts'

const console_ = consoleSuite('console: windows')
const { test, inBrowser } = console_
const story = createGate()
const WINDOWS = 7

const metrics = async (): Promise<string> => (await console_.opened.ask('GET', '/metrics')).text
const streams = async (): Promise<number> => Number(/^svc_sse_clients (\d+)/m.exec(await metrics())?.[1])
/** How many streams have ended. */
const ended = async (): Promise<number> =>
  [...(await metrics()).matchAll(/^svc_sse_disconnects_total\{.*\} (\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  )
const begin = async (): Promise<string> =>
  (await console_.opened.runtime.runs.create({ task: SCENES.slow, model: 'slow/words' })).id
const showing = (page: Page, text: string) => page.getByRole('main').filter({ hasText: text }).waitFor()
const answerOf = (page: Page) => page.getByRole('region', { name: 'Text of the answer' })

test.before(async () => {
  await console_.serve({
    stories: slowWords(30, () => story.passed),
    config: { server: { limits: { runningRuns: 20 } } },
  })
})

async function openWindows(context: BrowserContext, ids: readonly string[]): Promise<Page[]> {
  const pages: Page[] = []
  for (const id of ids) {
    const page = await context.newPage()
    await page.goto(`${console_.opened.url}/console/runs/${id}`)
    pages.push(page)
  }
  return pages
}

inBrowser(`${WINDOWS} windows follow as many runs over one stream, and leave none behind`, async () => {
  const ids = await Promise.all(Array.from({ length: WINDOWS }, begin))
  // None of them has a key: windows of one key share a stream.
  const { page, faults } = await console_.browser.open(`${console_.opened.url}/console/approvals`)
  const context = page.context()
  const pages = await openWindows(context, ids)
  for (const each of pages) await showing(each, 'word 29')
  assert.is(await streams(), 1)
  // A window that was closed takes nothing from the others.
  await pages[0]?.close()
  await page.goto(`${console_.opened.url}/console/runs`)
  await page.getByRole('link', { name: SCENES.slow }).first().waitFor()
  story.open()
  for (const each of pages.slice(1)) await showing(each, 'word 30')
  const statuses = page.getByRole('listitem').filter({ hasText: SCENES.slow }).filter({ hasText: 'completed' })
  await until(async () => (await statuses.count()) === WINDOWS)
  assert.is(await streams(), 1)
  assert.equal(faults, [])
  await context.close()
  await until(async () => (await streams()) === 0)
})

inBrowser(
  'two windows on one run have the whole of its answer, one that comes late and one that goes away',
  async () => {
    story.open()
    const id = await begin()
    const { page } = await console_.open('approvals')
    const [first, second, third] = await openWindows(page.context(), [id, id, id])
    await third?.close()
    for (const each of [first, second]) await (each && showing(each, 'word 30'))
    const [one, two] = await Promise.all([first, second].map((each) => each && answerOf(each).innerText()))
    assert.is(one?.trim(), Array.from({ length: 30 }, (_, index) => `word ${index + 1}`).join(' '))
    assert.is(two, one)
  },
)

inBrowser(
  'where there is no shared worker a window has a stream of its own, and lets it go while nobody sees it',
  async () => {
    const id = await begin()
    const { page } = await console_.open('approvals')
    await page.addInitScript('delete globalThis.SharedWorker')
    await page.goto(`${console_.opened.url}/console/runs/${id}`)
    await showing(page, 'word 30')
    await until(async () => (await streams()) === 1)
    await page.evaluate(`{
    Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }`)
    await until(async () => (await streams()) === 0)
    await page.evaluate(`{
    delete document.hidden
    document.dispatchEvent(new Event('visibilitychange'))
  }`)
    await until(async () => (await streams()) === 1)
  },
)

inBrowser('windows go on where the worker that holds their stream is ended', async () => {
  const { page } = await console_.open('runs')
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
  await until(async () => (await streams()) === 1)
  const before = await ended()
  const session = await page.context().browser()?.newBrowserCDPSession()
  const targets = await session?.send('Target.getTargets')
  const worker = targets?.targetInfos.find(({ type }) => type === 'shared_worker')
  assert.ok(worker)
  await session?.send('Target.closeTarget', { targetId: worker.targetId })
  await until(async () => (await ended()) > before)
  await until(async () => (await streams()) === 1)
  await console_.opened.runtime.runs.create({ task: 'Is it still heard?' })
  await page.getByRole('button', { name: /new run.*show/ }).click()
  await page.getByText('Is it still heard?').first().waitFor()
})

inBrowser('times are those of the server, in a browser whose clock is two hours off', async () => {
  const { opened } = console_
  const { id } = await opened.runtime.runs.create({ task: SCENES.approval, approval: 'wait' })
  await until(async () => (await opened.runtime.runs.get(id)).status === 'waiting')
  for (const hours of [-2, 2]) {
    const { page } = await console_.open('approvals')
    await setClockOff(page, hours)
    await page.goto(`${opened.url}/console/runs?since=1h`)
    await page.getByRole('link', { name: SCENES.approval }).waitFor()
    const running = (await opened.runtime.runs.create({ task: SCENES.slow, model: 'slow/words' })).id
    await page.goto(`${opened.url}/console/runs/${running}`)
    await showing(page, 'word 30')
    assert.not.match(await page.locator('main').innerText(), /\d h\b/, `${hours} h off`)
    await page.goto(`${opened.url}/console/approvals`)
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    assert.not.match(await page.locator('main').innerText(), /expired|ago/i)
  }
})

test.run()
