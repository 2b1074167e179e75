import { type Complexity, type Task, TaskComplexityAnalyzer } from '@svc/core'
import { AsyncSeriesWaterfallHook } from 'tapable'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnalyzeOptions, analyze } from '../src/defaults/analyze.ts'

const NONE = { ids: () => [], get: () => undefined }
const test = suite('analyze plugin')
const task: Task = {
  id: 'task-1',
  description: 'Evaluate Redis, Memcached and Dragonfly, recommend one and write a report',
}

const ask = async (
  options: AnalyzeOptions = {},
  { config = {}, answer }: { config?: object; answer?: Complexity } = {},
): Promise<Complexity | undefined> => {
  const hooks = { analyze: new AsyncSeriesWaterfallHook<[unknown, unknown, unknown]>(['answer', 'input', 'run']) }
  await analyze(options).apply({ hooks, config, topologies: NONE } as never)
  return (await hooks.analyze.promise(answer, { task }, { options: {} })) as Complexity | undefined
}

test('asks the analyzer that it was given', async () => {
  const complexity = { ...new TaskComplexityAnalyzer().analyze(task), score: 0.5 }
  assert.is((await ask({ analyzer: { analyzeAsync: async () => complexity } }))?.score, 0.5)
})

test('falls back to the default topology of the config', async () => {
  const hooks = { analyze: new AsyncSeriesWaterfallHook<[unknown, unknown, unknown]>(['answer', 'input', 'run']) }
  await analyze().apply({ hooks, config: { defaultTopology: 'CENTRALIZED' }, topologies: NONE } as never)
  const complexity = await hooks.analyze.promise(
    undefined,
    { task: { id: 'task-1', description: 'Hello' } },
    { options: {} },
  )
  assert.is((complexity as Complexity).recommendedTopology, 'CENTRALIZED')
})

test('asks a model only with the option llm, never a deterministic one, nor where the run may make fewer than three calls', async () => {
  const calls = async (options: AnalyzeOptions, run: object = {}): Promise<number> => {
    const hooks = { analyze: new AsyncSeriesWaterfallHook<[unknown, unknown, unknown]>(['answer', 'input', 'run']) }
    await analyze(options).apply({ hooks, config: {}, topologies: NONE } as never)
    let asked = 0
    const model = async () => {
      asked++
      return { provider: 'scripted' }
    }
    const { signal } = new AbortController()
    await hooks.analyze.promise(undefined, { task }, { options: {}, signal, warn: () => {}, model, ...run })
    return asked
  }
  assert.is(await calls({}), 0)
  assert.is(await calls({ llm: true }), 1)
  assert.is(await calls({ llm: true }, { deterministic: true }), 0)
  assert.is(await calls({ llm: true }, { options: { budget: { maxSteps: 2 } } }), 0)
})

test.run()
