import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TaskComplexityAnalyzer } from '../src/components/task-complexity-analyzer/index.ts'
import type { Complexity, ExecutionResult, RunEvent, Runtime, Usage } from '../src/index.ts'
import { definePlugin, ProviderError } from '../src/index.ts'
import { type Script, type ScriptedAnswer, type ScriptedProvider, scriptedProvider } from '../src/testing/index.ts'
import { start, until } from './fixtures/runtimes.ts'
import { tiny } from './fixtures/tiny-plugins.ts'

const test = suite('analyzer with a model')
const HARD = 'Evaluate Redis, Memcached and Dragonfly, recommend one and write a report'
const EASY = 'Hello'

const FEATURES = {
  steps: 0.5,
  reasoning: 0.2,
  breadth: 0.9,
  tools: 0.2,
  output: 0.3,
  constraints: 0,
  domain: 0,
  context: 0.1,
  ambiguity: 0.1,
  seq: 0,
}
const subtask = (id: string, dependsOn: string[] = []) => ({ id, text: `look at ${id}`, dependsOn, tools: [] })
const ANSWER = {
  subtasks: [subtask('a'), subtask('b'), subtask('c'), subtask('sum', ['a', 'b', 'c'])],
  features: FEATURES,
  openQuestions: ['Which version?', ' Which version? ', ''],
}

interface Outcome {
  complexity: Complexity
  result: ExecutionResult
  events: RunEvent[]
  calls: number
}

const startAnalyzing = (provider: ScriptedProvider, llm = true): Promise<Runtime> => {
  const analyzer = new TaskComplexityAnalyzer({ llm })
  const analyze = definePlugin('analyze', ({ hooks }) => {
    hooks.analyze.tapPromise('analyze', (_, input, run) => analyzer.analyzeAsync(input.task, run))
  })()
  const model = definePlugin('model', ({ providers }) => providers.add('scripted', provider))()
  return start([model, analyze, tiny({ steps: 1 })])
}

async function go(
  task: string,
  script: Script,
  options: { llm?: boolean; deterministic?: boolean } = {},
): Promise<Outcome> {
  const provider = scriptedProvider('scripted', script, { deterministic: options.deterministic ?? false })
  const runtime = await startAnalyzing(provider, options.llm)
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({ task })
  await runtime.runs.wait(id)
  const result = (await runtime.runs.result(id)) as ExecutionResult
  await runtime.close()
  const analysis = events.find(({ type }) => type === 'analysis.completed')
  assert.ok(analysis !== undefined, JSON.stringify(result.error))
  const calls = provider.requests.filter(({ outputSchema }) => outputSchema !== undefined).length
  return { complexity: analysis.data as unknown as Complexity, result, events, calls }
}

const usage: Usage = { inputTokens: 300, outputTokens: 120, estimated: false }

test('lets a model supply features, at .7, and decides by the same rule', async () => {
  const lexical = new TaskComplexityAnalyzer().analyze({ id: 'x', description: HARD })
  const { complexity, calls } = await go(HARD, (request) =>
    request.outputSchema === undefined ? 'fine' : { text: JSON.stringify(ANSWER), usage },
  )
  assert.is(calls, 1)
  assert.is(complexity.source, 'llm+lexical')
  for (const [name, value] of Object.entries(FEATURES)) {
    const expected = 0.7 * value + 0.3 * (lexical.features[name] ?? 0)
    if (name !== 'tools') assert.ok(Math.abs((complexity.features[name] ?? 0) - expected) < 1e-9, name)
  }
  assert.ok(['PARALLEL', 'CENTRALIZED'].includes(complexity.recommendedTopology))
  assert.is(complexity.agents, 3)
  assert.equal(complexity.openQuestions.slice(0, 1), ['Which version?'])
  assert.is(complexity.openQuestions.filter((question) => question === 'Which version?').length, 1)
})

test('asks nobody about what is plain, without the option, or with a deterministic model', async () => {
  const script: Script = (request) => (request.outputSchema === undefined ? 'fine' : JSON.stringify(ANSWER))
  const plain = new TaskComplexityAnalyzer().analyze({ id: 'x', description: EASY })
  assert.ok(plain.confidence >= 0.7 && plain.score < 0.25, 'the easy task is not easy')
  assert.is((await go(EASY, script)).calls, 0)
  assert.is((await go(HARD, script, { llm: false })).calls, 0)
  const { calls, result } = await go(HARD, script, { deterministic: true })
  assert.is(calls, 0)
  assert.equal(
    result.warnings.filter(({ code }) => code === 'analyzer_llm_unavailable'),
    [],
  )
})

const FAILURES: [what: string, answer: ScriptedAnswer, why?: RegExp][] = [
  ['no JSON', 'I would say three agents.'],
  ['a feature beyond 1', JSON.stringify({ ...ANSWER, features: { ...FEATURES, steps: 7 } })],
  ['a dependency on nothing', JSON.stringify({ ...ANSWER, subtasks: [subtask('a', ['ghost'])] })],
  ['one id twice', JSON.stringify({ ...ANSWER, subtasks: [subtask('a'), subtask('a')] })],
  ['a circle', JSON.stringify({ ...ANSWER, subtasks: [subtask('a', ['b']), subtask('b', ['a'])] })],
  [
    'an error',
    { error: new ProviderError('provider_auth', 'no such key', { provider: 'scripted', retryable: false }) },
    /no such key/,
  ],
]

test('falls back to the words, with a warning, when the model fails or answers what cannot be used', async () => {
  for (const [what, answer, why = /./] of FAILURES) {
    const { complexity, result } = await go(HARD, (request) => (request.outputSchema === undefined ? 'fine' : answer))
    assert.equal([complexity.source, result.status], ['lexical', 'completed'], what)
    assert.match(result.warnings.find(({ code }) => code === 'analyzer_llm_unavailable')?.message ?? '', why, what)
  }
})

test('is over when the run is cancelled during the call', async () => {
  const provider = scriptedProvider('scripted', () => new Promise(() => {}))
  const runtime = await startAnalyzing(provider)
  const { id } = await runtime.runs.create({ task: HARD })
  await until(() => provider.requests.length > 0)
  await runtime.runs.cancel(id)
  assert.is((await runtime.runs.wait(id)).status, 'cancelled')
  await runtime.close()
})

test('does without a run: the words alone', async () => {
  const analyzer = new TaskComplexityAnalyzer({ llm: true })
  const task = { id: 'x', description: HARD }
  assert.equal(await analyzer.analyzeAsync(task), analyzer.analyze(task))
})

test.run()
