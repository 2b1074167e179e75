/** Experiments whose truth is known, from fixed seeds: the same figures each time. */
import { toRegressions } from '../../sdk/src/experiment/report/regressions.ts'
import type { Cell } from '../../sdk/src/experiment/run/record.ts'
import {
  type Cluster,
  detectableEffect,
  type EstimateOptions,
  estimate,
  holm,
  seeded,
  signFlip,
  toClusters,
} from '../../sdk/src/experiment/statistics/index.ts'

type Random = () => number

/** Where families of tasks come from, and what is true of all of them. */
export interface World {
  of: NonNullable<EstimateOptions['of']>
  truth: number
  family(random: Random): Omit<Cluster, 'family'>
}

const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** The mean score of a task that is right with some chance, over so many seeds. */
function solve(random: Random, chance: number, seeds: number): number {
  let right = 0
  for (let seed = 0; seed < seeds; seed++) right += Number(random() < chance)
  return right / seeds
}

/** One to three tasks, which share what the family draws first. */
function several(random: Random, task: () => number): Omit<Cluster, 'family'> {
  const below = 1 + Math.floor(3 * random())
  let above = 0
  for (let index = 0; index < below; index++) above += task()
  return { above, below }
}

const one = (above: number): Omit<Cluster, 'family'> => ({ above, below: 1 })

export const WORLDS: Readonly<Record<string, World>> = {
  'difference, 1 seed, half right': {
    of: 'difference',
    truth: 0.1,
    family: (random) => one(solve(random, 0.55, 1) - solve(random, 0.45, 1)),
  },
  'difference, 3 seeds, easy to hard': {
    of: 'difference',
    truth: 0.05,
    family(random) {
      const chance = 0.95 * random()
      return one(solve(random, chance + 0.05, 3) - solve(random, chance, 3))
    },
  },
  'difference, 1 seed, in families': {
    of: 'difference',
    truth: 0.05,
    family(random) {
      const chance = 0.9 * random()
      const gain = random() < 0.5 ? 0.1 : 0
      return several(random, () => solve(random, chance + gain, 1) - solve(random, chance, 1))
    },
  },
  'difference, one task in ten': {
    of: 'difference',
    truth: 0.04,
    family: (random) => one(random() < 0.1 ? (random() < 0.7 ? 1 : -1) : 0),
  },
  'difference, graded': { of: 'difference', truth: 0.03, family: (random) => one(0.03 + 0.15 * normal(random)) },
  'quality, 1 seed, .8': { of: 'share', truth: 0.8, family: (random) => one(solve(random, 0.8, 1)) },
  'quality, 3 seeds, in families': {
    of: 'share',
    truth: 0.5,
    family(random) {
      const chance = random()
      return several(random, () => solve(random, chance, 3))
    },
  },
  'cost, lognormal .5': { of: 'mean', truth: Math.exp(0.125), family: (random) => one(Math.exp(0.5 * normal(random))) },
  'cost, lognormal 1': { of: 'mean', truth: Math.exp(0.5), family: (random) => one(Math.exp(normal(random))) },
  'cost, exponential, in families': {
    of: 'mean',
    truth: 2,
    family(random) {
      const own = -Math.log(1 - random())
      return several(random, () => own - Math.log(1 - random()))
    },
  },
  'ratio of costs': {
    of: 'ratio',
    truth: 1.3,
    family(random) {
      const own = 0.5 * normal(random)
      return { above: 1.3 * Math.exp(own + 0.3 * normal(random)), below: Math.exp(own + 0.3 * normal(random)) }
    },
  },
}

const draw = (world: World, families: number, random: Random): Cluster[] =>
  Array.from({ length: families }, (_, index) => ({ family: String(index), ...world.family(random) }))

