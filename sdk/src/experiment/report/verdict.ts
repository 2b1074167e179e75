import type { ExperimentDesign } from '../run/record.ts'
import type { OpenComparison } from './compare-arms.ts'
import { toNumberOf, toProbability, toRange, toSize } from './format-figures.ts'

/** One sentence about the quality that says no more than the interval does. */
export function toVerdict(
  { margin }: ExperimentDesign,
  { tasks, quality, equivalence, detectable }: OpenComparison,
  holmP: number | null,
  tests: number,
): string {
  const { value, interval, interval90, families } = quality
  if (tasks === 0) return 'Not compared: no task has a run of both.'
  if (interval === null || interval90 === null)
    return `Not enough tasks to tell: ${toNumberOf(tasks, 'task')} of ${toNumberOf(families, 'family', 'families')} give no interval.`
  const range = `95 % interval ${toRange(interval)}`
  if (interval.low > 0 || interval.high < 0) {
    const direction = `${value > 0 ? 'better' : 'worse'} by ${toSize(value)} points`
    if ((holmP ?? 1) > 0.05)
      return `Not enough to claim a difference: ${direction} (${range}), but p is ${toProbability(holmP)} when all ${toNumberOf(tests, 'test')} count.`
    const small = equivalence === 'shown' ? `, less than the margin of ${toSize(margin)} points` : ''
    return `${direction[0]?.toUpperCase()}${direction.slice(1)} (${range})${small}.`
  }
  if (equivalence === 'shown')
    return `No difference larger than ${toSize(margin)} points (90 % interval ${toRange(interval90)}).`
  const needed =
    detectable === null || detectable >= 1 ? '' : `; the sample would show ${toSize(detectable)} points or more`
  return `Not enough tasks to tell: ${range} points${needed}.`
}
