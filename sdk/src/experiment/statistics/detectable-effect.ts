import { studentQuantile } from './student.ts'

/** Standard deviation of the differences of two arms over tasks, each the mean of six runs: two models on GSM-Plus. */
const PUBLISHED = { sd: 0.17, seeds: 6 }

export interface DetectableEffectOptions {
  /** Families, where tasks vary together. At least 2. */
  tasks: number
  seeds: number
  /**
   * Standard deviation of the differences of tasks, each a mean over `seeds`. Default .17 from six seeds on; with fewer
   * seeds as much more as if all of it came from repeating runs, which is the cautious side.
   */
  sd?: number
  /** Tests that are adjusted for each other, by Holm. Default 1. */
  tests?: number
}

export interface DetectableEffect {
  /** In units of the score, 1 being all of it; infinite where so few tasks show nothing, however large it is. */
  effect: number
  sd: number
  /** True where `sd` is not of this experiment. */
  assumed: boolean
}

/**
 * The smallest true difference that a sample shows in four of five experiments, at p < .05.
 *
 * For many tasks and one test n = 7.84 sd² / effect²; for few, Student's t stands for the normal distribution. The first of
 * several tests by Holm needs p < .05 / tests.
 *
 * @see Miller, 2024 (arXiv 2411.00640), section 5
 */
export function detectableEffect({ tasks, seeds, sd, tests = 1 }: DetectableEffectOptions): DetectableEffect {
  const spread = sd ?? PUBLISHED.sd * Math.sqrt(Math.max(1, PUBLISHED.seeds / seeds))
  const effect = canShow(tasks, tests)
    ? powerFactor(tasks - 1, tests) * (spread / Math.sqrt(tasks))
    : Number.POSITIVE_INFINITY
  return { effect, sd: spread, assumed: sd === undefined }
}

/** Whether the smallest p that flipping the signs of so many tasks can give is small enough for the first of the tests. */
export const canShow = (tasks: number, tests: number): boolean => tasks > 1 && 2 ** (1 - tasks) * tests <= 0.05

/** Standard errors that a true difference must measure to be shown in four of five experiments: 2.8 with many tasks. */
export function powerFactor(freedom: number, tests = 1): number {
  return studentQuantile(1 - 0.025 / tests, freedom) + studentQuantile(0.8, freedom)
}
