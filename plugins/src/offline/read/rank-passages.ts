import { isStopWord, toStem, toWords } from '@svc/core/text'
import type { Question } from '../question.ts'
import { asksForJudgement, asksHow, saysJudgement } from './asked-kind.ts'
import type { Passage } from './passages.ts'
import { type AskedTerm, mendTerms, readTerms } from './terms.ts'

/** A passage and how well it answers. */
export interface Ranked {
  readonly passage: Passage
  readonly score: number
  /** Share of the weight of what is asked that it speaks of, 0 to 1. */
  readonly covered: number
}

/** Share of what is asked that a passage must speak of to answer. */
const LEAST_COVERED = 0.72
/** What a word is worth that is said in another word, and one that only the titles above hold. */
const BY_KIN = 0.8
const BY_CONTEXT = 0.8
const BY_TITLE = 0.75
/** A word such as "add" weighs so much of what another does. */
const WEAK = 0.25

interface Words {
  readonly stems: ReadonlySet<string>
  readonly text: string
}

/**
 * The passages that answer a question, best first; none where no passage speaks of nearly all that is asked.
 *
 * A word weighs the more the fewer passages hold it (inverse document frequency; Spärck Jones, 1972). The rarest word must
 * stand in the passage itself or in what it explains.
 */
export function rankPassages(question: Question, passages: readonly Passage[]): Ranked[] {
  const known = new Set<string>()
  const read = passages.map((passage) => {
    const own = toPassageWords(passage.text)
    for (const stem of own.stems) known.add(stem)
    return {
      passage,
      own,
      context: toPassageWords(passage.context),
      titles: toPassageWords(`${passage.titles.join(' ')} ${passage.path.replace(/\.\w+$/, '')}`),
    }
  })
  const terms = mendTerms(readTerms(question), known)
  if (terms.length === 0 || terms.every(({ isWeak }) => isWeak)) return []
  const weights = terms.map((term) => {
    const holding = read.filter(({ own }) => holds(own, term) > 0).length
    return Math.log(1 + (passages.length + 1) / (holding + 0.5)) * (term.isWeak ? WEAK : 1)
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const rarest = weights.indexOf(Math.max(...weights))
  const isWhatIs = /^\s*what(?:'s| is| are|s| does| do)\b/i.test(question.text) ? 0.3 : 0
  const isJudged = asksForJudgement(question.lower)
  const isHow = asksHow(question.lower)
  const isBare = ({ kind, titles }: Passage, own: Words, terms: readonly AskedTerm[]): boolean =>
    kind !== 'section' && ((isHow && isFragment(own, terms)) || LICENCE.test(titles.at(-1) ?? ''))
  const isHowTo = /\bhow (?:do|can|to|should|would|could)\b|\bshow\b/.test(question.lower)
  return read
    .map(({ passage, own, context, titles }) => {
      // a section of code about the thing shows how it is made
      const shows = isHowTo && passage.kind === 'section' && passage.hasCode
      const values = terms.map((term) =>
        Math.max(
          holds(own, term),
          BY_CONTEXT * holds(context, term),
          BY_TITLE * holds(titles, term),
          shows && term.isWeak ? 1 : 0,
        ),
      )
      const covered = values.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0) / total
      const isAbout = Math.max(holds(own, terms[rarest]), 0.9 * holds(context, terms[rarest])) > 0
      const matched = terms.filter((term) => holds(own, term) > 0).length
      const density = passage.kind === 'section' ? 0 : 0.2 * (matched / Math.max(4, own.stems.size))
      const bonus =
        keyBonus(passage, terms) +
        density +
        (isHowTo && passage.hasCode ? 0.06 : 0) +
        (defines(passage, terms) ? isWhatIs : 0)
      const isExact = terms.every((term, index) => !term.isExact || (values[index] ?? 0) > 0)
      const isSaid = !isJudged || terms.every((term) => own.stems.has(term.text) || titles.stems.has(term.text))
      const fits = isAbout && isExact && isSaid && !isBare(passage, own, terms) && answersKind(question, passage)
      return { passage, covered: fits ? covered : 0, score: covered + bonus }
    })
    .filter(({ passage, covered }) => covered >= LEAST_COVERED && passage.lines.length > 0)
    .sort((a, b) => b.score - a.score)
}

function toPassageWords(text: string): Words {
  return { stems: new Set(toWords(text).map(toStem)), text: ` ${text.toLowerCase()} ` }
}

/** 1 where the word itself is there, less where another word says it. */
function holds({ stems, text }: Words, term: AskedTerm | undefined): number {
  if (term === undefined) return 0
  if (term.isExact) return holdsExactly(text, term.text.toLowerCase()) ? 1 : 0
  if (stems.has(term.text)) return 1
  for (const stem of term.kin) if (stems.has(stem)) return BY_KIN
  return 0
}

/** Whether a flag, a format or a number stands by itself. */
function holdsExactly(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
    if (!/[\w-]/.test(text[at - 1] ?? '') && !/[\w]/.test(text[at + wanted.length] ?? '')) return true
  return false
}

/** What a passage explains is what is asked for. */
function keyBonus({ kind, key }: Passage, terms: readonly AskedTerm[]): number {
  const name = kind === 'section' ? key.replace(/`[^`]*`|[:(][\s\S]*$/g, ' ') : key
  const words = toWords(name).filter((word) => !isStopWord(word))
  const exact = terms.some(
    (term) =>
      term.isExact &&
      key
        .toLowerCase()
        .replace(/[`*]/g, '')
        .split(/[\s,]+/)
        .includes(term.text.toLowerCase()),
  )
  if (exact) return 0.3
  if (words.length === 0) return kind === 'section' ? -0.1 : 0
  const asked = words.filter((word) => terms.some((term) => term.text === toStem(word) || term.kin.has(toStem(word))))
  return 0.25 * (asked.length / words.length) - (kind === 'section' ? 0.05 : 0)
}

