import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CallTokens, RunForecast } from '../src/components/token-budget-allocator/index.ts'
import { SvcError } from '../src/errors.ts'

const test = suite('RunForecast')

/** A run whose prompt grows by the same amount from call to call. */
const run = (calls: number, prompt: number, growth: number): CallTokens[] =>
  Array.from({ length: calls }, (_, at) => ({ inputTokens: prompt + at * growth, outputTokens: 50 }))
const total = (calls: readonly CallTokens[]): number =>
  calls.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0)

test('says nothing before there are eight past runs', () => {
  const forecast = new RunForecast()
  for (let index = 0; index < 7; index++) forecast.record({ calls: run(10, 1000, 100) })
  assert.is(forecast.forecast({}), undefined)
  forecast.record({ calls: run(10, 1000, 100) })
  assert.is(forecast.forecast({})?.runs, 8)
})

test('forecasts what all past runs took', () => {
  const forecast = new RunForecast()
  const calls = run(10, 1000, 100)
  for (let index = 0; index < 10; index++) forecast.record({ calls })
  for (const seen of [0, 1, 3, 9]) {
    const result = forecast.forecast({ calls: calls.slice(0, seen) })
    assert.is(result?.tokens, total(calls))
    assert.is(result?.low, result?.high)
  }
})

test('tells kinds of runs apart, and takes the middle for a kind that it has not met', () => {
  const forecast = new RunForecast()
  for (let index = 0; index < 30; index++) {
    forecast.record({ group: 'short', calls: run(4 + (index % 3), 1000, 100) })
    forecast.record({ group: 'long', calls: run(20 + (index % 5), 1000, 100) })
  }
  const of = (group: string): number => forecast.forecast({ group })?.tokens ?? 0
  assert.ok(of('short') < 1.5 * total(run(5, 1000, 100)))
  assert.ok(of('long') > 0.7 * total(run(22, 1000, 100)))
  assert.ok(of('unheard of') > of('short') && of('unheard of') < of('long'))
})

test('expects more of a run that begins larger and grows faster', () => {
  const forecast = new RunForecast()
  for (let index = 1; index <= 40; index++) forecast.record({ calls: run(12, 500 * index, 20 * index) })
  const of = (index: number): number => forecast.forecast({ calls: run(3, 500 * index, 20 * index) })?.tokens ?? 0
  assert.ok(of(30) > 2 * of(10))
  assert.ok(Math.abs(of(20) / total(run(12, 10_000, 400)) - 1) < 0.15)
})

test('never forecasts less than is spent, and keeps its range around the forecast', () => {
  const anyCall = fc.record({ inputTokens: fc.nat(50_000), outputTokens: fc.nat(5000) })
  const anyCalls = fc.array(anyCall, { minLength: 1, maxLength: 12 })
  const anyRun = fc.record({ group: fc.constantFrom('a', 'b'), calls: anyCalls })
  fc.assert(
    fc.property(fc.array(anyRun, { minLength: 2, maxLength: 20 }), anyRun, (past, now) => {
      const forecast = new RunForecast({ fewest: 2 })
      for (const each of past) forecast.record(each)
      const result = forecast.forecast(now)
      if (result === undefined) return
      assert.ok(Number.isInteger(result.tokens) && result.tokens >= total(now.calls))
      assert.ok(result.low <= result.high)
    }),
    { numRuns: 500 },
  )
})

test('remembers the newest runs only', () => {
  const forecast = new RunForecast({ window: 8 })
  for (let index = 0; index < 8; index++) forecast.record({ calls: run(40, 1000, 100) })
  for (let index = 0; index < 8; index++) forecast.record({ calls: run(4, 1000, 100) })
  assert.is(forecast.forecast({})?.tokens, total(run(4, 1000, 100)))
})

test('names what is wrong', () => {
  for (const [pattern, wrong] of [
    [
      /calls\[0\]\.inputTokens .* not -1/,
      () => new RunForecast().record({ calls: [{ inputTokens: -1, outputTokens: 0 }] }),
    ],
    [
      /calls\[0\]\.outputTokens .* not 1.5/,
      () => new RunForecast().forecast({ calls: [{ inputTokens: 1, outputTokens: 1.5 }] }),
    ],
    [/2 <= fewest <= window, not 5 and 8/, () => new RunForecast({ window: 5 })],
  ] as const) {
    try {
      wrong()
      assert.unreachable()
    } catch (error) {
      assert.ok(SvcError.isInstance(error))
      assert.match(error.message, pattern)
    }
  }
})

test.run()
