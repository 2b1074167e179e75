import { lexer, type Token } from 'marked'
import { type Io, toSafe } from '../../frame/io.ts'
import { toLines } from '../width.ts'
import { renderBlock, renderBlocks } from './blocks.ts'
import { type Begun, cutGrowing, renderNext } from './growing.ts'

/** A text this long is read again once it has grown by a tenth, and not at each frame. */
const LONG = 8_000
/** More of a block that grows is not seen on any screen. */
const MOST_SEEN = 6_000

/** Blocks of a text, whose lines break where it says so; undefined where it cannot be read, as with thousands of nested quotes. */
function read(text: string): Token[] | undefined {
  try {
    return lexer(text, { gfm: true, breaks: true })
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
  /** The block that the rest goes on with. */
  #begun: Begun | undefined
  #nextRead = 0
  readonly #clean: (text: string) => string

  /** @param clean takes secrets out, which may come in pieces */
  constructor(clean: (text: string) => string = String) {
    this.#clean = clean
  }

  add(piece: string): void {
    this.#rest += toSafe(piece)
  }

  /** Lines of what has become whole: blocks, items of a list, lines of code. @param isEnd nothing follows: all that is left */
  take(columns: number, paint: Io['paint'], isEnd = false): string[] {
    if (!isEnd && (this.#rest.length < this.#nextRead || !this.#rest.includes('\n'))) return []
    this.#rest = this.#clean(this.#rest)
    const width = Math.max(2, columns - 1)
    const tokens = read(this.#rest)
    if (tokens === undefined) return isEnd ? this.#print(toLines(this.#rest.trim(), width)) : []
    const last = isEnd
      ? tokens.length
      : Math.max(
          0,
          tokens.findLastIndex(({ type }) => type !== 'space'),
        )
    const whole = tokens.slice(0, last)
    const lines = whole.flatMap((token) => this.#hand(token, width, paint))
    this.#rest = isEnd ? '' : this.#rest.slice(whole.reduce((sum, { raw }) => sum + raw.length, 0))
    const growing = tokens[last]
    const cut = growing === undefined ? undefined : cutGrowing(growing, this.#begun)
    if (cut !== undefined && growing !== undefined) {
      lines.push(...this.#hand(cut.whole, width, paint))
      this.#rest = cut.rest + this.#rest.slice(growing.raw.length)
      this.#begun = cut.begun
    }
    this.#nextRead = this.#rest.length > LONG ? this.#rest.length * 1.1 : 0
    return lines
  }

  /** The block that grows, as it is now: at most its last `room` lines. */
  look(columns: number, room: number, paint: Io['paint']): string[] {
    if (this.#rest.trim() === '' || room <= 0) return []
    const isLong = this.#rest.length > MOST_SEEN
    const seen = isLong ? this.#rest.slice(this.#rest.indexOf('\n', this.#rest.length - MOST_SEEN) + 1) : this.#rest
    const width = Math.max(2, columns - 1)
    const [first] = this.#begun === undefined || isLong ? [] : (read(this.#clean(seen)) ?? [])
    if (first !== undefined && this.#begun?.type === first.type)
      return renderNext(first, this.#begun, width, paint).slice(-room)
    const gap = this.#isFirst || isLong ? [] : ['']
    return [...gap, ...renderMarkdown(this.#clean(seen), width, paint)].slice(-room)
  }

  #hand(token: Token, width: number, paint: Io['paint']): string[] {
    const begun = this.#begun
    this.#begun = undefined
    if (begun?.type === token.type) return renderNext(token, begun, width, paint)
    return this.#print(renderBlock(token, width, paint))
  }

  /** A block of its own, with an empty line before it. */
  #print(lines: readonly string[]): string[] {
    if (lines.length === 0) return []
    const gap = this.#isFirst ? [] : ['']
    this.#isFirst = false
    return [...gap, ...lines]
  }
}
