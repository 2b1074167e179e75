import type { Call } from '../../../text/calls/call.ts'
import type { Record } from '../evidence/records.ts'
import { toDates, toDayNumber, toTimes } from './dates.ts'
import { readNumber, toValues } from './figures.ts'

const MAX_SERIES = 5_000
const MAX_GROUPS = 60
const MOST_TIMES = 16
const MORE = /(\d[\d,]{0,12})\+? (?:more|further|other)\b/

interface Numbered {
  value: number
  cells: readonly string[]
}

/**
 * What anybody can work out again from what was shown: of numbers under one label the sum, mean, median and span, by each
 * cell beside them too; how many entries, lines, files and hits there are; the times between two times of day and two days.
 */
export function toDerived(calls: readonly Call[], records: readonly Record[]): Set<number> {
  const derived = new Set<number>()
  const add = (value: number): void => {
    if (Number.isFinite(value)) derived.add(Math.abs(Number(value.toPrecision(12))))
  }
  const byLabel = new Map<string, Numbered[]>()
  const counts = new Map<string, number>()
  const perCall = new Map<Call, number>()
  for (const record of records.slice(0, MAX_SERIES)) {
    perCall.set(record.call, (perCall.get(record.call) ?? 0) + 1)
    const cells = record.fields.map(({ label, value }) => `${label.join(' ')}=${value.join(' ')}`)
    for (const cell of new Set(cells)) counts.set(cell, (counts.get(cell) ?? 0) + 1)
    const numbers: number[] = []
    for (const { label, raw } of record.fields) {
      const value = toNumber(raw)
      if (value === undefined) continue
      numbers.push(value)
      const name = label.join(' ')
      for (const key of [name, `${record.call.index} ${name}`]) {
        const known = byLabel.get(key)
        if (known === undefined) byLabel.set(key, [{ value, cells }])
        else known.push({ value, cells })
      }
    }
    if (numbers.length > 1) add(numbers.reduce((sum, value) => sum + value, 0))
  }
  for (const series of byLabel.values()) addSeries(series, add)
  for (const count of [...counts.values(), ...perCall.values()]) add(count)
  for (const call of calls) addCounts(call, add)
  addSpans(calls, add)
  return derived
}

/** The number that a value is, with a unit or sign of currency. */
function toNumber(raw: string): number | undefined {
  const found = /^[$€£]?([-−]?)(\d[\d.,]*)\s?[%€$£\p{L}]{0,4}$/u.exec(raw)
  const [value] = readNumber(found?.[2] ?? '')
  return value === undefined ? undefined : found?.[1] === '' ? value : -value
}

function addSeries(series: readonly Numbered[], add: (value: number) => void): void {
  const groups = new Map<string, number[]>([['', series.map(({ value }) => value)]])
  for (const { value, cells } of series)
    for (const cell of cells) {
      const known = groups.get(cell)
      if (known !== undefined) known.push(value)
      else if (groups.size < MAX_GROUPS) groups.set(cell, [value])
    }
  for (const values of groups.values()) {
    if (values.length < 2) continue
    const sorted = [...values].sort((a, b) => a - b)
    const total = values.reduce((sum, value) => sum + value, 0)
    const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
    add(total)
    add(total / values.length)
    add(middle.reduce((sum, value) => sum + value, 0) / middle.length)
    add((sorted.at(-1) ?? 0) - (sorted[0] ?? 0))
    add(values.length)
  }
}

/** Lines, files, folders, kinds of files and files with hits that a call showed, with what it says that there is more of. */
function addCounts({ text, lastLine, args }: Call, add: (value: number) => void): void {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const left = Number((MORE.exec(text.slice(-200))?.[1] ?? '0').replaceAll(',', ''))
  for (const shown of [lines.length, lines.length - 1, lastLine]) add(shown + left)
  const names = lines.slice(0, MAX_SERIES).map((line) => /^[^\s:]{1,200}/.exec(line)?.[0] ?? '')
  const folders = names.filter((name) => name.endsWith('/')).length
  add(folders)
  add(lines.length - folders)
  add(new Set(names).size)
  const kinds = new Map<string, number>()
  for (const name of names) {
    const kind = /\.\w{1,8}$/.exec(name)?.[0]
    if (kind !== undefined) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  for (const count of kinds.values()) add(count)
  // What an edit took out and what it put in.
  const edits = (args as { edits?: unknown } | null)?.edits
  if (!Array.isArray(edits)) return
  for (const edit of edits.slice(0, MAX_GROUPS) as { find?: unknown; replace?: unknown }[]) {
    const [before] = toValues(String(edit.find))
    const [after] = toValues(String(edit.replace))
    if (before === undefined || after === undefined) continue
    add(after - before)
    add(after / before)
    add((100 * (after - before)) / before)
  }
}

function addSpans(calls: readonly Call[], add: (value: number) => void): void {
  const times = [...new Set(calls.flatMap(({ text }) => toTimes(text.slice(0, 4_000))))].slice(0, MOST_TIMES)
  const days = [...new Set(calls.flatMap(({ text }) => toDates(text.slice(0, 4_000)).map(toDayNumber)))].slice(
    0,
    MOST_TIMES,
  )
  for (const a of times)
    for (const b of times) {
      const span = a < b ? b - a : b - a + 86_400
      for (const unit of [1, 60, 3600]) if (a !== b) add(span / unit)
    }
  for (const a of days)
    for (const b of days)
      if (a !== undefined && b !== undefined && a < b)
        for (const unit of [1, 7]) for (const extra of [0, 1]) add((b - a + extra) / unit)
}
