import { toStems } from '@svc/core/text'
import { heading, type Part } from '../claim.ts'
import { type Look, together } from '../look.ts'
import { unique } from '../question.ts'
import { listAskedOf } from '../read/asked-kind.ts'
import type { Excerpt } from '../read/formats.ts'
import { type Passage, readPassages } from '../read/passages.ts'
import { isTestPath } from '../read/symbols.ts'
import { type AskedTerm, readTerms } from '../read/terms.ts'
import type { ToolSession } from '../tool-session.ts'
import { describePassage, sayPlace } from './describe-passage.ts'
import { readDocuments } from './find-passage.ts'

const MOST_LINES = 40
const MOST_HEADED = 3
const DOCUMENT_LINES = 1500
const LEAST_ROWS = 3
const LEAST_FIT = 0.9
/** What a word is worth that is said in another word. */
const BY_KIN = 0.7

/** The table or list that stands for what is asked to be listed, whole; nothing where no list is asked for, or none is found. */
export function* findList(session: ToolSession): Look<Part[]> {
  const noun = listAskedOf(session.question.lower)
  if (noun === undefined) return []
  const terms = readTerms({ text: noun, words: noun.match(/[\p{L}\p{N}]+/gu) ?? [] })
  if (terms.length === 0) return []
  const [known, headed] = yield* together([readDocuments(session), readHeaded(session, noun)])
  const excerpts = [...known, ...headed.filter(({ path }) => !known.some((other) => other.path === path))]
  const lists = excerpts.flatMap((excerpt) =>
    readPassages(excerpt)
      .filter((passage) => countRows(excerpt, passage) >= LEAST_ROWS)
      .map((passage) => ({ excerpt, passage, fit: fitOf(excerpt, passage, terms) })),
  )
  const best = lists.filter(({ fit }) => fit >= LEAST_FIT).sort((a, b) => b.fit - a.fit)[0]
  if (!best) return []
  const { excerpt, passage } = best
  const rows = passage.lines.filter((line) => passage.kind !== 'table' || ITEM.test(textOf(excerpt, line)))
  return [heading(sayPlace(passage)), ...describePassage(excerpt, { ...passage, lines: rows }).slice(0, MOST_LINES)]
}

/** The documents with a table under that head, wherever they lie. */
function* readHeaded(session: ToolSession, noun: string): Look<Excerpt[]> {
  const single = noun.replace(/s$/, '')
  const heads = unique([single, single.slice(single.lastIndexOf(' ') + 1)])
  const searches = yield* together(
    heads.map((head) => session.search(`| ${head}`, { pattern: '**/*.{md,mdx}', limit: 20 })),
  )
  const hits = searches
    .flatMap((found) => found?.hits ?? [])
    .filter(({ path, text }) => /^\s*\|/.test(text) && !isTestPath(path))
  return yield* session.readAll(unique(hits.map(({ path }) => path)).slice(0, MOST_HEADED), DOCUMENT_LINES)
}

const ITEM = /^\s*(?:\||[-*+]\s|\d{1,3}[.)]\s)/
const textOf = (excerpt: Excerpt, line: number): string => excerpt.lines[line - excerpt.first] ?? ''

function countRows(excerpt: Excerpt, { kind, lines }: Passage): number {
  if (kind !== 'table' && kind !== 'list' && kind !== 'section') return 0
  return lines.filter((line) => ITEM.test(textOf(excerpt, line))).length
}

/** How well a head, a title or a sentence before it names what is asked, 0 to about 2. */
function fitOf(excerpt: Excerpt, passage: Passage, terms: readonly AskedTerm[]): number {
  const first = passage.lines.map((line) => textOf(excerpt, line)).find((text) => ITEM.test(text)) ?? ''
  const head = passage.kind === 'table' ? (/^\s*\|([^|]*)\|/.exec(first)?.[1] ?? '') : ''
  const around = toStems(`${passage.titles.join(' ')} ${passage.path.replace(/\.\w+$/, '')}`)
  const names = [
    { text: head, weight: 1.5 },
    { text: passage.section?.title ?? '', weight: passage.kind === 'section' ? 1.3 : 1.4 },
    { text: passage.kind === 'section' ? '' : (passage.text.split(/\s\|/)[0] ?? ''), weight: 1 },
  ]
  return Math.max(...names.map(({ text, weight }) => weight * matchOf(text, around, terms)))
}

/** The share of the terms that a name holds, less where the name says much else. */
function matchOf(name: string, around: readonly string[], terms: readonly AskedTerm[]): number {
  const stems = toStems(name)
  if (stems.length === 0) return 0
  const values = terms.map(({ text, kin }) =>
    stems.includes(text) ? 1 : stems.some((stem) => kin.has(stem)) || around.includes(text) ? BY_KIN : 0,
  )

  const isNamed = terms.some(({ text, kin }) => stems.some((stem) => stem === text || kin.has(stem)))
  // the noun itself has to be there, or above
  if (!isNamed || (values.at(-1) ?? 0) === 0) return 0
  const held = values.reduce((sum: number, value) => sum + value, 0) / terms.length
  return held < BY_KIN ? 0 : held * (0.7 + 0.3 * Math.min(1, terms.length / stems.length))
}
