/** The published client in a browser: it needs no Node, and Chromium runs it against a server of another origin. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isBuilt } from '../../../.tools/pack.mjs'
import { openServer } from '../../../server/test/fixtures/open-server.ts'
import { until } from '../../../server/test/fixtures/until.ts'
import { installPacked } from '../fixtures/installed.ts'
import { slowModel } from '../fixtures/slow-model.ts'

const test = suite(`the client in a browser${isBuilt() ? '' : ' (skipped: not built)'}`)

const whenBuilt = isBuilt() ? test : test.skip

/** The published client as one module. */
async function bundle(): Promise<string> {
  const installed = installPacked(['core', 'plugins', 'sdk'])
  try {
    const stdin = { contents: `export * from '@svc/sdk/remote'`, resolveDir: installed.folder }
    const options = { bundle: true, minify: true, platform: 'browser', format: 'esm', write: false } as const
    const { outputFiles } = await build({ stdin, ...options, logLevel: 'silent' })
    return outputFiles[0]?.text ?? ''
  } finally {
    installed.remove()
  }
}

let code = ''
test.before(async () => {
  if (isBuilt()) code = await bundle()
})

whenBuilt('it is one small module that imports nothing', () => {
  assert.not.match(code, /\bfrom ?["']|\brequire\(|node:/)
  const bytes = gzipSync(code).length
  assert.ok(bytes < 12_000, `${bytes} bytes`)
})

const words = Array.from({ length: 10 }, (_, index) => `word${index} `)

/** What the page does; it hands what it saw to the server that it came from. */
const script = `
import { createClient } from '/client.js'
const answers = {}
try {
  const serverUrl = new URLSearchParams(location.search).get('server')
  const client = await createClient({ serverUrl, serverKey: 'browser-key', maxRetries: 0 })
  const heard = []
  client.onEvent(({ type }) => heard.push(type))
  const stream = client.stream('What is the count?')
  let text = ''
  for await (const event of stream) if (event.type === 'message.delta') text += event.data.text
  answers.text = text
  answers.status = (await stream.result).status
  answers.status2 = (await client.run('What is the count again?')).status
  answers.heard = heard.filter((type) => type === 'run.completed').length
  const opened = new Promise((resolve) => client.onRunEvent(({ type }) => heard.push('all: ' + type), { onOpen: resolve }))
  await opened
  await client.run('What is the count at last?')
  answers.begun = heard.includes('all: run.created')
  answers.total = (await client.runs.summary({ status: 'completed', minTokens: 1 })).total
  answers.provider = (await client.health()).provider
  answers.missing = await client.runs.get('run_01JZ4K0M6T8N2QW3E5R7Y9V1XA').catch(({ code, details }) => [code, typeof details.requestId])
  await client.disconnect()
} catch (error) { answers.error = error.code + ' ' + error.message }
await fetch('/seen', { method: 'POST', body: JSON.stringify(answers) })
`

const chromium = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
)
if (chromium === undefined) console.log('skipped: no Chromium is installed')
const inBrowser = chromium === undefined || !isBuilt() ? test.skip : test

const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage'.split(
    ' ',
  )

/** Opens pages one after the other and answers what each has seen. */
async function visit(pages: (origin: string) => string[]): Promise<Record<string, unknown>[]> {
  const seen: Record<string, unknown>[] = []
  let next: () => void = () => {}
  const site = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]
    if (path === '/client.js' || path === '/page.js') {
      response.setHeader('content-type', 'text/javascript').end(path === '/page.js' ? script : code)
    } else if (path === '/seen') {
      let body = ''
      request.on('data', (bytes) => (body += bytes))
      request.on('end', () => {
        seen.push(JSON.parse(body))
        response.end()
        next()
      })
    } else response.setHeader('content-type', 'text/html').end('<script type="module" src="/page.js"></script>')
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  try {
    for (const page of pages(origin)) await open(page, new Promise<void>((resolve) => (next = resolve)))
    return seen
  } finally {
    site.closeAllConnections()
    await new Promise((resolve) => site.close(resolve))
  }
}

/** Shows a page until it is done with, in a browser that has then gone with all of its processes. */
async function open(page: string, done: Promise<void>): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'svc-chromium-'))
  // A group of its own, so that nothing that it has started outlives it and writes to its profile.
  const options = { stdio: 'ignore', detached: true } as const
  const browser = spawn(chromium ?? '', [...flags, `--user-data-dir=${profile}`, page], options)
  const gone = new Promise<void>((resolve) => browser.once('exit', () => resolve()))
  try {
    await Promise.race([done, gone])
  } finally {
    const group = -(browser.pid ?? 0)
    if (isThere(group)) process.kill(group, 'SIGKILL')
    await gone
    await until(() => !isThere(group))
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

/** Whether a process of a group is left. */
function isThere(group: number): boolean {
  try {
    return process.kill(group, 0)
  } catch {
    return false
  }
}

inBrowser(
  'Chromium runs, streams and reads errors from an origin that the server lists, and from no other',
  async () => {
    const allowed: string[] = []
    const options = { plugins: [slowModel(words, 20)], config: { model: 'slow/slow' } }
    const listed = await openServer({ ...options, server: { allowedOrigins: allowed, keys: () => ['browser-key'] } })
    const unlisted = await openServer({ ...options, server: { keys: () => ['browser-key'] } })
    const [good, refused] = await visit((origin) => {
      allowed.push(origin)
      return [listed.url, unlisted.url].map((url) => `${origin}/?server=${encodeURIComponent(url)}`)
    }).finally(() => Promise.all([listed.close(), unlisted.close()]))
    assert.equal(good, {
      text: words.join(''),
      status: 'completed',
      status2: 'completed',
      heard: 2,
      begun: true,
      total: 3,
      provider: 'slow',
      missing: ['run_not_found', 'string'],
    })
    assert.match(String(refused?.error), /^connection_failed /)
  },
)

test.run()
