import { type ModelAnswer, type Ports, ProviderError, ReflectionEngine, type RiskLevel } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EventScript } from './fixtures/events.ts'
import { planOf, step } from './fixtures/plans.ts'

const test = suite('judges of the reflection engine')
const engine = new ReflectionEngine()
const OUTPUT = 'The report covers three cities: Lisbon, Oslo and Turin.'

type Verdict = { question: number; quote: string; verdict: 'yes' | 'no' | 'na' }
type Said = readonly Verdict[] | string | Error

interface Asked {
  keys: string[]
  models: string[]
  warnings: string[]
}

function portsThat(say: (index: number) => Said, remaining = 100_000): { ports: Ports; asked: Asked } {
  const asked: Asked = { keys: [], models: [], warnings: [] }
  const ports = {
    budget: { remaining: () => remaining, exhausted: false, spent: () => ({}) },
    model: async ({ key, model }: { key: string; model: string }): Promise<Partial<ModelAnswer>> => {
      asked.keys.push(key)
      asked.models.push(model)
      const said = say(asked.keys.length - 1)
      if (said instanceof Error) throw said
      const usage = { inputTokens: 100, outputTokens: 10, estimated: false }
      return typeof said === 'string' ? { text: said, usage } : { text: '', data: { verdicts: said }, usage }
    },
  }
  return { ports: ports as unknown as Ports, asked }
}

function judge(say: (index: number) => Said, riskLevel: RiskLevel = 'low', remaining?: number, models?: string[]) {
  const { ports, asked } = portsThat(say, remaining)
  const script = new EventScript()
  script.add('stage.started', {}, { stage: 'execute' })
  script.model(OUTPUT)
  const reflection = engine.evaluate(
    {
      task: { id: 't', description: 'Write a report on cities.', riskLevel },
      output: OUTPUT,
      events: script.events,
      plan: planOf([step('step-1', [], { acceptance: ['Four cities are covered.'] })], 'SINGLE'),
      attempt: 1,
      judge: { ...(models && { models }), onUnavailable: (message) => asked.warnings.push(message) },
    },
    ports,
  )
  return reflection.then((found) => ({ found, asked, byModel: found.checks.filter(({ by }) => by === 'llm') }))
}

test('a no with a quote from the answer fails its criterion and reaches the next try', async () => {
  const { found, asked, byModel } = await judge(() => [
    { question: 1, quote: 'The report covers', verdict: 'yes' },
    { question: 2, quote: 'three cities: Lisbon, Oslo and Turin', verdict: 'no' },
  ])
  assert.equal(asked.keys, ['reflect/attempt:1/judge:1'])
  assert.equal(
    byModel.map(({ result }) => result),
    ['pass', 'fail'],
  )
  assert.is(found.verdict, 'revise')
  assert.match(found.retry?.evidence.join() ?? '', 'three cities')
  assert.match(found.retry?.hint ?? '', 'Four cities are covered.')
  assert.equal([found.usage.inputTokens, found.usage.outputTokens], [100, 10])
  assert.equal(found.lessons, [])
})

test('a yes or no whose quote nobody wrote is dropped', async () => {
  const { found, byModel } = await judge(() => [
    { question: 1, quote: 'a splendid and complete report', verdict: 'yes' },
    { question: 2, quote: '', verdict: 'no' },
  ])
  assert.ok(byModel.every(({ result }) => result === 'na'))
  assert.equal([found.verdict, found.score, found.confidence], ['pass', 0.5, 0])
})

test('from high risk on three judges are asked, of the models named, and the majority counts', async () => {
  const no: Verdict = { question: 2, quote: 'three cities', verdict: 'no' }
  const yes: Verdict = { question: 2, quote: 'Lisbon, Oslo', verdict: 'yes' }
  const { asked, byModel, found } = await judge((index) => [index === 1 ? yes : no], 'high', undefined, ['a/x', 'b/y'])
  assert.equal(asked.models, ['a/x', 'b/y', 'a/x'])
  assert.is(new Set(asked.keys).size, 3)
  assert.is(byModel[1]?.result, 'fail')
  assert.is(found.usage.inputTokens, 300)
  const split = await judge((index) => [[no, yes][index] ?? { question: 2, quote: '', verdict: 'na' }], 'critical')
  assert.is(split.byModel[1]?.result, 'na')
})

test('one judge that fails leaves the others; when all fail the rules stand alone and it is said', async () => {
  const gone = new ProviderError('provider_unavailable', 'the judge is down', { provider: 'p' })
  const some = await judge((index) => (index === 0 ? gone : [{ question: 2, quote: 'three', verdict: 'no' }]), 'high')
  assert.equal(some.asked.warnings, [])
  assert.is(some.byModel[1]?.result, 'fail')
  const none = await judge(() => gone)
  assert.equal(none.asked.warnings, ['the judge is down'])
  assert.equal([none.found.verdict, none.byModel.length, none.found.usage.inputTokens], ['pass', 0, 0])
  const babble = await judge(() => 'I think it is fine.')
  assert.is(babble.asked.warnings.length, 1)
  assert.is(babble.found.usage.inputTokens, 100, 'what was spent in vain is still accounted for')
})

test('an answer in prose around the JSON is read', async () => {
  const { byModel } = await judge(
    () => 'Here: ```json\n{"verdicts":[{"question":2,"quote":"three cities","verdict":"no"}]}\n```',
  )
  assert.is(byModel[1]?.result, 'fail')
})

test('nobody is asked when the budget does not pay it, nor after a critical failure, nor without a run', async () => {
  const poor = await judge(() => [], 'low', 500)
  assert.equal([poor.asked.keys.length, poor.asked.warnings.length], [0, 1])
  const { ports, asked } = portsThat(() => [])
  const task = { id: 't', description: 'Write something.' }
  const empty = { task, output: ' ', events: [], attempt: 1, judge: {} }
  assert.is((await engine.evaluate(empty, ports)).verdict, 'revise')
  assert.equal(asked.keys, [])
  assert.is((await engine.evaluate({ ...empty, output: 'Something.' })).verdict, 'pass')
})

test.run()
