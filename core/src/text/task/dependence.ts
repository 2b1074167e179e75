/** Which request of a text waits for the results of which others. */
import { toStem, toWords } from '../words.ts'
import { imperativeOf, plainWords, withoutFrame } from './sentences.ts'
import { kindOf, LEADS, QUESTION_WORDS, type VerbKind } from './verbs.ts'

/** One request, ready to be held against those before it. */
export interface Request {
  text: string
  /** Which sentence of the text it stands in. */
  sentence: number
  verb: string
  /** What its verb does; a question finds something out. */
  kind: VerbKind
  /** What stands behind the verb, up to its first preposition. */
  object: string
  /** Whether it is an item of a list: there each stands for itself, unless it says otherwise. */
  isItem?: boolean
}

const PREPOSITION =
  /\s(?:for|in|on|about|with|from|to|into|by|as|using|at|over|per|that|which|who|whose|between|within|so)\b/i

export function toRequest(text: string, sentence: number): Request {
  const plain = withoutFrame(text)
  const verb = imperativeOf(plain) ?? plainWords(plain).find((word) => !LEADS.has(word)) ?? ''
  const isAsked = QUESTION_WORDS.has(verb) || text.trimEnd().endsWith('?')
  const behind = plain.slice(plain.toLowerCase().indexOf(verb) + verb.length).trim()
  const end = behind.search(PREPOSITION)
  return {
    text,
    sentence,
    verb,
    kind: kindOf(verb) ?? (isAsked ? 'find' : 'act'),
    object: end === -1 ? behind : behind.slice(0, end),
  }
}

const AFTER_ALL =
  /^(?:and\s+)?(?:finally|lastly|in the end)\b.*\b(?:it|them|all|both|results?|findings|everything|these|those|one)\b|\bbased on (?:all|both|the|this|that|it|your|what|these|those)\b|\b(?:the (?:above|findings|results|outcomes?|outputs?|answers|two|three|four|others)|the (?:best|cheapest|fastest|strongest|winner|most \w+|better) (?:one|of)|best one|of (?:all|both|them|each)|all of (?:it|them|this)|them|these|those|each other|everything (?:above|you (?:found|learn\w*)))\b/i
const SEQUENCE = /^(?:and\s+)?(?:then|next|after (?:that|this|doing)|afterwards|once|when (?:that|this|done))\b/i
const REFERENCE = /\b(?:it|its|they|their|this|the result|one|the (?:same|former|latter|winner|best|cheapest|other))\b/i
/** Choosing among what was looked at: "say which is the driest". */
const CHOOSING = /\bwhich (?:one|of|is|are|has|was|to)\b|\bwho (?:is|has|was) the\b/i
/** A write-up is of what was found before it. */
const WRITE_UP =
  /\b(?:report|summary|summaries|recommendations?|conclusions?|analysis|overview|comparison|memo|brief|briefing|proposal|verdict|review|decision|ranking|strategy|roadmap|presentation|slides?|deck|table|chart|graph|diagram|email|article|post|blog|newsletter|plan|document|page|list|notes?|outline|review|changelog|tests?|fix|patch)\b/i
const TOPIC = /\b(?:about|on|of|for|covering)\s+(\S[\s\S]*)$/i

/** Which earlier requests this one waits for, as positions. */
export function dependenciesOf(request: Request, earlier: readonly Request[]): number[] {
  if (earlier.length === 0) return []
  const { text, kind } = request
  const all = earlier.map((_, index) => index)
  const last = [earlier.length - 1]
  if (AFTER_ALL.test(text)) return all
  const isFresh = hasOwnName(request, earlier)
  const named = taken(request, earlier)
  if (kind === 'join' && !isFresh) return named.length > 0 ? named : all
  if (CHOOSING.test(text) && !isFresh) return all
  if (kind === 'make' && !isFresh && isMadeFrom(request, earlier)) {
    return earlier.flatMap((other, index) => (preparesWriting(other) ? [index] : []))
  }
  const isNear = earlier.at(-1)?.sentence === request.sentence
  if (REFERENCE.test(text)) return union(last, named)
  // "Then, what is the capital of Peru?" in a sentence of its own goes on with the list; it waits for nothing.
  if (SEQUENCE.test(text) && (isNear || kind !== 'find' || !isFresh)) return union(last, named)
  if (kind === 'act' && isNear && !isFresh) return last
  return named
}

/**
 * Whether a request can be done without the results of others although it was held in doubt: it names a thing of its own, and
 * no word of it refers to what came before.
 */
