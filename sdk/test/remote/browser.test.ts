/** The published client in a browser: it needs no Node, and Chromium runs it against a server of another origin. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isBuilt } from '../../../.tools/pack.mjs'
import { hasBrowser, openBrowser } from '../../../server/test/console/browser.ts'
import { openServer } from '../../../server/test/fixtures/open-server.ts'
import { slowModel } from '../fixtures/slow-model.ts'

const test = suite(`the client in a browser${isBuilt() ? '' : ' (skipped: not built)'}`)

let code = ''
test.before(async () => {
  if (!isBuilt()) return
  const resolveDir = fileURLToPath(new URL('../../..', import.meta.url))
  const stdin = { contents: `export * from '@svc/sdk/remote'`, resolveDir }
  const options = { bundle: true, minify: true, platform: 'browser', format: 'esm', write: false } as const
  const { outputFiles } = await build({ stdin, ...options, logLevel: 'silent' })
  code = outputFiles[0]?.text ?? ''
})

const whenBuilt = isBuilt() ? test : test.skip

whenBuilt('it is one small module that imports nothing', () => {
  assert.not.match(code, /\bfrom ?["']|\brequire\(|node:/)
  const bytes = gzipSync(code).length
  assert.ok(bytes < 16_600, `${bytes} bytes`)
})

const words = Array.from({ length: 10 }, (_, index) => `word${index} `)

/** What the page does, as an expression. */
const script = (serverUrl: string): string => `(async () => {
  const { createClient } = await import('/client.js')
  const client = await createClient({ serverUrl: ${JSON.stringify(serverUrl)}, serverKey: 'browser-key', maxRetries: 0 })
  const heard = []
  client.onEvent(({ type }) => heard.push(type))
  const stream = client.stream('What is the count?')
  let text = ''
  for await (const event of stream) if (event.type === 'message.delta') text += event.data.text
  const statuses = [(await stream.result).status, (await client.run('What is the count again?')).status]
  await new Promise((resolve) => client.onRunEvent(({ type }) => heard.push('all: ' + type), { onOpen: resolve }))
  await client.run('What is the count at last?')
  while (!heard.includes('all: run.created')) await new Promise((resolve) => setTimeout(resolve, 10))
  const { total } = await client.runs.summary({ status: 'completed', minTokens: 1 })
  const { provider } = await client.health()
  const missing = await client.runs.get('run_01JZ4K0M6T8N2QW3E5R7Y9V1XA').catch(({ code, details }) => [code, typeof details.requestId])
  await client.disconnect()
  return { text, statuses, total, provider, missing }
})().catch(({ code }) => code)`

const inBrowser = hasBrowser && isBuilt() ? test : test.skip

inBrowser(
  'Chromium runs, streams and reads errors from an origin that the server lists, and from no other',
  async () => {
    const site = createServer(({ url }, response) => {
      const [type, body] = url === '/client.js' ? ['text/javascript', code] : ['text/html', '<title>page</title>']
      response.setHeader('content-type', type).end(body)
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    const options = { plugins: [slowModel(words, 20)], config: { model: 'slow/slow' } }
    const keys = (): string[] => ['browser-key']
    const listed = await openServer({ ...options, server: { allowedOrigins: [origin], keys } })
    const unlisted = await openServer({ ...options, server: { keys } })
    const browser = await openBrowser()
    try {
      const { page } = await browser.open(origin)
      assert.equal(await page.evaluate(script(listed.url)), {
        text: words.join(''),
        statuses: ['completed', 'completed'],
        total: 3,
        provider: 'slow',
        missing: ['run_not_found', 'string'],
      })
      assert.is(await page.evaluate(script(unlisted.url)), 'connection_failed')
    } finally {
      await browser.close()
      site.closeAllConnections()
      site.close()
      await Promise.all([listed.close(), unlisted.close()])
    }
  },
)

test.run()
