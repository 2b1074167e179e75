import type { Call } from '../../../text/calls/call.ts'
import { readDecimalComma } from '../../../text/numbers.ts'
import type { Material } from '../material.ts'
import { agrees, type Figure } from './figures.ts'

const MAX_LINES = 200
const MAX_ROWS = 20_000
const MAX_TEXT = 200_000
/** `"4,115.55"` is one cell. */
const QUOTED_THOUSANDS = /"-?\d{1,3}(?:,\d{3})+(?:\.\d{1,15})?"/g
const CITE = /([\w@./-]{1,200}):(\d{1,7})(?:-(\d{1,7}))?/g

/**
 * Whether a figure is the sum, mean, median or number of the rows that its line of the answer cites; where that cites none,
 * of a column of a table that a tool showed.
 */
export function isTotalOf(
  figure: Figure,
  { output, calls, done }: Pick<Material, 'output' | 'calls' | 'done'>,
): boolean {
  const said = output.split('\n').filter((line) => line.includes(figure.text))
  let cites = false
  const isCited = said.slice(0, MAX_LINES).some((line) => {
    const rows = citedRows(line, calls)
    cites ||= rows.length > 1
    return rows.length > 1 && columnsOf(rows).some((column) => isTotal(figure, column))
  })
  if (isCited || cites) return isCited
  return done.some(({ text }) => {
    const rows = text.slice(0, MAX_TEXT).split('\n')
    return (
      rows.length > 2 &&
      rows.length < MAX_ROWS &&
      columnsOf(rows).some((column) => column.length > 1 && isTotal(figure, column))
    )
  })
}

function isTotal(figure: Figure, column: readonly number[]): boolean {
  const total = Number(column.reduce((sum, value) => sum + value, 0).toPrecision(12))
  const mean = Number((total / column.length).toPrecision(12))
  const sorted = [...column].sort((a, b) => a - b)
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
  const median = middle.reduce((sum, value) => sum + value, 0) / middle.length
  return [total, mean, median, column.length].some((value) => agrees(figure, value))
}

/** The cited lines as tools showed them: `12<tab>a,b,3`. */
function citedRows(line: string, calls: readonly Call[]): string[] {
  const wanted = new Map<string, Set<number>>()
  for (const [, path = '', from = '', to = from] of line.matchAll(CITE)) {
    const lines = wanted.get(path) ?? new Set<number>()
    for (let at = Number(from); at <= Number(to) && lines.size < MAX_ROWS; at++) lines.add(at)
    wanted.set(path, lines)
  }
  const rows = new Map<string, string>()
  for (const { status, args, printed } of calls) {
    if (status !== 'completed' || typeof args !== 'object' || args === null) continue
    const path = Object.values(args).find((value) => typeof value === 'string' && wanted.has(value))
    const lines = typeof path === 'string' ? wanted.get(path) : undefined
    if (lines === undefined) continue
    for (const numbered of printed.split('\n')) {
      const match = /^\s{0,9}(\d{1,7})\t(.*)$/.exec(numbered)
      if (match && lines.has(Number(match[1]))) rows.set(`${path}:${match[1]}`, match[2] ?? '')
    }
  }
  return [...rows.values()]
}

/**
 * The numbers of each column of delimited rows; a head line, and rows without a number in that place, have none. A row with
 * semicolons and commas between digits is read with decimal commas as well.
 */
function columnsOf(rows: readonly string[]): number[][] {
  const columns = new Map<string, number[]>()
  const add = (key: string, value: number | undefined): void => {
    if (value === undefined) return
    const column = columns.get(key) ?? []
    column.push(value)
    columns.set(key, column)
  }
  for (const row of rows) {
    row
      .replace(QUOTED_THOUSANDS, withoutCommas)
      .split(/[,;\t|]/)
      .forEach((cell, index) => {
        const bare = toBare(cell)
        if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(bare)) add(`${index}`, Number(bare))
      })
    if (!row.includes(';') || !/\d,\d/.test(row)) continue
    row.split(';').forEach((cell, index) => {
      add(`;${index}`, readDecimalComma(toBare(cell)))
    })
  }
  return [...columns.values()]
}

const withoutCommas = (cell: string): string => cell.replaceAll(',', '')

const toBare = (cell: string): string =>
  cell
    .trim()
    .replace(/^["'$€£]+/, '')
    .replace(/\s?(?<!["'€%])["'€%]+$/, '')
