import { toShownText } from '@svc/core/client'
import type { Io } from '../frame/io.ts'
import { PROMPT } from '../render/said.ts'
import { fit } from '../render/width.ts'
import type { Frame } from '../terminal/canvas.ts'
import type { CursorAt } from '../terminal/region.ts'
import type { Input } from './editor/input.ts'

type Screen = Pick<Io, 'columns' | 'rows' | 'paint'>

interface Composed {
  lines: string[]
  cursor: CursorAt
}

const MOST_WAITING = 3

/** What goes on, the texts that wait, and at the bottom what a person types or chooses from. */
export function composeScreen(io: Screen, frame: Frame | undefined, texts: readonly string[], own: Composed): Composed {
  const { columns, rows, paint } = io
  const waiting = texts.slice(-MOST_WAITING).map((text) => paint.dim(fit(toShownText(text), columns - 2)))
  const room = Math.max(0, rows - waiting.length - own.lines.length - 1)
  const above = [...(room > 1 ? (frame?.(columns, room) ?? []) : []), ...waiting]
  const { line, column } = own.cursor
  return { lines: [...above, ...own.lines], cursor: { line: line + above.length, column } }
}

/** What a person types, below a line, with what completes it or a hint. */
export function composeInput(io: Screen, input: Input, hint: string): Composed {
  const { columns, rows, paint } = io
  const { rows: typed, at, below } = input.render(io, PROMPT)
  const rule = rows > 8 ? [paint.dim('─'.repeat(Math.max(1, columns - 1)))] : []
  const end = below.length > 0 ? below : [`  ${paint.dim(fit(hint, columns - 4))}`]
  return { lines: [...rule, ...typed, ...end], cursor: { line: at.line + rule.length, column: at.column } }
}
