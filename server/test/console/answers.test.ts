/** An answer and what belongs to it: its text, what was checked and done, and its files. */
import { readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toText } from '@svc/core'
import type { Download, Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import type { SceneServer } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: answers')
const { test, inBrowser } = suite

const ANSWER =
  '# Done\n\nThe **note** is written.\n\n| File | Lines |\n|---|--:|\n| notes.md | 3 |\n\n```ts\nconst a = 1\n```\n'
const PAGE = '<!doctype html><script>window.pwned = 1; document.title = "ran"</script><h1>Hello</h1>\n'
const CALLS = [
  { tool: 'write_file', args: { path: 'notes.md', content: '# Notes\n\nAll of **them**.\n' } },
  { tool: 'write_file', args: { path: 'page.html', content: PAGE } },
  { tool: 'edit_file', args: { path: 'prices.csv', edits: [{ find: 'hall,40', replace: 'hall,45' }] } },
  { tool: 'run_command', args: { command: ['node', '-e', 'process.exit(3)'] } },
]

const openFiles = (): Promise<SceneServer> =>
  suite.serve({
    config: { policy: { rules: [{ tool: '*', decision: 'allow' }] } },
    script({ messages, tools = [] }) {
      const isWork = messages.some(({ content }) => toText(content).includes('Write the files'))
      const call = CALLS[messages.filter(({ role }) => role === 'tool').length]
      return isWork && call !== undefined && tools.length > 0 ? { toolCalls: [call] } : ANSWER
    },
  })

const dialog = (page: Page) => page.locator('dialog[open]')
const textOf = async (download: Download): Promise<string> => readFile(await download.path(), 'utf8')

inBrowser('an answer is read, copied and saved; its files are opened, compared, saved and put back', async () => {
  const { folder, server, url } = await openFiles()
  const before = readFileSync(join(folder, 'prices.csv'), 'utf8')
  const id = await suite.ended({ task: 'Write the files' })
  const { page, audit } = await suite.openRun(id)
  const region = page.getByRole('region', { name: 'Answer', exact: true })
  await region.getByRole('heading', { name: 'Done' }).waitFor()
  await region.getByRole('cell', { name: 'notes.md' }).waitFor()
  await region.locator('pre .hljs-keyword').getByText('const').waitFor()
  await region.getByText(/Checks made: |No check was made|Evidence of the run/).waitFor()
  await region.getByText('failed, exit 3').waitFor()
  assert.equal(await audit(), [])

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the answer as Markdown' }).click()
  assert.is((await textOf(await saved)).trim(), ANSWER.trim())
  const exported = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export log' }).click()
  assert.match(await textOf(await exported), /"run.completed"/)

  // Markdown as it reads and as it is written.
  const opener = page.getByRole('button', { name: 'Open notes.md' })
  await opener.focus()
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('heading', { name: 'Notes', exact: true }).waitFor()
  assert.equal(await audit(), [])
  await dialog(page).getByRole('button', { name: 'Source' }).click()
  await dialog(page).getByText('All of **them**.').waitFor()
  await page.keyboard.press('Escape')
  await until(async () => (await dialog(page).count()) === 0)
  assert.ok(await opener.evaluate((element) => element.matches(':focus')))

  // A page that the run wrote is shown as text, and a download of the file is no page of this server.
  const written = page.getByRole('button', { name: 'Open page.html' })
  await written.click()
  await dialog(page).getByText('window.pwned = 1').waitFor()
  await dialog(page).getByRole('button', { name: 'Close' }).press('Enter')
  await dialog(page).waitFor({ state: 'detached' })
  assert.ok(await written.evaluate((element) => element.matches(':focus')))
  const file = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download page.html' }).click()
  assert.is(await textOf(await file), PAGE)
  assert.is(await page.evaluate('window.pwned'), undefined)

  // What the file was before comes from what the run kept, though somebody changed it since.
  writeFileSync(join(folder, 'prices.csv'), 'later\n')
  await page.getByRole('button', { name: 'Difference of prices.csv' }).click()
  for (const line of ['-hall,40', '+hall,45']) await dialog(page).getByText(line).waitFor()
  await page.keyboard.press('Escape')

  const undo = page.getByRole('button', { name: 'Undo file changes…' })
  await undo.click()
  await dialog(page).getByText('Somebody changed these since').waitFor()
  await dialog(page).getByText('prices.csv').first().waitFor()
  await page.keyboard.press('Escape')
  writeFileSync(join(folder, 'prices.csv'), before.replace('hall,40', 'hall,45'))
  await undo.click()
  await dialog(page).getByText('+hall,40').waitFor()
  assert.equal(await audit(), [])
  await dialog(page).getByRole('button', { name: 'Undo the changes of 3 files' }).click()
  await page.getByText('Done: 3 files put back as before this run.').waitFor()
  assert.is(readFileSync(join(folder, 'prices.csv'), 'utf8'), before)

  // The address of the file, opened as a page by somebody who has the key: it is saved, and not shown.
  const { artifacts } = (await suite.opened.runtime.runs.get(id)).result as {
    artifacts: { id: string; name: string }[]
  }
  const artifactId = artifacts.find(({ name }) => name === 'page.html')?.id
  const direct = await page.context().newPage()
  const taken = direct.waitForEvent('download')
  await direct.goto(`${url}/v1/runs/${id}/artifacts/${artifactId}`).catch(() => undefined)
  assert.is((await taken).suggestedFilename(), 'page.html')
  assert.is(direct.url(), 'about:blank')
  assert.ok(server)
})

inBrowser('a narrow window shows an answer and a file without a bar across, at twice the size too', async () => {
  await openFiles()
  const id = await suite.ended({ task: 'Write the files' })
  for (const width of [360, 768]) {
    const { page, audit } = await suite.openRun(id, '', { width, dark: true })
    await page.getByRole('button', { name: 'Open notes.md' }).click()
    await dialog(page).getByRole('heading', { name: 'Notes', exact: true }).waitFor()
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    assert.equal(await audit(), [])
    await page.keyboard.press('Escape')
  }
})

test.run()
