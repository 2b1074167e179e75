import { isStopWord, toStem, toStems, toWords } from '@svc/core/text'
import type { Question } from '../question/question.ts'
import type { Passage } from './passages.ts'
import type { Sentence } from './sentences.ts'

/** A word that is asked about. */
export interface Term {
  /** As a stem, or as written where it is a flag, a format or a number. */
  readonly text: string
  /** True: only exactly so. */
  readonly isExact: boolean
}

/** A passage and how well it answers. */
export interface Ranked {
  readonly passage: Passage
  readonly score: number
}

/** Share of what is asked that a passage must speak of to answer. */
const LEAST_COVERED = 0.72
/** What a word is worth that only the head of the table, the sentence before the list, or the titles above hold. */
const BY_CONTEXT = 0.75

/** Words with which one asks, and which say nothing about what is asked. */
const ASKING = new Set(
  (
    'use using used usage work works working example examples show tell explain describe want know need help way docs doc documentation ' +
    'readme say says please possible package library project repo repository module code do does done mean means happen happens get gets give gives given take takes ' +
    'go goes thing things something anything whats hows wheres isnt dont doesnt should could can may whole entire every own one exist ' +
    'available support supports supported there here like just what which how who where when why did find see look i im my name called call contain contains hold holds option options ' +
    'add write create make define own custom new set put change configure turn switch'
  ).split(' '),
)
/** `--yes`, `-v`, `%j`, `@scope/name`: what is meant as it is written. */
const SIGNED = /(?<=^|[\s`"'(])(?:--?[a-z][\w-]*|%[a-z%]|@[\w-]+\/[\w.-]+)(?=$|[\s`"'?,.;:)])/gi
/** A number that names something, as in "code 6"; one before a plural counts. */
const NUMBER = /(?<![\w.-])\d{1,6}(?![\w.%-])(?!\s+(?!means\b|is\b|was\b|does\b)[a-z]+s\b)/gi

/** Whether a word says what a question is about. */
export const isTelling = (word: string): boolean =>
  word.length > 1 && !isStopWord(word) && !ASKING.has(word) && !/^\d+$/.test(word)

/** What a question is about, each word once. */
export function readTerms({ text: asked }: Pick<Question, 'text'>): Term[] {
  const text = asked.replace(/\bhow (?:many|much|long|old|often|large|big|far)\b/gi, '')
  const exact = [...text.matchAll(SIGNED), ...text.matchAll(NUMBER)].map((match) => match[0])
  const inExact = new Set(exact.flatMap((item) => toWords(item)))
  const plain = toWords(text).filter((word) => isTelling(word) && !inExact.has(word))
  return [
    ...[...new Set(exact)].map((item) => ({ text: item.toLowerCase(), isExact: true })),
    ...[...new Set(plain.map(toStem))].map((item) => ({ text: item, isExact: false })),
  ]
}

const WHY = /^\s*(?:(?:and|but|so)\s+)?(?:why\b|what (?:causes|is the (?:cause|reason))\b|how come\b)/
const OPINION =
  /^\s*(?:(?:and|but|so)\s+)?(?:should (?:i|we)\b|is (?:it|this|that|[\w./@-]+) (?:any )?(?:safe|secure|worth|good|bad|better|faster|stable|reliable|ready)\b|(?:which|what)(?: one| of them)? (?:is|are|works?) (?:the )?(?:better|best|faster|fastest|safer|easier|simpler|more)\b|do you (?:think|recommend)\b)/
const SAYS_WHY = /\b(?:because|since|so that|why|reasons?|due to|therefore|in order to|otherwise|avoids?)\b/i
const SAYS_OPINION = /\b(?:should|recommend\w*|prefer\w*|better|best|avoid|safer?|secure|faster|slower|stable|worth)\b/i
const PLACE = /^\s*(?:(?:and|so)\s+)?(?:where|in (?:which|what) (?:files?|folders?))\b/
const SAYS_PLACE = /[\w.~-]\/[\w.-]|\w\.(?:[cm]?[jt]sx?|py|md|json|ya?ml|toml)\b/
const COUNTED = /\bhow (?:many|much|long|old|often|large|big)\b/

/** A cause or an opinion: what no file says unless it says it in as many words. */
export const asksForJudgement = (lower: string): boolean => WHY.test(lower) || OPINION.test(lower)

/** Whether a text says the kind of thing that is asked for: a reason, an opinion, a place, a number. */
export const saysKind = (lower: string, text: string): boolean =>
  (!WHY.test(lower) || SAYS_WHY.test(text)) &&
  (!OPINION.test(lower) || SAYS_OPINION.test(text)) &&
  (!PLACE.test(lower) || SAYS_PLACE.test(text)) &&
  (!COUNTED.test(lower) || /\d/.test(text))

interface Words {
  readonly stems: ReadonlySet<string>
  readonly text: string
}

const toTextWords = (text: string): Words => ({ stems: new Set(toWords(text).map(toStem)), text: text.toLowerCase() })

/** Whether a text says a word in any form of it, or a flag, a format or a number by itself. */
function holds({ stems, text }: Words, { text: wanted, isExact }: Term): boolean {
  if (!isExact) return stems.has(wanted)
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
    if (!/[\w-]/.test(text[at - 1] ?? '') && !/\w/.test(text[at + wanted.length] ?? '')) return true
  return false
}

/**
 * How much each word of a question counts: the more, the fewer of the texts hold it (inverse document frequency; Spärck
 * Jones, 1972).
 */
const weightsOf = (terms: readonly Term[], texts: readonly Words[]): number[] =>
  terms.map((term) => Math.log(1 + (texts.length + 1) / (texts.filter((one) => holds(one, term)).length + 0.5)))

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The sentences that speak of at least half of what is asked, by themselves or with their title, best first. */
export function rankSentences(terms: readonly Term[], sentences: readonly Sentence[]): Sentence[] {
  const weights = weightsOf(
    terms,
    sentences.map(({ text }) => toTextWords(text)),
  )
  const half = sum(weights) / 2
  return sentences
    .map((sentence) => {
      const words = toTextWords(`${sentence.section} ${sentence.text}`)
      return { sentence, held: sum(weights.filter((_, index) => holdsAt(words, terms, index))) }
    })
    .filter(({ held }) => held > 0 && held >= half)
    .sort((a, b) => b.held - a.held)
    .map(({ sentence }) => sentence)
}

const holdsAt = (words: Words, terms: readonly Term[], index: number): boolean => {
  const term = terms[index]
  return term !== undefined && holds(words, term)
}

/**
 * The passages that answer a question, best first; none where no passage speaks of nearly all that is asked. The rarest
 * word must stand in the passage itself or in what it explains.
 */
export function rankPassages(question: Question, passages: readonly Passage[]): Ranked[] {
  const terms = readTerms(question)
  if (terms.length === 0) return []
  const read = passages.map((passage) => ({
    passage,
    own: toTextWords(passage.text),
    context: toTextWords(passage.context),
    around: toTextWords(`${passage.context} ${passage.titles.join(' ')} ${passage.path.replace(/\.\w+$/, '')}`),
  }))
  const weights = weightsOf(
    terms,
    read.map(({ own }) => own),
  )
  const total = sum(weights)
  const rarest = terms[weights.indexOf(Math.max(...weights))]
  const isHow = /\bhow (?:do|can|to|should|would|could)\b|\bshow\b/.test(question.lower)
  return read
    .map(({ passage, own, context, around }) => {
      const values = terms.map((term) => (holds(own, term) ? 1 : holds(around, term) ? BY_CONTEXT : 0))
      const covered = sum(values.map((value, index) => value * (weights[index] ?? 0))) / total
      const isAbout = rarest !== undefined && (holds(own, rarest) || holds(context, rarest))
      const isExact = terms.every((term, index) => !term.isExact || (values[index] ?? 0) > 0)
      const fits =
        isAbout && isExact && saysMore(passage, own, terms, question) && saysKind(question.lower, passage.text)
      const density =
        passage.kind === 'section'
          ? 0
          : (0.2 * values.filter((value) => value === 1).length) / Math.max(4, own.stems.size)
      const shows = isHow && passage.hasCode ? 0.06 : 0
      return { passage, covered: fits ? covered : 0, score: covered + keyBonus(passage, terms) + density + shows }
    })
    .filter(({ passage, covered }) => covered >= LEAST_COVERED && passage.lines.length > 0)
    .sort((a, b) => b.score - a.score)
}

/** A title answers no "why"; words that say nothing beyond those asked for answer no "how" and no "where". */
function saysMore({ kind, hasCode }: Passage, { stems }: Words, terms: readonly Term[], { lower }: Question): boolean {
  if (kind === 'section') return !asksForJudgement(lower)
  const asksWay = /^\s*(?:how (?!(?:many|much|long|old|often|large|big)\b)|where\b|why\b)/.test(lower)
  return !asksWay || hasCode || [...stems].filter((stem) => !terms.some(({ text }) => text === stem)).length >= 2
}

/** What a passage explains is what is asked for: the first cell of its row, the word before its colon, its title. */
function keyBonus({ kind, key }: Passage, terms: readonly Term[]): number {
  const isSection = kind === 'section'
  const stems = toStems(isSection ? key.replace(/`[^`]*`|[:(][\s\S]*$/g, ' ') : key)
  const asked = stems.filter((stem) => terms.some(({ text }) => text === stem)).length
  // a title in code is none but the name itself
  const named = toStems(key)
  if (named.length === terms.length && named.every((stem) => terms.some(({ text }) => text === stem))) return 0.3
  return (stems.length === 0 ? 0 : 0.25 * (asked / stems.length)) - (isSection ? 0.05 : 0)
}
