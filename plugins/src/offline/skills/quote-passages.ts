import { at } from '../cite.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName, depthOf, folderOf } from '../paths.ts'
import { type CitedSentence, claim, heading, type Part } from '../question/cited-sentence.ts'
import { quote, tick } from '../question/wording.ts'
import { cutExcerpt, type Excerpt, type Listing, numbered } from '../read/formats.ts'
import { type Passage, readPassages } from '../read/passages.ts'
import { rankPassages, readTerms } from '../read/rank-passages.ts'
import { FENCE, readSentences } from '../read/sentences.ts'
import { isTestPath } from '../read/symbols.ts'
import { lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'

const DOCUMENT_LINES = 1500
/** The README, and those that the words of the question lead to. */
const MOST_DOCUMENTS = 4
const MOST_SEARCHES = 4
const MOST_LINES = 14
/** Other passages are shown beside the best one when they are nearly as good. */
const MOST_PASSAGES = 3
const NEARLY = 0.07

const DOCUMENT = /\.(?:md|markdown|mdx|rst|adoc|txt)$/i
/** What says nothing about the use of a package. */
const OTHER =
  /^(?:licen[cs]e|copying|notice|changelog|changes|history|news|releas|contribut|code[-_]of|security|authors|credits|requirements|governance)/i
const TITLE = /^#{1,6}\s+/
const INDENTED = /^ {4,}\S|^\t\S/

/** The passages of the documents that answer, with the titles that they stand under; nothing where none does. */
export function* quotePassages(session: ToolSession): Look<Part[]> {
  const excerpts = yield* readDocuments(session)
  const passages = excerpts.flatMap(readPassages)
  const ranked = rankPassages(session.question, passages)
  const near = ranked.filter(({ score }) => score >= (ranked[0]?.score ?? 0) - NEARLY).map(({ passage }) => passage)
  const chosen = near.filter((one, index) => !near.slice(0, index).some((other) => overlap(one, other)))
  return chosen.slice(0, MOST_PASSAGES).flatMap((passage, index, all) => {
    const excerpt = excerpts.find(({ path }) => path === passage.path)
    const most = index === 0 ? MOST_LINES - 2 * (all.length - 1) : 4
    const lines = excerpt ? describe(excerpt, passage).slice(0, most) : []
    return lines.length === 0 ? [] : [heading(sayPlace(passage)), ...lines]
  })
}

const sayPlace = ({ path, section }: Passage): string =>
  section === undefined ? `${path} says` : `${path}:${section.from} says under ${quote(section.title)}`

const overlap = (one: Passage, other: Passage): boolean =>
  one.path === other.path && one.lines.some((line) => other.lines.includes(line))

/** The README, and of the other documents those that hold most of what is asked. */
function* readDocuments(session: ToolSession): Look<Excerpt[]> {
  const tree = yield* lookAtTree(session)
  const documents = findDocuments(tree)
  const chosen = documents.length <= MOST_DOCUMENTS ? documents : yield* chooseDocuments(session, documents)
  return yield* session.readAll(chosen, DOCUMENT_LINES)
}

/** The documents of a workspace that say how it is used: the README first, then what lies in folders for documents. */
function findDocuments(tree: Listing): string[] {
  const weight = (path: string): number =>
    (/^readme/i.test(baseName(path)) ? 0 : /(?:^|\/)docs?\//.test(path) ? 10 : 5) + depthOf(path)
  return tree.files
    .map(({ path }) => path)
    .filter((path) => DOCUMENT.test(path) || /^readme$/i.test(baseName(path)))
    .filter((path) => !OTHER.test(baseName(path)) && !isTestPath(path) && !/(?:^|\/)\./.test(folderOf(path)))
    .sort((a, b) => weight(a) - weight(b) || (a < b ? -1 : 1))
}

function* chooseDocuments(session: ToolSession, documents: readonly string[]): Look<string[]> {
  const [readme = '', ...others] = documents
  const terms = readTerms(session.question).slice(0, MOST_SEARCHES)
  const searches = yield* together(
    terms.map(({ text }) => session.search(text, { pattern: '**/*.{md,mdx,rst,txt}', limit: 40 })),
  )
  const scores = new Map<string, number>()
  searches.forEach((found, index) => {
    const hits = found?.hits ?? []
    const rarity = 1 / Math.log(3 + hits.length + (found?.more ?? 0))
    for (const path of others) {
      const own = hits.filter((hit) => hit.path === path)
      const term = terms[index]?.text ?? ''
      const isTitle =
        own.some(({ text }) => TITLE.test(text) || text.toLowerCase().includes(`*${term}*:`)) ||
        baseName(path).includes(term)
      const score = own.length === 0 && !isTitle ? 0 : rarity * (1 + (isTitle ? 1 : 0) + Math.min(1, own.length / 8))
      scores.set(path, (scores.get(path) ?? 0) + score)
    }
  })
  const found = others.filter((path) => (scores.get(path) ?? 0) > 0)
  return [readme, ...found.sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0))].slice(0, MOST_DOCUMENTS)
}

/** The lines of a passage: rows as they stand, code line by line, prose in sentences. */
function describe(excerpt: Excerpt, { path, lines }: Passage): CitedSentence[] {
  const textOf = (line: number): string => excerpt.lines[line - excerpt.first]?.trim() ?? ''
  const [from = 0, to = from] = [lines[0], lines.at(-1)]
  const inside = cutExcerpt(excerpt, from, to)
  const coded = linesOfCode(excerpt, path.endsWith('.rst'))
  const isRow = (line: number): boolean => textOf(line).startsWith('|')
  const rows = lines
    .filter((line) => !coded.has(line) && isRow(line))
    .map((line) => claim(quote(textOf(line).replace(/^\||\|$/g, ''), 600), [at(path, line)]))
  const code = numbered(inside)
    .filter(({ line, text }) => coded.has(line) && /\w/.test(text) && !FENCE.test(text))
    .map(({ line, text }) => claim(tick(text, 160), [at(path, line)]))
  const prose = readSentences(inside)
    .filter((said) => !isRow(said.from) && !coded.has(said.from) && !coded.has(said.cite.to ?? said.from))
    .map(({ text, cite }) => claim(quote(text, 480), [cite]))
  return [...rows, ...code, ...prose].sort((a, b) => (a.cites[0]?.from ?? 0) - (b.cites[0]?.from ?? 0))
}

function linesOfCode(excerpt: Excerpt, hasIndentedCode: boolean): ReadonlySet<number> {
  let isCode = false
  return new Set(
    numbered(excerpt).flatMap(({ line, text }) => {
      const isFence = FENCE.test(text)
      if (isFence) isCode = !isCode
      return isCode || isFence || (hasIndentedCode && INDENTED.test(text)) ? [line] : []
    }),
  )
}
