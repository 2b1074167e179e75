import { toStem, toWords } from '../../text/index.ts'
import { imperativeOf, isBound, isMaking, isRequirement } from './imperatives.ts'
import {
  findEach,
  findInlineList,
  findList,
  findParallel,
  findSeries,
  isComparing,
  toClauses,
  toSentences,
} from './split-text.ts'

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
}

/** Beyond these a plan costs more in coordination than its parts are worth. */
const MAX_PARTS = 12
const MAX_BATCHES = 4
const MAX_TEXT = 20_000

/**
 * Cuts the text of a task into parts by its structure alone: the items of a list, the instructions and questions one
 * after the other, or the things named under one instruction (at most four batches of them). Sentences that only bound
 * the work, and introductions, go along with every part. A text without such structure is one part, word for word.
 */
export function decompose(description: string): Decomposition {
  const whole: Decomposition = { parts: [{ objective: description, dependsOn: [] }], by: 'whole' }
  const text = description.trim()
  if (text.length > MAX_TEXT) return whole
  const found = fromParallel(text) ?? fromList(text) ?? fromClauses(text) ?? fromThings(text)
  return found === undefined || found.parts.length < 2 ? whole : { ...found, parts: limit(found.parts) }
}

function fromParallel(text: string): Decomposition | undefined {
  const pieces = findParallel(text)
  return pieces && { parts: pieces.map((objective) => ({ objective, dependsOn: [] })), by: 'list' }
}

function fromList(text: string): Decomposition | undefined {
  const list = findList(text) ?? findInlineList(text)
  if (list === undefined) return undefined
  const { head, items } = list
  const tail = toSentences(list.tail)
  const bounds = tail.filter((sentence) => !isRequirement(sentence)).join(' ')
  const together = tail.filter(isRequirement).join(' ')
  const say = (item: string) =>
    [head === '' ? item : `${head}${head.endsWith(':') ? ' ' : '\n'}${item}`, bounds]
      .filter((line) => line !== '')
      .join('\n')
  const instructions = items.filter(isRequirement).length
  const parts: Part[] =
    instructions * 2 >= items.length
      ? items.map((item, index) => ({ objective: say(item), dependsOn: dependenciesOf(item, items.slice(0, index)) }))
      : imperativeOf(lastSentence(head)) === undefined
        ? []
        : batches(items).map((batch) => ({ objective: say(batch.join('; ')), dependsOn: [] }))
  if (parts.length < 2) return undefined
  if (together !== '') parts.push({ objective: together, dependsOn: parts.map((_, index) => index) })
  return { parts, by: 'list' }
}

function fromClauses(text: string): Decomposition | undefined {
  const sentences = toSentences(text)
  const introduction: string[] = []
  const bounds: string[] = []
  const clauses: { text: string; sentence: string }[] = []
  for (const sentence of sentences) {
    if (isRequirement(sentence)) {
      for (const clause of imperativeOf(sentence) === undefined ? [sentence] : toClauses(sentence)) {
        clauses.push({ text: clause, sentence })
      }
    } else if (isBound(sentence)) bounds.push(sentence)
    else if (clauses.length === 0) introduction.push(sentence)
    else clauses.push({ text: `${clauses.pop()?.text ?? ''} ${sentence}`.trim(), sentence })
  }
  if (clauses.length < 2) return undefined
  const texts = clauses.map((clause) => clause.text)
  const parts = clauses.map(({ text: clause, sentence }, index) => ({
    objective: [introduction.join(' '), selfContained(clause, sentence), bounds.join(' ')]
      .filter((line) => line !== '')
      .join('\n'),
    dependsOn: dependenciesOf(clause, texts.slice(0, index)),
  }))
  return { parts, by: 'clauses' }
}

/** A clause that says "it" or "their" is read with the sentence it was cut from. */
function selfContained(clause: string, sentence: string): string {
  const text = clause.replace(/^then\s+/i, '')
  const isWhole = text.length >= sentence.length - 1
  return isWhole || !REFERRING.test(clause) || sentence.length > 500 ? text : `${text} (part of: ${sentence})`
}

