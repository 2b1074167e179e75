/** Cuts the text of a task into parts by its structure alone. */
import { toSentences } from '../sentences.ts'
import { dependenciesOf, isBeside, needsOf, readsOf } from './dependence.ts'
import { findList, type TextList } from './lists.ts'
import { maskQuotes, unmask, withoutOuterQuotes } from './quotes.ts'
import { imperativeOf, isBound, isQuestion, isRequirement, toClauses } from './requests.ts'
import { findSeries } from './series.ts'
import { isComparing } from './verbs.ts'

/** One part of a task. */
export interface Part {
  /** What to do, in the words of the task, understandable alone. */
  objective: string
  /** Positions of the parts that it waits for. */
  dependsOn: number[]
  /** Positions of the parts whose results it cannot be done without. */
  needs: number[]
  /** Whether the answer owes it a place: no other part may be made of its result. */
  isOwed: boolean
}

export interface Decomposition {
  parts: Part[]
  /** How the task was cut. `whole`: it was not. */
  by: 'whole' | 'list' | 'requests'
  /** The verb of each instruction of the text, `ask` for a question; in order. */
  verbs: string[]
}

/** Stands before the text that a part is from, where its own words do not say all. */
export const PART_OF = '\nThis is part of: '
/** Beyond these a plan costs more in coordination than its parts are worth. */
export const MAX_PARTS = 12
const MAX_BATCHES = 4
const LONGEST_ITEM = 80
const MAX_TEXT = 20_000
/** Without any of these a text is one request. */
const STRUCTURE = /[\n;,。！？]|[.?!:]\s|\b(?:and|then|parallel)\b|\d[.)]\s/i
/** More instructions than these are one piece of work: words do not say which waits for which. */
const MAX_INSTRUCTIONS = 60
/** "Rewrite this email:" before a line of its own: what follows is the text to work on, and asks for nothing. */
const MATERIAL = /^([^\n]{1,300}):[ \t]*\r?\n\s*(?![-*•\s]|\d{1,2}[.)])/
/** What a list behind these says is what one thing has to be or do. */
const DESCRIBING =
  /\b(?:that|which|who|with|including|contains?|has|have|must|should|can|requirements?|criteria|constraints?|rules|features|conditions|details|facts|data|input|example|context)\s*:?$/i

/**
 * Cuts the text of a task into parts by its structure: the items of a list, or the instructions and questions one after the
 * other, where an instruction for several named things counts as one for each (at most four batches of them). Sentences that
 * only limit the work, and introductions, go along with every part. A part that judges, joins or writes up what others find
 * waits for them. A text without such structure, and one that brings its material along, is one part, word for word.
 */
export function decompose(description: string): Decomposition {
  const text = withoutOuterQuotes(description.trim())
  if (!STRUCTURE.test(text)) return whole(description, isRequirement(text) ? [verbOf(text)] : [])
  const material = MATERIAL.exec(text)?.[1]
  const masked = maskQuotes(unwrap(material ?? text.slice(0, MAX_TEXT)))
  const requests = toRequests(masked)
  const verbs = requests.instructions.map(({ clause }) => verbOf(clause))
  const isWhole = bringsMaterial(text) || requests.instructions.length > MAX_INSTRUCTIONS
  const list = isWhole ? undefined : findList(masked)
  const parts = isWhole ? [] : list === undefined ? fromRequests(requests) : fromList(list)
  if (parts.length < 2) return whole(description, verbs)
  const readable = parts.map((part) => ({ ...part, objective: unmask(part.objective) }))
  return { parts: atMost(readable, MAX_PARTS), by: list === undefined ? 'requests' : 'list', verbs }
}

const verbOf = (clause: string): string => (isQuestion(clause) ? 'ask' : (imperativeOf(clause) ?? 'ask'))

/** Whether a text is work and its material in one, which is not to be cut. */
export const bringsMaterial = (text: string): boolean =>
  MATERIAL.test(text) || text.length > MAX_TEXT || text.includes('```')

const whole = (objective: string, verbs: string[]): Decomposition => ({
  parts: [{ objective, dependsOn: [], needs: [], isOwed: true }],
  by: 'whole',
  verbs,
})

/** A line that goes on in lower case is the same sentence. */
const unwrap = (text: string): string => text.replace(/(?<=[\p{L}\p{N},]) *\r?\n(?=\p{Ll}+ )/gu, ' ')

function fromList({ head, items, tail, isParallel = false }: TextList): Part[] {
  if (DESCRIBING.test(head)) return []
  const ends = toSentences(tail)
  const bounds = ends.filter((sentence) => !isRequirement(sentence)).join(' ')
  const together = ends.filter(isRequirement).join(' ')
  const say = (item: string): string =>
    toLines(head === '' ? sentenceCase(item) : `${head}${head.endsWith(':') ? ' ' : '\n'}${item}`, bounds)
  const areInstructions = items.filter(isRequirement).length * 2 >= items.length
  const areThings = imperativeOf(toSentences(head).at(-1) ?? '') !== undefined && !items.some(isMaterial)
  const parts = areInstructions
    ? items.map((item, index) => ({ objective: say(item), ...bondsOf(item, isParallel ? [] : items.slice(0, index)) }))
    : areThings
      ? batches(items).map((batch) => ({ objective: say(batch.join('; ')), ...FREE }))
      : []
  const all = parts.map((_, index) => index)
  if (parts.length > 1 && together !== '') parts.push({ objective: together, dependsOn: all, needs: all, mayUse: all })
  return withOwed(parts)
}

