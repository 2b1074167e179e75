import type { Call } from '../../../text/calls/call.ts'
import type { Record } from '../evidence/records.ts'
import { toTimes } from './dates.ts'
import { readNumber } from './figures.ts'

/** Of a series that a person sees at a glance any two are compared. */
const LONGEST_GLANCE = 6
const MAX_RECORDS = 5_000
const MAX_SERIES = 20_000
const MOST_TIMES = 16
const MORE = /(\d[\d,]{0,12})\+? (?:more|further|other)\b/

/**
 * What anybody can work out again from what was shown: of numbers under one label the sum, mean and span, by each cell
 * beside them too; how many entries, equal cells, lines and names there are; the time between two times of day.
 */
export function toDerived(calls: readonly Call[], records: readonly Record[]): Set<number> {
  const derived = new Set<number>()
  for (const series of toSeries(records.slice(0, MAX_RECORDS))) {
    const total = sumOf(series)
    const span = Math.max(...series) - Math.min(...series)
    const pairs =
      series.length > LONGEST_GLANCE ? [] : series.flatMap((a) => series.flatMap((b) => [a - b, (a + b) / 2]))
    for (const value of [total, total / series.length, span, series.length, ...pairs])
      derived.add(Math.abs(Number(value.toPrecision(12))))
  }
  for (const count of [...calls.flatMap(toCounts), ...toSpans(calls)]) derived.add(count)
  return derived
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** The numbers of each label, in all and in each call, and of each label beside each cell; of each record; a one for each cell. */
function toSeries(records: readonly Record[]): Iterable<number[]> {
  const series = new Map<string, number[]>()
  const put = (key: string, value: number): void => {
    const known = series.get(key)
    if (known !== undefined) known.push(value)
    else if (series.size < MAX_SERIES) series.set(key, [value])
  }
  for (const [at, { call, fields }] of records.entries()) {
    put(`${call.index}`, 1)
    const cells = fields.map(({ label, value }) => `${label.join(' ')}=${value.join(' ')}`)
    for (const cell of cells) put(cell, 1)
    for (const { label, raw } of fields) {
      const value = toNumber(raw)
      if (value === undefined) continue
      const name = label.join(' ')
      for (const key of [name, `${call.index} ${name}`, `record ${at}`, ...cells.map((cell) => `${name} of ${cell}`)])
        put(key, value)
    }
  }
  return series.values()
}

/** The number that a value is, with a unit or sign of currency. */
function toNumber(raw: string): number | undefined {
  const found = /^[$€£]?([-−]?)(\d[\d.,]*)\s?[%€$£\p{L}]{0,4}$/u.exec(raw)
  const [{ value } = { value: undefined }] = readNumber(found?.[2] ?? '')
  return value === undefined ? undefined : found?.[1] === '' ? value : -value
}

/** Lines and different names that a call showed, with what it says that there is more of. */
function toCounts({ text, lastLine }: Call): number[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const left = Number((MORE.exec(text.slice(-200))?.[1] ?? '0').replaceAll(',', ''))
  const names = new Set(lines.map((line) => /^[^\s:]{1,200}/.exec(line)?.[0] ?? ''))
  return [lines.length + left, lines.length - 1 + left, lastLine + left, names.size]
}

/** Seconds, minutes and hours between the first times of day that were shown. */
function toSpans(calls: readonly Call[]): number[] {
  const times = [...new Set(calls.flatMap(({ text }) => toTimes(text.slice(0, 4_000))))].slice(0, MOST_TIMES)
  const spans = times.flatMap((from) => times.filter((to) => to > from).map((to) => to - from))
  return spans.flatMap((span) => [span, span / 60, span / 3600])
}
