/** How figures of a report are written: shares in percent, differences in points of a hundred. */
import type { Estimate, ExperimentReport, Interval } from '@svc/sdk/remote'
import { formatCost, formatShort } from '../../parts/format.ts'

type Figure = number | null

const sign = (text: string, value: number): string => (value > 0 ? `+${text}` : text.replace('-', '−'))

/** `71.5 %`. */
export const toPercent = (value: Figure): string => (value === null ? '–' : `${(value * 100).toFixed(1)} %`)

/** `+3.2`, `−0.4`: hundredths of the score. */
export const toPoints = (value: Figure): string =>
  value === null ? '–' : sign((value * 100).toFixed(1).replace('-0.0', '0.0'), value)

/** `0.62×`: arm by base. */
export const toRatio = (of: Estimate | null): string =>
  of === null || of.value === null
    ? '–'
    : `${of.value.toFixed(2)}×${of.interval === null ? '' : ` (${of.interval.low.toFixed(2)} to ${of.interval.high.toFixed(2)})`}`

/** `−1.2 to 7.6`; a dash where the sample gives none. */
export const toRange = (interval: Interval | null, write: (value: number) => string): string =>
  interval === null || interval.low === null || interval.high === null
    ? '–'
    : `${write(interval.low)} to ${write(interval.high)}`

/** ` (95 % interval 35.0 % to 68.7 %)`; nothing where the sample gives none. */
export const inBrackets = (interval: Interval | null, write: (value: number) => string): string =>
  interval === null ? '' : ` (95 % interval ${toRange(interval, write)})`

/** `0.003`, `<0.001`. */
export const toProbability = (p: Figure): string => (p === null ? '–' : p < 0.001 ? '<0.001' : p.toFixed(3))

/** What a run costs, in what the front goes by. */
export const toCost =
  (by: ExperimentReport['frontier']['by']) =>
  (value: Figure): string => {
    if (value === null) return '–'
    if (by === 'tokens') return formatShort(value)
    return value > 0 && value < 1 ? `$${value.toPrecision(3)}` : formatCost(value)
  }

/** Which arms made runs that failed, the most first. */
export function describeFailures({ arms, failureLimit }: Pick<ExperimentReport, 'arms' | 'failureLimit'>): {
  text: string
  isAboveLimit: boolean
} {
  const failing = arms.filter(({ failed }) => failed.runs > 0).sort((a, b) => b.failed.share - a.failed.share)
  if (failing.length === 0) return { text: 'No run failed.', isAboveLimit: false }
  const said = failing.map(
    ({ id, runs, outside, failed }) => `${id} ${failed.runs} of ${runs + outside} (${toPercent(failed.share)})`,
  )
  const isAboveLimit = failing.some(({ failed }) => failed.share > failureLimit)
  const limit = isAboveLimit ? ` Above ${toPercent(failureLimit)} there is no verdict on quality.` : ''
  return { text: `Failed runs: ${said.join(', ')}.${limit}`, isAboveLimit }
}