/** How often the 95 % interval holds the truth. */
export function coverageOf(world: World, families: number, repeats: number, samples = 1000): number {
  const random = seeded(7)
  let held = 0
  for (let repeat = 0; repeat < repeats; repeat++) {
    const { interval } = estimate(draw(world, families, random), { of: world.of, samples })
    if (interval !== null && interval.low <= world.truth && world.truth <= interval.high) held++
  }
  return held / repeats
}

/** Differences of tasks, each a family of its own. */
const toDifferences = (tasks: number, difference: () => number): Cluster[] =>
  toClusters(Array.from({ length: tasks }, (_, index) => ({ family: String(index), above: difference(), below: 1 })))

/** Whether the verdict would be better or worse: the interval leaves out 0, and p by Holm is at most .05. */
function isFound(clusters: readonly Cluster[], others: readonly number[]): boolean {
  const { interval } = estimate(clusters, { of: 'difference', samples: 400 })
  const sums = clusters.map(({ above }) => above)
  const [p = 1] = holm([signFlip(sums, 2000), ...others])
  return interval !== null && (interval.low > 0 || interval.high < 0) && p <= 0.05
}

/** How often an experiment with three arms that change nothing says of any of them that it is better or worse. */
export function falseAlarms(tasks: number, seeds: number, repeats: number): number {
  const random = seeded(11)
  let alarms = 0
  for (let repeat = 0; repeat < repeats; repeat++) {
    const chances = Array.from({ length: tasks }, () => random())
    const base = chances.map((chance) => solve(random, chance, seeds))
    const arms = Array.from({ length: 3 }, () => {
      let at = 0
      return toDifferences(tasks, () => solve(random, chances[at] as number, seeds) - (base[at++] as number))
    })
    const p = arms.map((clusters) =>
      signFlip(
        clusters.map(({ above }) => above),
        2000,
      ),
    )
    // Tokens are tested too; nothing changes them here.
    const tokens = arms.map(() => random())
    const isAlarm = arms.some((clusters, index) =>
      isFound(clusters, [...p.filter((_, other) => other !== index), ...tokens]),
    )
    if (isAlarm) alarms++
  }
  return alarms / repeats
}

/** What the dry run states, and how often an experiment with so large a difference finds it. */
export function powerOf(
  tasks: number,
  seeds: number,
  tests: number,
  repeats: number,
): { effect: number; sd: number; power: number | null } {
  const { effect, sd } = detectableEffect({ tasks, seeds, tests })
  if (effect >= 1) return { effect, sd, power: null }
  const random = seeded(13)
  let found = 0
  for (let repeat = 0; repeat < repeats; repeat++) {
    const clusters = toDifferences(
      tasks,
      () => solve(random, (1 + effect) / 2, seeds) - solve(random, (1 - effect) / 2, seeds),
    )
    if (isFound(clusters, Array.from({ length: tests - 1 }, random))) found++
  }
  return { effect, sd, power: found / repeats }
}

/** The share of the intervals of regressions shown that miss the truth: half of the tasks lost .2, the others nothing. */
export function missedRegressions(tasks: number, seeds: number, repeats: number): number {
  const random = seeded(17)
  let shares = 0
  for (let repeat = 0; repeat < repeats; repeat++) {
    const truths = new Map<string, number>()
    const pairs = Array.from({ length: tasks }, (_, index) => {
      const loss = index % 2 === 0 ? 0.2 : 0
      const chance = loss + (1 - loss) * random()
      const id = String(index)
      truths.set(id, -loss)
      const cells = (right: number): Cell[] =>
        Array.from({ length: seeds }, (_, seed) => ({ seed, score: solve(random, right, 1) }) as Cell)
      return { task: { id, family: id, strata: {} }, base: cells(chance), arm: cells(chance - loss) }
    })
    const { worst } = toRegressions('arm', pairs, null)
    const missed = worst.filter(({ task, interval }) => {
      const truth = truths.get(task) ?? 0
      return interval !== null && (truth < interval.low || truth > interval.high)
    })
    shares += worst.length === 0 ? 0 : missed.length / worst.length
  }
  return shares / repeats
}
