/** The packages as published in Bun and Deno, where the variables SVC_BUN and SVC_DENO say where these are. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LLMock } from '@copilotkit/aimock'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isBuilt } from '../../.tools/pack.mjs'
import { type Installed, installPacked, link } from './fixtures/installed.ts'

const { SVC_BUN, SVC_DENO } = process.env
const RUNTIMES = [
  ['Node', process.execPath, []],
  ['Bun', SVC_BUN, []],
  ['Deno', SVC_DENO, ['run', '--allow-all']],
] as const

const test = suite(`other runtimes${isBuilt() ? '' : ' (skipped: not built)'}`)
const start = promisify(execFile)

const program = `
import { createClient, defineTool } from '@svc/sdk'

const [baseUrl, url] = process.argv.slice(2)
const thermometer = defineTool({
  id: 'thermometer',
  description: 'Measures how warm it is.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  risk: 'read',
  run: async ({ city }) => city + ': 21',
})
const providers = Object.fromEntries(['openai', 'anthropic'].map((type) => [
  'mock-' + type, { type, baseUrl: type === 'openai' ? baseUrl + '/v1' : baseUrl, apiKeyEnv: 'MOCK_KEY' },
]))
const client = await createClient({
  env: { MOCK_KEY: 'mock-key-0123456789' },
  config: { store: { url }, model: 'mock-openai/small', providers },
  tools: [thermometer],
})
for (const type of ['openai', 'anthropic']) {
  const stream = client.stream('How warm is it in Rome?', { model: 'mock-' + type + '/small', topology: 'SINGLE' })
  let text = ''
  for await (const piece of stream.textStream) text += typeof piece === 'string' ? piece : ''
  const { status, toolCalls, error } = await stream.result
  console.log([status, toolCalls.total, text, error?.message ?? ''].join(' '))
}
await client.disconnect()
`

let installed: Installed
const mock = new LLMock({ port: 0, host: '127.0.0.1' })
test.before(async () => {
  if (!isBuilt()) return
  installed = installPacked(['core', 'plugins', 'sdk'])
  link('libsql', installed.folder)
  writeFileSync(join(installed.folder, 'program.mjs'), program)
  // Deno takes only packages that a file names.
  writeFileSync(join(installed.folder, 'package.json'), JSON.stringify({ dependencies: { '@svc/sdk': '*' } }))
  mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'thermometer', arguments: '{"city":"Rome"}' }] })
  mock.on({ hasToolResult: true }, { content: 'It is 21 degrees.' })
  await mock.start()
})
test.after(async () => {
  if (!isBuilt()) return
  await mock.stop()
  installed.remove()
})

for (const [name, path, args] of RUNTIMES) {
  const isThere = isBuilt() && path !== undefined
  const where = isThere ? test : test.skip
  where(`in ${name} runs call models and tools over HTTP, and are kept in memory or SQLite`, async () => {
    for (const url of ['memory:', `sqlite:${join(installed.folder, `${name}.db`)}`]) {
      const { stdout } = await start(path ?? '', [...args, 'program.mjs', mock.url, url], { cwd: installed.folder })
      assert.is(stdout.trim(), 'completed 1 It is 21 degrees. \ncompleted 1 It is 21 degrees.', url)
    }
  })
}

test.run()
