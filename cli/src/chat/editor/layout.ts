import { toVisible } from '@svc/core/client'
import { signsOf, widthOf } from '../../render/width.ts'
import type { CursorAt } from '../../terminal/region.ts'
import type { Draft } from './text.ts'

/** A draft as rows of at most `width` columns, and where the cursor stands; at most `most` rows, those around it. */
export function layOut(
  { text, cursor }: Pick<Draft, 'text' | 'cursor'>,
  width: number,
  most: number,
): { rows: string[]; at: CursorAt } {
  const rows: string[] = ['']
  let used = 0
  let offset = 0
  let at: CursorAt = { line: 0, column: 0 }
  const open = (): void => {
    rows.push('')
    used = 0
  }
  for (const sign of signsOf(text)) {
    const shown = sign === '\n' ? '' : sign === '\t' ? '    ' : toVisible(sign)
    const taken = widthOf(shown)
    if (used + taken > width && used > 0) open()
    if (offset === cursor) at = { line: rows.length - 1, column: used }
    offset += sign.length
    if (sign === '\n') {
      open()
      continue
    }
    // A sign that is wider than the row, such as a long code, is cut.
    rows[rows.length - 1] += taken > width ? shown.slice(0, width) : shown
    used += Math.min(taken, width)
  }
  if (cursor >= offset) {
    if (used >= width) open()
    at = { line: rows.length - 1, column: used }
  }
  const first = Math.max(0, Math.min(at.line - Math.floor(most / 2), rows.length - most))
  return { rows: rows.slice(first, first + most), at: { line: at.line - first, column: at.column } }
}
