import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  bootstrap,
  type Cluster,
  detectableEffect,
  estimate,
  holm,
  isEquivalent,
  mcnemar,
  quantile,
  signFlip,
  studentProbability,
  studentQuantile,
  toClusters,
  toFrontier,
} from '../../src/experiment/statistics/index.ts'

const test = suite('statistics of experiments')

const near = (actual: number | undefined, expected: number, tolerance = 1e-9): void =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) <= tolerance, `${actual} is not ${expected}`)

const single = (values: readonly number[]): Cluster[] =>
  toClusters(values.map((above, index) => ({ family: String(index).padStart(4, '0'), above, below: 1 })))

/** Heights of crossed less self-fertilised maize, in eighths of an inch (Darwin 1876; Fisher 1935). */
const MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

test("Student's t has the quantiles of the published tables", () => {
  const table = [
    [1, 6.314, 12.706, 63.657],
    [2, 2.92, 4.303, 9.925],
    [5, 2.015, 2.571, 4.032],
    [10, 1.812, 2.228, 3.169],
    [30, 1.697, 2.042, 2.75],
    [120, 1.658, 1.98, 2.617],
  ] as const
  for (const [freedom, ...values] of table)
    for (const [index, value] of values.entries())
      near(studentQuantile([0.95, 0.975, 0.995][index] as number, freedom), value, 0.0005)
  near(studentQuantile(0.975, 1e6), 1.96, 0.0013)
  // SciPy 1.17 stats.t.cdf
  near(studentProbability(1.3, 5), 0.8748496829146615)
  near(studentProbability(1.3, 499), 0.902899435090367)
  near(studentQuantile(0.1, 7), -studentQuantile(0.9, 7))
})

test("the sign-flip test gives Fisher's p of Darwin's maize, and SciPy's", () => {
  near(signFlip(MAIZE.slice(0, 13)), bruteForce(MAIZE.slice(0, 13)))
  // Fisher, 1935, section 21: 1726 of 32 768 patterns. Fifteen pairs are sampled here.
  near(signFlip(MAIZE, 200_000), 1726 / 32_768, 0.002)
  assert.is(signFlip([]), 1)
  assert.is(signFlip([0, 0, 0]), 1)
  assert.is(signFlip([0.1, 0.1, 0.1]), 0.25)
})

function bruteForce(sums: readonly number[]): number {
  const totals = sums.reduce<number[]>((all, each) => all.flatMap((total) => [total + each, total - each]), [0])
  const seen = Math.abs(sums.reduce((total, each) => total + each, 0))
  return totals.filter((total) => Math.abs(total) >= seen).length / totals.length
}

test("the t part of the interval is the textbook's for tasks without families", () => {
  const { value, standardError, interval } = estimate(single(MAIZE.map((each) => each / 100)), { of: 'difference' })
  near(value, 0.209333, 1e-6)
  near(value / (standardError ?? 0), 2.148, 0.0005)
  // Published: 0.03 to 41.84. The bootstrap's ends lie inside, so the farther ones are these.
  near(interval?.low, 0.000312, 0.000001)
  near(interval?.high, 0.418355, 0.000001)
})

test('McNemar agrees with tables of the binomial distribution', () => {
  // Agresti, Categorical Data Analysis: approval of a prime minister, 150 against 86 who changed their minds.
  near(mcnemar(150, 86), 3.7159361395713866e-5, 1e-15)
  near(mcnemar(59, 121), 4.4344492637551645e-6, 1e-15)
  // Siegel's table D: N = 10, x = 1 is .011 one-sided.
  near(mcnemar(1, 9), 0.021484375)
  near(mcnemar(0, 5), 0.0625)
  assert.is(mcnemar(0, 0), 1)
  assert.is(mcnemar(7, 7), 1)
  assert.is(mcnemar(3, 8), mcnemar(8, 3))
  assert.ok(mcnemar(2000, 2400) < 1e-8 && mcnemar(2000, 2400) > 0)
})

test('Holm gives the adjusted values of the usual example', () => {
  const adjusted = holm([0.01, 0.04, 0.03, 0.005])
  for (const [index, value] of [0.03, 0.06, 0.06, 0.02].entries()) near(adjusted[index], value)
  assert.equal(holm([]), [])
  assert.equal(holm([0.6, 0.7]), [1, 1])
})

test('Holm never lowers a p-value, keeps their order, and stays between one test and all of them', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (probabilities) => {
      const adjusted = holm(probabilities)
      for (const [index, p] of probabilities.entries()) {
        const own = adjusted[index] as number
        assert.ok(own >= p && own <= Math.min(1, p * probabilities.length) + 1e-12)
        for (const [other, q] of probabilities.entries()) if (q > p) assert.ok((adjusted[other] as number) >= own)
      }
    }),
  )
})

