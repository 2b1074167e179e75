import { seeded } from './seeded.ts'
import { studentQuantile } from './student.ts'

/** A sample shows a difference in so many experiments, or it is called too small for it. */
const POWER = 0.8
/** Up to this many tasks experiments are simulated; with more the formula's power is right within .02. */
const SIMULATED = 200
const EXPERIMENTS = 600
/** With more differences than this the sum of random signs is as good as normal. */
const EXACT = 30

export interface DetectableEffectOptions {
  /** Families, where tasks vary together. At least 2. */
  tasks: number
  seeds: number
  /**
   * Standard deviation of the differences of tasks, each a mean over `seeds`. Default that of scores of 0 or 1 that are right
   * half of the time, which no other scores exceed: √(.5 / seeds).
   */
  sd?: number
  /** Tests that are adjusted for each other, by Holm. Default 1. */
  tests?: number
}

export interface DetectableEffect {
  /** In units of the score, 1 being all of it; infinite where so few tasks show nothing, however large it is. */
  effect: number
  /** Of the differences of tasks, where the two do not differ. */
  sd: number
  /** True where `sd` is not of this experiment. */
  assumed: boolean
}

/**
 * The smallest true difference that a sample shows in four of five experiments, at p < .05; the first of several tests by Holm
 * needs p < .05 / tests.
 *
 * With the assumed standard deviation and up to 200 tasks, experiments are simulated and put to the exact sign-flip test, since
 * few scores of 0 or 1 have few possible p: the formula would promise up to .2 more power than there is. Else
 * (t + t') sd / √tasks, with Student's t.
 *
 * @see Miller, Adding Error Bars to Evals, 2024 (arXiv 2411.00640), section 5; Arnold and others, Simulation methods to estimate
 *   design power, 2011
 */
export function detectableEffect({ tasks, seeds, sd, tests = 1 }: DetectableEffectOptions): DetectableEffect {
  const assumed = sd === undefined
  const spread = sd ?? Math.sqrt(0.5 / seeds)
  const found = (effect: number): DetectableEffect => ({ effect, sd: spread, assumed })
  if (!canShow(tasks, tests)) return found(Number.POSITIVE_INFINITY)
  if (assumed && tasks <= SIMULATED) return found(simulateEffect(tasks, seeds, 0.05 / tests))
  return found(powerFactor(tasks - 1, tests) * (spread / Math.sqrt(tasks)))
}

/** Whether the smallest p that flipping the signs of so many tasks can give is small enough for the first of the tests. */
export const canShow = (tasks: number, tests: number): boolean => tasks > 1 && 2 ** (1 - tasks) * tests <= 0.05

/** Standard errors that a true difference must measure to be shown in four of five experiments: 2.8 with many tasks. */
export function powerFactor(freedom: number, tests = 1): number {
  return studentQuantile(1 - 0.025 / tests, freedom) + studentQuantile(POWER, freedom)
}

/** Halves the range in which the effect lies; each effect is tried on the same random numbers. */
function simulateEffect(tasks: number, seeds: number, level: number): number {
  let low = 0
  let high = 1
  if (powerAt(high, tasks, seeds, level) < POWER) return Number.POSITIVE_INFINITY
  for (let step = 0; step < 9; step++) {
    const middle = (low + high) / 2
    if (powerAt(middle, tasks, seeds, level) < POWER) low = middle
    else high = middle
  }
  return high
}

function powerAt(effect: number, tasks: number, seeds: number, level: number): number {
  const random = seeded(1)
  const differences = new Array<number>(tasks)
  let shown = 0
  for (let experiment = 0; experiment < EXPERIMENTS; experiment++) {
    for (let task = 0; task < tasks; task++) {
      let difference = 0
      for (let seed = 0; seed < seeds; seed++)
        difference += Number(random() < (1 + effect) / 2) - Number(random() < (1 - effect) / 2)
      differences[task] = difference
    }
    if (isShown(differences, level)) shown++
  }
  return shown / EXPERIMENTS
}

/** Whether the sign-flip test of whole numbers has p at a level or below. */
function isShown(differences: readonly number[], level: number): boolean {
  const sizes = differences.filter((each) => each !== 0).map(Math.abs)
  const seen = Math.abs(differences.reduce((total, each) => total + each, 0))
  if (sizes.length > EXACT) {
    const squares = sizes.reduce((total, size) => total + size * size, 0)
    // The sum moves in steps of 2, so that half a step is taken off.
    return (seen - 1) / Math.sqrt(squares) >= studentQuantile(1 - level / 2, 2000)
  }
  let chances = new Map([[0, 1]])
  for (const size of sizes) {
    const next = new Map<number, number>()
    for (const [sum, chance] of chances)
      for (const moved of [sum + size, sum - size]) next.set(moved, (next.get(moved) ?? 0) + chance / 2)
    chances = next
  }
  const p = [...chances].reduce((total, [sum, chance]) => total + (Math.abs(sum) >= seen ? chance : 0), 0)
  return p <= level
}
