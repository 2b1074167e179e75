import { readDecimalComma } from '@svc/core/text'
import type { Excerpt } from './formats.ts'

/** A row of a table and the lines it stands on. */
export interface Row {
  readonly cells: readonly string[]
  readonly from: number
  readonly to: number
}

export interface Table {
  readonly path: string
  readonly columns: readonly string[]
  /** Lines of the header; for a list of JSON objects, of its first object. */
  readonly header: number
  readonly rows: readonly Row[]
  /** Positions of the columns whose numbers have a decimal comma. */
  readonly decimalCommas: ReadonlySet<number>
  /** Rows of the file that were not read. */
  readonly unread: number
}

/** Reads comma-, semicolon- or tab-separated values with a header (RFC 4180: quotes, quotes doubled, breaks in quotes). */
export function readCsv(excerpt: Excerpt): Table | undefined {
  const head = excerpt.lines[0] ?? ''
  const counts = [',', ';', '\t', '|'].map((mark) => ({ mark, count: head.split(mark).length }))
  const delimiter = counts.reduce((best, other) => (other.count > best.count ? other : best)).mark
  const records: Row[] = []
  let open: { text: string; from: number } | undefined
  excerpt.lines.forEach((line, index) => {
    const number = excerpt.first + index
    const text = open ? `${open.text}\n${line}` : line
    const from = open?.from ?? number
    if ((text.split('"').length - 1) % 2 === 1) {
      open = { text, from }
      return
    }
    open = undefined
    if (text.trim() !== '') records.push({ cells: splitCells(text, delimiter), from, to: number })
  })
  const [header, ...rows] = records
  if (!header || header.cells.length === 0) return undefined
  return {
    path: excerpt.path,
    columns: header.cells.map((cell) => cell.replace(/^\uFEFF/, '').trim()),
    header: header.from,
    rows,
    decimalCommas: findDecimalCommas(rows, header.cells.length, delimiter),
    unread: excerpt.total - (excerpt.first + excerpt.lines.length - 1),
  }
}

function splitCells(text: string, delimiter: string): string[] {
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? ''
    if (quoted) {
      if (char !== '"') cell += char
      else if (text[index + 1] === '"') cell += text[++index] ?? ''
      else quoted = false
    } else if (char === '"') quoted = true
    else if (char === delimiter) {
      cells.push(cell.trim())
      cell = ''
    } else cell += char
  }
  return [...cells, cell.trim()]
}

const withoutSigns = (cell: string): string => cell.replace(/^[$€£]\s?|\s?[%€]$/g, '')
/** A comma that parts no thousands. */
const CERTAIN = /,(?:\d{1,2}|\d{4,})$|\.\d{3},|^-?0,/

/**
 * Columns in which each number can be one with a decimal comma, and one must be: what could be thousands as well (`1,234`,
 * `1.234`) is read like the rest of the table, and a comma in a table with semicolons as a decimal one.
 */
function findDecimalCommas(rows: readonly Row[], columns: number, delimiter: string): Set<number> {
  const found = new Set<number>()
  const open: number[] = []
  for (let column = 0; column < columns; column++) {
    const cells = rows.map((row) => withoutSigns(row.cells[column] ?? '')).filter((cell) => /\d/.test(cell))
    if (cells.some((cell) => readDecimalComma(cell) === undefined)) continue
    if (cells.some((cell) => CERTAIN.test(cell) || (delimiter === ';' && cell.includes(',')))) found.add(column)
    else open.push(column)
  }
  if (found.size > 0) for (const column of open) found.add(column)
  return found
}

/** The number in a cell of a table. */
export const numberAt = ({ decimalCommas }: Table, { cells }: Row, column: number): number | undefined =>
  toNumber(cells[column] ?? '', decimalCommas.has(column))

/** A cell as a number, without thousands separators, currency signs and percent signs; undefined for other cells. */
export function toNumber(cell: string, hasDecimalComma = false): number | undefined {
  const bare = withoutSigns(cell)
  const read = hasDecimalComma ? readDecimalComma(bare) : undefined
  if (read !== undefined) return read
  const plain = bare.replace(/(\d),(?=\d{3}(?:\D|$))/g, '$1')
  return /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(plain) ? Number(plain) : undefined
}
