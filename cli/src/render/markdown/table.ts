import type { Tokens } from 'marked'
import type { Io } from '../../frame/io.ts'
import { pad, widthOf } from '../width.ts'
import { toSpans } from './inline.ts'
import { type Span, widthOfSpans, wrapSpans } from './spans.ts'

const GAP = ' │ '
/** No column is made narrower than this: with less room each row becomes a block of lines. */
const LEAST = 8

/** A table within so many columns: cells break into lines, and where columns have no room a row is a block of lines. */
export function renderTable({ header, rows, align }: Tokens.Table, width: number, paint: Io['paint']): string[] {
  const head = header.map((cell) => toSpans(cell.tokens, paint, paint.bold))
  const body = rows.map((row) => row.map((cell) => toSpans(cell.tokens, paint)))
  const natural = head.map((cell, column) =>
    Math.max(1, widthOfSpans(cell), ...body.map((row) => widthOfSpans(row[column] ?? []))),
  )
  const widths = shrink(natural, width - (natural.length - 1) * GAP.length)
  if (widths === undefined) return body.flatMap((row, at) => toBlock(head, row, width, paint, at > 0))
  const gap = paint.dim(GAP)
  const lineUp = (cells: readonly Span[][]): string[] => {
    const parts = widths.map((room, column) => wrapSpans(cells[column] ?? [], room))
    const height = Math.max(...parts.map((lines) => lines.length))
    return Array.from({ length: height }, (_, at) =>
      parts
        .map((lines, column) => place(lines[at] ?? '', widths[column] ?? 0, align[column] ?? null))
        .join(gap)
        .trimEnd(),
    )
  }
  const rule = paint.dim(widths.map((room) => '─'.repeat(room)).join('─┼─'))
  return [...lineUp(head), rule, ...body.flatMap(lineUp)]
}

function place(text: string, width: number, align: Tokens.Table['align'][number]): string {
  const free = Math.max(0, width - widthOf(text))
  if (align === 'right') return ' '.repeat(free) + text
  if (align === 'center') return pad(' '.repeat(Math.floor(free / 2)) + text, width)
  return pad(text, width)
}

/** Takes from the widest column until all fit; undefined where they cannot. */
function shrink(natural: readonly number[], room: number): number[] | undefined {
  const widths = [...natural]
  let over = widths.reduce((sum, width) => sum + width, 0) - room
  while (over > 0) {
    const widest = Math.max(...widths)
    if (widest <= LEAST) return undefined
    const next = Math.max(LEAST, ...widths.filter((width) => width < widest))
    const wide = widths.filter((width) => width === widest).length
    const less = Math.max(1, Math.min(widest - next, Math.ceil(over / wide)))
    for (let at = 0; at < widths.length && over > 0; at++) {
      if (widths[at] !== widest) continue
      const taken = Math.min(less, over)
      widths[at] = widest - taken
      over -= taken
    }
  }
  return widths
}

/** A row as lines, each cell behind its title. */
function toBlock(head: readonly Span[][], row: readonly Span[][], width: number, paint: Io['paint'], isLater: boolean) {
  const cells = row.flatMap((cell, column) =>
    wrapSpans([...(head[column] ?? []), { text: ': ', paint: paint.bold }, ...cell], width),
  )
  return isLater ? [paint.dim('─'.repeat(Math.min(width, LEAST))), ...cells] : cells
}
