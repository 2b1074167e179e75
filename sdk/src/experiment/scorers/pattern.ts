import type { ScorerOptions } from '../design/experiment-schema.ts'
import { answerOf, clip, type Scorer, textsOf } from './scorer.ts'

/** More alternatives would make one pattern many. */
const MOST_ALTERNATIVES = 256

/**
 * Whether a glob matches a whole text: `*` is any number of characters, `?` is one, `{a,b}` either, `\` takes the next
 * character as it is. Time is linear in the text for each alternative of the pattern.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  return expand(pattern).some((parts) => matches(parts, [...text]))
}

/** A part of a pattern: a character, any one, or any number. */
type Part = string | typeof ONE | typeof MANY
const ONE = Symbol('?')
const MANY = Symbol('*')

/**
 * The patterns without braces that a pattern stands for.
 *
 * @throws RangeError for more than 256
 */
export function expand(pattern: string): Part[][] {
  const characters = [...pattern]
  let at = 0
  const limited = (found: Part[][]): Part[][] => {
    if (found.length > MOST_ALTERNATIVES) throw new RangeError(`stands for more than ${MOST_ALTERNATIVES} patterns`)
    return found
  }
  /** Reads up to the end, or inside braces up to the comma or brace that ends the alternative. */
  const sequence = (isInner: boolean): Part[][] => {
    let found: Part[][] = [[]]
    const add = (part: Part): void => {
      for (const parts of found) if (part !== MANY || parts.at(-1) !== MANY) parts.push(part)
    }
    for (; at < characters.length; at++) {
      const char = characters[at] as string
      if (isInner && (char === ',' || char === '}')) return found
      if (char === '\\' && at + 1 < characters.length) add(characters[++at] as string)
      else if (char === '*') add(MANY)
      else if (char === '?') add(ONE)
      else if (char === '{' && closes(characters, at)) {
        const choices: Part[][] = []
        do {
          at++
          choices.push(...sequence(true))
          limited(choices)
        } while (characters[at] === ',')
        found = limited(found.flatMap((parts) => choices.map((choice) => [...parts, ...choice])))
      } else add(char)
    }
    return found
  }
  return sequence(false)
}

/** Whether the brace that opens here is closed. */
function closes(characters: readonly string[], start: number): boolean {
  let depth = 0
  for (let at = start; at < characters.length; at++) {
    if (characters[at] === '\\') at++
    else if (characters[at] === '{') depth++
    else if (characters[at] === '}' && --depth === 0) return true
  }
  return false
}

/**
 * Between two stars stands a piece of known length, so the first place where it fits is as good as any: each piece is looked
 * for from where the one before ended, by Knuth, Morris and Pratt where it has no `?`.
 */
function matches(parts: readonly Part[], text: readonly string[]): boolean {
  const pieces: Part[][] = [[]]
  for (const part of parts) {
    if (part === MANY) pieces.push([])
    else pieces.at(-1)?.push(part)
  }
  const [first = [], ...rest] = pieces
  if (rest.length === 0) return first.length === text.length && fitsAt(first, text, 0)
  const last = rest.pop() ?? []
  const end = text.length - last.length
  if (first.length > end || !fitsAt(first, text, 0) || !fitsAt(last, text, end)) return false
  let at = first.length
  for (const piece of rest) {
    const place = find(piece, text, at, end)
    if (place === -1) return false
    at = place + piece.length
  }
  return true
}

const fits = (part: Part | undefined, char: string | undefined): boolean => part === ONE || part === char

const fitsAt = (piece: readonly Part[], text: readonly string[], at: number): boolean =>
  piece.every((part, index) => fits(part, text[at + index]))

/** The first place from `from` at which a piece stands whole before `end`; -1 where there is none. */
function find(piece: readonly Part[], text: readonly string[], from: number, end: number): number {
  if (piece.length === 0) return from
  if (piece.includes(ONE)) return findWithAny(piece, text, from, end)
  const fallback: number[] = [0]
  for (let index = 1, length = 0; index < piece.length; ) {
    if (piece[index] === piece[length]) fallback[index++] = ++length
    else if (length > 0) length = fallback[length - 1] ?? 0
    else fallback[index++] = 0
  }
  for (let at = from, length = 0; at < end; at++) {
    while (length > 0 && piece[length] !== text[at]) length = fallback[length - 1] ?? 0
    if (piece[length] === text[at]) length++
    if (length === piece.length) return at - length + 1
  }
  return -1
}

/**
 * The same with `?` in the piece: one bit for each of its parts says whether the text up to here ends with the piece up to
 * there (Baeza-Yates and Gonnet 1992).
 */
function findWithAny(piece: readonly Part[], text: readonly string[], from: number, end: number): number {
  let anywhere = 0n
  const masks = new Map<string, bigint>()
  for (const [index, part] of piece.entries()) {
    if (part === ONE) anywhere |= 1n << BigInt(index)
    else if (typeof part === 'string') masks.set(part, (masks.get(part) ?? 0n) | (1n << BigInt(index)))
  }
  const goal = 1n << BigInt(piece.length - 1)
  const all = (goal << 1n) - 1n
  let state = 0n
  for (let at = from; at < end; at++) {
    state = ((state << 1n) | 1n) & all & ((masks.get(text[at] ?? '') ?? 0n) | anywhere)
    if ((state & goal) !== 0n) return at - piece.length + 1
  }
  return -1
}

/** 1 where the whole answer matches one of the expected patterns. */
export function pattern({ ignoreCase = true }: ScorerOptions['pattern'] = {}): Scorer {
  const fold = (text: string): string => (ignoreCase ? text.normalize('NFC').toLowerCase() : text.normalize('NFC'))
  return {
    about: ignoreCase ? 'pattern, ignoring case' : 'pattern',
    check({ expected }) {
      const patterns = textsOf(expected)
      if (patterns === undefined) return 'needs `expected`: a pattern such as "*42 {km,kilometres}*", or a list of them'
      try {
        for (const each of patterns) expand(each)
        return undefined
      } catch (thrown) {
        return `\`expected\` ${(thrown as Error).message}`
      }
    },
    score(answered) {
      const answer = fold(answerOf(answered).trim())
      const found = textsOf(answered.expected)?.find((each) => matchesPattern(fold(each), answer))
      return { score: found === undefined ? 0 : 1, evidence: clip(found ?? `no pattern matches: ${answer}`) }
    },
  }
}
