/** Figures for people. Null and what is no number are a dash. */
import type { Estimate, Interval } from '../statistics/index.ts'

const DASH = '–'
const isKnown = (value: number | null | undefined): value is number =>
  typeof value === 'number' && Number.isFinite(value)
const fixed = (value: number, digits: number): string => {
  const text = value.toFixed(digits)
  return (Number(text) === 0 ? text.replace('-', '') : text).replace('-', '−')
}

/** `12.3 %` of .123. */
export const toPercent = (share: number | null): string => (isKnown(share) ? `${fixed(100 * share, 1)} %` : DASH)

/** `+4.8` of .048: a difference of shares. */
export const toPoints = (difference: number | null): string =>
  isKnown(difference) ? `${fixed(100 * difference, 1).startsWith('−') ? '' : '+'}${fixed(100 * difference, 1)}` : DASH

/** `4.8` of -.048. */
export const toSize = (difference: number): string => fixed(100 * Math.abs(difference), 1).replace(/\.0$/, '')

/** `2.6 to 7.3` of points. */
export const toRange = (interval: Interval | null): string =>
  interval === null ? 'no interval' : `${fixed(100 * interval.low, 1)} to ${fixed(100 * interval.high, 1)}`

/** `12,345`; below ten with one digit after the point. */
export const toCount = (value: number | null): string =>
  isKnown(value) ? value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 10 ? 1 : 0 }) : DASH

/** `$0.0123`; a dash where there is no price. */
export const toDollars = (value: number | null): string => (isKnown(value) ? `$${toDigits(value)}` : DASH)

/** `1.2 s`, `340 ms`. */
export const toDuration = (ms: number | null): string =>
  isKnown(ms) ? (ms < 1000 ? `${fixed(ms, 0)} ms` : `${fixed(ms / 1000, 1)} s`) : DASH

/** `0.012`, `< 0.001`. */
export const toProbability = (p: number | null): string =>
  isKnown(p) ? (p < 0.001 ? '< 0.001' : fixed(p, p < 0.1 ? 3 : 2)) : DASH

/** `×0.83 (0.78 to 0.89)`. */
export const toRatioText = (ratio: Estimate | null): string =>
  ratio === null
    ? DASH
    : `×${fixed(ratio.value, 2)}${ratio.interval === null ? '' : ` (${fixed(ratio.interval.low, 2)} to ${fixed(ratio.interval.high, 2)})`}`

/** Three digits that count. */
export const toDigits = (value: number | null): string =>
  isKnown(value) ? value.toLocaleString('en-US', { maximumSignificantDigits: 3, useGrouping: true }) : DASH

/** `1 task`, `2 tasks`. */
export const toNumberOf = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`
