import { at } from '../cite.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { claim, heading, note, type Part } from '../question/cited-sentence.ts'
import { uniqueBy } from '../question/question.ts'
import { plural, quote, series, tick } from '../question/wording.ts'
import type { Excerpt, Hit } from '../read/formats.ts'
import { asksForJudgement, isTelling, rankSentences, readTerms, saysKind } from '../read/rank-passages.ts'
import { readSentences } from '../read/sentences.ts'
import { isSourcePath, isTestPath } from '../read/symbols.ts'
import { type Finding, notFound } from '../skill.ts'
import { lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { quotePassages } from './quote-passages.ts'

const MOST_WORDS = 4
const MOST_HITS = 60
const MOST_SHOWN = 12
const MOST_QUOTES = 6
/** Share of what is asked that a line must speak of. */
const LEAST_COVERED = 0.75
/** Files that hold words but say nothing: locks, maps, pictures. */
const DULL = /(?:^|\/)(?:package-lock\.json|yarn\.lock|CHANGELOG\.md)$|\.(?:map|lock|svg)$|\.min\./i
const ASKS_PLACES = /\b(?:where|which files?|what files?|who|all (?:uses|usages|places|lines)|usages?|find|search)\b/

/** Any other question: passages of the documents that answer it, else the lines that hold what it asks for. */
export function* search(session: ToolSession): Look<Finding> {
  const given = quoteGiven(session)
  if (given.length > 0) return { parts: given }
  const { question } = session
  const hasName = question.quoted.length + question.identifiers.length + question.paths.length > 0
  const asksPlaces =
    hasName && ASKS_PLACES.test(question.lower) && !/\bimport(?:s|ed)?\b|\brequires?\b/.test(question.lower)
  const passages = asksPlaces ? [] : yield* quotePassages(session)
  if (passages.length > 0) return { parts: passages }
  return yield* quoteLines(session, asksPlaces)
}

/** What a text that came with the task, or a memory, says to the question. */
function quoteGiven({ context, memories, question }: ToolSession): Part[] {
  const remembered: Excerpt = { path: 'memory', first: 1, lines: memories, total: memories.length }
  return [
    { title: 'From the material that came with the task', excerpt: context },
    { title: 'From memory', excerpt: remembered },
  ].flatMap(({ title, excerpt }) => {
    const sentences = excerpt ? readSentences(excerpt) : []
    const ranked = rankSentences(readTerms(question), sentences)
    const best = ranked.filter(({ text }) => saysKind(question.lower, text))
    const isWhole = /\b(?:summari[sz]e|summary|what is (?:this|it))\b/.test(question.lower)
    const shown = best.length === 0 && isWhole ? sentences : best
    const claims = shown.slice(0, MOST_QUOTES).map(({ text, cite }) => claim(quote(text), [cite]))
    return claims.length === 0 ? [] : [heading(title), ...claims]
  })
}

/** The lines that hold what is asked for. */
function* quoteLines(session: ToolSession, asksPlaces: boolean): Look<Finding> {
  const { question } = session
  const sought = wordsOf(session)
  const [tree, searches] = yield* together([
    lookAtTree(session),
    together(sought.map(({ text }) => session.search(text, { limit: MOST_HITS }))),
  ])
  const looked = plural(tree.files.length, 'file')
  if (sought.length === 0) return notFound(`I found nothing in the question that I could look for among ${looked}.`)
  const all = uniqueBy(
    searches.flatMap((found) => found?.hits ?? []).filter(({ path }) => !DULL.test(path)),
    ({ path, line }) => `${path}:${line}`,
  )
  const covers = (hit: Hit): number => sought.filter((one) => holds(hit, one)).length / sought.length
  const fits = (hit: Hit): boolean =>
    covers(hit) >= LEAST_COVERED && saysKind(question.lower, `${hit.text} ${hit.path}`)
  const order = ({ path }: Hit): number => (isTestPath(path) ? 2 : isSourcePath(path) ? 1 : 0)
  const hits = all.filter(fits).sort((a, b) => covers(b) - covers(a) || order(a) - order(b))
  const named = sought.map(({ typed }) => `\`${typed}\``)
  if (hits.length === 0) return sayNothing(session, sought, named, all, looked)
  // the first line of each file, then the others
  const spread = [...uniqueBy(hits, ({ path }) => path), ...hits]
  const isCut = searches.some((found) => (found?.more ?? 0) > 0)
  const files = new Set(hits.map(({ path }) => path)).size
  const atLeast = isCut || !session.lookedEverywhere ? 'At least ' : ''
  const parts: Part[] = [
    heading(`${atLeast}${plural(files, 'file')} ${files === 1 ? 'mentions' : 'mention'} ${series(named)}`),
    ...uniqueBy(spread, ({ path, line }) => `${path}:${line}`)
      .slice(0, MOST_SHOWN)
      .map((hit) => claim(tick(hit.text, 140), [at(hit.path, hit.line)])),
  ]
  // lines in which words occur answer where they are, and nothing else
  return { parts, missing: !asksPlaces || asksForJudgement(question.lower) }
}

function sayNothing(
  session: ToolSession,
  sought: readonly Sought[],
  named: readonly string[],
  hits: readonly Hit[],
  looked: string,
): Finding {
  const isHeld = ({ text }: Sought): boolean => hits.some((hit) => hit.text.toLowerCase().includes(text.toLowerCase()))
  const isAll = session.lookedEverywhere
  const them = sought.length === 1 ? 'it' : 'them'
  const why = sought.some(isHeld)
    ? `no passage of the workspace's files is about ${them === 'it' ? 'it' : 'them together'}`
    : `no line ${isAll ? "of the workspace's files" : 'that was searched'} holds ${them}`
  const where = isAll ? 'every text file' : 'the text files that the tools open'
  return {
    parts: [note(`I found nothing about ${series(named)}: ${why} (I listed ${looked} and searched ${where}).`)],
    missing: true,
  }
}

/** A word to look for, and how the question writes it. */
interface Sought {
  readonly text: string
  readonly typed: string
  readonly isName: boolean
}

/** Whether a line or its path holds a name as a word of its own, or a word as a part of one. */
function holds({ path, text }: Hit, { text: wanted, isName }: Sought): boolean {
  const said = `${path} ${text}`
  if (!isName) return said.toLowerCase().includes(wanted.toLowerCase())
  return new RegExp(`(?<![\\w$])${wanted.replace(/[^\w\s]/g, '\\$&')}(?![\\w$])`).test(said)
}

/** What to look for: names and quoted words, else the longest words. */
function wordsOf({ question }: ToolSession): Sought[] {
  const named = [...question.quoted, ...question.identifiers, ...question.paths]
  const others = [...new Set(question.text.match(/[\p{L}\p{N}]+/gu) ?? [])].filter((typed) =>
    isTelling(typed.toLowerCase()),
  )
  const plain = others
    .sort((a, b) => b.length - a.length)
    .map((typed) => ({ text: trimEnding(typed), typed, isName: false }))
  const sought = named.length > 0 ? named.map((name) => ({ text: name, typed: name, isName: true })) : plain
  return uniqueBy(sought, ({ text }) => text.toLowerCase()).slice(0, MOST_WORDS)
}

/** A word without the ending that other forms of it lack, so that a search finds them: `middlewares` → `middleware`. */
function trimEnding(word: string): string {
  const trimmed = word.replace(/(?:ies|ing|ed|es|s)$/i, '')
  return trimmed.length >= 4 ? trimmed : word
}