/** What only a number answers, and what only a reason does. */
const COUNTED = /\bhow (?:many|much|long|old|often|large|big)\b/

const answersKind = ({ lower }: Question, { text, kind }: Passage): boolean =>
  (!COUNTED.test(lower) || /\d/.test(text)) &&
  saysJudgement(lower, text) &&
  !(kind === 'section' && asksForJudgement(lower) && !/\bwhy\b|\breasons?\b/i.test(text))

/** Words that say so little beyond those asked for that they answer no "how" and no "where": `Robust routing`. */
const isFragment = ({ stems, text }: Words, terms: readonly AskedTerm[]): boolean =>
  !text.includes('(') &&
  [...stems].filter((stem) => !/^\d+$/.test(stem) && !terms.some((term) => term.text === stem || term.kin.has(stem)))
    .length < 2

const LICENCE = /^licen[cs]e$/i

/** `lease: ...`, "A lease is ...". */
function defines({ text, key }: Passage, terms: readonly AskedTerm[]): boolean {
  const said =
    /^[\s>|*+-]{0,40}(?:an?|the)?\s{0,9}[`*_]{0,9}([\w][\w -]{0,40}?)[`*_]{0,9}\s{0,9}(?::|\||[-–—] |\b(?:is|are|means)\b)/i.exec(
      text,
    )?.[1]
  const isFlag = terms.some(
    ({ text: flag, isExact }) =>
      isExact &&
      new RegExp(`(?:^|[.!?;:]\\s+)[\`*"]*${flag.replace(/[^\w]/g, '\\$&')}[\`*"]*\\s+[a-z]+s\\b`, 'i').test(text),
  )
  if (isFlag) return true
  const inside = [...text.matchAll(/\*{1,2}([\w -]{2,40})\*{1,2}:/g)].map((match) => match[1] ?? '')
  const wanted = terms
    .map((term) => term.text)
    .sort()
    .join(' ')
  return [said ?? '', key, ...inside].some(
    (name) =>
      toWords(name)
        .filter((word) => !isStopWord(word))
        .map(toStem)
        .sort()
        .join(' ') === wanted,
  )
}
