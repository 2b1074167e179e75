import type { Call } from '../../../text/calls/call.ts'
import type { Record } from '../evidence/records.ts'
import { toTimes } from './dates.ts'
import { readNumber } from './figures.ts'

/** Of a series that a person sees at a glance any two are compared. */
const LONGEST_GLANCE = 6
const MAX_SERIES = 20_000
const MOST_TIMES = 16
const MORE = /(\d[\d,]{0,12})\+? (?:more|further|other)\b/

/**
 * What anybody can work out again from what was shown: of numbers under one label the sum, mean and span, by each cell
 * beside them too; how many entries, equal cells and lines there are; the time between two times of day.
 */
export function toDerived(calls: readonly Call[], records: readonly Record[]): Set<number> {
  const derived = new Set([...calls.flatMap(toCounts), ...toSpans(calls)])
  for (const series of toSeries(records)) {
    const total = sumOf(series)
    const span = Math.max(...series) - Math.min(...series)
    const pairs =
      series.length > LONGEST_GLANCE ? [] : series.flatMap((a) => series.flatMap((b) => [a - b, (a + b) / 2]))
    for (const value of [total, total / series.length, span, series.length, ...pairs])
      derived.add(Math.abs(Number(value.toPrecision(12))))
  }
  return derived
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** The numbers of each label, in all and in each call, and of each label beside each cell; a one for each record and cell. */
function toSeries(records: readonly Record[]): Iterable<number[]> {
  const series = new Map<string, number[]>()
  const put = (key: string, value: number): void => {
    const known = series.get(key)
    if (known !== undefined) known.push(value)
    else if (series.size < MAX_SERIES) series.set(key, [value])
  }
  for (const { call, fields } of records) {
    const cells = fields.map(({ label, value }) => `${label}=${value}`)
    for (const cell of [`${call.index}`, ...cells]) put(cell, 1)
    for (const { label, value: raw } of fields) {
      const value = toNumber(raw)
      const keys = [label, `${call.index} ${label}`, ...cells.map((cell) => `${label} of ${cell}`)]
      if (value !== undefined) for (const key of keys) put(key, value)
    }
  }
  return series.values()
}

/** The number that a value is, with a unit or sign of currency. */
function toNumber(written: string): number | undefined {
  const [, minus, digits = ''] = /^[$€£]?([-−]?)(\d[\d.,]*)\s?[%€$£\p{L}]{0,4}$/u.exec(written) ?? []
  const [reading] = readNumber(digits)
  return reading && (minus === '' ? reading.value : -reading.value)
}

/** Lines that a call showed, with a head or none, with what it says that there is more of. */
function toCounts({ text, lastLine }: Call): number[] {
  const left = Number((MORE.exec(text.slice(-200))?.[1] ?? '0').replaceAll(',', ''))
  const lines = text.split('\n').filter((line) => line.trim() !== '').length
  return [lines + left, lines - 1 + left, lastLine + left]
}

/** Seconds, minutes and hours between the first times of day that were shown. */
function toSpans(calls: readonly Call[]): number[] {
  const times = [...new Set(calls.flatMap(({ text }) => toTimes(text.slice(0, 4_000))))].slice(0, MOST_TIMES)
  const spans = times.flatMap((from) => times.filter((to) => to > from).map((to) => to - from))
  return spans.flatMap((span) => [span, span / 60, span / 3600])
}
