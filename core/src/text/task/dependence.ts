/** Which request of a text waits for the results of which others. */
import { toStem, toWords } from '../words.ts'
import { imperativeOf, withoutFrame } from './requests.ts'
import { hasNewName } from './things.ts'
import { kindOf } from './verbs.ts'

/** Says itself that it is about all that came before. */
const AFTER_ALL =
  /\b(?:based on|(?:of|all|both|each) (?:all|both|them|it|these|those)|them|these|those|each other|the (?:above|results?|findings|answers|outputs?|others)|both \w+|best (?:one|two|three)|everything)\b|^(?:and\s+)?(?:finally|lastly|in the end)\b/i
/** Says itself that it goes on with what came last. */
const AFTER_LAST =
  /\b(?:it|its|they|their|this|the result|one|the (?:same|former|latter|winner))\b|^(?:and\s+)?(?:then|next|after (?:that|this)|afterwards|once)\b/i
/** A write-up is of what was found before it. */
const WRITE_UP =
  /\b(?:report|summary|recommendations?|conclusions?|analysis|overview|comparison|memo|brief|proposal|review|decision|ranking|strategy|roadmap|presentation|slides?|table|chart|diagram|email|article|post|plan|document|list|outline|reply|fix|patch)\b/i
const NAME = /["'`“][^"'`“”]+["'`”]|\b\w[\w-]{0,100}\.[a-z]{1,5}\b|(?<!\S)\S+\/\S*|\b[A-Z][\w-]*|\d[\d.,]*/g
const DEFINITE: ReadonlySet<string> = new Set(['the', 'that', 'this', 'these', 'those', 'each', 'every', 'your'])

/** Verbs whose result is for the reader alone. */
const READS: ReadonlySet<string> = new Set(
  'browse collect crawl download fetch gather google inspect load look open parse read retrieve scan scrape search study'.split(
    ' ',
  ),
)
/** Says when, not of what. */
const ORDER =
  /^(?:and\s+)?(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|then|next|after (?:that|this)|afterwards|finally|last(?:ly)?|in the end)\b,?\s*/i

/**
 * Which earlier requests one waits for, as positions: those that its words refer to; all of them where it joins, judges or
 * writes up and names nothing of its own. In doubt it waits.
 */
export const dependenciesOf = (request: string, earlier: readonly string[]): number[] =>
  referencesOf(request, earlier, true)

/**
 * Which earlier requests have results that one cannot be done without: those that its words refer to, and what was only
 * read. Neither words of order ("then") count nor doubt.
 */
export function needsOf(request: string, earlier: readonly string[]): number[] {
  const needs = referencesOf(request.replace(ORDER, ''), earlier, false)
  if (kindOf(imperativeOf(request) ?? 'read') === 'find' || isBeside(request, earlier)) return needs
  return [...new Set([...needs, ...readsOf(earlier)])].sort((a, b) => a - b)
}

/** Which requests only have something read, for what comes after them. */
export const readsOf = (requests: readonly string[]): number[] =>
  requests.flatMap((request, index) => (READS.has(imperativeOf(request) ?? '') ? [index] : []))

/**
 * Whether a request stands beside the earlier ones, whatever word of order it begins with: it asks for something in a file of
 * its own, or has the verb of one of them ("report the orders; report the port").
 */
export function isBeside(request: string, earlier: readonly string[]): boolean {
  const verb = imperativeOf(request)
  const kind = kindOf(verb ?? '')
  if ((kind === 'find' || kind === 'join') && hasNewName(request, earlier)) return true
  return verb !== undefined && earlier.some((other) => imperativeOf(other) === verb)
}

function referencesOf(request: string, earlier: readonly string[], waitsInDoubt: boolean): number[] {
  const all = earlier.map((_, index) => index)
  const last = all.slice(-1)
  const named = all.filter((index) => takesUp(request, earlier[index] ?? ''))
  if (all.length === 0 || AFTER_ALL.test(request)) return all
  const kind = kindOf(imperativeOf(request) ?? '')
  const isFresh = hasOwnName(request, earlier) || (!waitsInDoubt && isBeside(request, earlier))
  if (kind === 'join' && !isFresh) return named.length > 0 ? named : all
  if (AFTER_LAST.test(request)) return [...new Set([...named, ...last])]
  if (named.length > 0 || isFresh) return named
  if (kind === 'make' && WRITE_UP.test(request)) return all
  return kind === 'act' && waitsInDoubt ? last : []
}

/** Whether a request names with "the" what another makes: "Write a haiku ... translate the haiku". */
function takesUp(request: string, other: string): boolean {
  const verb = imperativeOf(other)
  if (verb === undefined) return false
  const [first = '', ...object] = toWords(withoutFrame(other)).slice(1, 7)
  if (!/^(?:an?|some|\d+|one|two|three|four|five|six)$/.test(first)) return false
  const end = object.findIndex((word) => /^(?:of|for|about|on|in|that|with)$/.test(word))
  const noun = (end === -1 ? object : object.slice(0, end)).at(-1)
  const words = toWords(request)
  return (
    noun !== undefined &&
    words.some((word, index) => toStem(word) === toStem(noun) && DEFINITE.has(words[index - 1] ?? ''))
  )
}

/** The names, figures, quotations and paths of a request, the word that opens it aside. */
const namesOf = (request: string): string[] =>
  [...withoutFrame(request).replace(/^\S+/, '').matchAll(NAME)].map(([name]) => name.replace(/[.,;:]$/, ''))

/** Whether a request names a thing that no earlier one does: then it needs no result of theirs. */
const hasOwnName = (request: string, earlier: readonly string[]): boolean =>
  namesOf(request).some((name) => !earlier.some((other) => other.includes(name)))
