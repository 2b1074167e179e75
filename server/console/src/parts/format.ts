/** How numbers, times and values are written. Units are always there. */
import type { RunSummary } from '@svc/sdk/remote'
import { serverNow } from '../session/clock.ts'

const count = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const smallCost = new Intl.NumberFormat('en', { minimumSignificantDigits: 2, maximumSignificantDigits: 2 })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })

/** `840 ms`, `2.4 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '–'
  if (ms < 1) return '<1 ms'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `1,234`. */
export const formatCount = (value: number): string => count.format(value)

/** `1.2K`. */
export const formatShort = (value: number): string => short.format(value)

/** `1 step`, `1,234 steps`. */
export const plural = (value: number, noun: string): string => `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`

/** `85 %`, of a part of 1. */
export const percent = (part: number): string => `${Math.round(part * 100)} %`

/** Input and output together. */
export const tokensOf = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }): number =>
  inputTokens + outputTokens

/** US dollars; of unknown prices a dash. */
export function formatCost(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return '–'
  if (usd === 0) return '$0'
  return usd < 0.01 ? `$${smallCost.format(usd)}` : `$${usd.toFixed(2)}`
}

/** What runs cost together. */
export const costOfRuns = ({ total, unpriced, costUsd }: Pick<RunSummary, 'total' | 'unpriced' | 'costUsd'>): string =>
  unpriced === total ? 'not priced' : formatCost(costUsd)

export const formatClock = (time: string | number): string => formatWith(clock, time)

export const formatDate = (time: string | number): string => formatWith(date, time)

/** A dash for what is no time. */
const formatWith = (format: Intl.DateTimeFormat, time: string | number): string =>
  Number.isNaN(new Date(time).getTime()) ? '–' : format.format(new Date(time))

/** The unit of a time, by the milliseconds that it is below. */
const UNITS = [
  [60_000, 1_000, 's'],
  [3_600_000, 60_000, 'min'],
  [172_800_000, 3_600_000, 'h'],
  [Number.POSITIVE_INFINITY, 86_400_000, 'days'],
] as const

/** `in 3 min`, `12 s ago`. */
export function formatFromNow(time: string | number): string {
  const ms = new Date(time).getTime() - serverNow()
  const [, unit, name] = UNITS.find(([most]) => Math.abs(ms) < most) ?? UNITS[3]
  const text = `${Math.round(Math.abs(ms) / unit)} ${name}`
  return ms < 0 ? `${text} ago` : `in ${text}`
}

/** The last part of an id, enough to tell two apart. */
export const shortId = (id: string): string => id.slice(-6)

/** A text as it is, anything else as JSON; a dash for what is not there. */
export const toText = (value: unknown, indent?: number): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, indent) ?? '–')

/** A text on one line, cut. */
export const oneLine = (text: string, most = 300): string => {
  const line = text
    .slice(0, most * 2)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** The beginning and the end of a text, with how much lies between. */
export function middleCut(text: string, most = 300): string {
  const signs = [...text]
  if (signs.length <= most) return text
  const half = Math.floor(most / 2)
  return `${signs.slice(0, half).join('')}⟨${formatCount(signs.length - 2 * half)} characters⟩${signs.slice(-half).join('')}`
}

/** The words between commas. */
export const splitWords = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  ),
]
