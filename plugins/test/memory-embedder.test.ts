/** `memory.embedder`: a runtime's memory finds by meaning, and by words where that fails. */
import { definePlugin, type ExecutionResult, type ModelProvider, type Runtime, SvcError } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MemoryEmbedder } from '../src/assembly/memory-embedder.ts'
import { createRuntime } from '../src/index.ts'

const test = suite('memory.embedder')

type EmbedCall = NonNullable<ModelProvider['embed']>

/** Vectors by meaning: animals, money, neither. */
const meaning = (text: string): number[] => [
  /\b(?:dog|terrier|pets?)\b/i.test(text) ? 1 : 0,
  /\b(?:money|rent|salary)\b/i.test(text) ? 1 : 0,
  0.01,
]
const usage = { inputTokens: 1, outputTokens: 0, estimated: false }
const embedByMeaning: EmbedCall = async (texts) => ({ vectors: texts.map(meaning), usage })

async function open(embed: EmbedCall | undefined, embedder?: string, clock?: () => number): Promise<Runtime> {
  const provider = scriptedProvider('scripted', () => 'Noted.')
  const host = definePlugin('host', ({ providers }) =>
    providers.add('scripted', { ...provider, ...(embed === undefined ? {} : { embed }) }),
  )()
  return createRuntime(
    { model: 'scripted/scripted', ...(embedder === undefined ? {} : { memory: { embedder } }) },
    { plugins: [host], env: {}, ...(clock === undefined ? {} : { clock }) },
  )
}

async function remember(runtime: Runtime): Promise<void> {
  for (const content of ['Nora keeps a terrier.', 'Nora pays 900 a month in rent.', 'The sky over Oslo is grey.']) {
    await runtime.memory.write({ content })
  }
}

const find = async (runtime: Runtime, query: string): Promise<string[]> =>
  (await runtime.memory.query({ query })).data.map(({ content }) => content)

async function run(runtime: Runtime, task: string): Promise<ExecutionResult> {
  const { id } = await runtime.runs.create({ task })
  await runtime.runs.wait(id)
  return (await runtime.runs.result(id)) as ExecutionResult
}

const failing = ({ warnings }: ExecutionResult) => warnings.filter(({ code }) => code === 'memory_embedder_failed')

test('a query that shares no word with a record finds it, through the provider and the model that are named', async () => {
  const models = new Set<string | undefined>()
  const runtime = await open((texts, options) => {
    models.add(options.model)
    return embedByMeaning(texts, options)
  }, 'scripted/vectors/small')
  await remember(runtime)
  assert.is((await find(runtime, 'any dog?'))[0], 'Nora keeps a terrier.')
  assert.equal([...models], ['vectors/small'])
  await runtime.close()

  const plain = await open(embedByMeaning)
  await remember(plain)
  assert.equal(await find(plain, 'any dog?'), [], 'words alone find nothing')
  await plain.close()
})

test('a provider that is not there, one that makes no vectors, and half a name are refused by name', async () => {
  for (const [embedder, said] of [
    ['nobody/small', /those that do are scripted/],
    ['scriptd/small', /did you mean "scripted"/],
    ['offline/small', /does not embed/],
    ['openai/small', /OPENAI_API_KEY/],
    ['scripted', /provider\/model/],
    ['scripted/', /provider\/model/],
  ] as const) {
    const thrown = await open(embedByMeaning, embedder).catch((error: unknown) => error)
    assert.ok(SvcError.isInstance(thrown), embedder)
    assert.is(thrown.code, 'config_invalid')
    assert.match(thrown.message, `memory.embedder: "${embedder}"`)
    assert.match(thrown.message, said)
  }
  const thrown = await open(undefined, 'scripted/small').catch((error: unknown) => error)
  assert.ok(SvcError.isInstance(thrown))
  assert.match(thrown.message, 'does not embed: none of those set up does')
})

test('without vectors a memory is found by its words, and a run goes on with one warning', async () => {
  let calls = 0
  const runtime = await open(async () => {
    calls++
    throw new Error(`down, request ${calls}`)
  }, 'scripted/small')
  await remember(runtime)
  assert.is((await find(runtime, 'How high is the rent?'))[0], 'Nora pays 900 a month in rent.')
  for (const task of ['How much is the rent that Nora pays?', 'Who keeps a terrier?']) {
    const result = await run(runtime, task)
    assert.is(result.status, 'completed')
    assert.is(failing(result).length, 1, task)
    assert.match(failing(result)[0]?.message ?? '', 'down, request 1')
  }
  assert.is(calls, 1, 'a provider that is down is not asked by every query')
  await runtime.close()
})

test('a failing provider is asked again after a while, and a run with vectors has no warning', async () => {
  let nowMs = Date.parse('2026-01-01T00:00:00.000Z')
  let isDown = true
  const embedder = new MemoryEmbedder('scripted/small', () => nowMs)
  const embed: EmbedCall = async (texts, options) => {
    if (isDown) throw new Error('down')
    return embedByMeaning(texts, options)
  }
  const provider = { ...scriptedProvider('scripted', () => ''), embed }
  embedder.connect({ get: () => provider, ids: () => ['scripted'] }, new Map())
  const ask = () => embedder.embed(['a dog']).catch(() => undefined)
  assert.is(await ask(), undefined)
  isDown = false
  assert.is(await ask(), undefined)
  assert.is(embedder.warnings().length, 1)
  nowMs += 30_000
  assert.equal(await ask(), [[1, 0, 0.01]])
  assert.equal(embedder.warnings(), [])
})

test('a runtime with vectors warns of nothing', async () => {
  const runtime = await open(embedByMeaning, 'scripted/small')
  await remember(runtime)
  assert.equal(failing(await run(runtime, 'Who keeps a dog?')), [])
  await runtime.close()
})

test('too few vectors count as a failure', async () => {
  const runtime = await open(async () => ({ vectors: [], usage }), 'scripted/small')
  await remember(runtime)
  assert.match(failing(await run(runtime, 'Who keeps a terrier?'))[0]?.message ?? '', '0 vectors came for')
  await runtime.close()
})

test.run()
