/** The console over a server that goes and comes back, refuses keys, or has had enough requests. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../../.tools/launch.ts'
import { makeFolder } from '../fixtures/folder.ts'
import { ask, openServer } from '../fixtures/open-server.ts'
import type { ScenesProcess } from '../fixtures/serve-scenes.ts'
import { PROCESS_KEY } from '../fixtures/start-process.ts'
import { createGate, until } from '../fixtures/until.ts'
import { hasBrowser, openBrowser, type TestBrowser } from './browser.ts'
import { END_OF_STORIES, SCENES } from './scenes.ts'

const test = suite('console: keeps working')
const inBrowser = hasBrowser ? test : test.skip
const AWAY = 'The server cannot be reached.'
const STORY = Array.from({ length: 80 }, (_, index) => `word ${index + 1} `).join('')

let browser: TestBrowser
let dir: string
let serving: { child: ChildProcess; url: string; gone: Promise<unknown> } | undefined

async function serve(asked: Omit<ScenesProcess, 'dir' | 'port'> = {}, port = 0): Promise<string> {
  const program = new URL('../fixtures/serve-scenes.ts', import.meta.url)
  const child = spawn(process.execPath, [...argumentsFor(program), JSON.stringify({ dir, port, ...asked })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (bytes: Buffer) => resolve(String(bytes).trim()))
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  serving = { child, url, gone }
  return url
}

async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
  serving?.child.kill(signal)
  await serving?.gone
  return Number(new URL(serving?.url ?? '').port)
}

const create = async (url: string, body: object): Promise<string> =>
  String((await ask(url, 'POST', '/v1/runs', { body })).json.id)

test.before(async () => {
  if (hasBrowser) browser = await openBrowser()
})
test.after(() => browser?.close())
test.before.each(() => {
  dir = makeFolder()
})
test.after.each(async () => void (await end('SIGKILL')))

inBrowser('of a run whose server has died, and that none takes up, nothing is shown as at work', async () => {
  const id = await create(await serve(), { task: SCENES.slow, model: 'slow/words' })
  const log = async (): Promise<string> => (await ask(serving?.url ?? '', 'GET', `/v1/runs/${id}/events`)).text
  await until(async () => (await log()).includes('model.started'))
  await end('SIGKILL')
  const other = await openServer({ runtime: { persist: { dir }, workspace: dir, claims: 'none' } })
  try {
    const { page } = await browser.open(`${other.url}/console/runs`)
    const row = page.getByRole('listitem').filter({ hasText: 'running (left)' })
    await row.waitFor()
    assert.is(await row.locator('.number').nth(3).innerText(), '–', 'nobody is at work on it')
    // The log may be there before it is known that nobody works on the run.
    const drawn = createGate()
    await page.route(/\/v1\/runs\/run_\w+(\?|$)/, async (route) => {
      await drawn.passed
      await route.continue()
    })
    await page.goto(`${other.url}/console/runs/${id}`)
    const states = page.locator('.strip, .topology, .talks, .steps').locator('[data-status="running"]')
    for (const part of ['.strip', '.topology', '.talks', '.steps'])
      await page.locator(part).locator('[data-status="running"]').first().waitFor()
    drawn.open()
    await page.locator('.run-header .status').getByText('running (left)').waitFor()
    await until(async () => (await states.count()) === 0)
    await page.context().close()
  } finally {
    await other.close()
  }
})

inBrowser(
  'a run whose server is killed is followed to its end when it is back, each event once, the text whole',
  async () => {
    const url = await serve()
    const id = await create(url, { task: SCENES.slow, model: 'slow/words' })
    const { page, faults } = await browser.open(`${url}/console/runs/${id}`)
    await page.getByText(/word 20 /).waitFor()
    const port = await end('SIGKILL')
    await page.getByText(AWAY).waitFor()
    assert.is(await page.getByText(AWAY).count(), 1)
    writeFileSync(join(dir, END_OF_STORIES), '')
    await serve({}, port)
    await page.getByText(AWAY).waitFor({ state: 'detached' })
    const text = page.getByRole('region', { name: 'Text of the answer' })
    await text.getByText(/word 80/).waitFor()
    assert.is((await text.innerText()).trim(), STORY.trim())
    const { json } = await ask(url, 'GET', `/v1/runs/${id}`)
    assert.is(json.status, 'completed')
    assert.is(await page.locator('input[type=range]').first().getAttribute('max'), String(json.lastSeq))
    await page
      .getByText(/recovered/i)
      .first()
      .waitFor()
    assert.equal(faults, [])
    await page.context().close()
  },
)

inBrowser(
  'what is pressed while the server is away says so, loses nothing, and is done once when it is back',
  async () => {
    const url = await serve()
    const id = await create(url, { task: SCENES.approval, approval: 'wait' })
    const { page, faults } = await browser.open(`${url}/console/approvals`)
    const approve = page.getByRole('button', { name: 'Approve', exact: true })
    // The key of this machine, as a link gives it to a tab; the server is started again with the same one here.
    await page.context().addInitScript(`sessionStorage.setItem('svc.key', '${PROCESS_KEY}')`)
    await page.reload()
    await approve.waitFor()
    const list = await page.context().newPage()
    await list.goto(`${url}/console/runs`)
    await list.locator('a[href^="/console/runs/run_"]').first().waitFor()
    const port = await end('SIGTERM')
    for (const one of [page, list]) await one.getByText(AWAY).waitFor()
    await approve.click()
    await page
      .getByRole('alert')
      .getByText(/cannot be reached/)
      .waitFor()
    const task = list.getByLabel('What is to be done?')
    await list.keyboard.press('n')
    await task.fill(SCENES.vote)
    await list.getByRole('button', { name: 'Start run' }).click()
    await list.getByText(/cannot be reached: /).waitFor()

    await serve({}, port)
    for (const one of [page, list]) await one.getByText(AWAY).waitFor({ state: 'detached' })
    assert.is(await task.inputValue(), SCENES.vote)
    await list.getByRole('button', { name: 'Start run' }).click()
    await list.waitForURL(/\/runs\/run_/)
    await approve.click()
    await approve.waitFor({ state: 'detached' })
    await ask(url, 'GET', `/v1/runs/${id}/events`, { headers: { accept: 'text/event-stream' } })
    const { json } = await ask(url, 'GET', `/v1/runs/${id}/result`)
    assert.is(json.status, 'completed', JSON.stringify(json))
    assert.match(readFileSync(join(dir, 'notes.md'), 'utf8'), /The console is here/)
    assert.is(((await ask(url, 'GET', '/v1/runs')).json.data as unknown[]).length, 2)
    assert.equal(faults, [])
    await page.context().close()
  },
)

inBrowser('a key is asked for until it is right, again when the server has another, and loses nothing', async () => {
  const url = await serve({ key: 'first' })
  const { page, faults } = await browser.open(`${url}/console/runs`)
  const enter = async (key: string): Promise<void> => {
    await page.getByLabel(/SERVICE_API_KEY/).fill(key)
    await page.getByRole('button', { name: 'Go on' }).click()
  }
  await enter('wrong')
  await page.getByText('The server refused the key').waitFor()
  await enter('first')
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
  await page.getByLabel('What is to be done?').fill('half a thought')
  const port = await end('SIGTERM')
  await page.getByText(AWAY).waitFor()
  await serve({ key: 'second' }, port)
  await page.getByText('The server refused the key').waitFor()
  assert.is(await page.getByLabel('What is to be done?').inputValue(), 'half a thought', 'the view stays behind it')
  await enter('second')
  await page.getByRole('heading', { name: 'This server wants a key' }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Start run' }).click()
  await page.waitForURL(/\/runs\/run_/)
  assert.equal(faults, [])
  await page.context().close()
})

inBrowser('a refusal of the key before, which comes late, says nothing of the key that was entered since', async () => {
  const url = await serve({ key: 'first' })
  const { page, faults } = await browser.open(`${url}/livez`)
  // Whether the server may be read without a key is asked for each refusal: the second answer comes late.
  const late = createGate()
  let asked = 0
  await page.route('**/v1/session', async (route) => {
    if (route.request().headers().authorization === undefined && ++asked > 2) await late.passed
    await route.continue()
  })
  await page.goto(`${url}/console/runs`)
  const key = page.getByLabel(/SERVICE_API_KEY/)
  const goOn = page.getByRole('button', { name: 'Go on' })
  await key.fill('wrong')
  await goOn.click()
  await page.getByText('The server refused the key').waitFor()
  await until(() => asked > 2)
  await key.fill('first')
  await goOn.click()
  const task = page.getByLabel('What is to be done?')
  await task.fill('half a ')
  const answered = page.waitForResponse(
    (response) => response.url().endsWith('/v1/session') && response.status() === 401,
  )
  late.open()
  await answered
  await task.pressSequentially('thought')
  assert.is(await task.inputValue(), 'half a thought')
  assert.is(await page.getByText('The server refused the key').count(), 0)
  assert.equal(faults, [])
  await page.context().close()
})

