/** `smallModel`: what it is asked, what it costs, what happens without it, and that a replay elsewhere asks the same. */
import { join } from 'node:path'
import { definePlugin, type Plugin, ProviderError, type RunCreate, type SvcConfig, toText } from '@svc/core'
import { loadConfig } from '@svc/core/config'
import type { Script } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, openCassette, replayRun } from '../../src/index.ts'
import { folderOf } from '../fixtures/folder-of.ts'
import { eventsOf, exportOf, modelOf, resultOf } from '../fixtures/runs.ts'

const test = suite('the small model')

const PAGES = 14
const price = { input: 3, output: 15 }
type Request = Parameters<Extract<Script, (...args: never[]) => unknown>>[0]
const isSummary = ({ messages }: Request): boolean => toText(messages[0]?.content ?? []).startsWith('You summarise')
const isReader = ({ outputSchema }: Request): boolean => JSON.stringify(outputSchema ?? '').includes('readings')

/** Reads page after page in a small window; asked for anything beside the task, it says so. */
function main(asked: string[]): Plugin {
  let page = 0
  return modelOf(
    (request) => {
      if (isSummary(request)) asked.push('summary')
      if (isReader(request)) asked.push('reader')
      if (isSummary(request) || isReader(request)) return 'The main model was asked.'
      return page < PAGES
        ? { toolCalls: [{ tool: 'lookup', args: { page: ++page } }] }
        : 'All pages say that the crane is old.'
    },
    'main',
    { models: [{ id: 'main', tools: true, context: 2_000, price }] },
  )
}

const small = (script: Script, more: object = { price }): Plugin =>
  modelOf(script, 'small', { models: [{ id: 'tiny', ...more }] })

const lookup = definePlugin('lookup', ({ tools }) =>
  tools.add('lookup', {
    id: 'lookup',
    description: 'Looks up a page.',
    parameters: { type: 'object', properties: { page: { type: 'number' } }, required: ['page'] },
    risk: 'read',
    run: async (args) => `page ${(args as { page: number }).page}: ${'the crane is old and rusty '.repeat(24)}`,
  }),
)

async function run(plugins: Plugin[], config: SvcConfig = {}, create: Partial<RunCreate> = {}) {
  const runtime = await createRuntime(
    { model: 'main/main', tokenBudget: 1_000_000, plugins: [...plugins, lookup()], ...config },
    { env: {}, persist: false },
  )
  try {
    const { id } = await runtime.runs.create({ task: 'Read all pages.', topology: 'SINGLE', ...create })
    const result = await resultOf(runtime, id)
    return { result, events: await eventsOf(runtime, id), file: await exportOf(runtime, id) }
  } finally {
    await runtime.close()
  }
}

test('it sums up and judges, is paid by its own price, and a replay elsewhere is the same', async () => {
  const asked: string[] = []
  const done: string[] = []
  const tiny = small((request) => {
    done.push(isSummary(request) ? 'summary' : isReader(request) ? 'reader' : 'task')
    return isSummary(request) ? '## Done\nread the first pages' : '{"readings":[]}'
  })
  const config = { smallModel: 'small/tiny', components: { consensus: false as const } }
  const { result, events, file } = await run([main(asked), tiny], config, { strict: true })
  assert.is(result.summary, 'All pages say that the crane is old.')
  assert.equal(asked, [])
  assert.ok(done.includes('summary') && done.includes('reader'), done.join())
  assert.not.ok(done.includes('task'))
  const calls = events.flatMap(({ type, data }) => (type === 'model.completed' ? [data] : []))
  assert.is(calls.filter(({ provider }) => provider === 'small').length, done.length)
  assert.is(result.usage.modelCalls, calls.length)
  assert.is(
    result.usage.inputTokens,
    calls.reduce((sum, { usage }) => sum + usage.inputTokens, 0),
  )
  assert.is(result.agents[0]?.model, 'main/main')
  const place = { cwd: folderOf(), userDir: folderOf(), managedFile: join(folderOf(), 'none.json'), env: {} }
  const again = await replayRun(await openCassette(file, 'strict'), {
    ...(await loadConfig(place)),
    plugins: [],
  })
  const [one, two] = again.firstDifference ?? [0, 0]
  const differing = [again.recorded.find(({ seq }) => seq === one), again.events.find(({ seq }) => seq === two)]
  assert.ok(again.identical, JSON.stringify(differing))
})

test('without one, the model of the run does it', async () => {
  const asked: string[] = []
  const { result } = await run([main(asked)], { components: { consensus: false } }, { strict: true })
  assert.is(result.summary, 'All pages say that the crane is old.')
  assert.ok(asked.includes('summary') && asked.includes('reader'), asked.join())
})

test('what it cannot sum up, the model of the agent does', async () => {
  const asked: string[] = []
  const broken = small(() => ({ error: new ProviderError('provider_auth', 'no key', { provider: 'small' }) }))
  const config = { smallModel: 'small/tiny', components: { consensus: false as const, reflect: false as const } }
  const { result } = await run([main(asked), broken], config)
  assert.is(result.summary, 'All pages say that the crane is old.')
  assert.ok(asked.includes('summary'))
})

test('one that is not there, or has no price where money is limited, is an error that names it', async () => {
  const fails = async (plugins: Plugin[], config: SvcConfig, create: Partial<RunCreate> = {}) =>
    run(plugins, config, create).then(
      () => ({ code: 'none', message: '' }),
      (thrown) => thrown,
    )
  const absent = await fails([main([])], { smallModel: 'smal/tiny' })
  assert.is(absent.code, 'unknown_provider')
  assert.match(absent.message, /^smallModel is "smal\/tiny": there is no provider "smal"/)
  const tiny = small(() => 'no', {})
  const unpriced = await fails([main([]), tiny], { smallModel: 'small/tiny' }, { budget: { maxCostUsd: 1 } })
  assert.match(unpriced.message, /no price is known for small\/tiny/)
})

test.run()
