/** Chromium for tests: every page is watched for what it must never do. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page, type Request } from 'playwright-core'

const found = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
)

/** Whether there is a browser to test with. */
export const hasBrowser = found !== undefined
if (!hasBrowser) console.log('skipped: no Chromium is installed')

const FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage'

/** Far more than a busy machine needs for anything that a test waits for. */
const PATIENCE_MS = 60_000

export interface PageOptions {
  width?: number
  height?: number
  dark?: boolean
}

export interface TestBrowser {
  /** A page of a window of its own. */
  open(url: string, options?: PageOptions): Promise<WatchedPage>
  close(): Promise<void>
}

export interface WatchedPage {
  page: Page
  /** Errors on the console, violations of the content policy, and requests to other origins so far. */
  faults: string[]
  /** Requests that are not answered yet, without streams of events: they have no end; of the script of a worker none is seen. */
  onTheWay: ReadonlySet<Request>
  /** What axe finds, as `rule: element`. */
  audit(): Promise<string[]>
}

export async function openBrowser(): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: path(),
    headless: true,
    args: FLAGS.split(' '),
    timeout: PATIENCE_MS,
  })
  return {
    async open(url, { width = 1440, height = 900, dark = false } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        reducedMotion: 'reduce',
      })
      context.setDefaultTimeout(PATIENCE_MS)
      const page = await context.newPage()
      const faults = watch(page, new URL(url).origin)
      const onTheWay = followRequests(page)
      await page.goto(url)
      return { page, faults, onTheWay, audit: () => audit(page) }
    },
    close: () => browser.close(),
  }
}

function path(): string {
  return spawnSync('which', [found ?? 'chromium'], { encoding: 'utf8' }).stdout.trim()
}

function watch(page: Page, origin: string): string[] {
  const faults: string[] = []
  page.on('console', (message) => {
    const text = message.text()
    // A page shows what a server refuses; the browser's own line about it is no fault of the page.
    if (message.type() === 'error' && !/^Failed to load resource/.test(text)) faults.push(`console: ${text}`)
    else if (/Content Security Policy/i.test(text)) faults.push(`policy: ${text}`)
  })
  page.on('pageerror', (error) => faults.push(`thrown: ${error.stack ?? error.message}`))
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`foreign request: ${request.url()}`)
  })
  return faults
}

function followRequests(page: Page): ReadonlySet<Request> {
  const onTheWay = new Set<Request>()
  const end = (request: Request): void => void onTheWay.delete(request)
  page.on('request', (request) => {
    if (!/\/events$|-worker-/.test(new URL(request.url()).pathname)) onTheWay.add(request)
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return onTheWay
}

/** axe is put in through the debugger, which the page's content policy does not bind. */
async function audit(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  // What is in order need not be described: that takes as long again.
  const { violations } = await page.evaluate<{ violations: Violation[] }>(`axe.run({ resultTypes: ['violations'] })`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  )
}

interface Violation {
  id: string
  nodes: { html: string; failureSummary?: string }[]
}
