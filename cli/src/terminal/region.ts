import { widthOf } from '../render/width.ts'

/** Where the cursor stands: a line of the region, and a column from 0. */
export interface CursorAt {
  line: number
  column: number
}

/** Lines at the bottom of the terminal that are redrawn in place; what is printed meanwhile goes above them and stays. */
export interface Region {
  /** Shows these lines, each narrower than the terminal, and no more than it has rows. Without a cursor it is hidden. */
  draw(lines: readonly string[], cursor?: CursorAt): void
  /** Takes the lines away. */
  close(): void
}

const HIDE = '\u001b[?25l'
const SHOW = '\u001b[?25h'
/** Terminals that know these marks show all that is between them at once. */
const BEGIN = '\u001b[?2026h'
const END = '\u001b[?2026l'
const START: CursorAt = { line: 0, column: 0 }

/** Opens a region below what was printed so far. While it is open it takes care of what others print. */
export function openRegion(io: { readonly columns: number; readonly rows: number }): Region {
  const { stdout, stderr } = process
  const write = stderr.write.bind(stderr)
  let shown: readonly string[] = []
  let at = START
  let columns = io.columns
  /** What is to stand there after something was printed. */
  let wanted: { lines: readonly string[]; cursor: CursorAt | undefined } | undefined
  let isLineOpen = false

  /** Rows from the top of the region to its cursor; a terminal that was made narrower has broken the lines since. */
  const rowsAbove = (): number => {
    const rows = (width: number): number => Math.max(1, Math.ceil(width / io.columns))
    const above = shown.slice(0, at.line).reduce((sum, line) => sum + rows(widthOf(line)), 0)
    return above + Math.floor(at.column / io.columns)
  }
  const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : '')
  const erase = (): string => {
    const text = shown.length === 0 ? '' : `${up(rowsAbove())}\r\u001b[J`
    shown = []
    at = START
    return text
  }
  /** From the first line that changed on. */
  const change = (lines: readonly string[]): string => {
    let first = 0
    while (first < lines.length - 1 && first < shown.length && lines[first] === shown[first]) first++
    const from = Math.min(first, Math.max(0, shown.length - 1))
    const move = from > at.line ? `\u001b[${from - at.line}B` : up(at.line - from)
    const step = first > from ? '\r\n' : '\r'
    const written = lines.slice(first).map((line, index) => {
      const isSame = index + first < shown.length && line === shown[index + first] && index + first < lines.length - 1
      return isSame ? '' : `${line}\u001b[K`
    })
    return `${move}${step}${written.join('\r\n')}\u001b[J`
  }
  const place = (lines: readonly string[], cursor: CursorAt): string =>
    `${up(lines.length - 1 - cursor.line)}\r${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}`
  const draw = (all: readonly string[], cursor: CursorAt | undefined): void => {
    const cut = Math.max(0, all.length - io.rows)
    const lines = cut === 0 ? all : all.slice(cut)
    const goal = cursor ?? { line: cut + Math.max(0, lines.length - 1), column: 0 }
    const next = { line: Math.max(0, goal.line - cut), column: goal.column }
    const isSame =
      io.columns === columns && lines.length === shown.length && lines.every((line, i) => line === shown[i])
    if (isSame && next.line === at.line && next.column === at.column) return
    const head = isLineOpen ? '\r\n' : ''
    isLineOpen = false
    const text =
      lines.length === 0
        ? erase()
        : io.columns === columns && shown.length > 0
          ? change(lines)
          : `${erase()}${lines.map((line) => `${line}\u001b[K`).join('\r\n')}`
    columns = io.columns
    const moved = lines.length === 0 ? '' : place(lines, next)
    write(`${BEGIN}${HIDE}${head}${text}${moved}${cursor === undefined ? '' : SHOW}${END}`)
    shown = lines
    at = lines.length === 0 ? START : next
    kept = { lines: all, cursor }
  }
  let kept: typeof wanted
  /** Prints what others write above the region. */
  const streams = [stderr, ...(stdout.isTTY === true ? [stdout] : [])].map((stream) => {
    const own = stream.write
    const print = (...args: Parameters<typeof own>): boolean => {
      if (shown.length > 0) {
        wanted ??= kept
        write(BEGIN + erase())
        queueMicrotask(redraw)
      }
      const [text] = args
      isLineOpen = typeof text === 'string' && text !== '' && !text.endsWith('\n')
      return own.apply(stream, args)
    }
    stream.write = print as typeof own
    return () => {
      stream.write = own
    }
  })
  const redraw = (): void => {
    const next = wanted
    wanted = undefined
    if (next !== undefined && !isClosed) draw(next.lines, next.cursor)
  }
  let isClosed = false
  const close = (): void => {
    if (isClosed) return
    isClosed = true
    process.off('exit', close)
    for (const giveBack of streams) giveBack()
    write(`${erase()}${isLineOpen ? '\r\n' : ''}${SHOW}${END}`)
  }
  process.on('exit', close)
  return {
    draw(lines, cursor) {
      wanted = undefined
      if (!isClosed) draw(lines, cursor)
    },
    close,
  }
}
