/**
 * Do the figures hold what they say? Fewer simulations of `npm run bench:experiments`, with fixed seeds, so that the answer is
 * always the same. Three standard errors of a share of .95 in 600 samples are .027.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  coverageOf,
  falseAlarms,
  missedRegressions,
  powerOf,
  WORLDS,
  type World,
} from '../fixtures/simulate-statistics.ts'

const test = suite('coverage of intervals')

for (const name of ['difference, 3 seeds, easy to hard', 'difference, 1 seed, in families', 'cost, lognormal .5'])
  test(`95 % intervals hold the truth in 93 to 97 % of the samples, give or take chance: ${name}`, () => {
    const share = coverageOf(WORLDS[name] as World, 20, 600, 400)
    assert.ok(share >= 0.93 - 0.027 && share <= 0.97 + 0.027, `${share}`)
  })

test('intervals are too wide rather than too narrow where few tasks differ', () => {
  for (const families of [10, 20])
    assert.ok(coverageOf(WORLDS['difference, one task in ten'] as World, families, 400, 400) >= 0.95)
})

test('three arms that change nothing are a false alarm in at most one of twenty experiments', () => {
  assert.ok(falseAlarms(30, 1, 400) <= 0.05)
})

test('the difference that a dry run states is found in about four of five experiments', () => {
  for (const [tasks, seeds, tests] of [
    [10, 1, 1],
    [30, 3, 2],
    [50, 1, 6],
  ] as const) {
    const { power } = powerOf(tasks, seeds, tests, 600)
    // Three standard errors of a share of .8 in 600 samples are .049.
    assert.ok(Math.abs((power ?? 0) - 0.8) <= 0.05, `${tasks} tasks: ${power}`)
  }
})

test('at most one of twenty intervals of the regressions that are shown misses the truth', () => {
  assert.ok(missedRegressions(60, 3, 150) <= 0.05)
})

test.run()
