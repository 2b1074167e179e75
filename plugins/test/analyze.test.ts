import { type Complexity, type Task, TaskComplexityAnalyzer } from '@svc/core'
import { AsyncSeriesWaterfallHook } from 'tapable'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnalyzeOptions, analyze } from '../src/analyze.ts'

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
  await analyze(options).apply({ hooks, config } as never)
  return (await hooks.analyze.promise(answer, { task }, { options: {} })) as Complexity | undefined
}

test('is called analyze', () => {
  assert.is(analyze().name, 'analyze')
})

test('answers what its analyzer answers', async () => {
  assert.equal(await ask(), new TaskComplexityAnalyzer().analyze(task))
})

test('leaves an earlier answer alone', async () => {
  const answer = { ...new TaskComplexityAnalyzer().analyze(task), score: 0.125 }
  assert.is(await ask({}, { answer }), answer)
})

test('asks the analyzer that it was given', async () => {
  const complexity = { ...new TaskComplexityAnalyzer().analyze(task), score: 0.5 }
  assert.is((await ask({ analyzer: { analyzeAsync: async () => complexity } }))?.score, 0.5)
})

test('falls back to the default topology of the config', async () => {
  const hooks = { analyze: new AsyncSeriesWaterfallHook<[unknown, unknown, unknown]>(['answer', 'input', 'run']) }
  await analyze().apply({ hooks, config: { defaultTopology: 'CENTRALIZED' } } as never)
  const complexity = await hooks.analyze.promise(
    undefined,
    { task: { id: 'task-1', description: 'Hello' } },
    { options: {} },
  )
  assert.is((complexity as Complexity).recommendedTopology, 'CENTRALIZED')
})

const MODEL_ANSWER = {
  subtasks: [],
  features: {
    steps: 0,
    reasoning: 0,
    breadth: 1,
    tools: 0,
    output: 0,
    constraints: 0,
    domain: 0,
    context: 0,
    ambiguity: 0,
    seq: 0,
  },
  openQuestions: [],
}

/** Asks with a run whose model is scripted; counts its calls and keeps its warnings. */
async function withModel(options: AnalyzeOptions, run: object = {}, data: unknown = MODEL_ANSWER) {
  const hooks = { analyze: new AsyncSeriesWaterfallHook<[unknown, unknown, unknown]>(['answer', 'input', 'run']) }
  await analyze(options).apply({ hooks, config: {} } as never)
  const keys: string[] = []
  const warnings: string[] = []
  const complexity = await hooks.analyze.promise(
    undefined,
    { task },
    {
      options: {},
      signal: new AbortController().signal,
      warn: ({ code }: { code: string }) => warnings.push(code),
      model: async ({ key, agentId }: { key: string; agentId: string }) => {
        keys.push(`${agentId} ${key}`)
        return { data, provider: 'scripted' }
      },
      ...run,
    },
  )
  return { complexity: complexity as Complexity, keys, warnings }
}

test('asks a model only with the option llm, in one call of its own', async () => {
  assert.equal((await withModel({})).keys, [])
  const { complexity, keys, warnings } = await withModel({ llm: true })
  assert.equal(keys, ['analyzer analyze/llm'])
  assert.is(complexity.source, 'llm+lexical')
  assert.equal(warnings, [])
})

test('asks no model that is deterministic, nor where the run may make fewer than three calls', async () => {
  assert.equal((await withModel({ llm: true }, { deterministic: true })).keys, [])
  assert.equal((await withModel({ llm: true }, { options: { budget: { maxSteps: 2 } } })).keys, [])
})

test('warns where the model was of no use, and answers all the same', async () => {
  const { complexity, warnings } = await withModel({ llm: true }, {}, { topology: 'HYBRID' })
  assert.equal(warnings, ['analyzer_llm_unavailable'])
  assert.equal(complexity, new TaskComplexityAnalyzer().analyze(task))
})

test.run()
