/** A sentence and where in its text it begins. */
export interface Sentence {
  readonly text: string
  readonly start: number
}

/** An end mark with the quotation marks and brackets behind it, before white space; or the end of a line. */
const END = /(?<![.!?])[.!?]+["')\]”’»*_]{0,3}(?=\s|$)|[。！？]+[」』”]?|\n/gu
const ABBREVIATION =
  /(?:^|[\s("“])(?:e\.g|i\.e|etc|vs|cf|mr|mrs|ms|dr|prof|st|inc|ltd|corp|llc|u\.s|u\.k|a\.m|p\.m|[a-z])\.$/i
/** Abbreviations before a figure, and words elsewhere: "the answer is no." */
const BEFORE_FIGURE = /(?:^|[\s("“])(?:no|nos|fig|approx|pp|vol|sec)\.$/i
/** The number of a day in German: "am 1. November". */
const DAY = /(?:^|\s)\d{1,2}\.$/
const MONTH = /^\s(?:Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)/
/** The number of a list item. */
const ITEM_NUMBER = /^\s*\d{1,3}\.$/
const LONGEST_ABBREVIATION = 12

/**
 * The sentences of a text: each ends at `.`, `!` or `?` before white space, or at the end of its line. Abbreviations, file
 * names, decimals and the numbers of list items end none. What has no letter and no digit is no sentence. Linear in the
 * length of the text.
 */
export function findSentences(text: string): Sentence[] {
  const sentences: Sentence[] = []
  let start = 0
  const cutAt = (end: number): void => {
    const piece = text.slice(start, end)
    const trimmed = piece.trimStart()
    if (/[\p{L}\p{N}]/u.test(piece))
      sentences.push({ text: trimmed.trimEnd(), start: start + piece.length - trimmed.length })
    start = end
  }
  for (const { 0: mark, index } of text.matchAll(END)) {
    const end = index + mark.length
    if (mark !== '.' || !isInside(text, start, end)) cutAt(end)
  }
  cutAt(text.length)
  return sentences
}

/** The same without their places. */
export const toSentences = (text: string): string[] => findSentences(text).map((sentence) => sentence.text)

/** Whether a full stop belongs to a word. */
function isInside(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(start, end - LONGEST_ABBREVIATION), end)
  if (ABBREVIATION.test(before) || (end - start < LONGEST_ABBREVIATION && ITEM_NUMBER.test(before))) return true
  if (DAY.test(before) && MONTH.test(text.slice(end, end + 5))) return true
  return BEFORE_FIGURE.test(before) && /^\s+\d/.test(text.slice(end, end + 3))
}