function fromThings(text: string): Decomposition | undefined {
  const sentences = toSentences(text)
  const requirement = sentences.find((sentence) => isRequirement(sentence) || findEach(sentence) !== undefined)
  if (requirement === undefined) return undefined
  const verb = imperativeOf(requirement)
  const series = findEach(requirement) ?? findSeries(requirement, verb)
  if (series === undefined) return undefined
  const others = sentences.filter((sentence) => sentence !== requirement).join(' ')
  // One thing alone cannot be compared: what is wanted of it is its description.
  const before =
    verb !== undefined && isComparing(verb)
      ? series.before.replace(/\b(?:compare|contrast|rank|weigh)\b/i, describe)
      : series.before
  const parts = batches(series.things).map((batch) => ({
    objective: [`${before}${join(batch)}${series.after}`, others].filter((line) => line !== '').join('\n'),
    dependsOn: [],
  }))
  return { parts, by: 'things' }
}

const describe = (verb: string): string => (/^[A-Z]/.test(verb) ? 'Describe' : 'describe')
const join = (words: string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' and ')
const lastSentence = (text: string): string => toSentences(text).at(-1) ?? ''

const REFERRING = /\b(?:it|its|they|them|their|this|these|those|result|results)\b/i
const AFTER_ALL =
  /^(?:and\s+)?(?:finally|lastly|in the end)\b|\bbased on (?:all|both|the|this|that|it)\b|\bthe (?:above|findings)\b|\b(?:them|these|those|results)\b/i
const AFTER_LAST =
  /^(?:and\s+)?(?:then|next|after (?:that|this)|afterwards|once (?:that|this))\b|\b(?:it|this|the result)\b/i

/** Which earlier instructions this one waits for: by a cue of sequence, or because it names what one of them makes. */
function dependenciesOf(instruction: string, earlier: readonly string[]): number[] {
  if (earlier.length === 0) return []
  if (AFTER_ALL.test(instruction)) return earlier.map((_, index) => index)
  const found = new Set<number>()
  if (AFTER_LAST.test(instruction)) found.add(earlier.length - 1)
  const named = definiteStems(instruction)
  for (const [index, text] of earlier.entries()) {
    const made = madeStem(text)
    if (made !== undefined && named.has(made)) found.add(index)
  }
  return [...found].sort((a, b) => a - b)
}

/** Stems of the words that follow "the", "that", "each" and the like. */
function definiteStems(text: string): Set<string> {
  const words = toWords(text)
  return new Set(words.filter((_, index) => DEFINITE.has(words[index - 1] ?? '')).map(toStem))
}
const DEFINITE: ReadonlySet<string> = new Set(['the', 'that', 'this', 'these', 'those', 'each', 'every', 'your'])

/** The stem of what an instruction brings into being: "Write a haiku about rain" makes a haiku. */
function madeStem(instruction: string): string | undefined {
  const verb = imperativeOf(instruction)
  if (verb === undefined || !isMaking(verb)) return undefined
  const words = toWords(instruction)
  const after = words.slice(words.indexOf(verb) + 1)
  if (after[0] === 'the') return undefined
  const end = after.findIndex((word) => PREPOSITIONS.has(word))
  const noun = (end === -1 ? after.slice(0, 4) : after.slice(0, end)).at(-1)
  return noun === undefined ? undefined : toStem(noun)
}
const PREPOSITIONS: ReadonlySet<string> = new Set(
  'of for in on about with from to into that which by as using at over per'.split(' '),
)

/** The things in at most four groups of nearly equal size, in order. */
function batches<T>(things: readonly T[]): T[][] {
  const count = Math.min(things.length, MAX_BATCHES)
  return Array.from({ length: count }, (_, index) =>
    things.slice(Math.floor((index * things.length) / count), Math.floor(((index + 1) * things.length) / count)),
  )
}

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
