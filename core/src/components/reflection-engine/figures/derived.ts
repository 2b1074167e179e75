import type { Row } from '../evidence/rows.ts'
import { readNumber } from './figures.ts'

const MAX_SERIES = 20_000

/**
 * What anybody can work out again from what was shown: of numbers under one label the sum, mean, span and count, by each cell
 * beside them too.
 */
export function toDerived(rows: readonly Row[]): Set<number> {
  const series = new Map<string, number[]>()
  for (const { fields } of rows)
    for (const [label, written] of fields) {
      const value = toNumber(written)
      const keys = [label, ...fields.map((cell) => `${label} of ${cell.join('=')}`)]
      for (const key of value === undefined ? [] : keys) {
        const known = series.get(key)
        if (known !== undefined) known.push(value ?? 0)
        else if (series.size < MAX_SERIES) series.set(key, [value ?? 0])
      }
    }
  const derived = [...series.values()].flatMap((values) => {
    const total = sumOf(values)
    return [total, total / values.length, Math.max(...values) - Math.min(...values), values.length]
  })
  return new Set(derived.map((value) => Math.abs(Number(value.toPrecision(12)))))
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** The number that a value is, with a unit or sign of currency. */
function toNumber(written: string): number | undefined {
  const [, minus, digits = ''] = /^["'$€£]?([-−]?)(\d[\d.,]*)\s?[%€$£\p{L}"']{0,4}$/u.exec(written) ?? []
  const [reading] = readNumber(digits)
  return reading && (minus === '' ? reading.value : -reading.value)
}