inBrowser('a server that has had enough requests is said to, asked later, and not in between', async () => {
  const url = await serve({ requestsPerMinute: 9 })
  const { page, faults, onTheWay } = await browser.open(`${url}/console/runs`)
  const asked: string[] = []
  let restsUntil = 0
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  page.on('response', (response) => {
    if (response.status() === 429) restsUntil = performance.now() + Number(response.headers()['retry-after']) * 1_000
  })
  await page.clock.install()
  // Early in a minute of the server, so that the rest is a long one.
  await until(async () => {
    for (const name of ['Plugins', 'Memory']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
    }
    return restsUntil > performance.now() + 40_000
  })
  await page.getByText('The server takes no more requests for now.').waitFor()
  assert.is(await page.getByText(AWAY).count(), 0)
  // From here on the page's time goes on as the test says, and not while a slow machine works.
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 5_000)
  // What the views asked when they came is on its way until all is answered and nothing more comes.
  for (let before = -1; before !== asked.length; ) {
    before = asked.length
    await page.clock.runFor(1_000)
    await until(() => onTheWay.size === 0)
  }
  asked.length = 0
  await page.clock.runFor(20_000)
  assert.equal(asked, [], 'nothing is asked while it rests')
  assert.equal(faults, [])
  await page.context().close()
})

test.run()
