import type { Row } from '../evidence/rows.ts'
import { toTimes } from './dates.ts'
import { readNumber } from './figures.ts'

/** Of a series that a person sees at a glance any two are compared. */
const LONGEST_GLANCE = 6
const MAX_SERIES = 20_000
const MOST_TIMES = 16

/**
 * What anybody can work out again from what was shown: of numbers under one label the sum, mean, span and count, by each cell
 * beside them too; the time between two times of day.
 */
export function toDerived(rows: readonly Row[]): Set<number> {
  const derived = new Set(toSpans(rows))
  for (const series of toSeries(rows)) {
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

/** The numbers of each label, in all and in each call, and beside each cell; a one for each row and cell. */
function toSeries(rows: readonly Row[]): Iterable<number[]> {
  const series = new Map<string, number[]>()
  const put = (key: string, value: number): void => {
    const known = series.get(key)
    if (known !== undefined) known.push(value)
    else if (series.size < MAX_SERIES) series.set(key, [value])
  }
  for (const { call, fields } of rows) {
    const cells = fields.map((field) => field.join('='))
    for (const cell of [`${call.index}`, ...cells]) put(cell, 1)
    for (const [label, written] of fields) {
      const value = toNumber(written)
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

/** Seconds, minutes and hours between the first times of day that were shown. */
function toSpans(rows: readonly Row[]): number[] {
  const times = [...new Set(rows.flatMap(({ text }) => toTimes(text)))].slice(0, MOST_TIMES)
  const spans = times.flatMap((from) => times.filter((to) => to > from).map((to) => to - from))
  return spans.flatMap((span) => [span, span / 60, span / 3600])
}