export function standsAlone(text: string, earlier: readonly string[]): boolean {
  const [own = ''] = text.split('\n')
  if ([AFTER_ALL, SEQUENCE, REFERENCE, CHOOSING].some((pattern) => pattern.test(own))) return false
  return namesOf(own).some((name) => !earlier.some((other) => (other.split('\n')[0] ?? '').includes(name)))
}

const union = (a: readonly number[], b: readonly number[]): number[] => [...new Set([...a, ...b])].sort((x, y) => x - y)

/** Writing behind finding: a write-up, anything without a topic of its own, or with one that was looked at before. */
function isMadeFrom({ text, object, isItem }: Request, earlier: readonly Request[]): boolean {
  if (!earlier.some(preparesWriting)) return false
  if (isItem && plainWords(object.replace(/^(?:an?|the)\s/i, '')).length > 1) return false
  const topic = TOPIC.exec(text)?.[1]
  if (topic === undefined || (WRITE_UP.test(object) && isItem !== true)) return true
  const stems = contentStems(topic)
  return stems.length === 0 || earlier.some((other) => contentStems(other.text).some((stem) => stems.includes(stem)))
}

const preparesWriting = ({ kind, verb }: Request): boolean =>
  kind === 'find' || kind === 'join' || /^(?:plan|outline|design|architect|sketch)$/.test(verb)

const contentStems = (text: string): string[] =>
  toWords(text)
    .filter((word) => word.length > 3 && kindOf(word) === undefined)
    .map(toStem)

/** Earlier requests that bring into being what this one names with "the": "Write a haiku ... translate the haiku". */
function taken({ text }: Request, earlier: readonly Request[]): number[] {
  const words = toWords(text)
  const definite = words.filter((_, index) => DEFINITE.has(words[index - 1] ?? ''))
  if (definite.length === 0) return []
  const named = new Set(definite.map(toStem))
  return earlier.flatMap((other, index) => {
    const head = introduced(other)
    // "Translate the menu ... check the translations" takes up the verb.
    return (head !== undefined && named.has(head)) || isTakenUp(other.verb, definite) ? [index] : []
  })
}
const isTakenUp = (verb: string, definite: readonly string[]): boolean =>
  definite.some((word) => word !== verb && toStem(word) === toStem(verb))
const DEFINITE: ReadonlySet<string> = new Set(['the', 'that', 'this', 'these', 'those', 'each', 'every', 'your'])

/** The stem of what a request finds or makes anew: the haiku of "Write a haiku about rain"; nothing for "Read the log". */
function introduced({ object }: Request): string | undefined {
  const words = toWords(object)
  if (/^(?:the|my|our|this|these|your|its|their)$/.test(words[0] ?? '')) return undefined
  const of = words.indexOf('of')
  const noun = (of === -1 ? words.slice(0, 6) : words.slice(0, of)).at(-1)
  return noun === undefined ? undefined : toStem(noun)
}

/** Where a name says how or to whom, not what: "in French", "as JSON", "to Bob". */
const MANNER =
  /\b(?:in|into|as|to|for|by|at|with|via|using)\s+(?:an?\s+|the\s+)?(?:["'`]?[A-Z0-9][^\s,.;]*|[\w/-]+\.[a-z]{1,5}\b)/g
const AMOUNT =
  /\b\d+[-\s]?(?:words?|pages?|lines?|sentences?|bullets?|points?|paragraphs?|items?|slides?|minutes?|steps?|characters?)\b/gi
const NAME = /["'`“][^"'`“”]+["'`”]|\b\w[\w-]{0,100}\.[a-z]{1,5}\b|(?<!\S)\S+\/\S*|\b[A-Z][\w-]*|\d[\d.,]*/g
/** Words that open a sentence with a capital, and names of no thing. */
const NO_NAME = /^(?:I|I'm|OK|And|Then|Also|Please|Finally|The|A)$/

/** The names, figures, quotations and paths of a request, the word that opens it aside. */
export function namesOf(text: string): string[] {
  const body = text.trim().replace(/^["'`“(]*\S+/, '')
  return [...body.matchAll(NAME)]
    .map(([name]) => name.replace(/(?<![.,;:])[.,;:]+$/, ''))
    .filter((name) => !NO_NAME.test(name))
}

/** Whether a request names a thing that no earlier one does: then it needs no result of theirs. */
function hasOwnName({ text, object, kind }: Request, earlier: readonly Request[]): boolean {
  const own = namesOf(kind === 'join' ? `_ ${object}` : text.replace(MANNER, '').replace(AMOUNT, ''))
  return own.some((name) => !earlier.some((other) => other.text.includes(name)))
}
