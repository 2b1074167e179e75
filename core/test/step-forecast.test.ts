import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StepForecast } from '../src/components/token-budget-allocator/index.ts'

const test = suite('StepForecast')
const model = 'fast/small-model'

test('starts cold with a fixed length per role', () => {
  const forecast = new StepForecast()
  assert.is(forecast.outputTokens('critic', model), 400)
  assert.is(forecast.outputTokens('verifier', model), 400)
  assert.is(forecast.outputTokens('worker', model), 900)
  assert.is(forecast.outputTokens('synthesizer', model), 1500)
  assert.is(forecast.outputTokens('constructor', model), 900)
})

test('takes the 90th percentile of the newest fifty answers of a role and model', () => {
  const forecast = new StepForecast()
  for (let tokens = 1; tokens <= 60; tokens++) forecast.record('worker', model, tokens)
  // 11 ... 60 are remembered; the 45th of them is 55
  assert.is(forecast.outputTokens('worker', model), 55)
  assert.is(forecast.outputTokens('worker', 'fast/other'), 900)
  assert.is(forecast.outputTokens('critic', model), 400)
})

test('adds up a context that grows with every turn', () => {
  const forecast = new StepForecast()
  for (let count = 0; count < 10; count++) forecast.record('worker', model, 100)
  const step = forecast.forecast({ role: 'worker', model, inputTokens: 1000, tools: 1, toolOutputTokens: 50 })
  // three turns: 1000, then + 100 + 50, then + 100
  assert.equal(step, { turns: 3, inputTokens: 1000 + 1150 + 1250, outputTokens: 300, cachedTokens: 0, costUsd: null })
})

test('prices fresh, cached and written tokens apart', () => {
  const forecast = new StepForecast()
  const { cachedTokens, costUsd } = forecast.forecast({
    role: 'critic',
    model,
    inputTokens: 1000,
    turns: 2,
    cachedShare: 0.5,
    price: { input: 2, output: 10, cacheRead: 0.5 },
  })
  assert.is(cachedTokens, 700)
  assert.ok(Math.abs((costUsd ?? 0) - (1700 * 2 + 700 * 0.5 + 800 * 10) / 1e6) < 1e-12)
})

test('refuses numbers that are no counts', () => {
  const forecast = new StepForecast()
  assert.throws(() => forecast.record('worker', model, -1), /outputTokens must be a whole number/)
  assert.throws(() => forecast.forecast({ role: 'worker', model, inputTokens: 1.5 }), /inputTokens/)
  assert.throws(() => forecast.forecast({ role: 'worker', model, inputTokens: 1, cachedShare: 2 }), /cachedShare/)
  assert.throws(() => new StepForecast({ window: 0 }), /window/)
})

test.run()
