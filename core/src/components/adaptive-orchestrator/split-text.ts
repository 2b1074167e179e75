import { isImperative, plainWords } from './imperatives.ts'

/** The list of a text: what stands before it, its items, what stands after it. */
export interface TextList {
  head: string
  items: string[]
  tail: string
}

const ITEM = /^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+(\S.*)$/

/** The first list with two or more items; continuation lines belong to their item. */
export function findList(text: string): TextList | undefined {
  const lines = text.split(/\r?\n/)
  const items: string[] = []
  let first = -1
  let last = -1
  for (const [index, line] of lines.entries()) {
    const item = ITEM.exec(line)?.[1]
    if (item !== undefined) {
      if (first === -1) first = index
      items.push(item.trim())
      last = index
    } else if (first !== -1 && /^[ \t]+\S/.test(line)) {
      items.push(`${items.pop() ?? ''} ${line.trim()}`.trim())
      last = index
    } else if (first !== -1 && line.trim() !== '') break
  }
  if (items.length < 2) return undefined
  return {
    head: lines.slice(0, first).join('\n').trim(),
    items,
    tail: lines
      .slice(last + 1)
      .join('\n')
      .trim(),
  }
}

/** The list of a text that numbers its items 1, 2, 3 … on one line. */
export function findInlineList(text: string): TextList | undefined {
  const marks: { start: number; end: number }[] = []
  for (const match of text.matchAll(/(^|[:.;,!?]?\s)(\d{1,2})[.)]\s(?=[\p{L}"'`(])/gu)) {
    if (Number(match[2]) !== marks.length + 1) continue
    // "section 1. It" starts no list
    if (marks.length === 0 && !/^$|^[:.;!?]\s$/.test(match[1] ?? '')) return undefined
    const before = match[1] ?? ''
    marks.push({ start: match.index + before.trimEnd().length, end: match.index + match[0].length })
  }
  if (marks.length < 2) return undefined
  const items = marks.map(({ end }, index) =>
    text
      .slice(end, marks[index + 1]?.start)
      .replace(/[;,]\s*$/, '')
      .trim(),
  )
  return { head: text.slice(0, marks[0]?.start).trim(), items, tail: '' }
}

const PARALLEL =
  /^(?:please\s+)?(?:in parallel|at the same time|simultaneously|concurrently|side by side)\s*[:,]\s*(?=\S)/i

/** What a text says is to be done in parallel: the pieces between its semicolons, else its instructions. */
export function findParallel(text: string): string[] | undefined {
  const start = PARALLEL.exec(text)?.[0].length
  if (start === undefined || text.includes('\n') || toSentences(text).length > 1) return undefined
  const rest = text.slice(start)
  const pieces = rest.includes(';') ? rest.split(/\s*;\s*/) : toClauses(rest)
  const objectives = pieces
    .map((piece) => piece.replace(/^(?:(?:and|then)\s+)+/i, '').trim())
    .filter((piece) => piece !== '')
    .map((piece) => piece.charAt(0).toUpperCase() + piece.slice(1))
  return objectives.length < 2 ? undefined : objectives
}

const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|dr|mr|mrs|ms|prof|inc|ltd)\.$/i

/** The sentences of a text: ended by `.`, `!`, `?` before white space, or by a blank line. File names and numbers stay whole. */
export function toSentences(text: string): string[] {
  const sentences: string[] = []
  for (const paragraph of text.split(/\n[ \t]*\n/)) {
    let current = ''
    for (const piece of paragraph.split(/(?<=[.!?])\s+/)) {
      current = current === '' ? piece : `${current} ${piece}`
      if (ABBREVIATION.test(current.slice(-12))) continue
      sentences.push(current.trim())
      current = ''
    }
    if (current.trim() !== '') sentences.push(current.trim())
  }
  return sentences.filter((sentence) => sentence !== '')
}

const OBJECT_STARTS: ReadonlySet<string> = new Set(
  'the a an all each every any some its their his her it them this that these those which what how why whether where who when if my our your to for in into from on one two three both at'.split(
    ' ',
  ),
)

const OBJECT_ENDS: ReadonlySet<string> = new Set('for of in to on about with from '.split(' '))

/**
 * The instructions inside one sentence: cut at `;`, at `then`, and at `and` or a comma before a verb with an object
 * ("list the exports and explain why they exist", but not "list the test and build scripts").
 */
export function toClauses(sentence: string): string[] {
  const cuts: { start: number; end: number }[] = []
  for (const match of sentence.matchAll(/;\s+|,?\s+and then\s+|,?\s+then\s+|,\s+and\s+|,\s+|\s+and\s+/gi)) {
    const rest = sentence.slice(match.index + match[0].length, match.index + match[0].length + 80)
    const [verb = '', object = '', next = ''] = rest.split(/\s+/)
    if (!isImperative(verb)) continue
    const isMarked = /[;]|then/i.test(match[0])
    const isObject =
      OBJECT_STARTS.has(object.toLowerCase().replace(/[^\p{L}]+$/u, '')) ||
      /^[\p{Lu}\p{N}`"'./]/u.test(object) ||
      (match[0].startsWith(',') && OBJECT_ENDS.has(next))
    if (isMarked || isObject) cuts.push({ start: match.index, end: match.index + match[0].length })
  }
  const clauses: string[] = []
  let from = 0
  for (const { start, end } of cuts) {
    const clause = sentence.slice(from, start)
    if (plainWords(clause).length < 2) continue
    // The word `then` stays with what it introduces: it says that the clause waits.
    clauses.push(clause.trim())
    from = /then/i.test(sentence.slice(start, end)) ? start + sentence.slice(start, end).search(/then/i) : end
  }
  clauses.push(sentence.slice(from).trim())
  return clauses
}

const SEPARATOR = /\s*,\s*(?:and|or)\s+|\s*,\s*|\s+(?:and|or|versus|vs\.?)\s+/i
const TAIL_WORDS =
  /\s(?:by|in|with|for|on|regarding|from|to|using|as|of|and|according|under|per|into|that|which|based)\s/i
const HEAD_WORDS =
  /^(.*\b(?:of|for|in|between|from|about|on|with|by|at|into|packages?|files?|following|covering|including|regarding|:)):?\s+(.+)$/i

/** Things named one after the other under one instruction: `before` + thing + `after` is the instruction for one of them. */
export interface Series {
  before: string
  things: string[]
  after: string
}

/** The series of a sentence ("Compare the licences of uvu, tapable and stemmer"): three things or more, or two that are compared. */
export function findSeries(sentence: string, verb: string | undefined): Series | undefined {
  if (sentence.length > 2_000) return undefined
  const end = /[.?!]$/.exec(sentence)?.[0] ?? ''
  const body = sentence.slice(0, sentence.length - end.length)
  const pieces = body.split(SEPARATOR)
  const hasComma = body.includes(',')
  const isPair = pieces.length === 2 && verb !== undefined && COMPARING.has(verb)
  if (!isPair && (pieces.length < 3 || !hasComma || !/\s(?:and|or)\s/i.test(body))) return undefined
  const first = splitHead(pieces[0] ?? '')
  const last = pieces[pieces.length - 1] ?? ''
  const tailAt = last.search(TAIL_WORDS)
  const lastThing = tailAt === -1 ? last : last.slice(0, tailAt)
  const things = [first.thing, ...pieces.slice(1, -1), lastThing].map((thing) => thing.trim())
  if (things.some((thing) => thing === '' || plainWords(thing).length > 6 || plainWords(thing).length === 0))
    return undefined
  if (new Set(things.map((thing) => thing.toLowerCase())).size < things.length) return undefined
  return { before: first.before, things, after: `${tailAt === -1 ? '' : last.slice(tailAt)}${end}` }
}

const EACH = /^for (?:each|every|all|both)(?: of)?(?: the)?(?: following)?(?: [\p{L}-]{1,40}(?=[ :]))?:? /iu

/** The series of a sentence that names its things first: "For each of the packages core, sdk and cli, list the exports." */
export function findEach(sentence: string): Series | undefined {
  if (sentence.length > 2_000) return undefined
  const start = EACH.exec(sentence)?.[0].length
  if (start === undefined) return undefined
  const comma = [...sentence.matchAll(/,\s+/g)].find((match) =>
    isImperative(/^[\p{L}]+/u.exec(sentence.slice(match.index + match[0].length))?.[0] ?? ''),
  )
  if (comma === undefined || comma.index <= start) return undefined
  const things = sentence
    .slice(start, comma.index)
    .split(SEPARATOR)
    .map((thing) => thing.trim())
  if (things.length < 2 || things.some((thing) => thing === '' || plainWords(thing).length > 4)) return undefined
  return { before: 'For ', things, after: sentence.slice(comma.index) }
}

const COMPARING: ReadonlySet<string> = new Set(['compare', 'contrast', 'rank', 'weigh'])

/** Whether an instruction sets things side by side, so that the work on one of them is a description. */
export const isComparing = (verb: string): boolean => COMPARING.has(verb)

function splitHead(piece: string): { before: string; thing: string } {
  const match = HEAD_WORDS.exec(piece)
  if (match !== null) return { before: piece.slice(0, piece.length - (match[2] ?? '').length), thing: match[2] ?? '' }
  // No preposition: the thing follows the verb.
  const space = /^(?:please\s+|then\s+)?\S+\s+/i.exec(piece)?.[0] ?? ''
  return { before: space, thing: piece.slice(space.length) }
}
