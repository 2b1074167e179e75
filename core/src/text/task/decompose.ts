/** Cuts the text of a task into parts by its structure alone. */
import { toClauses } from './clauses.ts'
import { dependenciesOf, type Request, toRequest } from './dependence.ts'
import { findInlineList, findList, findParallel } from './lists.ts'
import { maskQuotes, unmask, withoutOuterQuotes } from './quotes.ts'
import { imperativeOf, isAnnouncement, isBound, isQuestion, isRequirement, toSentences } from './sentences.ts'
import { findEach, findSeries, type Series } from './series.ts'
import { isComparing, kindOf } from './verbs.ts'

/** One part of a task. */
export interface Part {
  /** What to do, in the words of the task, understandable alone. */
  objective: string
  /** Positions of the parts whose results it needs. */
  dependsOn: number[]
}

export interface Decomposition {
  parts: Part[]
  /** How the task was cut. `whole`: it was not. */
  by: 'whole' | 'list' | 'clauses' | 'things'
  /** Whether other text introduces the parts: then they may be questions about one story. */
  isIntroduced: boolean
  /** The most things of one kind that an instruction before another names; 0 for none. */
  things: number
  /** The verb of each instruction of the text, `ask` for a question; in order. */
  verbs: string[]
}

/** Beyond these a plan costs more in coordination than its parts are worth. */
const MAX_PARTS = 12
const MAX_BATCHES = 4
/** A longer item is material to work on, not the name of a thing. */
const LONGEST_ITEM = 80
const MAX_TEXT = 20_000
const MAX_SENTENCES = 300
/** Without any of these a text is one request. */
const STRUCTURE = /[\n;,]|[.?!:]\s|\b(?:and|then|also)\b|\d[.)]\s/i

/**
 * Cuts the text of a task into parts by its structure: the items of a list, the instructions and questions one after
 * the other, or the things named under one instruction (at most four batches of them). Sentences that only limit the
 * work, and introductions, go along with every part. A part that judges, joins or writes up what others find waits for
 * them. A text without such structure is one part, word for word. Linear in the length of the text.
 */
export function decompose(description: string): Decomposition {
  const text = withoutOuterQuotes(description.trim())
  if (text.length > MAX_TEXT || text.includes('```')) return whole(description, [imperativeOf(text)])
  if (!STRUCTURE.test(text)) return whole(description, isRequirement(text) ? [verbOf(text)] : [])
  const material = findMaterial(text)
  if (material !== undefined) return whole(description, [verbOf(material)])
  const masked = maskQuotes(text)
  const sentences = toSentences(masked)
  if (sentences.length > MAX_SENTENCES) return whole(description, [imperativeOf(text)])
  const layout = toLayout(sentences)
  const verbs = layout.clauses.map((clause) => verbOf(clause.text))
  const found = fromParallel(masked) ?? fromList(masked) ?? fromClauses(layout) ?? fromThings(masked)
  if (found === undefined || found.parts.length < 2) return whole(description, verbs)
  const parts =
    masked === text ? found.parts : found.parts.map((part) => ({ ...part, objective: unmask(part.objective) }))
  return { ...found, parts: limit(parts), verbs }
}

/** "Rewrite this email:" before a line of its own: what follows is the text to work on, and asks for nothing. */
const MATERIAL =
  /^([^\n]{0,300}\b(?:this|these|my|our|the following|following)\s+(?:\S+\s){0,2}(?:texts?|e-?mails?|letters?|messages?|paragraphs?|sentences?|notes?|essay|article|story|posts?|code|function|snippet|script|draft|reply|review|conversation|chat|transcript|speech|poem|cv|resume|intro|introduction|logs?|errors?|query|passage|abstract)\b[^\n]{0,200}):[ \t]*\r?\n\s*(?![-*•]|\d{1,2}[.)])/i

/** The instruction of a text that brings its material along; nothing for other texts. */
const findMaterial = (text: string): string | undefined => MATERIAL.exec(text)?.[1]

type Cut = Omit<Decomposition, 'verbs'>

const whole = (objective: string, verbs: readonly (string | undefined)[]): Decomposition => ({
  parts: [{ objective, dependsOn: [] }],
  by: 'whole',
  isIntroduced: false,
  things: 0,
  verbs: verbs.filter((verb) => verb !== undefined),
})

