import { toSentences } from '@svc/core/text'
import { isCalculating, readExpression } from '../read/expressions.ts'

/** A part of a task; `isAsked` where its place says that it wants an answer, whatever its words. */
export interface TaskPart {
  readonly text: string
  readonly isAsked: boolean
}

const MARK = /^(?:[-*+•]\s+|\(?(?:\d{1,2}|[a-z])[.)]\s+)/
/** What stands between quotation marks or in brackets, or belongs to "between", is never cut. */
const WHOLE = /`[^`\n]*`|"[^"\n]*"|(?<!\w)'[^'\n]*'(?!\w)|\([^()\n]*\)|\bbetween\s+\S+\s+and\s+\S+/gi
const NUMBERED = /\s(?=\(?\d{1,2}[.)]\s)/g
const NEXT_QUESTION =
  /;\s+(?:and\s+)?|(?:,|(?<!\s))\s+and\s+(?:then\s+)?(?=(?:what|which|where|who|how many|how much|list|explain|when)\b(?![^,.?;]*\b(?:them|they)\b))|,\s+(?=(?:what|who|where|how (?:many|much))\b|which (?!(?:is|are|was|were|has|have|had|do|does|can|will)\b))/gi
const NEXT_ORDER = /(?:,|(?<!\s))\s+and\s+(?:then\s+)?(?=(?:tell|use|compute|calculate)\b)/gi
const COMMA_AND = /,\s+(?:and|&)\s+(?:then\s+)?/gi
const AND = /,\s+(?:and\s+)?(?:then\s+)?|(?<!\s)\s+(?:and|&)\s+(?:then\s+)?/gi
/** Behind a calculation: how it is to be answered, or what is said of something. */
const TOLD =
  /^(?:please\s+)?(?:answer|reply|respond|be|thanks?|only|no|do not|don't|keep|i|it|we|they|he|she|this|that|my)\b/i

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
      const sentences = cutSentences(bare)
      const first = sentences.findIndex(isCalculating)
      return sentences.flatMap((sentence, index) =>
        cutSentence(sentence, bare !== line || (first >= 0 && index > first && !TOLD.test(sentence))),
      )
    })
    .filter((part) => /[\p{L}\d]/u.test(part.text))
}

function cutSentence(sentence: string, isListed: boolean): TaskPart[] {
  // what an order gives a tool is its argument
  const isOrder = /^(?:please\s+)?(?:use|call|invoke)\s/i.test(sentence)
  const pieces = isOrder
    ? cutAt(sentence, NEXT_ORDER)
    : cutAt(sentence, NEXT_QUESTION).flatMap((piece) => cutCalculation(piece.replace(MARK, '')))
  // "leaving the tests aside, who imports it?"
  const isAside = (index: number): boolean =>
    index === 0 && sentence.startsWith(`${pieces[0]},`) && !/[?]/.test(pieces[0] ?? '')
  return pieces.map((text, index) => ({ text, isAsked: isListed || (pieces.length > 1 && !isAside(index)) }))
}

/** "3^7, and the capital of France": what stands beside a calculation wants an answer too. */
function cutCalculation(text: string): string[] {
  if (readExpression(text) !== undefined) return [text]
  for (const between of [COMMA_AND, AND]) {
    const pieces = cutAt(text, between)
    // a number by itself belongs to what stands beside it
    const areWhole = pieces.every((piece) => /\p{L}|\d\D+\d/u.test(piece))
    if (pieces.length > 1 && areWhole && pieces.some(isCalculating)) return pieces.flatMap(cutCalculation)
  }
  return [text]
}

/** The text with X in the place of what is never cut. */
const masked = (text: string): string => text.replace(WHOLE, (kept) => 'X'.repeat(kept.length))

function cutSentences(text: string): string[] {
  const sentences = toSentences(masked(text))
  let from = 0
  return sentences.map((sentence) => {
    const start = masked(text).indexOf(sentence.slice(0, 1), from)
    from = start + sentence.length
    return text.slice(start, from)
  })
}

function cutAt(text: string, pattern: RegExp): string[] {
  const places = [...masked(text).matchAll(pattern)].map(({ index, 0: { length } }) => ({
    from: index,
    to: index + length,
  }))
  const pieces = [...places, { from: text.length, to: text.length }].map(({ from }, index) =>
    text.slice(places[index - 1]?.to ?? 0, from).trim(),
  )
  return pieces.filter((piece) => piece !== '')
}
