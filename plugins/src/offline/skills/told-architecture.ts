import { heading, lead, type Part } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName, depthOf } from '../paths.ts'
import type { Excerpt, Listing } from '../read/formats.ts'
import { type Passage, readPassages } from '../read/passages.ts'
import { readIntroduction } from '../read/sentences.ts'
import { findReadme } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { quote } from '../wording.ts'
import { describePassage, sayPlace } from './describe-passage.ts'

/** What the documents of a repository say themselves about how it is made. */
export interface Told {
  /** How it works, in their words. */
  readonly how: Part[]
  /** Which folder holds what, in their words. */
  readonly map: Part[]
}

const PAGES =
  /^(?:architecture|design|overview|internals|how-it-works|agents|hacking|contributing|development|developing)\.(?:md|mdx|rst|txt)$/i
const HOW =
  /\b(?:architecture|how (?:it|this|\w+) works?|concepts?|pipeline|stages|phases|internals?|under the hood|life ?cycle|(?:data|request|control) ?flow|file by file|design)\b/i
const MOST_PAGES = 3
const MAP = /\b(?:map|layout|structure|folders?|director(?:y|ies)|packages|modules|workspaces|monorepo)\b/i
const README_LINES = 400

const PAGE_LINES = 200
const HOW_SECTIONS = 2
const HOW_LINES = 12
const MAP_LINES = 14
const LEAST_FOLDERS = 3

/** A first look at what there is to read. */
export interface Begun {
  readonly pages: readonly Excerpt[]
  /** The README, where one of its titles promises to say more than its beginning does. */
  readonly readme: string | undefined
  /** Whether a title promises to say how it works. */
  readonly promises: boolean
}

/** Reads the pages about the architecture, at the top or in a folder for documents, and the titles of the README. */
export function* beginTold(session: ToolSession, tree: Listing): Look<Begun> {
  const readme = findReadme(tree)
  const paths = tree.files
    .map(({ path }) => path)
    .filter((path) => PAGES.test(baseName(path)) && (depthOf(path) === 1 || /^docs?\/[^/]+$/.test(path)))
    .sort((a, b) => weigh(a) - weigh(b) || (a < b ? -1 : 1))
  const [pages, hits] = yield* together([
    session.readAll(paths.slice(0, MOST_PAGES), PAGE_LINES),
    readme === undefined ? nothing() : session.search('# ', { path: readme, limit: 80 }),
  ])
  const titles = (hits?.hits ?? []).map(({ text }) => text).filter((text) => /^#{1,4} /.test(text))
  const isIn = (pattern: RegExp): boolean => titles.some((title) => pattern.test(title))
  return {
    pages,
    readme: isIn(HOW) || isIn(MAP) ? readme : undefined,
    promises: isIn(HOW) || pages.some((page) => readPassages(page).some(tells)),
  }
}

/** In the place of a search that is not needed. */
export function* nothing(): Look<undefined> {}

/** What the README and the pages say. */
export function* readTold(session: ToolSession, tree: Listing, { pages, readme }: Begun): Look<Told> {
  const first = readme === undefined ? [] : yield* session.readAll([readme], README_LINES)
  const excerpts = [...first, ...pages]
  const found = excerpts.flatMap((excerpt) => readPassages(excerpt).map((passage) => ({ excerpt, passage })))
  const how = found.filter(({ passage }) => tells(passage)).slice(0, HOW_SECTIONS)
  const maps = found
    .map((one) => ({ one, count: countFolders(one, tree) }))
    .filter(({ count }) => count >= LEAST_FOLDERS)
    .sort(
      (a, b) =>
        b.count - a.count || Number(a.one.passage.kind === 'section') - Number(b.one.passage.kind === 'section'),
    )
  const map = maps[0]?.one
  const hasWords = how.some(({ passage }) => passage.section === map?.passage.section)
  const page =
    excerpts.find(({ path }) => path !== readme && weigh(path) === weigh('architecture.md')) ??
    excerpts.find(({ path }) => /^agents\./i.test(path))
  const begin = page === undefined ? [] : readIntroduction(page, 3).map(({ text, cite }) => lead(quote(text), [cite]))
  return {
    how: [...begin, ...how.flatMap((one) => say(one, HOW_LINES))],
    map: map && !hasWords ? say(map, MAP_LINES) : [],
  }
}

interface Place {
  readonly excerpt: Excerpt
  readonly passage: Passage
}

const say = ({ excerpt, passage }: Place, most: number): Part[] => {
  const lines = describePassage(excerpt, passage).slice(0, most)
  return lines.length === 0 ? [] : [heading(sayPlace(passage)), ...lines]
}

/** A page of that name before one for those who contribute. */
const weigh = (path: string): number => (/^(?:agents|contributing|hacking|develop)/i.test(baseName(path)) ? 1 : 0)

/** A section about how it works, which says something itself. */
const tells = ({ kind, key, lines }: Passage): boolean => kind === 'section' && HOW.test(key) && lines.length > 0

/** How many folders that are there begin a row or an item of a table or list. */
function countFolders({ excerpt, passage: { kind, lines } }: Place, tree: Listing): number {
  if (kind !== 'table' && kind !== 'section') return 0
  const known = new Set(tree.folders.map((folder) => folder.replace(/\/$/, '')))
  return lines.filter((line) => {
    const text = excerpt.lines[line - excerpt.first] ?? ''
    const begin = /^\s*(?:\||[-*+]\s)(.*?)(?:\||:|\s[-–—]\s|$)/.exec(text)?.[1] ?? ''
    return [...begin.matchAll(/[\w@.-]+(?:\/[\w@.-]+)*/g)].some(([name]) => known.has(name))
  }).length
}
