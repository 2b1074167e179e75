import { Lexer, type MarkedToken, Tokenizer, type Tokens } from 'marked'
import { settle } from './settle.ts'

/** A part of a text that stands for itself: a paragraph, a list, a table. */
export interface Block {
  token: MarkedToken
  /** Of a heading: how deep it lies below the headings before it, from 0 on. */
  depth?: number
}

/** Work that a stretch of text may make: letters times signs that could begin or end something. */
const MOST_WORK = 4_000_000
/** All of a text, a few tenths of a second: what comes after it is shown as it is written. */
const MOST_WORK_IN_ALL = 20_000_000
/** Quotes and lists inside each other on one line. */
const MOST_NESTED = 30

/** In longer words nothing is looked for: the time that it takes grows with their square. */
const LONG_WORD = 2_000

/** How blocks are distinguished. */
class BlockTokenizer extends Tokenizer {
  /** HTML is text as any other: neither a block of its own, in which nothing would be read, nor markup. */
  override html(): undefined {
    return undefined
  }

  /** Only what has a second line as tables have it is looked through to its end. */
  override table(src: string): Tokens.Table | undefined {
    const [, second = ''] = src.split('\n', 2)
    return /[|:]/.test(second) ? super.table(src) : undefined
  }
}

/** A text that may grow at its end. Of what was read before, only the last block is read again. */
export class MarkdownText {
  #closed: Block[] = []
  #closedText = ''
  /** Where links lead that are named in one place and told in another, as far as that place is closed. */
  #links: Lexer['tokens']['links'] = Object.create(null)
  #hasLinks = false
  #blocks: readonly Block[] = []
  #read = ''
  #wasGrowing = false
  #outline: number[] = []

  /** @returns the blocks of the text; those that did not change are the same objects as before */
  read(text: string, isGrowing: boolean): readonly Block[] {
    const whole = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
    if (whole === this.#read && isGrowing === this.#wasGrowing) return this.#blocks
    if (!whole.startsWith(this.#closedText)) this.#forget()
    this.#read = whole
    this.#wasGrowing = isGrowing
    this.#blocks = this.#readOn(whole, isGrowing)
    if (isGrowing || this.#closed.length === 0 || !this.#hasLinks) return this.#blocks
    // A link may be named above the place that says where it leads.
    this.#forget()
    this.#blocks = this.#readOn(whole, false)
    return this.#blocks
  }

  #readOn(whole: string, isGrowing: boolean): readonly Block[] {
    const rest = copyOf(whole.slice(this.#closedText.length))
    const tokens = this.#tokensOf(isGrowing ? settle(rest) : rest)
    const closing = isGrowing ? closed(tokens, rest) : []
    this.#closed.push(...this.#toBlocks(closing, this.#outline))
    this.#closedText += closing.map(({ raw }) => raw).join('')
    for (const token of closing) if (token.type === 'def') this.#links[token.tag] ??= token
    tokens.splice(0, closing.length)
    return [...this.#closed, ...this.#toBlocks(tokens, [...this.#outline])]
  }

  #forget(): void {
    this.#closed = []
    this.#closedText = ''
    this.#outline = []
    this.#links = Object.create(null)
    this.#hasLinks = false
  }

  #tokensOf(text: string): MarkedToken[] {
    if (isTooDeep(text)) return [plain(text)]
    try {
      const lexer = new Lexer({ gfm: true, breaks: true, tokenizer: new BlockTokenizer() })
      lexer.tokens.links = Object.assign(Object.create(null), this.#links)
      lexer.blockTokens(text, lexer.tokens)
      this.#hasLinks ||= Object.keys(lexer.tokens.links).length > 0
      let work = 0
      for (const { src, tokens } of lexer.inlineQueue) {
        const more = src.length * (src.match(/[*_~`[\]!<]/g)?.length ?? 0)
        const isTooMuch = more > MOST_WORK || work + more > MOST_WORK_IN_ALL || hasLongWord(src)
        if (isTooMuch) tokens.push({ type: 'escape', raw: src, text: src })
        else {
          lexer.inlineTokens(src, tokens)
          work += more
        }
      }
      return lexer.tokens as MarkedToken[]
    } catch {
      // Too deep all the same.
      return [plain(text)]
    }
  }

  /** @param outline depths of the headings that the next one stands below */
  #toBlocks(tokens: readonly MarkedToken[], outline: number[]): Block[] {
    return tokens
      .filter(({ type }) => type !== 'space' && type !== 'def')
      .map((token) => {
        if (token.type !== 'heading') return { token }
        while ((outline.at(-1) ?? 0) >= token.depth) outline.pop()
        return { token, depth: outline.push(token.depth) - 1 }
      })
  }
}

/**
 * Those before the last block that begins with a whole line: what comes does not change them. They end with a line of the text
 * themselves.
 */
function closed(tokens: readonly MarkedToken[], text: string): MarkedToken[] {
  const lastLine = text.lastIndexOf('\n') + 1
  let length = 0
  let count = 0
  let closing = 0
  for (const [index, { raw, type }] of tokens.entries()) {
    // The reader of lists may leave out blanks.
    if (length >= lastLine || !text.startsWith(raw, length)) break
    if (type !== 'space') closing = count
    length += raw.length
    if (raw.endsWith('\n') || text[length] === '\n') count = index + 1
  }
  return tokens.slice(0, closing)
}

/** The same signs in memory of their own: a part of a text, in V8, keeps all of the text it was cut from. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text))

const plain = (text: string): Tokens.Text => ({ type: 'text', raw: text, text })

const hasLongWord = (text: string): boolean =>
  text.length > LONG_WORD && text.split(/\s/).some(({ length }) => length > LONG_WORD)

/** Whether a line stands in more quotes and lists inside each other than anyone would write. */
const isTooDeep = (text: string): boolean =>
  /^[ \t]{80,}(?:[-*+>]|\d{1,9}[.)])/m.test(text) ||
  (text
    .match(/^[ \t>*+\-\d.)]{60,}/gm)
    ?.some((line) => (line.match(/>|[-*+.)](?=[ \t])/g)?.length ?? 0) > MOST_NESTED) ??
    false)