test('equivalence is the published verdict of two one-sided tests', () => {
  // TOSTER's example of paired means (Lakens, 2017): n 65, 5.83 and 5.75, sd 1.17 and 1.29, r .75, bounds ±.4 dz;
  // its larger p is .008. The 90 % interval is -.102 to .262, the bounds ±.351.
  const sd = Math.sqrt(1.17 ** 2 + 1.29 ** 2 - 2 * 0.75 * 1.17 * 1.29)
  const reach = studentQuantile(0.95, 64) * (sd / Math.sqrt(65))
  const interval = { low: 0.08 - reach, high: 0.08 + reach }
  near(interval.low, -0.10154334610924745)
  near(interval.high, 0.26154334610924757)
  near(1 - studentProbability((0.4 * sd - 0.08) / (sd / Math.sqrt(65)), 64), 0.0077023501208, 1e-9)
  assert.is(isEquivalent(interval, 0.4 * sd), true)
  assert.is(isEquivalent(interval, 0.25), false)
  assert.is(isEquivalent(null, 1), false)
})

test('a sample shows what the published sample sizes say', () => {
  // Miller, 2024: two models on GSM-Plus, six runs each, differ with sd .17.
  near(detectableEffect({ tasks: 252, seeds: 6, sd: 0.17 }).effect, 0.03, 0.0003)
  const few = detectableEffect({ tasks: 10, seeds: 6, sd: 0.17 })
  assert.ok(few.effect > 0.17 * Math.sqrt(7.84 / 10), 'few tasks need more than the normal distribution says')
  assert.is(detectableEffect({ tasks: 1, seeds: 1 }).effect, Number.POSITIVE_INFINITY)
  // Six families give p = 2 / 2^6 = .031 at best: enough for one test, never for six.
  assert.ok(Number.isFinite(detectableEffect({ tasks: 6, seeds: 1 }).effect))
  assert.is(detectableEffect({ tasks: 6, seeds: 1, tests: 6 }).effect, Number.POSITIVE_INFINITY)
  assert.ok(
    detectableEffect({ tasks: 50, seeds: 1, tests: 6 }).effect > detectableEffect({ tasks: 50, seeds: 1 }).effect,
  )
  assert.is(detectableEffect({ tasks: 50, seeds: 1, sd: 0.3 }).assumed, false)
  assert.ok(detectableEffect({ tasks: 50, seeds: 1 }).effect > detectableEffect({ tasks: 50, seeds: 3 }).effect)
})

test('the bootstrap has the spread of a plain second implementation', () => {
  const clusters = single(MAIZE)
  const drawn = bootstrap(clusters).values
  // SciPy 1.17 stats.bootstrap, percentile, 200 000 samples: 1.4 to 38.1.
  near(quantile(drawn, 0.025), 1.4, 1)
  near(quantile(drawn, 0.975), 38.1, 1)
  assert.equal(bootstrap(clusters).values, drawn)
})

test('fewer than two families give no interval', () => {
  const one = estimate(toClusters([1, 0, 1].map((above) => ({ family: 'a', above, below: 1 }))), { of: 'share' })
  assert.is(one.interval, null)
  near(one.value, 2 / 3)
  assert.ok(Number.isNaN(estimate([]).value))
})

test('no difference in a few tasks is no proof that there is none', () => {
  const same = (tasks: number) => estimate(single(Array<number>(tasks).fill(0)), { of: 'difference' })
  assert.ok((same(20).interval?.high ?? 0) > 0.09)
  assert.is(isEquivalent(same(50).interval90, 0.02), false)
  assert.is(isEquivalent(same(400).interval90, 0.02), true)
  const perfect = estimate(single(Array<number>(20).fill(1)), { of: 'share' })
  assert.ok((perfect.interval?.low ?? 1) < 0.9)
  assert.is(perfect.interval?.high, 1)
})

test('the order of tasks changes nothing, and the other sign mirrors the interval', () => {
  const task = fc.record({
    family: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    above: fc.constantFrom(-1, -0.5, -0.25, 0, 0.25, 0.5, 1),
    below: fc.constant(1),
  })
  fc.assert(
    fc.property(fc.array(task, { minLength: 2, maxLength: 30 }), (tasks) => {
      const options = { of: 'difference', samples: 200 } as const
      const found = estimate(toClusters(tasks), options)
      assert.equal(estimate(toClusters([...tasks].reverse()), options), found)
      const mirrored = estimate(toClusters(tasks.map((each) => ({ ...each, above: -each.above }))), options)
      near(mirrored.value, -found.value, 1e-12)
      if (found.interval === null || mirrored.interval === null) return
      near(mirrored.interval.low, -found.interval.high, 1e-9)
      near(mirrored.interval.high, -found.interval.low, 1e-9)
      assert.ok(found.interval.low <= found.value && found.value <= found.interval.high)
      assert.ok(found.interval.low >= -1 && found.interval.high <= 1)
    }),
    { numRuns: 50 },
  )
})

test('the front holds what nothing beats', () => {
  const arms = [
    { id: 'base', cost: 10, quality: 0.7 },
    { id: 'dear', cost: 20, quality: 0.6 },
    { id: 'good', cost: 15, quality: 0.9 },
    { id: 'unpriced', cost: null, quality: 1 },
    { id: 'twin', cost: 10, quality: 0.7 },
  ]
  assert.equal(toFrontier(arms), { front: ['base', 'twin', 'good'], dominated: [{ id: 'dear', by: 'base' }] })
})

test.run()
