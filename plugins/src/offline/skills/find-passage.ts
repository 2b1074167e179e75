import { toStems } from '@svc/core/text'
import { heading, type Part } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName } from '../paths.ts'
import { findDocuments } from '../read/documents.ts'
import type { Excerpt, Listing } from '../read/formats.ts'
import { type Passage, readPassages } from '../read/passages.ts'
import { type Ranked, rankPassages } from '../read/rank-passages.ts'
import { type AskedTerm, readTerms } from '../read/terms.ts'
import { lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { describePassage, sayPlace } from './describe-passage.ts'

const DOCUMENT_LINES = 1500
/** The README, and those that the words of the question lead to. */
const MOST_DOCUMENTS = 4
const MOST_SEARCHES = 4
/** Where documents lie, and where they lie in a repository that has a folder for them. */
const ANYWHERE = '**/*.{md,mdx,rst,txt}'
const NEAR = '{*.md,*.rst,*.txt,doc/**/*.md,docs/**/*.md,docs/**/*.mdx,docs/**/*.rst,docs/**/*.txt}'
const MOST_LINES = 14
/** Other passages are shown beside the best one when they are nearly as good. */
const MOST_PASSAGES = 3
const NEARLY = 0.07
/** Lines of a section that is shown whole. */
const SHORT = 10

/** The passages of the documents that answer, with the titles that they stand under; nothing where none does. */
export function* findPassages(session: ToolSession, keep: (ranked: Ranked) => boolean = () => true): Look<Part[]> {
  const excerpts = yield* readDocuments(session)
  const ranked = rankPassages(session.question, excerpts.flatMap(readPassages)).filter(keep)
  const best = ranked[0]
  if (!best) return []
  const near = ranked.filter(({ score }) => score >= best.score - NEARLY)
  const chosen = near.filter((one, index) => !near.slice(0, index).some((other) => overlap(one.passage, other.passage)))
  return chosen.slice(0, MOST_PASSAGES).flatMap(({ passage }, index, all) => {
    const excerpt = excerpts.find(({ path }) => path === passage.path)
    const most = index === 0 ? MOST_LINES - 2 * (all.length - 1) : 4
    const lines = excerpt ? describePassage(excerpt, widen(passage, excerpts)).slice(0, most) : []
    return lines.length === 0 ? [] : [heading(sayPlace(passage)), ...lines]
  })
}

/** A paragraph of a short section with the rest of it. */
function widen(passage: Passage, excerpts: readonly Excerpt[]): Passage {
  const { kind, section, path } = passage
  if (section === undefined || !(kind === 'text' || kind === 'code')) return passage
  const whole = excerpts
    .filter((excerpt) => excerpt.path === path)
    .flatMap(readPassages)
    .find((other) => other.kind === 'section' && other.section?.from === section.from)
  return whole !== undefined && whole.lines.length <= SHORT ? whole : passage
}

const overlap = (one: Passage, other: Passage): boolean =>
  one.path === other.path && one.lines.some((line) => other.lines.includes(line))

/** The README, and of the other documents those that hold most of what is asked. */
export function* readDocuments(session: ToolSession): Look<Excerpt[]> {
  const tree = yield* lookAtTree(session)
  const documents = findDocuments(tree)
  const chosen = documents.length <= MOST_DOCUMENTS ? documents : yield* chooseDocuments(session, documents, tree)
  return yield* session.readAll(chosen, DOCUMENT_LINES)
}

function* chooseDocuments(session: ToolSession, documents: readonly string[], tree: Listing): Look<string[]> {
  const isDocumented = documents.filter((path) => /^docs?\//.test(path)).length >= MOST_DOCUMENTS
  const terms = readTerms(session.question)
  const queries = toQueries(session.question.text, terms)
  const searches = yield* together(
    queries.map((query) => session.search(query, { pattern: isDocumented ? NEAR : ANYWHERE, limit: 40 })),
  )
  const scores = new Map<string, number>()
  searches.forEach((found, index) => {
    const starts = new RegExp(`(?<![a-z])${(queries[index] ?? '').replace(/[^\w ]/g, '\\$&')}`, 'i')
    const hits = (found?.hits ?? []).filter(({ text }) => starts.test(text))
    const rarity = (queries[index]?.includes(' ') ? 2 : 1) / Math.log(3 + hits.length + (found?.more ?? 0))
    for (const path of new Set(hits.map((hit) => hit.path))) {
      const own = hits.filter((hit) => hit.path === path)
      const isTitle = own.some(
        ({ text }) =>
          /^#/.test(text) ||
          text.toLowerCase().startsWith(`| ${queries[index]} |`) ||
          text.toLowerCase().includes(`*${queries[index]}*:`),
      )
      scores.set(path, (scores.get(path) ?? 0) + rarity * (1 + (isTitle ? 1 : 0) + Math.min(1, own.length / 8)))
    }
  })
  // its name says what a document is about, wherever a search ended
  for (const path of documents) {
    const name = new Set(toStems(baseName(path).replace(/\.\w+$/, '')))
    const named = terms.filter((term) => name.has(term.text)).length
    if (named > 0) scores.set(path, (scores.get(path) ?? 0) + 2 * named)
  }
  const size = (path: string): number => tree.files.find((file) => file.path === path)?.bytes ?? 0
  const [readme = '', ...others] = documents
  const sorted = others
    .filter((path) => scores.has(path))
    .sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || size(a) - size(b))
  return [readme, ...sorted].slice(0, MOST_DOCUMENTS)
}

/** What to search for: pairs of words as they stand in the question, then the words. */
function toQueries(text: string, terms: readonly AskedTerm[]): string[] {
  const lower = text.toLowerCase()
  const typed = lower.match(/[\p{L}\p{N}_$-]+/gu) ?? []
  const isTerm = (word: string): boolean =>
    terms.some((term) => readTerms({ text: word, words: [word] })[0]?.text === term.text)
  const pairs = typed.flatMap((word, index) => {
    const next = typed[index + 1]
    return next !== undefined && isTerm(word) && isTerm(next) && lower.includes(`${word} ${next}`)
      ? [`${word} ${next}`]
      : []
  })
  const words = terms
    .filter(({ text: word, isExact }) => !isExact || word.length > 2)
    .sort((a, b) => Number(a.isWeak) - Number(b.isWeak))
  return [...new Set([...pairs, ...words.map((term) => term.text)])].slice(0, MOST_SEARCHES)
}
