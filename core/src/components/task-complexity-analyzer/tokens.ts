/** A task cut into sentences of tokens: what the features are read from. One pass, linear in the text. */

/** What a token is: a word, a number, something quoted, something in brackets, or a mark of punctuation. */
export type TokenKind = 'word' | 'number' | 'quote' | 'group' | 'mark'

export interface Token {
  readonly kind: TokenKind
  /** Lower case for words; the mark itself for punctuation. */
  readonly text: string
  /** A word that begins with a capital letter. */
  readonly capital: boolean
}

export interface Sentence {
  readonly tokens: readonly Token[]
  /** Whether it ends in a question mark. */
  readonly question: boolean
  /** Whether it stands behind a bullet or a number, as an item of a list. */
  readonly item: boolean
}

/** What stands between brackets or quotation marks is one token up to this many characters. */
const LONGEST_GROUP = 120

const TOKEN =
  /\p{L}[\p{L}\p{M}\p{N}_]*(?:['’]\p{L}+)?|\p{N}+(?:[.,:/-]\p{N}+)*(?:\p{L}+|%)?|\n[ \t]*(?:[-*•–+]|\p{N}{1,3}[.)]|\(?\p{L}\))?|[^\s\p{L}\p{N}]/gu
const LETTER = /^\p{L}/u
const NUMBER = /^\p{N}/u
const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u
const CLOSING: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{': '}',
  '"': '"',
  '“': '”',
  '«': '»',
  '`': '`',
  "'": "'",
  '‘': '’',
}
const SENTENCE_END = new Set(['.', '!', '?', ';', '。', '！', '？', '；'])
const ABBREVIATIONS = new Set(
  'inc corp ltd llc co mr mrs ms dr prof st vs no fig approx dept jan feb mar apr jun jul aug sep sept oct nov dec e i'.split(
    ' ',
  ),
)

/** The sentences of a task. Fenced code is left out: it is material, not wording. */
export function toSentences(text: string): Sentence[] {
  return toSentencesOf(toTokens(`\n${withoutOuterQuotes(withoutFences(text))}`))
}

function withoutFences(text: string): string {
  if (!text.includes('```')) return text
  const parts = text.split('```')
  return parts.filter((_, index) => index % 2 === 0).join('\n')
}

function withoutOuterQuotes(text: string): string {
  const trimmed = text.trim()
  const first = trimmed[0]
  return first === '"' && trimmed.length > 1 && trimmed.endsWith('"') ? trimmed.slice(1, -1) : trimmed
}

function toTokens(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN)
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [raw] = match
    if (LETTER.test(raw)) {
      const lower = raw.toLowerCase()
      tokens.push({ kind: 'word', text: lower.replace('’', "'"), capital: raw[0] !== lower[0] })
    } else if (NUMBER.test(raw)) tokens.push({ kind: 'number', text: raw, capital: false })
    else if (raw.startsWith('\n'))
      tokens.push({ kind: 'mark', text: raw.length > 1 ? toBreak(raw) : '\n', capital: false })
    else {
      const end = closingAt(text, match.index, raw)
      if (end > 0) {
        tokens.push({ kind: '([{'.includes(raw) ? 'group' : 'quote', text: raw, capital: false })
        pattern.lastIndex = end + 1
      } else tokens.push({ kind: 'mark', text: raw, capital: false })
    }
  }
  return tokens
}

/** A line break with a bullet or a number behind it opens an item of a list. */
const ITEM = '\n-'
const toBreak = (raw: string): string => (raw.trim() === '' ? '\n' : ITEM)

/** Where the group that opens here ends, or -1. Looks no further than the longest group. */
function closingAt(text: string, from: number, open: string): number {
  const close = CLOSING[open]
  if (close === undefined) return -1
  const before = text[from - 1]
  if (open === "'" && before !== undefined && LETTER_OR_NUMBER.test(before)) return -1
  const limit = Math.min(text.length, from + 1 + LONGEST_GROUP)
  for (let at = from + 1; at < limit; at++) {
    if (text[at] === '\n' && open === "'") return -1
    if (text[at] !== close) continue
    const after = text[at + 1]
    if (open === "'" && after !== undefined && LETTER_OR_NUMBER.test(after)) continue
    return at
  }
  return -1
}

function toSentencesOf(tokens: readonly Token[]): Sentence[] {
  const sentences: Sentence[] = []
  let from = 0
  let item = false
  const close = (to: number, question: boolean): void => {
    if (to > from) sentences.push({ tokens: tokens.slice(from, to), question, item })
  }
  tokens.forEach((token, index) => {
    if (token.kind !== 'mark') return
    const isBreak = token.text === '\n' || token.text === ITEM
    if (!isBreak && !(SENTENCE_END.has(token.text) && !isInside(tokens, index))) return
    close(index, token.text === '?' || token.text === '？')
    from = index + 1
    item = token.text === ITEM ? true : isBreak ? false : item
  })
  close(tokens.length, false)
  return sentences
}

/** Whether a full stop belongs to an abbreviation or an initial, or stands before a word that goes on in lower case. */
function isInside(tokens: readonly Token[], index: number): boolean {
  if (tokens[index]?.text !== '.') return false
  const before = tokens[index - 1]
  const after = tokens[index + 1]
  if (after === undefined || after.kind === 'mark') return after !== undefined && ',.'.includes(after.text)
  if (after.kind === 'word' && !after.capital && /^[a-z]/.test(after.text)) return true
  return before?.kind === 'word' && (ABBREVIATIONS.has(before.text) || (before.capital && before.text.length === 1))
}
