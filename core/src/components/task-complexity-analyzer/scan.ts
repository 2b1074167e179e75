import { SIGN, signsOf } from './lexicon.ts'

/** What one pass over the words of a text finds. */
export interface Scan {
  /** Number of words. */
  words: number
  /** Number of figures, and the largest whole one. */
  numbers: number
  largest: number
  /** All signs that occur, as bits. */
  signs: number
  /** How many different words say each thing. */
  count(sign: number): number
  /** Words that leave something open, each once, in order. */
  ambiguous: string[]
}

/** Counts words, figures and signs. A word is a run of letters, digits, hyphens and apostrophes that begins with a letter. */
export function scan(text: string): Scan {
  const lower = text.toLowerCase()
  let telling: Map<string, number> | undefined
  let words = 0
  let numbers = 0
  let largest = 0
  let all = 0
  let at = 0
  while (at < lower.length) {
    const isNumber = isDigit(lower.charCodeAt(at))
    if (!isNumber && !isLetter(lower.charCodeAt(at))) {
      at++
      continue
    }
    let end = at + 1
    while (end < lower.length && isInner(lower.charCodeAt(end), isNumber)) end++
    if (isNumber) {
      numbers++
      if (end - at < 7) largest = Math.max(largest, Number(lower.slice(at, end)) || 0)
    } else {
      words++
      // No word of the table is longer.
      if (end - at < 20) {
        const word = lower.slice(at, end)
        const signs = signsOf(word)
        if (signs !== 0) {
          all |= signs
          telling ??= new Map()
          telling.set(word, signs)
        }
      }
    }
    at = end
  }
  const wordsOf = (sign: number): string[] =>
    telling === undefined || (all & sign) === 0
      ? []
      : [...telling].flatMap(([word, signs]) => ((signs & sign) === 0 ? [] : [word]))
  return {
    words,
    numbers,
    largest,
    signs: all,
    count: (sign) => wordsOf(sign).length,
    ambiguous: wordsOf(SIGN.ambiguous),
  }
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57
/** Beyond ASCII all but general and ideographic punctuation counts as letters. */
const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code > 191 &&
    !(code >= 0x2000 && code <= 0x206f) &&
    !(code >= 0x3000 && code <= 0x303f) &&
    !(code >= 0xff00 && code <= 0xff0f))
const isInner = (code: number, isNumber: boolean): boolean =>
  isDigit(code) ||
  (isNumber ? code === 44 || code === 46 : isLetter(code) || code === 45 || code === 39 || code === 0x2019)