/** How one request hangs together with earlier ones, by their positions. */
interface Bonds extends Pick<Part, 'dependsOn' | 'needs'> {
  /** Those of which it may be made. */
  mayUse: number[]
}

const FREE: Bonds = { dependsOn: [], needs: [], mayUse: [] }

function bondsOf(request: string, earlier: readonly string[]): Bonds {
  if (earlier.length === 0) return FREE
  const dependsOn = dependenciesOf(request, earlier)
  const needs = needsOf(request, earlier)
  const mayUse = [...(isBeside(request, earlier) ? [] : dependsOn), ...needs, ...readsOf(earlier)]
  return { dependsOn, needs, mayUse }
}

const withOwed = (parts: readonly (Bonds & { objective: string })[]): Part[] =>
  parts.map(({ mayUse: _, ...part }, index) => ({
    ...part,
    isOwed: !parts.some(({ mayUse }) => mayUse.includes(index)),
  }))

/** Whether an item is a text to work on, not the name of a thing. */
const isMaterial = (item: string): boolean => item.length > LONGEST_ITEM || (/[.!?]$/.test(item) && /\s/.test(item))

/** A text as introduction, instructions and limits. */
interface Requests {
  introduction: string[]
  instructions: { clause: string; sentence: string }[]
  bounds: string[]
}

function toRequests(text: string): Requests {
  const introduction: string[] = []
  const bounds: string[] = []
  const instructions: Requests['instructions'] = []
  for (const sentence of toSentences(text)) {
    const last = instructions.at(-1)
    if (isRequirement(sentence)) for (const clause of toClauses(sentence)) instructions.push({ clause, sentence })
    else if (isBound(sentence)) bounds.push(sentence)
    else if (last === undefined) introduction.push(sentence)
    else last.clause = `${last.clause} ${sentence}`
  }
  return { introduction, instructions, bounds }
}

function fromRequests({ introduction, instructions, bounds }: Requests): Part[] {
  const parts: (Bonds & { objective: string })[] = []
  /** Which parts each instruction has become. */
  const positions: number[][] = []
  for (const [index, { clause, sentence }] of instructions.entries()) {
    const earlier = instructions.slice(0, index).map((instruction) => instruction.clause)
    const partsOf = (others: readonly number[]): number[] => others.flatMap((other) => positions[other] ?? [])
    const bonds = bondsOf(clause, earlier)
    const dependsOn = partsOf(bonds.dependsOn)
    const placed = { dependsOn, needs: partsOf(bonds.needs), mayUse: partsOf(bonds.mayUse) }
    const objectives = expand(clause) ?? [inFull(clause, sentence, dependsOn.length > 0)]
    positions.push(objectives.map((_, offset) => parts.length + offset))
    for (const objective of objectives)
      parts.push({ objective: toLines(introduction.join(' '), objective, bounds.join(' ')), ...placed })
  }
  return withOwed(parts)
}

/** The instruction for each of the things that it names, or for each of four batches of them. */
function expand(clause: string): string[] | undefined {
  const verb = imperativeOf(clause) ?? ''
  const series = findSeries(clause, verb)
  if (series === undefined) return undefined
  // One thing alone cannot be compared: what is wanted of it is its description.
  const before = isComparing(verb) ? series.before.replace(/\w+/, 'describe') : series.before
  return batches(series.things).map((batch) => sentenceCase(`${before}${inWords(batch)}${series.after}`))
}

/** A clause as a person would write it alone; where it stands on others, with the sentence that it is from. */
function inFull(clause: string, sentence: string, waits: boolean): string {
  if (clause.length >= sentence.length - 1) return clause
  const alone = sentenceCase(clause.replace(/^(?:and\s+)?then,?\s+/i, ''))
  return waits ? `${alone}${/[.?!]$/.test(alone) ? '' : '.'}${PART_OF}${sentence}` : alone
}

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const inWords = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' and ')
const toLines = (...texts: readonly string[]): string => texts.filter((line) => line !== '').join('\n')

/** The things in at most four groups of nearly equal size, in order. */
function batches<T>(things: readonly T[]): T[][] {
  const count = Math.min(things.length, MAX_BATCHES)
  return Array.from({ length: count }, (_, index) =>
    things.slice(Math.floor((index * things.length) / count), Math.floor(((index + 1) * things.length) / count)),
  )
}

/** At most so many parts: what is beyond them is done together, last. */
export function atMost(parts: readonly Part[], most: number): Part[] {
  if (parts.length <= most) return [...parts]
  const kept = parts.slice(0, most - 1)
  const rest = parts.slice(most - 1)
  const earlier = (positions: readonly number[]): number[] =>
    [...new Set(positions.filter((index) => index < kept.length))].sort((a, b) => a - b)
  return [
    ...kept,
    {
      objective: together(rest.map(({ objective }) => objective)),
      dependsOn: earlier(rest.flatMap(({ dependsOn }) => dependsOn)),
      needs: earlier(rest.flatMap(({ needs }) => needs)),
      isOwed: true,
    },
  ]
}

/** Parts as one, with what they are part of said once. */
function together(objectives: readonly string[]): string {
  const halves = objectives.map((objective) => objective.split(PART_OF))
  const wholes = [...new Set(halves.flatMap(([, ...whole]) => whole))]
  return [halves.map(([own]) => own).join('\n'), ...wholes].join(PART_OF)
}
