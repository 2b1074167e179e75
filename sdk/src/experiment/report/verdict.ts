import type { ExperimentDesign } from '../run/record.ts'
import type { OpenComparison } from './compare-arms.ts'
import type { ArmReport, Comparison } from './experiment-report.ts'
import { toNumberOf, toPercent, toProbability, toRange, toSize } from './format-figures.ts'

type Verdict = Pick<Comparison, 'finding' | 'verdict'>

/** Which runs failed, then one sentence about the quality that says no more than the interval does, or none. */
export function toVerdict(
  design: ExperimentDesign,
  comparison: OpenComparison,
  { holmP, tests, failed }: { holmP: number | null; tests: number; failed: readonly ArmReport[] },
): Verdict {
  const runs = failed.reduce((total, { failed: { runs } }) => total + runs, 0)
  const before = runs === 0 ? '' : `${describeFailed(failed)}. `
  if (failed.some((arm) => arm.failed.share > design.failureLimit)) {
    const verdict = `${before}No verdict on quality: more than ${toPercent(design.failureLimit)} failed.`
    return { finding: 'none', verdict }
  }
  const [finding, sentence] = judge(design, comparison, holmP, tests)
  return { finding, verdict: `${before}${sentence}` }
}

/** `Failed runs: base 0 of 60, few 3 of 60 (5.0 %)`. */
export const describeFailed = (arms: readonly ArmReport[]): string =>
  `Failed runs: ${arms.map(({ id, runs, outside, failed }) => `${id} ${failed.runs} of ${runs + outside}${failed.runs === 0 ? '' : ` (${toPercent(failed.share)})`}`).join(', ')}`

function judge(
  { margin }: ExperimentDesign,
  { tasks, quality, equivalence, detectable }: OpenComparison,
  holmP: number | null,
  tests: number,
): [Verdict['finding'], string] {
  const { value, interval, interval90, families } = quality
  if (tasks === 0) return ['open', 'Not compared: no task has a run of both.']
  if (interval === null || interval90 === null)
    return [
      'open',
      `Not enough tasks to tell: ${toNumberOf(tasks, 'task')} of ${toNumberOf(families, 'family', 'families')} give no interval.`,
    ]
  const range = `95 % interval ${toRange(interval)}`
  if (interval.low > 0 || interval.high < 0) {
    const finding = value > 0 ? 'better' : 'worse'
    const by = `by ${toSize(value)} points (${range})`
    if ((holmP ?? 1) > 0.05)
      return [
        'open',
        `Not enough to claim a difference: ${finding} ${by}, but p is ${toProbability(holmP)} when all ${toNumberOf(tests, 'test')} count.`,
      ]
    const small = equivalence === 'shown' ? `, less than the margin of ${toSize(margin)} points` : ''
    return [finding, `${finding === 'better' ? 'Better' : 'Worse'} ${by}${small}.`]
  }
  if (equivalence === 'shown')
    return ['same', `No difference larger than ${toSize(margin)} points (90 % interval ${toRange(interval90)}).`]
  const needed =
    detectable === null || detectable >= 1 ? '' : `; the sample would show ${toSize(detectable)} points or more`
  return ['open', `Not enough tasks to tell: ${range} points${needed}.`]
}
