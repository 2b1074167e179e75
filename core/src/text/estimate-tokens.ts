/**
 * How many tokens a text takes, without a tokenizer.
 *
 * Tokenizers first cut a text into runs of letters, digits, marks and spaces, and then split each run the more, the
 * longer or rarer it is. This cuts the same way in one loop over the characters and prices each kind of run; the prices
 * were fitted to the tokenizers o200k_base and cl100k_base on chat, code, Markdown, JSON, agent traces and other
 * scripts. Where the two differ widely (Chinese, Japanese, Korean, and further from Latin) the newer one counts more.
 */

/** Kinds of characters; a run goes on over characters of one kind, letters of any case and accent together. */
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const SPACE = 4
const BREAK = 5
const MARK = 6
const HAN = 7
const KANA = 8
const HANGUL = 9
const ACCENTED = 10
const CYRILLIC_OR_GREEK = 11
const SCRIPT = 12
const SURROGATE = 13
const SYMBOL = 14

/** Prices in tokens. */
const WORD = 0.81
/** Per letter of a word, or of a hump of a camelCaseWord, beyond the seventh. */
const LONG_WORD = 0.49
const SHORT_WORD = 7
const HUMP = 0.8
const ACCENT = 1.2
const THREE_DIGITS = 0.94
/** Letters next to digits, as in hashes. */
const LETTERS_AND_DIGITS = 0.57
/** A space melts into a word behind it, but not into a number. */
const SPACE_BEFORE_DIGITS = 1.25
const SPACES = 0.2
const LINE_BREAKS = 1.33
/** No single token is longer than about this. */
const LONGEST_SPACES = 80
const LONGEST_BREAKS = 16
const MARKS = 0.88
const FURTHER_MARK = 0.065
/** Per run, and per character of it. */
const RUN = 0
const CHARACTER = 1
const PRICES: Readonly<Record<number, readonly [run: number, character: number]>> = {
  [HAN]: [0, 0.8],
  [KANA]: [0, 0.7],
  [HANGUL]: [0, 0.74],
  [CYRILLIC_OR_GREEK]: [0.9, 0.2],
  [SCRIPT]: [0, 0.34],
  [SURROGATE]: [0.5, 0.75],
  [SYMBOL]: [1, 0.9],
}

const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 65 && code <= 90) return UPPER
  if (code >= 48 && code <= 57) return DIGIT
  if (code === 10 || code === 13) return BREAK
  if (code === 32 || code === 9) return SPACE
  return code < 32 || code === 127 ? SYMBOL : MARK
})

function kindOf(code: number): number {
  if (code < 128) return ASCII[code] ?? MARK
  if (code < 0x250) return code < 0xc0 ? SYMBOL : ACCENTED
  if (code < 0x530) return code >= 0x370 ? CYRILLIC_OR_GREEK : SCRIPT
  if (code < 0x2000) return SCRIPT
  if (code < 0x3400) return code >= 0x3040 && code <= 0x30ff ? KANA : code >= 0x3000 && code <= 0x303f ? MARK : SYMBOL
  if (code <= 0x9fff || (code >= 0xf900 && code <= 0xfaff)) return HAN
  if (code >= 0xac00 && code <= 0xd7af) return HANGUL
  if (code >= 0xd800 && code <= 0xdfff) return SURROGATE
  if (code >= 0xff00 && code <= 0xffef) return MARK
  return code < 0xac00 || (code >= 0xfb00 && code <= 0xfeff) ? SCRIPT : SYMBOL
}

const isLetter = (kind: number): boolean => kind === LOWER || kind === UPPER || kind === ACCENTED

/** An estimate of the tokens of a text, a whole number of at least 0, rounded up. Linear in the length of the text. */
export function estimateTokens(text: string): number {
  let tokens = 0
  let before = 0
  let at = 0
  while (at < text.length) {
    const kind = kindOf(text.charCodeAt(at))
    let end = at + 1
    if (isLetter(kind)) {
      tokens += WORD
      if (before === DIGIT) tokens += LETTERS_AND_DIGITS
      let hump = at
      let last = kind
      if (kind === ACCENTED) tokens += ACCENT
      for (; end < text.length; end++) {
        const next = kindOf(text.charCodeAt(end))
        if (!isLetter(next)) break
        if (next === ACCENTED) tokens += ACCENT
        else if (next === UPPER && last === LOWER) {
          tokens += HUMP + LONG_WORD * Math.max(0, end - hump - SHORT_WORD)
          hump = end
        }
        last = next
      }
      tokens += LONG_WORD * Math.max(0, end - hump - SHORT_WORD)
      before = LOWER
    } else {
      while (end < text.length && kindOf(text.charCodeAt(end)) === kind) end++
      tokens += priceOf(kind, end - at, before)
      before = kind
    }
    at = end
  }
  return Math.ceil(tokens)
}

/** What a run that is no word costs, given the kind of run before it. */
function priceOf(kind: number, length: number, before: number): number {
  if (kind === SPACE) return length > 1 ? SPACES + Math.floor(length / LONGEST_SPACES) : 0
  if (kind === BREAK) return LINE_BREAKS + Math.floor(length / LONGEST_BREAKS)
  if (kind === MARK) return MARKS + FURTHER_MARK * (length - 1)
  if (kind === DIGIT) {
    const extra = before === SPACE ? SPACE_BEFORE_DIGITS : before === LOWER ? LETTERS_AND_DIGITS : 0
    return THREE_DIGITS * Math.ceil(length / 3) + extra
  }
  const price = PRICES[kind]
  return price === undefined ? 0 : price[RUN] + price[CHARACTER] * length
}
