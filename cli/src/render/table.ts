import { toVisible } from '@svc/core/client'
import { fit, pad, toLines, widthOf } from './width.ts'

const GAP = 2
/** No column is made narrower than this; the last one is worth more. */
const LEAST = 8
const LEAST_OF_LAST = 16

/**
 * A plain table: columns as wide as they need, nothing at the ends of lines, each row on a line.
 *
 * Where that is wider than `columns`, the last column breaks into lines, or is cut with `cuts`; where that is not enough,
 * others are cut, the widest first, and the first, which names the row, never.
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
  { cuts = false }: { cuts?: boolean } = {},
): string {
  const last = head.length - 1
  const flat = rows.map((row) =>
    row.map((cell) => toVisible(cell.replaceAll('\r\n', '\n')).replace(/\s+/gu, ' ').trim()),
  )
  const widths = shrink(
    head.map((title, column) => Math.max(widthOf(title), ...flat.map((row) => widthOf(row[column] ?? '')))),
    columns,
  )
  const lines = (cells: readonly string[], isCut: boolean): string[] => {
    const width = widths[last] ?? 0
    const [first = '', ...more] = isCut ? [fit(cells[last] ?? '', width)] : toLines(cells[last] ?? '', width)
    const before = cells.slice(0, -1).map((cell, column) => pad(fit(cell, widths[column] ?? 0), widths[column] ?? 0))
    const gap = ' '.repeat(GAP)
    const indent = ' '.repeat(before.reduce((sum, cell) => sum + widthOf(cell) + GAP, 0))
    return [[...before, first].join(gap).trimEnd(), ...more.map((line) => indent + line)]
  }
  return [...lines(head, true), ...flat.flatMap((row) => lines(row, cuts))].join('\n')
}

function shrink(widths: readonly number[], columns: number): number[] {
  const result = [...widths]
  const last = result.length - 1
  let over = result.reduce((sum, width) => sum + width + GAP, -GAP) - columns
  const inner = [...widths.keys()].slice(1, -1).sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))
  for (const column of [last, ...inner, last]) {
    const width = result[column] ?? 0
    const least = column !== last || result.slice(1, -1).every((other) => other <= LEAST) ? LEAST : LEAST_OF_LAST
    const less = Math.min(Math.max(0, over), Math.max(0, width - least))
    result[column] = width - less
    over -= less
  }
  return result
}