const verbOf = (clause: string): string => (isQuestion(clause) ? 'ask' : (imperativeOf(clause) ?? 'ask'))

function fromParallel(text: string): Cut | undefined {
  const pieces = findParallel(text)
  return (
    pieces && {
      parts: pieces.map((objective) => ({ objective, dependsOn: [] })),
      by: 'list',
      isIntroduced: false,
      things: 0,
    }
  )
}

const isMaterial = (item: string): boolean => item.length > LONGEST_ITEM || (/[.!?]$/.test(item) && item.includes(' '))

function fromList(text: string): Cut | undefined {
  const list = findList(text) ?? findInlineList(text)
  if (list === undefined) return undefined
  const { head, items } = list
  if (DESCRIBING.test(head)) return undefined
  const tail = toSentences(list.tail)
  const bounds = tail.filter((sentence) => !isRequirement(sentence)).join(' ')
  const together = tail.filter(isRequirement).join(' ')
  const say = (item: string) =>
    lines(`${head === '' ? '' : `${head}${head.endsWith(':') ? ' ' : '\n'}`}${item}`, bounds)
  const instructions = items.filter(isRequirement).length
  const instructed = capped(items, (rest) => rest.join('; '))
  const parts: Part[] =
    instructions * 2 >= items.length
      ? waiting(instructed.map((item, index) => ({ ...toRequest(item, index), isItem: true }))).map(
          (dependsOn, index) => ({
            objective: say(instructed[index] ?? ''),
            dependsOn,
          }),
        )
      : imperativeOf(toSentences(head).at(-1) ?? '') === undefined || items.some(isMaterial)
        ? []
        : batches(items).map((batch) => ({ objective: say(batch.join('; ')), dependsOn: [] }))
  if (parts.length < 2) return undefined
  if (together !== '') parts.push({ objective: together, dependsOn: parts.map((_, index) => index) })
  return { parts, by: 'list', isIntroduced: false, things: 0 }
}

/** What a list behind these says is what one thing has to be or do. */
const DESCRIBING =
  /(?:\b(?:that|which|who|where|with|including|contains?|has|have|must|should|shall|needs? to|has to|have to|can|will)|\b(?:requirements?|criteria|constraints?|rules|features|specs?|conditions|details|facts|data|input|example|context))\s*:?$/i

interface Clause {
  text: string
  sentence: string
  position: number
}

/** A text as introduction, instructions and limits. */
interface Layout {
  introduction: string[]
  clauses: Clause[]
  bounds: string[]
}

function toLayout(sentences: readonly string[]): Layout {
  const introduction: string[] = []
  const bounds: string[] = []
  const clauses: Clause[] = []
  for (const [position, sentence] of sentences.entries()) {
    if (isAnnouncement(sentence)) continue
    if (isRequirement(sentence)) {
      for (const clause of toClauses(sentence)) clauses.push({ text: clause, sentence, position })
    } else if (isBound(sentence)) bounds.push(sentence)
    else if (clauses.length === 0) introduction.push(sentence)
    else {
      const last = clauses[clauses.length - 1]
      if (last !== undefined) last.text = `${last.text} ${sentence}`.trim()
    }
  }
  return { introduction, clauses, bounds }
}

function fromClauses({ introduction, clauses: all, bounds }: Layout): Cut | undefined {
  if (all.length < 2) return undefined
  const clauses = capped(all, (rest) => ({ ...rest[0], text: rest.map(({ text }) => text).join(' ') }) as Clause)
  const requests = clauses.map((clause) => toRequest(clause.text, clause.position))
  const dependencies = waiting(requests)
  const parts: Part[] = []
  /** Which parts each clause has become. */
  const positions: number[][] = []
  let things = 0
  for (const [index, clause] of clauses.entries()) {
    const dependsOn = (dependencies[index] ?? []).flatMap((other) => positions[other] ?? [])
    const isNeeded = dependencies.some((list) => list.includes(index))
    const series = isNeeded ? seriesOf(clause.text) : undefined
    const texts =
      series === undefined
        ? [readable(clause, dependsOn.length > 0)]
        : expand(series, imperativeOf(clause.text)).map((one) => sentenceCase(one))
    // "the name, email and phone number of" are sides of one thing.
    if (series !== undefined && /\s(?:of|for|in|about|on)\s+$/i.test(series.before))
      things = Math.max(things, texts.length)
    positions.push(texts.map((_, offset) => parts.length + offset))
    for (const objective of texts)
      parts.push({ objective: lines(introduction.join(' '), objective, bounds.join(' ')), dependsOn })
  }
  return { parts, by: 'clauses', isIntroduced: introduction.length > 0, things }
}

