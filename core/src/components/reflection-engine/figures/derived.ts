import type { Row } from '../evidence/rows.ts'
import { readNumber } from './figures.ts'

/** Of a series that a person sees at a glance any two are compared. */
const LONGEST_GLANCE = 6
const MAX_SERIES = 20_000

/**
 * What anybody can work out again from what was shown: of numbers under one label the sum, mean, span and count, by each cell
 * beside them too.
 */
export function toDerived(rows: readonly Row[]): Set<number> {
  const derived = new Set<number>()
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
