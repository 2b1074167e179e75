import { readExpressions } from './expressions.ts'

const MARK = /^(?:[-*+•]|\(?(?:\d{1,2}|[a-z])[.)])\s+/
/** What stands between quotation marks is never cut. */
const QUOTED = /`[^`\n]*`|"[^"\n]*"/g
const SENTENCE_END = /(?<=[.?!])\s+(?=[A-Z`"'])|(?<=\?)\s+|\n+|;\s+/g
const NUMBERED = /\s(?=\(?\d{1,2}[.)]\s)/g
const SECOND = /(?:,|(?<!\s))\s+and\s+(?:then\s+)?(?=(?:what|which|where|who|how many|how much|list|explain|when)\b)/gi
const AND = /(?:,|(?<!\s))\s+and\s+/gi

/**
 * The sentences of a task, the items of its lists and the questions behind an "and": what may want an answer of its own.
 * A text without any of these is one part, as it is.
 */
export function readParts(text: string): string[] {
  const isNumbered = /(?:^|:\s)\(?1[.)]\s/.test(text)
  return (isNumbered ? cutAt(text, NUMBERED) : [text])
    .flatMap((piece) => cutAt(piece.trim().replace(MARK, ''), SENTENCE_END))
    .map((piece) =>
      piece
        .trim()
        .replace(MARK, '')
        .replace(/^and\s+/i, ''),
    )
    .flatMap((piece) => cutAt(piece, SECOND))
    .flatMap(cutCalculation)
    .filter((piece) => /[\p{L}\d]/u.test(piece))
}

/** "3^7, and the capital of France": what stands beside a calculation and is none wants an answer too. */
function cutCalculation(text: string): string[] {
  const pieces = cutAt(text, AND)
  const [first = '', second = ''] = pieces
  const isBeside = pieces.length === 2 && /\p{L}{3}/u.test(second) && readExpressions(second).length === 0
  return isBeside && readExpressions(first).length === 1 && readExpressions(text).length === 1 ? pieces : [text]
}

function cutAt(text: string, pattern: RegExp): string[] {
  const masked = text.replace(QUOTED, (quoted) => 'X'.repeat(quoted.length))
  const pieces: string[] = []
  let from = 0
  for (const match of masked.matchAll(pattern)) {
    pieces.push(text.slice(from, match.index))
    from = match.index + match[0].length
  }
  return [...pieces, text.slice(from)].map((piece) => piece.trim()).filter((piece) => piece !== '')
}
