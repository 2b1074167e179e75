import { toVisible } from '@svc/core/client'
import { fit, pad, toLines, widthOf } from './width.ts'

const GAP = 2
/** No column of free text is made narrower than this; the last one is worth more. */
const LEAST = 8
const LEAST_OF_LAST = 16

/**
 * A plain table: columns as wide as they need, nothing at the ends of lines, each row on a line.
 *
 * Where that is wider than `columns`, free text gives way: the last column breaks into lines, or is cut with `cuts`, and then
 * the columns of `free` are cut, the widest first. Names and numbers are never cut: where there is no room for them side by
 * side, each row becomes a block of lines.
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
  { cuts = false, free = [] }: { cuts?: boolean; free?: readonly string[] } = {},
): string {
  const last = head.length - 1
  const flat = rows.map((row) =>
    row.map((cell) => toVisible(cell.replaceAll('\r\n', '\n')).replace(/\s+/gu, ' ').trim()),
  )
  const widths = shrink(
    head.map((title, column) => Math.max(widthOf(title), ...flat.map((row) => widthOf(row[column] ?? '')))),
    columns,
    free.map((title) => head.indexOf(title)).filter((column) => column >= 0),
  )
  if (widths === undefined) return flat.flatMap((row) => toBlock(head, row, columns, cuts)).join('\n')
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

/** The widths that columns get; undefined where what may not be cut has no room. */
function shrink(widths: readonly number[], columns: number, free: readonly number[]): number[] | undefined {
  const result = [...widths]
  const last = result.length - 1
  let over = result.reduce((sum, width) => sum + width + GAP, -GAP) - columns
  const inner = [...free].sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))
  for (const column of [last, ...inner]) {
    const width = result[column] ?? 0
    const less = Math.min(Math.max(0, over), Math.max(0, width - (column === last ? LEAST_OF_LAST : LEAST)))
    result[column] = width - less
    over -= less
  }
  return over > 0 ? undefined : result
}

/** A row on lines of its own: its name, then as many of the others side by side as fit, each after its title. */
function toBlock(head: readonly string[], row: readonly string[], columns: number, cuts: boolean): string[] {
  const named = head[0] === '' ? 2 : 1
  const name = row.slice(0, named).join(' ').trim()
  const others = row.map((cell, column) => (cell === '' ? '' : `${head[column]} ${cell}`)).slice(named)
  const last = others.pop() ?? ''
  const width = Math.max(2, columns - GAP)
  const lines: string[] = []
  for (const cell of others.filter((text) => text !== '')) {
    const line = lines.at(-1)
    if (line !== undefined && widthOf(line) + GAP + widthOf(cell) <= width) lines[lines.length - 1] = `${line}  ${cell}`
    else lines.push(...toLines(cell, width))
  }
  if (last !== '') lines.push(...(cuts ? [fit(last, width)] : toLines(last, width)))
  return [...(name === '' ? [] : toLines(name, Math.max(2, columns))), ...lines.map((line) => `  ${line}`)]
}
