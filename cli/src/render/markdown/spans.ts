import { signsOf, widthOf } from '../width.ts'

/** A piece of a line, and how it is painted. */
export interface Span {
  text: string
  paint(text: string): string
}

interface Cell {
  sign: string
  span: Span
}

/** Spans as lines of at most `width` columns, at least two; they break between words where there is a space. */
export function wrapSpans(spans: readonly Span[], width: number): string[] {
  const lines: string[] = []
  let line: Cell[] = []
  let used = 0
  /** Where the last space of the line stands. */
  let space = -1
  const flush = (): void => {
    while (line.at(-1)?.sign === ' ') line.pop()
    lines.push(paintCells(line))
    line = []
    used = 0
    space = -1
  }
  for (const span of spans) {
    for (const sign of signsOf(span.text)) {
      if (sign === '\n') {
        flush()
        continue
      }
      const taken = widthOf(sign)
      if (used + taken > width && line.length > 0) {
        const rest = sign === ' ' || space < 0 ? [] : line.slice(space + 1)
        if (sign !== ' ' && space >= 0) line.length = space
        flush()
        line = rest
        used = rest.reduce((sum, cell) => sum + widthOf(cell.sign), 0)
        if (sign === ' ') continue
      }
      if (sign === ' ') space = line.length
      line.push({ sign, span })
      used += taken
    }
  }
  if (line.length > 0 || lines.length === 0) flush()
  return lines
}

/** How many columns spans take on one line. */
export const widthOfSpans = (spans: readonly Span[]): number => widthOf(spans.map(({ text }) => text).join(''))

function paintCells(cells: readonly Cell[]): string {
  let line = ''
  for (let at = 0; at < cells.length; ) {
    const { span } = cells[at] as Cell
    let text = ''
    for (; at < cells.length && cells[at]?.span === span; at++) text += cells[at]?.sign
    line += span.paint(text)
  }
  return line
}
