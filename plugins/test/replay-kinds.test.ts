/** Runs of many kinds, each exported and gone over in an empty folder. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  definePlugin,
  type ExecutionResult,
  type Plugin,
  ProviderError,
  type RunCreate,
  type RunEvent,
} from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { findChanges } from '@svc/core/recordings'
import { type Script, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConfiguredRuntime, createRuntime, openCassette, type ReplayedRun, replayRun } from '../src/index.ts'
import { until } from './fixtures/until.ts'

const test = suite('replay of runs of many kinds')

const folder = (): string => mkdtempSync(join(tmpdir(), 'svc-kinds-'))

const fake = (script: Script): Plugin =>
  definePlugin('fake-model', ({ providers }) => providers.add('fake', scriptedProvider('fake', script)))()

async function start(script: Script, plugins: Plugin[] = [], config: object = {}): Promise<ConfiguredRuntime> {
  const work = folder()
  writeFileSync(join(work, 'notes.md'), 'The crane is 40 years old.\n')
  const whole = { model: 'fake', plugins: [fake(script), ...plugins], ...config }
  return createRuntime(whole, { env: {}, persist: false, workspace: work })
}

const differing = ({ recorded, events, firstDifference: [one, two] = [0, 0] }: ReplayedRun): string =>
  JSON.stringify(findChanges('', recorded[one - 1], events[two - 1])).slice(0, 1_500)

/** The run as it is recorded, and as it goes elsewhere. */
async function isIdentical(runtime: ConfiguredRuntime, id: string, plugins: Plugin[] = []): Promise<ExecutionResult> {
  const { runs } = runtime
  const events: RunEvent[] = []
  for await (const event of runs.events(id, { deltas: false })) events.push(event)
  const result = (await runs.result(id)) as ExecutionResult
  const chunks: Uint8Array[] = []
  for await (const bytes of runs.export(id)) chunks.push(bytes)
  const file = join(folder(), 'run.svcrun')
  writeFileSync(file, Buffer.concat(chunks))
  const loaded = await loadConfig({ cwd: folder(), userDir: folder(), managedFile: join(folder(), 'none'), env: {} })
  const given = plugins.map((plugin) => ({ plugin, source: 'test', authority: 'program' as const }))
  const again = await replayRun(await openCassette(file, 'strict'), { ...loaded, plugins: given })
  const why = (again.result as ExecutionResult).error?.message ?? ''
  assert.ok(again.identical, `${why} ${differing(again)}`)
  assert.equal(JSON.parse(JSON.stringify(again.events)), JSON.parse(JSON.stringify(events)))
  return result
}

async function done(runtime: ConfiguredRuntime, create: RunCreate): Promise<string> {
  const { id } = await runtime.runs.create(create)
  await runtime.runs.wait(id)
  return id
}

const reads: Script = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? 'The crane is 40 years old.'
    : { toolCalls: [{ tool: 'read_file', args: { path: 'notes.md' } }] }

test('a run that was resumed, and one that was forked', async () => {
  let isUp = false
  const script: Script = (request, index) =>
    request.messages.at(-1)?.role === 'tool' && !isUp
      ? { error: new ProviderError('provider_auth', 'the key expired', { provider: 'fake' }) }
      : reads(request, index)
  const runtime = await start(script)
  const failed = await done(runtime, { task: 'How old is the crane?' })
  await isIdentical(runtime, failed)
  isUp = true
  const resumed = await runtime.runs.resume(failed)
  await runtime.runs.wait(resumed.id)
  assert.is((await isIdentical(runtime, resumed.id)).status, 'completed')
  const { lastSeq } = await runtime.runs.get(resumed.id)
  for (const atSeq of [0, 9, 20, lastSeq - 3]) {
    const fork = await runtime.runs.fork(resumed.id, { atSeq })
    await runtime.runs.wait(fork.id)
    await isIdentical(runtime, fork.id)
  }
  await runtime.close()
})

test('images and files in the context, structured output, profiles, and a seed', async () => {
  const image = {
    type: 'image' as const,
    mimeType: 'image/png',
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  }
  const outputSchema = { type: 'object', properties: { years: { type: 'number' } }, required: ['years'] }
  const runtime = await start(() => '{"years":40}', [], {
    agents: { reader: { name: 'Reader', instructions: 'Read closely.', capabilities: ['crane'] } },
  })
  await isIdentical(runtime, await done(runtime, { task: 'What is on the picture?', context: [image] }))
  await isIdentical(runtime, await done(runtime, { task: 'How old is the crane?', files: ['notes.md'], outputSchema }))
  await isIdentical(runtime, await done(runtime, { task: 'How old is the crane?', agents: ['reader'], seed: 7 }))
  await runtime.close()
})

test('a question to a person', async () => {
  const asks: Script = ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? `You said: ${JSON.stringify(messages.at(-1)?.content)}`
      : { toolCalls: [{ tool: 'ask_user', args: { question: 'Which crane?' } }] }
  const runtime = await start(asks)
  const { id } = await runtime.runs.create({ task: 'Ask which crane is meant.', approval: 'wait' })
  await until(async () => (await runtime.runs.get(id)).status === 'waiting')
  await runtime.runs.resume(id, { input: 'the red one' })
  await runtime.runs.wait(id)
  assert.match((await isIdentical(runtime, id)).summary, /the red one/)
  await runtime.close()
})

test('a plugin that draws, reads, embeds and asks the time', async () => {
  let read = 0
  const lucky = (): Plugin =>
    definePlugin('lucky', ({ hooks }) => {
      hooks.reflect.tapPromise('lucky', async (answer, _input, run) => {
        const seen = await run.record('lucky/read', async () => ({ read: ++read }))
        const vectors = await run.embed({
          key: 'lucky/embed',
          agentId: 'lucky',
          model: 'vectors/small',
          texts: ['a', 'b'],
        })
        run.emit('log.line', { level: 'info', message: 'drawn' })
        run.warn({
          code: 'lucky',
          message: [run.random(), run.random('x'), run.newId('luck'), run.now(), seen.read, vectors.length].join(' '),
        })
        return answer
      })
    })()
  const vectors = definePlugin('vectors', ({ providers }) => {
    providers.add('vectors', {
      ...scriptedProvider('vectors', () => '', { models: [{ id: 'small', embedding: true }] }),
      embed: async (texts) => ({
        vectors: texts.map(() => [Math.random()]),
        usage: { inputTokens: texts.length, outputTokens: 0, estimated: false },
      }),
    })
  })()
  const runtime = await start(reads, [vectors, lucky()])
  const result = await isIdentical(runtime, await done(runtime, { task: 'How old is the crane?' }), [lucky()])
  assert.match(result.warnings.find(({ code }) => code === 'lucky')?.message ?? '', /^0\.\d+ 0\.\d+ luck_\w+ \d+ 1 2$/)
  assert.is(read, 1)
  await runtime.close()
})

test.run()
