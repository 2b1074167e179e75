import { isCalculating, readExpression } from './expressions.ts'

/** A part of a task; `isAsked` where its place says that it wants an answer, whatever its words. */
export interface TaskPart {
  readonly text: string
  readonly isAsked: boolean
}

const MARK = /^(?:[-*+•]\s+(?!\d+\s*[-*+/^])|[-*+•]\s+|\(?(?:\d{1,2}|[a-z])[.)]\s+)/
/** What stands between quotation marks or in brackets, or belongs to "between", is never cut. */
const WHOLE = /`[^`\n]*`|"[^"\n]*"|(?<!\w)'[^'\n]*'(?!\w)|\([^()\n]*\)|\bbetween\s+\S+\s+and\s+\S+/gi
const SENTENCE_END = /(?<=[.?!])\s+(?=[A-Z`"'])|(?<=\?)\s+|\n+/g
const SEMICOLON = /;\s+/g
const NUMBERED = /\s(?=\(?\d{1,2}[.)]\s)/g
const SECOND = /(?:,|(?<!\s))\s+and\s+(?:then\s+)?(?=(?:what|which|where|who|how many|how much|list|explain|when)\b)/gi
/** "which licence, which version": not the beginning of a clause about what stands before it. */
const NEXT =
  /,\s+(?=(?:what|who|where|how (?:many|much)|which (?!(?:is|are|was|were|has|have|had|do|does|can|will|holds?)\b))\b)/gi
/** Behind a calculation: how it is to be answered, or what is said of something. */
const TOLD =
  /^(?:please\s+)?(?:answer|reply|respond|be|thanks?|only|no|do not|don't|keep|i|it|we|they|he|she|this|that|my)\b/i
const NEXT_ORDER = /(?:,|(?<!\s))\s+and\s+(?:then\s+)?(?=(?:tell|use|compute|calculate)\b)/gi
const ASKING = /^(?:what|which|who|where|how (?:many|much))\b/i
const AND = /,\s+(?:and\s+)?(?:then\s+)?|(?<!\s)\s+(?:and|&)\s+(?:then\s+)?/gi

/**
 * The sentences of a task, the items of its lists and the questions behind an "and": what may want an answer of its own.
 * A text without any of these is one part, as it is.
 */
export function readParts(text: string): TaskPart[] {
  const isNumbered = /(?:^|:\s)\(?1[.)]\s/.test(text)
  return (isNumbered ? cutAt(text, NUMBERED) : [text])
    .flatMap((piece) => cutAt(piece, /\n+/g))
    .flatMap((line) => {
      const bare = line.replace(MARK, '')
      const sentences = cutAt(bare, SENTENCE_END)
      const first = sentences.findIndex(isCalculating)
      return sentences.flatMap((sentence, index) =>
        cutSentence(sentence, bare !== line || (first >= 0 && index > first && !TOLD.test(sentence))),
      )
    })
    .filter((part) => /[\p{L}\d]/u.test(part.text))
}

function cutSentence(sentence: string, isListed: boolean): TaskPart[] {
  const pieces = cutAt(sentence, SEMICOLON)
    .map((piece) => piece.replace(MARK, '').replace(/^and\s+/i, ''))
    .flatMap((piece) => cutAt(piece, SECOND))
    .flatMap((piece) => (ASKING.test(piece) ? cutAt(piece, NEXT) : [piece]))
    .flatMap(cutCalculation)
  return pieces.map((text) => ({ text, isAsked: isListed || pieces.length > 1 }))
}

/** "3^7, and the capital of France": what stands beside a calculation wants an answer too. */
function cutCalculation(text: string): string[] {
  if (readExpression(text) !== undefined) return [text]
  // what an order gives a tool is its argument
  if (/^(?:please\s+)?(?:use|call|invoke)\s(?!.{0,20}calculat)/i.test(text)) return cutAt(text, NEXT_ORDER)
  const ends = [...cutPlaces(text, AND), { from: text.length, to: text.length }]
  const pieces: string[] = []
  let start = 0
  while (ends.length > 0) {
    // the most that is one calculation: "the sum of 3, 4 and 8"
    const most = ends.findLastIndex(({ from }) => isWhole(text.slice(start, from), text.slice(from)))
    const [end] = ends.splice(0, Math.max(most, 0) + 1).slice(-1)
    pieces.push(text.slice(start, end?.from))
    start = end?.to ?? text.length
  }
  const asked = pieces.filter((piece) => /[\p{L}\d]/u.test(piece))
  // a number by itself belongs to what stands beside it
  return asked.some(isCalculating) && asked.every((piece) => /\p{L}|\d\D+\d/u.test(piece)) ? asked : [text]
}

/** Whether a piece is a calculation, and a list of it ends there: "the sum of 3, 4" does not before "and 8 times 2". */
const isWhole = (piece: string, rest: string): boolean =>
  readExpression(piece) !== undefined &&
  (rest === '' || !LIST.test(piece) || (rest.startsWith(',') && /\d,?\s+and\s/i.test(piece)))
const LIST = /\b(?:sum|total|average|mean|product)\b/i

function cutPlaces(text: string, pattern: RegExp): { from: number; to: number }[] {
  const masked = text.replace(WHOLE, (kept) => 'X'.repeat(kept.length))
  return [...masked.matchAll(pattern)].map(({ index, 0: { length } }) => ({ from: index, to: index + length }))
}

function cutAt(text: string, pattern: RegExp): string[] {
  const places = cutPlaces(text, pattern)
  const pieces = [...places, { from: text.length, to: text.length }].map(({ from }, index) =>
    text.slice(places[index - 1]?.to ?? 0, from).trim(),
  )
  return pieces.filter((piece) => piece !== '')
}
