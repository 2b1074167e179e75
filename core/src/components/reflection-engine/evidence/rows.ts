import { type Call, fieldOf } from '../../../text/calls/call.ts'
import { readNumber, toTokens, toValues } from '../figures/figures.ts'
import type { Material } from '../material.ts'

/** Rows beyond are left out. */
export const MAX_ROWS = 5_000
const MAX_LINES = 20_000
const LONGEST_LINE = 1_000
const LONGEST_COMPARED = 200
/** Labels, alone and by a cell, of which numbers are worked out. */
const MAX_SERIES = 20_000
const SIGNS = [',', ';', '\t', '|'] as const
const PAIR =
  /([\p{L}_$][\p{L}\p{N}_ .$/-]{0,60}?)["'`]?\s{0,4}[:=]\s{0,4}("[^"]{0,200}"|'[^']{0,200}'|[^\s,;{}]{1,200})/gu
const SECTION = /^\s*(?:\[[^\]]*\]|-{3})\s*$/
/** With a unit or sign of currency. */
const IS_NUMBER = /^["'$€£]?([-−]?)(\d[\d.,]*)\s?[%€$£\p{L}"']{0,4}$/u
const IS_HEAD = /^[^:={}()]{1,40}$/

/** The lines of all that was read or run, each with what belongs together. */
export const rowsOf = (material: Pick<Material, 'done' | 'once'>): readonly Row[] =>
  material.once('rows', () =>
    material.done
      .filter(({ acts, runs }) => !acts || runs)
      .flatMap(toRows)
      .slice(0, MAX_ROWS),
  )

export type Row = ReturnType<typeof toRows>[number]

/** The same with what a clause of an answer shares with a row: words, of the head of its table too, and numbers. */
export const comparedRowsOf = (material: Material) =>
  material.once('compared-rows', () =>
    rowsOf(material).map((row) => {
      // No clause of an answer is about a long line, or about one without a number.
      const isCompared = row.text.length < LONGEST_COMPARED && /\d/.test(row.text)
      return {
        ...row,
        words: new Set(isCompared ? toTokens(`${row.head} ${row.text}`) : []),
        values: isCompared ? toValues(row.text) : new Set<number>(),
      }
    }),
  )
export type ComparedRow = ReturnType<typeof comparedRowsOf>[number]

function toRows(call: Call) {
  const text = String(fieldOf(call.value, ['stdout']) ?? call.text)
  let head: readonly string[] = []
  let sign: string | undefined
  const lines = text.split('\n', MAX_LINES).filter((line) => line.trim() !== '' && line.length <= LONGEST_LINE)
  const least = Math.min(...lines.filter((line) => isPairs(line)).map(indentOf))
  let isInSection = false
  return lines.map((line, at) => {
    isInSection ||= SECTION.test(line)
    let cells = toCells(line, sign)
    if (cells.length === 0 || cells.length !== head.length) {
      const next = lines[at + 1] ?? ''
      sign = SIGNS.find((mark) => line.includes(mark) && toCells(line, mark).length === toCells(next, mark).length)
      head = toCells(line, sign)
      if (!head.every((cell) => IS_HEAD.test(cell) && !/^-?\d/.test(cell))) head = []
      cells = []
    }
    const pairs = [...line.matchAll(PAIR)].map(([, label = '', value = '']) => [label, value] as const)
    return {
      call,
      text: line,
      /** The head of its table. */
      head: cells.length > 0 ? head.join(' ') : '',
      /** Its values, each under its label. */
      fields: cells.length > 0 ? cells.map((cell, index) => [head[index] ?? '', cell] as const) : pairs,
      /** It says nothing but these, in no section and on the first level. */
      isTop: cells.length === 0 && !isInSection && isPairs(line) && indentOf(line) === least,
    }
  })
}

/** A line without a number of its own before it. */
const toContent = (line: string): string => line.replace(/^\s*\d+\t/, '')
/** Whether a line has nothing but pairs. */
const isPairs = (line: string): boolean => !/[\p{L}\p{N}#]|\/\//u.test(toContent(line).replace(PAIR, ''))
const indentOf = (line: string): number => toContent(line).search(/\S/)

/** The cells of a row between such signs; none where there is no sign. */
export function toCells(line: string, sign = ''): string[] {
  const row = line.replace(/^\s*\||\|\s*$/g, '')
  return sign === '' ? [] : row.split(sign).map((cell) => cell.trim())
}

/** What anybody can work out of numbers under one label, by each cell beside them too: sum, mean, span and count. */
export function toDerived(rows: readonly Row[]): Set<number> {
  const series = new Map<string, number[]>()
  for (const { fields } of rows)
    for (const [label, written] of fields) {
      const [, minus, digits = ''] = IS_NUMBER.exec(written) ?? []
      const [reading] = readNumber(digits)
      if (reading === undefined) continue
      const value = minus === '' ? reading.value : -reading.value
      for (const key of [label, ...fields.map((cell) => `${label} of ${cell.join('=')}`)]) {
        const known = series.get(key) ?? []
        known.push(value)
        if (known.length > 1 || series.size < MAX_SERIES) series.set(key, known)
      }
    }
  const derived = [...series.values()].flatMap((values) => {
    const total = sumOf(values)
    return [total, total / values.length, Math.max(...values) - Math.min(...values), values.length]
  })
  return new Set(derived.map((value) => Math.abs(Number(value.toPrecision(12)))))
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
