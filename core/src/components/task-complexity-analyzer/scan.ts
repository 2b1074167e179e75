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
  const telling = new Map<string, number>()
  const found = { words: 0, numbers: 0, largest: 0, signs: 0 }
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
      found.numbers++
      if (end - at < 7) found.largest = Math.max(found.largest, Number(lower.slice(at, end)) || 0)
    } else {
      found.words++
      // No word of the table is longer.
      if (end - at < 20) {
        const word = lower.slice(at, end)
        const signs = signsOf(word)
        if (signs !== 0) {
          found.signs |= signs
          telling.set(word, signs)
        }
      }
    }
    at = end
  }
  return {
    ...found,
    count: (sign) =>
      (found.signs & sign) === 0 ? 0 : [...telling.values()].filter((signs) => (signs & sign) !== 0).length,
    ambiguous:
      (found.signs & SIGN.ambiguous) === 0
        ? []
        : [...telling].flatMap(([word, signs]) => ((signs & SIGN.ambiguous) === 0 ? [] : [word])),
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
