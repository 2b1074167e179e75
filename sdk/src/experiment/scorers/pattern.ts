import type { ScorerOptions } from '../design/experiment-schema.ts'
import { answerOf, clip, type Scorer, textsOf } from './scorer.ts'

/** More alternatives would make one pattern many. */
const MOST_ALTERNATIVES = 256

/**
 * Whether a glob matches a whole text: `*` is any number of characters, `?` is one, `{a,b}` either, `\` takes the next
 * character as it is. Time is at most that of pattern times text.
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

/** Whether the parts match a whole text. Of several stars only the last one that was reached may have to take more. */
function matches(parts: readonly Part[], text: readonly string[]): boolean {
  let [part, at] = [0, 0]
  let star: { part: number; at: number } | undefined
  while (at < text.length) {
    if (parts[part] === MANY) star = { part: ++part, at }
    else if (parts[part] === ONE || parts[part] === text[at]) {
      part++
      at++
    } else if (star !== undefined) {
      part = star.part
      at = ++star.at
    } else return false
  }
  while (parts[part] === MANY) part++
  return part === parts.length
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
