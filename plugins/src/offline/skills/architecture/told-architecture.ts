import { at } from '../../cite.ts'
import { baseName, depthOf } from '../../paths.ts'
import { claim, type Part } from '../../question/cited-sentence.ts'
import { inWords, series, tick } from '../../question/wording.ts'
import { cutExcerpt, type Excerpt, type Listing, numbered } from '../../read/formats.ts'
import { readSections, readSentences, type Section } from '../../read/sentences.ts'
import { isSourcePath } from '../../read/symbols.ts'

/** What the documents of a repository say themselves about how it is made. */
export interface Told {
  /** How a request goes through it, step by step; empty where no section says so. */
  readonly how: Part[]
  /** The title of that section. */
  readonly title: string
  /** The files of code that its first step links to. */
  readonly starts: Part[]
  /** Which folder holds what. */
  readonly map: Part[]
  /** Folders that the map names, each ending with `/`. */
  readonly mapped: readonly string[]
}

const PAGES =
  /^(?:architecture|design|overview|internals|how-it-works|agents|hacking|contributing|development|developing)\.(?:md|mdx|rst|txt)$/i
const HOW =
  /\b(?:architecture|how (?:it|this|\w+) works?|concepts?|pipeline|stages|phases|internals?|under the hood|life ?cycle|(?:data|request|control) ?flow|file by file|design)\b/i
const MOST_STEPS = 8
const MOST_ROWS = 10
const LEAST_FOLDERS = 3

/** The pages about the architecture, at the top or in a folder for documents: a page of that name first. */
export function findPages(tree: Listing): string[] {
  const weigh = (path: string): number => (/^(?:agents|contributing|hacking|develop)/i.test(baseName(path)) ? 1 : 0)
  return tree.files
    .map(({ path }) => path)
    .filter((path) => PAGES.test(baseName(path)) && (depthOf(path) === 1 || /^docs?\/[^/]+$/.test(path)))
    .sort((a, b) => weigh(a) - weigh(b) || (a < b ? -1 : 1))
}

/** What the README and the pages say. */
export function readTold(documents: readonly Excerpt[], tree: Listing): Told {
  const found = documents.flatMap(readPlaces)
  const [how] = found
    .filter(({ section }) => HOW.test(section.title))
    .map((one) => ({ ...one, steps: stepsOf(one) }))
    .filter(({ steps }) => steps.length > 0)
    .sort((a, b) => b.steps.length - a.steps.length)
  const [map] = found
    .map((one) => ({ one, rows: rowsOf(one, tree) }))
    .filter(({ rows }) => rows.length >= LEAST_FOLDERS)
    .sort((a, b) => b.rows.length - a.rows.length)
  return {
    how: how?.steps.slice(0, MOST_STEPS) ?? [],
    title: how?.section.title ?? '',
    starts: how === undefined ? [] : startsOf(how.excerpt, how.steps[0]),
    map: map?.rows.slice(0, MOST_ROWS).map(({ part }) => part) ?? [],
    mapped: map?.rows.flatMap(({ folders }) => folders) ?? [],
  }
}

interface Place {
  readonly excerpt: Excerpt
  readonly section: Section
  /** Its own lines that hold something, to the next title of any level. */
  readonly lines: readonly number[]
}

const readPlaces = (excerpt: Excerpt): Place[] =>
  readSections(excerpt).map((section, index, all) => {
    const end = all[index + 1]?.from ?? section.to + 1
    const own = numbered(excerpt).filter(({ line, text }) => line >= section.start && line < end && text.trim() !== '')
    return { excerpt, section, lines: own.map(({ line }) => line) }
  })

function startsOf({ path, first, lines }: Excerpt, step: Part | undefined): Part[] {
  const cites = step?.kind === 'claim' ? step.cites : []
  const text = cites.flatMap(({ from = first, to = from }) => lines.slice(from - first, to - first + 1)).join('\n')
  const files = [...text.matchAll(/\]\(([^()\s:#]{1,200})\)/g)].map(([, target = '']) => target).filter(isSourcePath)
  const base = path.slice(0, path.lastIndexOf('/') + 1)
  const named = files.slice(0, 2).map((file) => tick(base + file.replace(/^\.\//, '')))
  return files.length === 0 ? [] : [claim(`then ${series(named)}, where a run begins`, cites)]
}

/** The items of a numbered list where a section has one, else its sentences; a drawing or code says nothing by itself. */
function stepsOf({ excerpt, lines }: Place): Part[] {
  if (lines.length === 0) return []
  const [from = 0, to = 0] = [lines[0], lines.at(-1)]
  const numbers = lines.filter((line) => /^\d{1,2}[.)]\s/.test(excerpt.lines[line - excerpt.first] ?? ''))
  if (numbers.length < 2)
    return readSentences(cutExcerpt(excerpt, from, to))
      .slice(0, 3)
      .map(({ text, cite }) => claim(inWords(text), [cite]))
  return numbers.map((line, index) => {
    const next = numbers[index + 1] ?? to + 1
    const own = lines.filter((other) => other >= line && other < next)
    const text = own.map((other) => (excerpt.lines[other - excerpt.first] ?? '').trim()).join(' ')
    return claim(inWords(text.replace(/^\d{1,2}[.)]\s+/, '')), [at(excerpt.path, line, own.at(-1))])
  })
}

/** The rows or items that begin with folders that are there, as "folders: what they hold". */
function rowsOf({ excerpt, lines }: Place, tree: Listing): { part: Part; folders: string[] }[] {
  return lines.flatMap((line) => {
    const text = (excerpt.lines[line - excerpt.first] ?? '').trim()
    const row = /^(?:\||[-*+]\s)(.*?)(?:\||:\s|\s[-–—]\s)/.exec(text)
    const [head = text, begin = ''] = row ?? []
    const cells = text.slice(head.length).split('|')
    // words of prose may be called like a folder
    const named = begin.replace(/\]\([^()]*\)|[`*[\]]/g, ' ').split(/[\s,]+/)
    const paths = named
      .filter((word) => word !== '' && !/^(?:and|or|&)$/.test(word))
      .map((word) => word.replace(/\/?$/, '/'))
    const folders = paths.every((folder) => isThere(folder, tree)) ? paths : []
    const words = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
    const said = inWords(words.join('; '))
    if (folders.length === 0 || said === '') return []
    return [{ part: claim(`${inWords(begin)}: ${said}`, [at(excerpt.path, line)]), folders }]
  })
}

/** Whether a folder is there, as far as the listing shows it. */
const isThere = (folder: string, { folders, more }: Listing): boolean =>
  folders.includes(folder) || (more > 0 && depthOf(folder) > 1 && folders.includes(folder.replace(/\/[\s\S]*/, '/')))