/** A clause on its own, as a person would write it; where it stands on others, with the sentence that it is from. */
function readable({ text, sentence }: Clause, waits: boolean): string {
  if (text.length >= sentence.length - 1) return text
  const clause = sentenceCase(text.replace(/^(?:and\s+)?then,?\s+/i, ''))
  if (!waits || sentence.length > 500) return clause
  return `${clause}${/[.?!]$/.test(clause) ? '' : '.'}\nThis is part of: ${sentence}`
}

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function fromThings(text: string): Cut | undefined {
  const sentences = toSentences(text)
  const requirement = sentences.find((sentence) => isRequirement(sentence) || findEach(sentence) !== undefined)
  if (requirement === undefined) return undefined
  const series = seriesOf(requirement)
  if (series === undefined) return undefined
  const others = sentences.filter((sentence) => sentence !== requirement).join(' ')
  const verb = imperativeOf(requirement)
  // "a plan and a report for a bakery": what stands behind the last one may hold for all.
  const context = kindOf(verb ?? '') === 'make' && /^(?:an?|the)\s/i.test(series.things[0] ?? '') ? requirement : ''
  const parts = expand(series, verb).map((one) => ({
    objective: lines(one, context === '' ? '' : `This is part of: ${context}`, others),
    dependsOn: [],
  }))
  return { parts, by: 'things', isIntroduced: sentences[0] !== requirement, things: parts.length }
}

const seriesOf = (sentence: string): Series | undefined =>
  findEach(sentence) ?? findSeries(sentence, imperativeOf(sentence))

/** The instruction for each thing, or for each of four batches of them. */
function expand({ before, things, after }: Series, verb: string | undefined): string[] {
  // One thing alone cannot be compared: what is wanted of it is its description.
  const start =
    verb !== undefined && isComparing(verb) ? before.replace(/\b(?:compare|contrast|rank|weigh)\b/i, describe) : before
  return batches(things).map((batch) => `${start}${join(batch)}${after}`)
}

const describe = (verb: string): string => (/^[A-Z]/.test(verb) ? 'Describe' : 'describe')
const join = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' and ')
const lines = (...texts: readonly string[]): string => texts.filter((line) => line !== '').join('\n')
const waiting = (requests: readonly Request[]): number[][] =>
  requests.map((request, index) => dependenciesOf(request, requests.slice(0, index)))

/** The things in at most four groups of nearly equal size, in order. */
function batches<T>(things: readonly T[]): T[][] {
  const count = Math.min(things.length, MAX_BATCHES)
  return Array.from({ length: count }, (_, index) =>
    things.slice(Math.floor((index * things.length) / count), Math.floor(((index + 1) * things.length) / count)),
  )
}

/** At most twelve pieces: what is beyond them is put together before anything is compared. */
const capped = <T>(pieces: readonly T[], join: (rest: readonly T[]) => T): readonly T[] =>
  pieces.length <= MAX_PARTS ? pieces : [...pieces.slice(0, MAX_PARTS - 1), join(pieces.slice(MAX_PARTS - 1))]

/** At most twelve parts: what is beyond them is done together, last. */
function limit(parts: Part[]): Part[] {
  if (parts.length <= MAX_PARTS) return parts
  const rest = parts.slice(MAX_PARTS - 1)
  const dependsOn = new Set(rest.flatMap((part) => part.dependsOn).filter((index) => index < MAX_PARTS - 1))
  return [
    ...parts.slice(0, MAX_PARTS - 1),
    { objective: rest.map(({ objective }) => objective).join('\n'), dependsOn: [...dependsOn].sort((a, b) => a - b) },
  ]
}
