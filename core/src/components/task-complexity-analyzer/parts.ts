/** Into how many parts a request falls: what could be given to different agents. Read from structure, never from length. */
import { JOIN_VERBS, NUMBER_WORDS, ORDINALS, STYLE_VERBS, SURVEY_VERBS, WORK_VERBS } from './lexicon.ts'
import { type AskedWork, toAskedWork } from './requests.ts'
import { countRepeatedHeads, countSeries, countWordSeries } from './series.ts'
import type { Sentence, Token } from './tokens.ts'

/** More parts than this are not told apart. */
const MOST_PARTS = 20
/** A list item longer than this is material to work on, unless it asks for something itself. */
const LONGEST_NAME = 8

export interface Parts {
  /** Everything that is asked for, manner of answering left out. */
  readonly work: readonly AskedWork[]
  /** How many independent parts, at least 1. */
  readonly items: number
  /** What the items are, for the explanation. */
  readonly reason: string
  /** Whether anything is asked for that is not one calculation: without it a text is a story with a question. */
  readonly isRequest: boolean
}

/** @param sentences of the whole task */
export function toParts(sentences: readonly Sentence[]): Parts {
  const asked = toAskedWork(sentences)
  const work = asked.filter(({ style }) => !style)
  const isRequest = work.some(({ counting }) => !counting)
  const candidates: [items: number, reason: string][] = [
    [1, 'one request'],
    [countRequests(sentences, work), 'separate requests and the things they name'],
    [countListItems(sentences), 'items of a list'],
    [countOrdinals(sentences, work), 'numbered things'],
  ]
  const [items, reason] = candidates.reduce((best, candidate) => (candidate[0] > best[0] ? candidate : best))
  return { work, items: Math.min(MOST_PARTS, items), reason, isRequest }
}

/** Requests that wait for no other one. A bare "help me with a few tasks" and what only announces the rest do not count. */
function countRequests(sentences: readonly Sentence[], work: readonly AskedWork[]): number {
  let parts = 0
  for (const piece of work) {
    const { tokens } = sentences[piece.sentence] ?? { tokens: [] }
    if (piece.dependent || isAnnouncement(tokens, piece) || (parts > 1 && isJoining(piece))) continue
    parts += countNamed(tokens, piece)
  }
  return parts
}

/** Putting together what others found is no part of its own. */
export const isJoining = ({ verb }: AskedWork): boolean => JOIN_VERBS.has(verb)

/** "Plan my week?", "help me with the following tasks": the parts come after it. */
function isAnnouncement(tokens: readonly Token[], piece: AskedWork): boolean {
  for (let at = piece.from; at < Math.min(piece.to, piece.from + 6); at++) {
    if (/^(?:tasks|things|following|calculations|questions|requests)$/.test(tokens[at]?.text ?? '')) return true
  }
  return false
}

function countListItems(sentences: readonly Sentence[]): number {
  let items = 0
  for (const { item, tokens } of sentences) {
    if (!item) continue
    const first = tokens[0]?.text ?? ''
    if (tokens.length <= LONGEST_NAME || WORK_VERBS.has(first)) items += STYLE_VERBS.has(first) ? 0 : 1
  }
  return Math.max(1, items)
}

/** "The first ... the second ... the third": how far the ordinals go without a gap, where a request stands beside them. */
function countOrdinals(sentences: readonly Sentence[], work: readonly AskedWork[]): number {
  if (!work.some(({ counting }) => !counting)) return 1
  const seen = new Set<number>()
  for (const { tokens } of sentences) {
    for (const { kind, text } of tokens) {
      if (kind === 'word') seen.add(Object.hasOwn(ORDINALS, text) ? (ORDINALS[text] ?? 0) : 0)
    }
  }
  let last = 0
  while (seen.has(last + 1)) last++
  return Math.max(1, last)
}

/** Things that one piece of work names: a series, "the top 10 databases", "for each of the three". */
function countNamed(tokens: readonly Token[], piece: AskedWork): number {
  if (piece.counting) return 1
  const isSurvey = SURVEY_VERBS.has(piece.verb)
  const series = countSeries(tokens, piece.from, piece.to)
  const words = isSurvey ? countWordSeries(tokens, piece.from, piece.to) : 1
  return Math.max(
    series,
    words,
    1 + countRepeatedHeads(tokens, piece.from, piece.to),
    isSurvey ? countTop(tokens, piece) : 1,
  )
}

/** "top 10", "the three largest", "five competitors": the number that stands before what is looked at. */
function countTop(tokens: readonly Token[], piece: AskedWork): number {
  for (let at = piece.from; at < Math.min(piece.to, piece.from + 5); at++) {
    const token = tokens[at]
    const next = tokens[at + 1]
    if (token === undefined || next?.kind !== 'word' || at + 1 >= piece.to) continue
    const count =
      token.kind === 'number'
        ? Number(token.text)
        : Object.hasOwn(NUMBER_WORDS, token.text)
          ? (NUMBER_WORDS[token.text] ?? 0)
          : 0
    if (Number.isInteger(count) && count >= 2 && count <= 1000) return count
  }
  return 1
}
