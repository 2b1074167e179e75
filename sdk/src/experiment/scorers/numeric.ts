import type { ScorerOptions } from '../design/experiment-schema.ts'
import { answerOf, clip, type Scorer } from './scorer.ts'

/** A number as a text says it. */
export interface FoundNumber {
  value: number
  /** Whether a per cent sign follows. */
  isPercent: boolean
  /** As it is written. */
  text: string
}

const SCALES: Readonly<Record<string, number>> = {
  hundred: 1e2,
  k: 1e3,
  thousand: 1e3,
  million: 1e6,
  mio: 1e6,
  bn: 1e9,
  billion: 1e9,
  trillion: 1e12,
}

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9'
const isLetter = (char: string | undefined): boolean => char !== undefined && /\p{L}/u.test(char)
/** Between groups of three digits; of these the full stop and the comma may also be the decimal sign. */
const SEPARATORS = new Set([',', '.', ' ', '\u00a0', '\u202f', '\u2009', "'", '’', '_'])

/**
 * The numbers of a text, in order: `1,234.5`, `1.234,5`, `1 234`, `-3`, `1e-3`, `3/4`, `45 %`, `2 million`. A sign or comma
 * that can be read in two ways is read as in English. Digits within a word, such as `GPT4`, are no number. Linear.
 */
export function findNumbers(text: string): FoundNumber[] {
  const found: FoundNumber[] = []
  for (let at = 0; at < text.length; at++) {
    if (!isDigit(text[at]) && !(text[at] === '.' && isDigit(text[at + 1]) && !isDigit(text[at - 1]))) continue
    const start = at
    let end = endOfDigits(text, at)
    const isWord = isLetter(text[start - 1])
    let value = toValue(text.slice(start, end))
    const exponent = /^[eE][+-]?\d{1,3}(?![\p{L}\d])/u.exec(text.slice(end, end + 6))?.[0]
    if (exponent !== undefined) {
      value *= 10 ** Number(exponent.slice(1))
      end += exponent.length
    }
    const below = /^ ?[/⁄] ?(\d{1,15})(?![\d/.,])/.exec(text.slice(end, end + 20))
    if (below !== null && Number(below[1]) !== 0 && !/[/⁄]/.test(text[start - 1] ?? '')) {
      value /= Number(below[1])
      end += below[0].length
    }
    const word = /^[ \u00a0-]?([a-z]{1,8})(?!\p{L})/iu.exec(text.slice(end, end + 12))?.[1]?.toLowerCase()
    const scale = word !== undefined && Object.hasOwn(SCALES, word) ? (SCALES[word] ?? 1) : 1
    const isPercent = /^[ \u00a0]?(?:%|percent|per cent)/i.test(text.slice(end, end + 10))
    if (!isWord && !Number.isNaN(value))
      found.push({ value: (isNegative(text, start) ? -1 : 1) * value * scale, isPercent, text: text.slice(start, end) })
    at = end - 1
  }
  return found
}

/** Behind the last digit: separators count where a digit follows, those that are no decimal sign only between groups of three. */
function endOfDigits(text: string, start: number): number {
  let at = start
  let group = start
  while (at < text.length) {
    if (isDigit(text[at]) || (text[at] === '.' && at === start)) at++
    else if (SEPARATORS.has(text[at] ?? '') && isDigit(text[at + 1])) {
      const isGrouped = at - group <= 3 && isDigit(text[at + 2]) && isDigit(text[at + 3]) && !isDigit(text[at + 4])
      if (text[at] !== '.' && text[at] !== ',' && !isGrouped) break
      group = ++at
    } else break
  }
  return at
}

/** A minus that is no hyphen or a range: nothing, a space or a bracket stands before it. A currency may stand between. */
function isNegative(text: string, start: number): boolean {
  let at = start - 1
  if (/[$€£¥]/.test(text[at] ?? '')) at--
  return /[-−–]/.test(text[at] ?? '') && !/[\p{L}\d)]/u.test(text[at - 1] ?? ' ')
}

/** What digits with separators say. */
function toValue(written: string): number {
  const plain = written.replace(/[^\d.,]/g, '')
  const [dot, comma] = [plain.lastIndexOf('.'), plain.lastIndexOf(',')]
  if (dot === -1 && comma === -1) return Number(plain)
  if (dot !== -1 && comma !== -1) {
    const decimal = dot > comma ? '.' : ','
    return Number(plain.replaceAll(decimal === '.' ? ',' : '.', '').replace(decimal, '.'))
  }
  const sign = comma === -1 ? '.' : ','
  const pieces = plain.split(sign)
  const isGrouped = pieces.slice(1).every((piece) => piece.length === 3) && (pieces[0]?.length ?? 0) <= 3
  // `1.234` is a decimal number in English, `1,234` is none.
  if (pieces.length === 2) return Number(sign === ',' && isGrouped ? pieces.join('') : pieces.join('.'))
  return Number(isGrouped ? pieces.join('') : sign === ',' ? pieces.at(-1) : Number.NaN)
}

/** The number that a task expects: a number, or a text with one. */
function toExpected(expected: unknown): FoundNumber | undefined {
  if (typeof expected === 'number')
    return Number.isFinite(expected) ? { value: expected, isPercent: false, text: `${expected}` } : undefined
  return typeof expected === 'string' ? findNumbers(expected).at(-1) : undefined
}

/** A line of a file, such as `(notes/crane.md:12)`: where an answer comes from, and no part of it. */
const CITATION = /\([^():\s]{1,300}:\d{1,9}(?:-\d{1,9})?\)/g

/** 1 where the last number of the answer, or the first after the marker, is the expected one within the tolerance. */
export function numeric({ absolute = 0, relative = 0, marker }: ScorerOptions['numeric'] = {}): Scorer {
  const pick = (answer: string): FoundNumber | undefined => {
    if (marker === undefined) return findNumbers(answer.replace(CITATION, '')).at(-1)
    const place = answer.toLowerCase().lastIndexOf(marker.toLowerCase())
    return place === -1 ? undefined : findNumbers(answer.slice(place + marker.length))[0]
  }
  return {
    about: `numeric, within ${absolute} or ${relative * 100} %`,
    check: ({ expected }) =>
      toExpected(expected) === undefined ? 'needs `expected`: a number, or a text with one' : undefined,
    score(answered) {
      const wanted = toExpected(answered.expected)
      const given = pick(answerOf(answered))
      if (wanted === undefined || given === undefined)
        return { score: 0, evidence: marker === undefined ? 'no number' : `no number after "${marker}"` }
      // 45 % is .45 too, where only one side has the sign.
      const values =
        given.isPercent === wanted.isPercent
          ? [given.value]
          : given.isPercent
            ? [given.value, given.value / 100]
            : [given.value, given.value * 100]
      const allowed = Math.max(absolute, relative * Math.abs(wanted.value), Math.abs(wanted.value) * 1e-9)
      const isRight = values.some((value) => Math.abs(value - wanted.value) <= allowed)
      return { score: isRight ? 1 : 0, evidence: clip(`${given.text} (expected ${wanted.text})`) }
    },
  }
}
