/** What an answer of a folder that nobody trusts rests on, by its result. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionResult } from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'

const test = suite('an answer in a folder that nobody trusts')

async function ask(task: string, trust: boolean): Promise<ExecutionResult> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-own-'))
  writeFileSync(join(folder, 'README.md'), '# A shop\n\nIt sells lamps and has 12 rooms.\n')
  const loaded = await loadConfig({
    cwd: folder,
    userDir: join(folder, '.user'),
    env: {},
    trust,
    flags: { model: 'offline' },
  })
  const runtime = await createRuntime(loaded, { env: {}, persist: false })
  try {
    const { id } = await runtime.runs.create({ task })
    await runtime.runs.wait(id)
    return (await runtime.runs.result(id)) as ExecutionResult
  } finally {
    await runtime.close()
  }
}

test('what came from no file of it rests on nothing untrusted', async () => {
  const { summary, tainted, taintedBy, toolCalls } = await ask('What is 17% of 2340?', false)
  assert.match(summary, '397.8')
  assert.is(toolCalls.total, 1)
  assert.equal([tainted, taintedBy], [undefined, undefined])
})

test("what was read there is named, and is one's own once a person trusts the folder", async () => {
  const read = await ask('How many rooms does README.md say?', false)
  assert.is(read.tainted, true)
  assert.ok(read.taintedBy?.some(({ from, target }) => from === 'folder' && target === 'README.md'))
  const trusted = await ask('How many rooms does README.md say?', true)
  assert.equal([trusted.tainted, trusted.taintedBy], [undefined, undefined])
})

test.run()
