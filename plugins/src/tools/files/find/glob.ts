/**
 * Globs: `*` and `?` within a name, `**` over folders, `[a-z]`, `[!a-z]`, `{a,b}`, `\` before a character to take it as it is.
 *
 * Patterns come from models and from files of strangers, so they are matched without regular expressions: a star is
 * retried only from the last one seen (as in Krauss, "Matching Wildcards", 2008), which bounds the work by
 * pattern × path.
 */
import { ToolError } from '@svc/core'

type Token =
  | { readonly kind: 'star' | 'any' }
  | { readonly kind: 'one'; readonly character: string }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] }
type Segment = 'folders' | readonly Token[]

/** Whether a path with `/` matches. */
export type Glob = (path: string) => boolean

const MOST_ALTERNATIVES = 64
const LONGEST_PATTERN = 1000

/**
 * A glob over whole paths. A leading `./` or `/` means nothing, a trailing `/` everything below.
 *
 * @throws ToolError `tool_bad_args` when it is longer than 1000 characters or its braces have over 64 alternatives
 */
export function createGlob(pattern: string): Glob {
  if (pattern.length > LONGEST_PATTERN) {
    throw new ToolError('tool_bad_args', `pattern is longer than ${LONGEST_PATTERN} characters`)
  }
  const alternatives = expandBraces(pattern).map(toSegments)
  return (path) => {
    const names = path.split('/').map((name) => [...name])
    return alternatives.some((segments) =>
      matchWithStars(
        segments,
        names,
        (segment) => segment === 'folders',
        (segment, name) => segment !== 'folders' && matchName(segment, name),
      ),
    )
  }
}

/** A glob as people write it for files: without `/` it is about the name, in any folder. */
export function createFileGlob(pattern: string): Glob {
  const trimmed = pattern.trim()
  const glob = createGlob(trimmed)
  return trimmed.includes('/') ? glob : (path) => glob(path.slice(path.lastIndexOf('/') + 1))
}

function toSegments(pattern: string): Segment[] {
  let trimmed = pattern
  while (trimmed.startsWith('./')) trimmed = trimmed.slice(2)
  if (trimmed.startsWith('/')) trimmed = trimmed.slice(1)
  if (trimmed.endsWith('/')) trimmed += '**'
  return trimmed.split('/').map((segment) => (segment === '**' ? 'folders' : toTokens(segment)))
}

function toTokens(segment: string): Token[] {
  const characters = [...segment]
  const tokens: Token[] = []
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? ''
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' })
    } else if (character === '?') tokens.push({ kind: 'any' })
    else if (character === '[') {
      const end = characters.indexOf(']', index + 2)
      if (end < 0) tokens.push({ kind: 'one', character })
      else {
        tokens.push(toClass(characters.slice(index + 1, end)))
        index = end
      }
    } else if (character === '\\' && index + 1 < characters.length) {
      tokens.push({ kind: 'one', character: characters[++index] ?? '' })
    } else tokens.push({ kind: 'one', character })
  }
  return tokens
}

function toClass(characters: readonly string[]): Token {
  const negated = characters[0] === '!' || characters[0] === '^'
  const inner = negated ? characters.slice(1) : characters
  const ranges: [string, string][] = []
  for (let index = 0; index < inner.length; index++) {
    const from = inner[index] ?? ''
    const to = inner[index + 2]
    if (inner[index + 1] === '-' && to !== undefined) {
      ranges.push([from, to])
      index += 2
    } else ranges.push([from, from])
  }
  return { kind: 'class', negated, ranges }
}

function matchName(tokens: readonly Token[], name: readonly string[]): boolean {
  return matchWithStars(tokens, name, ({ kind }) => kind === 'star', matchCharacter)
}

function matchCharacter(token: Token, character: string): boolean {
  if (token.kind === 'one') return token.character === character
  if (token.kind === 'class') {
    return token.ranges.some(([from, to]) => character >= from && character <= to) !== token.negated
  }
  return true
}

function matchWithStars<P, T>(
  pattern: readonly P[],
  text: readonly T[],
  isStar: (part: P) => boolean,
  matches: (part: P, item: T) => boolean,
): boolean {
  let at = 0
  let star = -1
  let starredTo = 0
  for (let index = 0; index < text.length; ) {
    const part = pattern[at]
    if (part !== undefined && isStar(part)) {
      star = at++
      starredTo = index
    } else if (part !== undefined && matches(part, text[index] as T)) {
      at++
      index++
    } else if (star >= 0) {
      at = star + 1
      index = ++starredTo
    } else return false
  }
  return pattern.slice(at).every(isStar)
}

function expandBraces(pattern: string): string[] {
  const open = findBrace(pattern)
  if (open === undefined) return [pattern]
  const expanded: string[] = []
  for (const choice of open.choices) {
    for (const rest of expandBraces(choice + open.after)) {
      expanded.push(open.before + rest)
      if (expanded.length > MOST_ALTERNATIVES) {
        throw new ToolError('tool_bad_args', `pattern has more than ${MOST_ALTERNATIVES} alternatives in braces`)
      }
    }
  }
  return expanded
}

/** The first pair of braces that holds a comma on its own level. */
function findBrace(pattern: string): { before: string; choices: string[]; after: string } | undefined {
  let depth = 0
  let start = -1
  let commas: number[] = []
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index]
    if (character === '\\') index++
    else if (character === '{') {
      if (depth++ === 0) {
        start = index
        commas = []
      }
    } else if (character === ',' && depth === 1) commas.push(index)
    else if (character === '}' && depth > 0 && --depth === 0 && commas.length > 0) {
      const cuts = [start, ...commas, index]
      const choices = cuts.slice(1).map((cut, position) => pattern.slice((cuts[position] ?? 0) + 1, cut))
      return { before: pattern.slice(0, start), choices, after: pattern.slice(index + 1) }
    }
  }
  return undefined
}
