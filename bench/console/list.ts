/**
 * The console's list over 10,000 runs in a SQLite file: how soon the first row can be clicked, how smoothly the list
 * scrolls, what it keeps in memory, and how much script and style is sent. Beside it, in the same run, what there would be
 * without the console: the server's answer alone, and a static page with one link.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/console/list.ts [--runs 10000]
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SqliteStore } from '@svc/plugins'
import { openBrowser, type TestBrowser, type WatchedPage } from '../../server/test/console/browser.ts'
import { openServer } from '../../server/test/fixtures/open-server.ts'
import { fillRuns } from './fill-runs.ts'
import { countFrames, heapOf } from './frames.ts'

const { values: given } = parseArgs({ options: { runs: { type: 'string', default: '10000' } } })
const RUNS = Number(given.runs)
const TIMES = 5
const SCROLL_MS = 5_000
const ASSETS = fileURLToPath(new URL('../../server/dist/console/assets/', import.meta.url))
const STATIC =
  '<!doctype html><title>floor</title><div style="height:400000px"><a class="task" href="/">one row</a></div>'

const dir = mkdtempSync(join(tmpdir(), 'svc-list-'))
const file = join(dir, 'runs.db')
await fillRuns(file, RUNS)
const opened = await openServer({ runtime: { store: new SqliteStore({ file }) } })
const floor = createServer((_, response) => response.setHeader('content-type', 'text/html').end(STATIC))
await new Promise<void>((resolve) => floor.listen(0, '127.0.0.1', resolve))
const floorUrl = `http://127.0.0.1:${(floor.address() as AddressInfo).port}/`
const browser = await openBrowser()
try {
  console.log(`${RUNS} runs in SQLite; medians of ${TIMES}, a browser without a cache each time\n`)
  const answers: number[] = []
  let bytes = 0
  for (let n = 0; n < TIMES; n++) {
    const started = performance.now()
    bytes = (await opened.ask('GET', '/v1/runs?limit=100')).text.length
    answers.push(performance.now() - started)
  }
  show(`floor: GET /v1/runs?limit=100 alone, ${(bytes / 1024).toFixed(0)} KB`, median(answers), 'ms')
  show('floor: a static page, to its first link', await timeToRow(browser, floorUrl), 'ms')
  show('the console, from navigation to the first row', await timeToRow(browser, `${opened.url}/console/runs`), 'ms')
  await showScrolling(browser, floorUrl, 'floor: static page')
  await showScrolling(browser, `${opened.url}/console/runs`, 'the list')
  showSizes(await firstView(browser, `${opened.url}/console/runs`))
} finally {
  await browser.close()
  floor.close()
  await opened.close()
  rmSync(dir, { recursive: true, force: true })
}

/** Milliseconds from the navigation until a row was there and a frame was drawn with it. */
async function timeToRow(from: TestBrowser, url: string): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const { page } = await openBlank(from)
    await page.addInitScript(`(() => {
      const look = () => document.querySelector('a.task') === null
        ? requestAnimationFrame(look)
        : requestAnimationFrame(() => { globalThis.rowAt = performance.now() })
      look()
    })()`)
    await page.goto(url)
    await page.locator('a.task').first().waitFor()
    let rowAt: unknown
    while (typeof rowAt !== 'number') rowAt = await page.evaluate('globalThis.rowAt')
    times.push(rowAt)
    await page.context().close()
  }
  return median(times)
}

async function showScrolling(from: TestBrowser, url: string, name: string): Promise<void> {
  const { page } = await openBlank(from)
  await page.goto(url)
  await page.locator('a.task').first().waitFor()
  await page.mouse.move(600, 500)
  const { perSecond, medianMs, p95Ms, longestMs } = await countFrames(page, async () => {
    for (const until = performance.now() + SCROLL_MS; performance.now() < until; ) {
      await page.mouse.wheel(0, 240)
      await page.waitForTimeout(16)
    }
  })
  show(`${name}: frames a second, mean of ${SCROLL_MS / 1_000} s of scrolling`, perSecond, '/s')
  show(`${name}: interval of frames, median`, medianMs, 'ms')
  show(`${name}: interval of frames, p95`, p95Ms, 'ms')
  show(`${name}: interval of frames, longest`, longestMs, 'ms')
  const shown = await page.evaluate("document.querySelector('.run-table .foot')?.textContent ?? ''")
  show(`${name}: heap of the page${shown === '' ? '' : ` (${shown})`}`, await heapOf(page), 'MB')
  await page.context().close()
}

/** Names of the scripts and styles that the list is shown with. */
async function firstView(from: TestBrowser, url: string): Promise<string[]> {
  const { page } = await openBlank(from)
  await page.goto(url)
  await page.locator('a.task').first().waitFor()
  const names = (await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")) as string[]
  await page.context().close()
  return [...new Set(names.map((name) => name.slice(name.lastIndexOf('/') + 1)))]
}

function showSizes(first: readonly string[]): void {
  const all = readdirSync(ASSETS)
  for (const kind of ['js', 'css']) {
    const whole = all.filter((name) => name.endsWith(`.${kind}`))
    for (const [view, names] of [
      ['first view', whole.filter((name) => first.includes(name))],
      ['all', whole],
    ] as const) {
      const sum = (end: string): number =>
        names.reduce((total, name) => total + statSync(join(ASSETS, name + end)).size, 0) / 1024
      show(`${kind === 'js' ? 'script' : 'style'}, ${view} (raw ${sum('').toFixed(1)} KB), gzip`, sum('.gz'), 'KB')
    }
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
}

/** A page of a window of its own, with nothing in its cache. */
function openBlank(from: TestBrowser): Promise<WatchedPage> {
  return from.open(`${opened.url}/livez`)
}

function show(name: string, value: number, unit: string): void {
  console.log(`${name.padEnd(74)} ${value.toFixed(1).padStart(8)} ${unit}`)
}
