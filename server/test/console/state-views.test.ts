/** One run of each state in every view: they say the same of it, and what can be done is there. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toText } from '@svc/core'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../../.tools/launch.ts'
import { makeFolder } from '../fixtures/folder.ts'
import { ask } from '../fixtures/open-server.ts'
import type { ScenesProcess } from '../fixtures/serve-scenes.ts'
import { until } from '../fixtures/until.ts'
import { answer, END_OF_STORIES, openScenes, SCENES, slowWords } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: states in every view')
const { test, inBrowser } = suite

const WEATHER = 'What is the weather in Bonn?'
const PRODUCT = 'What is 17 * 23?'
const NEXT = 'And then?'
const ASKED = 'Write the release note to notes.md, then stop'

/** What a view says of a state: the run's page and its list in a word, the conversation in a sentence. */
const STATES = {
  running: { task: SCENES.slow, page: 'running', chat: /Working…/, isAtWork: true },
  queued: { task: NEXT, page: 'queued', chat: /Waits for its turn/, isAtWork: false },
  approval: { task: SCENES.approval, page: 'waiting', chat: /Waits for you/, isAtWork: false },
  client: { task: WEATHER, page: 'waiting', chat: /Waits for its client/, isAtWork: false },
  completed: { task: SCENES.vote, page: 'completed, unverified', chat: /Try again/, isAtWork: false },
  incomplete: {
    task: PRODUCT,
    page: 'incomplete, fail (checks_failed)',
    chat: /part of this is false/,
    isAtWork: false,
  },
  failed: { task: SCENES.failure, page: 'failed (provider_auth)', chat: /It failed: /, isAtWork: false },
  cancelled: { task: ASKED, page: 'cancelled', chat: /Stopped before it was done/, isAtWork: false },
} as const
type State = keyof typeof STATES

const made = new Map<State, { id: string; threadId: string }>()

test.before(async () => {
  const { runtime } = await suite.serve({
    stories: slowWords(30),
    script(request) {
      const said = request.messages.map(({ content }) => toText(content)).join('\n')
      if (said.includes(PRODUCT)) return 'The product is 17 * 23 = 392.'
      if (said.includes(WEATHER) && request.messages.every(({ role }) => role !== 'tool'))
        return { toolCalls: [{ tool: 'client.get_weather', args: { city: 'Bonn' } }] }
      return answer(request)
    },
  })
  const { runs, threads } = runtime
  for (const [state, { task }] of Object.entries(STATES) as [State, { task: string }][]) {
    const threadId =
      state === 'queued' ? (made.get('running')?.threadId ?? '') : (await threads.create({ title: state })).id
    const { id } = await runs.create({
      task,
      threadId,
      topology: 'SINGLE',
      approval: 'wait',
      ...(state === 'running' && { model: 'slow/words' }),
      ...(state === 'client' && { clientTools: [{ name: 'get_weather' }] }),
    })
    made.set(state, { id, threadId })
    if (state === 'running') await until(async () => (await runs.get(id)).status === 'running')
    else if (state !== 'queued') await runs.wait(id, 60_000)
    if (state === 'cancelled') {
      await runs.cancel(id)
      await runs.wait(id)
    }
  }
})

const atWork = (page: Page) => page.getByRole('main').locator('[data-status="running"]')

inBrowser('the page of a run, the list and the conversation say the same, live and after a reload', async () => {
  const { page } = await suite.open('runs')
  for (const [state, { page: text, chat, task, isAtWork }] of Object.entries(STATES)) {
    const { id, threadId } = made.get(state as State) ?? { id: '', threadId: '' }
    const look = async (path: string, shown: () => Promise<void>): Promise<void> => {
      await page.goto(`${suite.opened.url}/console/${path}`)
      await shown()
      await page.reload()
      await shown()
    }
    await look(`runs/${id}`, async () => {
      await page.locator('.run-header .status').filter({ hasText: text }).first().waitFor()
      if (!isAtWork) assert.is(await atWork(page).count(), 0, `${state}: the page shows something at work`)
      const asks = page.getByRole('heading', { name: /^It waits for/ })
      assert.is(await asks.count(), state === 'approval' || state === 'client' ? 1 : 0, state)
    })
    await look(`chat/${threadId}`, async () => {
      const turn = page.getByRole('article', { name: task })
      await turn.getByText(chat).first().waitFor()
      if (!isAtWork)
        assert.is(await turn.locator('[data-status="running"]').count(), 0, `${state}: at work in the chat`)
    })
  }
  await page.goto(`${suite.opened.url}/console/runs`)
  for (const [state, { page: text }] of Object.entries(STATES)) {
    const id = made.get(state as State)?.id
    const row = page.getByRole('listitem').filter({ has: page.locator(`a[href$="${id}"]`) })
    await row.waitFor()
    const word = (await row.locator('.status').innerText()).replace(/^\S+\s+/, '')
    assert.ok(text.startsWith(word), `${state}: ${word}`)
  }
})

inBrowser('an answer whose statements were held against the evidence is not said to be unchecked', async () => {
  const { page } = await suite.open(`runs/${made.get('completed')?.id}`)
  const outcome = page.locator('.outcome')
  await outcome.getByText(/Evidence of the run holds \d+ of \d+ statement/).waitFor()
  assert.is(await outcome.getByText('No check was made').count(), 0)
})

inBrowser('a conversation is at work though a message of it was taken back', async () => {
  const { page } = await suite.open(`chat/${made.get('running')?.threadId}`)
  const row = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'At work: running' })
  await row.waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Waits for its turn').waitFor({ state: 'detached' })
  assert.is(await row.count(), 1)
})

inBrowser('a run that was left is gone on with from its conversation', async () => {
  const dir = makeFolder()
  const serve = async (): Promise<[url: string, child: ChildProcess]> => {
    const asked: ScenesProcess = { dir, port: 0 }
    const program = new URL('../fixtures/serve-scenes.ts', import.meta.url)
    const child = spawn(process.execPath, [...argumentsFor(program), JSON.stringify(asked)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const url = await new Promise<string>((resolve) =>
      child.stdout.once('data', (bytes: Buffer) => resolve(String(bytes).trim())),
    )
    return [url, child]
  }
  const [url, child] = await serve()
  const threadId = String((await ask(url, 'POST', '/v1/threads', { body: {} })).json.id)
  const body = { task: SCENES.slow, model: 'slow/words', threadId }
  const id = String((await ask(url, 'POST', '/v1/runs', { body })).json.id)
  await until(async () => (await ask(url, 'GET', `/v1/runs/${id}/events`)).text.includes('model.started'))
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
  writeFileSync(join(dir, END_OF_STORIES), '')
  const other = await openScenes({
    stories: slowWords(80, async () => {}),
    runtime: { persist: { dir }, workspace: dir, claims: 'own' },
  })
  try {
    const link = new URL(other.server.consoleLink())
    const { page, faults } = await suite.browser.open(`${other.url}/console/chat/${threadId}${link.hash}`)
    await page.getByText('running (left)').waitFor()
    await page.getByRole('button', { name: 'Go on', exact: true }).click()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.getByText(/word 1 .*word 80/).waitFor()
    assert.is((await other.runtime.runs.get(id)).status, 'completed')
    assert.equal(faults, [])
    await page.context().close()
  } finally {
    await other.close()
  }
})

test.run()
