/** Do the intervals hold the truth as often as they say? Simulations with fixed seeds, so that the answer is always the same. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type EstimateOptions, estimate, seeded, signFlip, toClusters } from '../../src/experiment/statistics/index.ts'

const test = suite('coverage of intervals')

const REPEATS = 400

interface World {
  /** A family's own effect, then one task's difference. */
  draw(random: () => number): (random: () => number) => number
  truth: number
}

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

const WORLDS: Readonly<Record<string, World>> = {
  skewed: {
    truth: 0.1,
    draw: (random) => {
      const own = -0.1 * Math.log(1 - random())
      return (next) => own - 0.1 * Math.log(1 - next()) - 0.1
    },
  },
  sparse: { truth: 0.02, draw: () => (next) => (next() < 0.04 ? (next() < 0.75 ? 1 : -1) : 0) },
}
function simulate(world: World, families: number, random: () => number) {
  const tasks = Array.from({ length: families }, (_, index) => {
    const next = world.draw(random)
    const size = 1 + Math.floor(3 * random())
    return Array.from({ length: size }, () => ({
      family: String(index).padStart(3, '0'),
      above: next(random),
      below: 1,
    }))
  }).flat()
  return toClusters(tasks)
}

function coverage(world: World, families: number, options: EstimateOptions): number {
  const random = seeded(7)
  let held = 0
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const { interval } = estimate(simulate(world, families, random), { samples: 400, ...options })
    if (interval !== null && interval.low <= world.truth && world.truth <= interval.high) held++
  }
  return held / REPEATS
}

// Three standard errors of a share of .95 in 400 samples are .033. Skewed data need many families: 20 hold .91.
for (const [name, least] of [
  ['skewed', 0.87],
  ['sparse', 0.93],
] as const) {
  for (const families of [4, 20]) {
    test(`95 % intervals of ${families} ${name} families hold the truth in at least ${least} of all samples`, () => {
      const of = name === 'sparse' ? 'difference' : 'mean'
      const share = coverage(WORLDS[name] as World, families, { of })
      assert.ok(share >= least, `${share}`)
    })
  }
}

test('the base against itself is a false alarm in about one of twenty experiments', () => {
  const random = seeded(11)
  const world: World = {
    truth: 0,
    draw: (next) => {
      const own = 0.3 * normal(next)
      return (each) => own + normal(each)
    },
  }
  const counts = [0, 0] as [number, number]
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const clusters = simulate(world, 25, random)
    const { interval } = estimate(clusters, { samples: 400 })
    if (interval !== null && (interval.low > 0 || interval.high < 0)) counts[0]++
    const p = signFlip(
      clusters.map(({ above }) => above),
      400,
    )
    if (p <= 0.05) counts[1]++
  }
  // Four standard errors of a share of .05 in 400 experiments are .044.
  for (const count of counts) assert.ok(Math.abs(count / REPEATS - 0.05) < 0.044, `${count / REPEATS}`)
})

test.run()
