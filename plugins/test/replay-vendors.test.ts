/** Runs over the vendors' own packages, recorded against a mock of their servers, and gone over without server or key. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLMock } from '@copilotkit/aimock'
import type { ExecutionResult } from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, openCassette, replayRun } from '../src/index.ts'

const test = suite('replay of runs over vendors')

const KEY = 'mock-secret-key-0123456789'
const folder = (): string => mkdtempSync(join(tmpdir(), 'svc-vendors-'))

test('each wire format: the same result and log with the server gone and no key', async () => {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' })
  mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'read_file', arguments: '{"path":"notes.md"}' }] })
  mock.on({ hasToolResult: true }, { content: 'The crane is 40 years old (notes.md:1).' })
  await mock.start()
  const work = folder()
  writeFileSync(join(work, 'notes.md'), 'The crane is 40 years old.\n')
  const recorded: { file: string; result: ExecutionResult }[] = []
  for (const type of ['openai', 'openai-responses', 'anthropic']) {
    const baseUrl = type === 'anthropic' ? mock.url : `${mock.url}/v1`
    const config = { model: 'vendor/small', providers: { vendor: { type, baseUrl, apiKeyEnv: 'VENDOR_KEY' } } }
    const runtime = await createRuntime(config, { env: { VENDOR_KEY: KEY }, persist: false, workspace: work })
    const { id } = await runtime.runs.create({ task: 'How old is the crane?' })
    await runtime.runs.wait(id)
    const chunks: Uint8Array[] = []
    for await (const bytes of runtime.runs.export(id)) chunks.push(bytes)
    const file = join(folder(), 'run.svcrun')
    writeFileSync(file, Buffer.concat(chunks))
    const result = (await runtime.runs.result(id)) as ExecutionResult
    assert.is(result.summary, 'The crane is 40 years old (notes.md:1).', type)
    recorded.push({ file, result })
    await runtime.close()
  }
  await mock.stop()
  const bare = await loadConfig({ cwd: folder(), userDir: folder(), managedFile: join(folder(), 'none'), env: {} })
  for (const { file, result } of recorded) {
    assert.not.match(readFileSync(file, 'utf8'), new RegExp(KEY))
    const again = await replayRun(await openCassette(file, 'strict'), bare)
    assert.ok(again.identical)
    assert.equal(JSON.parse(JSON.stringify(again.result)), JSON.parse(JSON.stringify(result)))
  }
})

test.run()
