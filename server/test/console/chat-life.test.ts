/** A conversation in the console over what happens to pages and servers: reloads, two windows, a crash, hostile words. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../../.tools/launch.ts'
import { makeFolder } from '../fixtures/folder.ts'
import type { ScenesProcess } from '../fixtures/serve-scenes.ts'
import { PROCESS_KEY } from '../fixtures/start-process.ts'
import { until } from '../fixtures/until.ts'
import { hasBrowser, openBrowser, type TestBrowser, type WatchedPage } from './browser.ts'
import { field, say, turn } from './chat-page.ts'
import { END_OF_STORIES, openScenes, SCENES } from './scenes.ts'

const test = suite('console: chat keeps working')
const inBrowser = hasBrowser ? test : test.skip

let browser: TestBrowser

test.before(async () => {
  if (hasBrowser) browser = await openBrowser()
})
test.after(() => browser?.close())

async function askSlowly(page: Page, task: string): Promise<void> {
  await page.getByRole('button', { name: 'Options' }).click()
  await page.getByLabel('Model').fill('slow/words')
  await page.getByRole('button', { name: 'Options' }).click()
  await say(page, task)
}

inBrowser('two windows show one conversation, and a reload in the middle shows it as it is', async () => {
  const opened = await openScenes()
  const link = new URL(opened.server.consoleLink())
  const watched = await browser.open(`${opened.url}/console/${link.hash}`)
  const { page } = watched
  try {
    await askSlowly(page, SCENES.slow)
    await page.waitForURL(/\/chat\/thr_/)
    const other = await page.context().newPage()
    await other.goto(page.url())
    for (const one of [page, other])
      await turn(one, SCENES.slow)
        .getByText(/word 40 /)
        .waitFor()
    await field(page).fill('half a thought')
    await page.reload()
    await turn(page, SCENES.slow)
      .getByText(/word 1 .*word 60 /)
      .waitFor()
    assert.is(await field(page).inputValue(), 'half a thought', 'what was written is kept')
    await field(page).fill('')
    await field(other).fill('And then the end')
    await field(other).press('Alt+Enter')
    await turn(page, 'And then the end').getByText('Waits for its turn').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    for (const one of [page, other]) await turn(one, SCENES.slow).getByText('Stopped before it was done').waitFor()
    await turn(page, 'And then the end')
      .getByText(/A cache in the browser/)
      .first()
      .waitFor()
    await turn(other, 'And then the end')
      .getByText(/A cache in the browser/)
      .first()
      .waitFor()
    assert.equal(watched.faults, [])
  } finally {
    await page.context().close()
    await opened.close()
  }
})

inBrowser('a run whose server is killed is gone on with in the conversation when the server is back', async () => {
  const dir = makeFolder()
  let child: ChildProcess | undefined
  const serve = async (port = 0): Promise<string> => {
    const program = new URL('../fixtures/serve-scenes.ts', import.meta.url)
    const asked: ScenesProcess = { dir, port }
    const begun = spawn(process.execPath, [...argumentsFor(program), JSON.stringify(asked)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child = begun
    return new Promise((resolve) => begun.stdout.once('data', (bytes: Buffer) => resolve(String(bytes).trim())))
  }
  const end = async (): Promise<void> => {
    const gone = new Promise((resolve) => child?.once('exit', resolve))
    child?.kill('SIGKILL')
    await gone
  }
  const url = await serve()
  const { page, faults } = await browser.open(`${url}/console/`)
  try {
    await page.context().addInitScript(`sessionStorage.setItem('svc.key', '${PROCESS_KEY}')`)
    await page.reload()
    await askSlowly(page, SCENES.slow)
    await turn(page, SCENES.slow)
      .getByText(/word 20 /)
      .waitFor()
    await end()
    await page.getByText('The server cannot be reached.').waitFor()
    writeFileSync(join(dir, END_OF_STORIES), '')
    await serve(Number(new URL(url).port))
    await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' })
    await turn(page, SCENES.slow)
      .getByText(/word 1 .*word 80/)
      .waitFor()
    await turn(page, SCENES.slow).getByRole('button', { name: 'Try again' }).waitFor()
    assert.equal(faults, [])
  } finally {
    await page.context().close()
    await end()
  }
})

inBrowser('words of people, models and tools stay text, and hide nothing', async () => {
  const evil = '<img src=x onerror="window.pwned=1"> [press](javascript:window.pwned=2) gpj.\u202eexe\u200bend'
  const opened = await openScenes({ script: () => `${evil}\n\n<script>window.pwned=3</script>` })
  const { threads } = opened.runtime
  const { id } = await threads.create({ title: evil })
  const link = new URL(opened.server.consoleLink())
  const watched: WatchedPage = await browser.open(`${opened.url}/console/chat/${id}${link.hash}`)
  const { page } = watched
  try {
    await field(page).fill(evil)
    await field(page).press('Enter')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await until(async () => (await page.getByText('gpj.\\u{202e}exe\\u{200b}end').count()) >= 3)
    assert.is(await page.evaluate('window.pwned'), undefined)
    assert.is(await page.locator('main script, main img, main a[href^="javascript"]').count(), 0)
    assert.equal(watched.faults, [])
  } finally {
    await page.context().close()
    await opened.close()
  }
})

test.run()
