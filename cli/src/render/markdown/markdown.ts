import { lexer, type Token } from 'marked'
import { type Io, toSafe } from '../../frame/io.ts'
import { toLines } from '../width.ts'
import { renderBlock, renderBlocks } from './blocks.ts'

/** A text this long is read again once it has grown by a tenth, and not at each frame. */
const LONG = 8_000
/** More of a block that grows is not seen on any screen. */
const MOST_SEEN = 6_000

/** Blocks of a text; undefined where it cannot be read, as with thousands of nested quotes. */
function read(text: string): Token[] | undefined {
  try {
    return lexer(text)
  } catch {
    return undefined
  }
}

/** Markdown as lines of at most so many columns. What controls a terminal is left out. */
export function renderMarkdown(text: string, columns: number, paint: Io['paint']): string[] {
  const width = Math.max(2, columns)
  const safe = toSafe(text).replace(/^\n+/, '').trimEnd()
  const tokens = read(safe)
  try {
    if (tokens !== undefined) return renderBlocks(tokens, width, paint)
  } catch {
    // Too deep to be shown as blocks: its words are.
  }
  return toLines(safe, width)
}

/** Markdown that comes in pieces: blocks that are whole are handed out once, the one that grows can be looked at. */
export class MarkdownStream {
  /** What is not handed out yet. */
  #rest = ''
  #isFirst = true
  #nextRead = 0
  readonly #clean: (text: string) => string

  /** @param clean takes secrets out, which may come in pieces */
  constructor(clean: (text: string) => string = String) {
    this.#clean = clean
  }

  add(piece: string): void {
    this.#rest += toSafe(piece)
  }

  /** Lines of the blocks that have become whole. @param isEnd nothing follows: all that is left */
  take(columns: number, paint: Io['paint'], isEnd = false): string[] {
    if (!isEnd && (this.#rest.length < this.#nextRead || !this.#rest.includes('\n'))) return []
    this.#rest = this.#clean(this.#rest)
    const tokens = read(this.#rest)
    if (tokens === undefined) return isEnd ? this.#hand(toLines(this.#rest.trim(), columns - 1), '') : []
    const last = isEnd ? tokens.length : tokens.findLastIndex(({ type }) => type !== 'space')
    const whole = tokens.slice(0, Math.max(0, last))
    const length = whole.reduce((sum, { raw }) => sum + raw.length, 0)
    const rest = isEnd ? '' : this.#rest.slice(length)
    const lines = whole.flatMap((token) => this.#hand(renderBlock(token, Math.max(2, columns - 1), paint), rest))
    this.#rest = rest
    this.#nextRead = rest.length > LONG ? rest.length * 1.1 : 0
    return lines
  }

  /** The block that grows, as it is now: at most its last `room` lines. */
  look(columns: number, room: number, paint: Io['paint']): string[] {
    if (this.#rest.trim() === '' || room <= 0) return []
    const isLong = this.#rest.length > MOST_SEEN
    const seen = isLong ? this.#rest.slice(this.#rest.indexOf('\n', this.#rest.length - MOST_SEEN) + 1) : this.#rest
    const isCode = isLong && /^ {0,3}(?:```|~~~)/.test(this.#rest)
    const lines = isCode
      ? toLines(this.#clean(seen), Math.max(2, columns - 3)).map((line) => `  ${line}`)
      : renderMarkdown(this.#clean(seen), columns - 1, paint)
    const gap = this.#isFirst || isLong ? [] : ['']
    return [...gap, ...lines].slice(-room)
  }

  #hand(lines: readonly string[], rest: string): string[] {
    if (lines.length === 0) return []
    const gap = this.#isFirst ? [] : ['']
    this.#isFirst = false
    this.#rest = rest
    return [...gap, ...lines]
  }
}
