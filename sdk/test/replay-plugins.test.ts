/** Recordings are gone over wherever the plugins that they were made with are given: by a program, a config, a drop-in. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, type ExecutionResult, type Plugin } from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { type Script, scriptedProvider } from '@svc/core/testing'
import { openCassette, type ReplayOptions, replayRun } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { errorOf } from '../../plugins/test/fixtures/runs.ts'
import { createClient, type ServiceClient } from '../src/index.ts'

const test = suite('recordings and plugins')

const folder = mkdtempSync(join(tmpdir(), 'svc-replay-plugins-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

/** A script that must not be asked again. */
const never: Script = () => {
  throw new Error('the model was asked')
}
const asks: Script = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? 'It is 21 degrees in Rome.'
    : { toolCalls: [{ tool: 'thermometer', args: { city: 'Rome' } }] }

const model = (script: Script): Plugin =>
  definePlugin('own-model', ({ providers }) => {
    providers.add('own', scriptedProvider('own', script, { models: [{ id: 'small', price: { input: 1, output: 2 } }] }))
    assert.is(providers.get('own')?.id, 'own')
  })()
const thermometer = (run: () => string): Plugin =>
  definePlugin('thermometer', ({ tools }) =>
    tools.add('thermometer', {
      id: 'thermometer',
      description: 'Measures how warm it is.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      risk: 'read',
      run: async () => run(),
    }),
  )()
/** Answers a stage, so that a run without it goes otherwise. */
const stage = (): Plugin =>
  definePlugin('own-stage', ({ hooks }) => {
    hooks.inspect.tap('own-stage', () => ({ grade: 'healthy', score: 0.5, issues: [], signals: { own: 1 } }))
  })()

const first = (): Plugin[] => [model(asks), thermometer(() => '21'), stage()]
const second = (): Plugin[] => [
  model(never),
  thermometer(() => {
    throw new Error('the tool was run')
  }),
  stage(),
]

const clientOf = (plugins: readonly Plugin[], own: object = { model: 'own/small' }): Promise<ServiceClient> =>
  createClient({ env: {}, cwd: mkdtempSync(join(folder, 'cwd-')), config: {}, plugins, ...own })

/** A run of a client with plugins, and the file of it. */
async function recorded(): Promise<{ result: ExecutionResult; file: string; bytes: Uint8Array[] }> {
  const client = await clientOf(first())
  const result = await client.run('How warm is it in Rome?')
  assert.is(result.status, 'completed', result.error?.message)
  const bytes: Uint8Array[] = []
  for await (const part of client.runs.export(result.runId)) bytes.push(part)
  await client.disconnect()
  const file = join(mkdtempSync(join(folder, 'file-')), 'run.svcrun')
  writeFileSync(file, Buffer.concat(bytes))
  return { result, file, bytes }
}

async function replayed(file: string, options: ReplayOptions) {
  const cwd = mkdtempSync(join(folder, 'cwd-'))
  const loaded = await loadConfig({ env: {}, cwd, userDir: cwd, managedFile: join(cwd, 'none.json') })
  return replayRun(await openCassette(file, 'strict'), loaded, options)
}

test('a file is gone over with the plugins that brought its provider, tool and stage, and asks none of them', async () => {
  const { result, file } = await recorded()
  const again = await replayed(file, { plugins: second() })
  assert.ok(again.identical)
  assert.equal(JSON.parse(JSON.stringify(again.result)), JSON.parse(JSON.stringify(result)))
  assert.equal(again.events, again.recorded)
  // What provider and tool were is in the file: of plugins that bring nothing else none is needed.
  assert.ok((await replayed(file, { plugins: [stage()] })).identical)
})

test('a client with these plugins goes over a run of another client', async () => {
  const { result, bytes } = await recorded()
  const client = await clientOf(second())
  await client.runs.import(fileOf(bytes))
  assert.equal(await client.runs.replay(result.runId), { identical: true })
  await client.disconnect()
})

test('without its plugins nothing is gone over, and one error names all that is missing and how to give it', async () => {
  const { result, file, bytes } = await recorded()
  const fromFile = await errorOf(replayed(file, {}))
  assert.is(fromFile.code, 'plugin_load_failed')
  assert.match(
    fromFile.message,
    /plugin "own-stage" \(given to createRuntime\), which is not here.*`plugins`.*--config/,
  )
  const client = await clientOf([], {})
  await client.runs.import(fileOf(bytes))
  const byId = await errorOf(client.runs.replay(result.runId))
  assert.is(byId.code, 'plugin_load_failed')
  assert.match(byId.message, /plugin "own-stage" and tool "thermometer", which are not here/)
  await client.disconnect()
})

test('what goes otherwise is a recording of its own, which is gone over as it went', async () => {
  const { file } = await recorded()
  const other = definePlugin('other-stage', ({ hooks }) => {
    hooks.inspect.tap('other-stage', (answer) => answer && { ...answer, score: 0.25 })
  })
  const path = join(mkdtempSync(join(folder, 'file-')), 'other.svcrun')
  const went = await replayed(file, {
    plugins: [stage(), other()],
    async atEnd(runtime, runId) {
      const bytes: Uint8Array[] = []
      for await (const part of runtime.runs.export(runId)) bytes.push(part)
      writeFileSync(path, Buffer.concat(bytes))
    },
  })
  assert.not(went.identical)
  const again = await replayed(path, { plugins: [stage(), other()] })
  assert.ok(again.identical)
  assert.is((again.result as ExecutionResult).inspection?.score, 0.25)
  const { message } = await errorOf(replayed(path, { plugins: [stage()] }))
  assert.match(message, /plugin "other-stage"/)
})

async function* fileOf(bytes: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* bytes
}

test.run()
