import { at } from '../cite.ts'
import type { Look } from '../look.ts'
import { baseName, folderOf } from '../paths.ts'
import type { Part } from '../question/cited-sentence.ts'
import { claim, heading, lead, note } from '../question/cited-sentence.ts'
import { uniqueBy } from '../question/question.ts'
import { plural, quote, series, tick } from '../question/wording.ts'
import { introduceFile, readDoc, readTopComment } from '../read/comments.ts'
import { type Excerpt, numbered } from '../read/formats.ts'
import { readIntroduction, readSections } from '../read/sentences.ts'
import { isSourcePath, readSymbols } from '../read/symbols.ts'
import type { ToolSession } from '../tool-session.ts'
import { listNames } from './introduce.ts'
import { importsOf } from './users.ts'

const MOST_ENTRIES = 30
const MOST_TITLES = 14
const MOST_SYMBOLS = 20
const DOCUMENT = /\.(?:md|mdx|rst|txt|adoc)$/i

/** What a file holds: what a document says first and its sections; what code imports and defines. */
export function describeFile(excerpt: Excerpt, most = MOST_SYMBOLS): Part[] {
  const { path, first, lines, total } = excerpt
  const last = first + lines.length - 1
  if (lines.length === 0) return [note(`\`${path}\` is empty.`)]
  // the lines at hand show how many a file has only where they are all of it
  const size =
    last < total
      ? `I read the first ${plural(last, 'line')} of ${tick(path)}`
      : `${tick(path)} has ${plural(last, 'line')}`
  const said = isSourcePath(path) ? describeSource(excerpt, most) : describeDocument(excerpt)
  return [lead(size, [at(path, first, last)], [last]), ...said]
}

function describeDocument(excerpt: Excerpt): Part[] {
  const { path } = excerpt
  const titles = readSections(excerpt).slice(0, MOST_TITLES)
  const start = DOCUMENT.test(path) ? readIntroduction(excerpt, 3) : []
  const plain = start.length > 0 ? [] : numbered(excerpt).filter(({ text }) => /\w/.test(text))
  return [
    ...start.map(({ text, cite }) => lead(quote(text), [cite])),
    ...plain.slice(0, 5).map(({ line, text }) => lead(quote(text, 140), [at(path, line)])),
    heading('Its sections'),
    ...(titles.length > 1 ? titles : []).map(({ title, from }) => claim(quote(title), [at(path, from)])),
  ]
}

/** The comment at the top, and what is defined, with what its documentation says. */
function describeSource(excerpt: Excerpt, most: number): Part[] {
  const { path } = excerpt
  const top = readTopComment(excerpt)
  const symbols = readSymbols(excerpt)
  const outer = Math.min(...symbols.map(({ indent }) => indent))
  const own = symbols.filter(({ indent, kind, exported }) => indent === outer && (kind !== 'constant' || exported))
  const inner = symbols.filter(({ kind, indent }) => kind === 'method' && indent > outer)
  const shown = own.sort((a, b) => Number(b.exported) - Number(a.exported)).slice(0, most)
  return [
    ...(top ? [lead(quote(top.text, 400), [at(path, top.from, top.to)])] : []),
    ...listNames('It imports', importsOf(excerpt), 200),
    heading('It defines'),
    ...shown.map(({ kind, name, line }) => {
      const doc = readDoc(excerpt, line)
      const cites = [...(doc ? [at(path, doc.from, doc.to)] : []), at(path, line)]
      return claim(doc ? `${kind} ${tick(name)}: ${quote(doc.text, 160)}` : `${kind} ${tick(name)}`, cites)
    }),
    ...listNames(
      'Its methods:',
      uniqueBy(inner, ({ name }) => name).map(({ name, line }) => ({ name, cites: [at(path, line)] })),
      240,
    ),
  ]
}

/** The entries of a folder, each file with the first thing that it says of itself. */
export function* describeFolder(session: ToolSession, path: string): Look<Part[]> {
  const listing = yield* session.list({ path, depth: 2, limit: 120 })
  if (!listing) return []
  const direct = listing.files.map((file) => file.path).filter((file) => folderOf(file) === path)
  const folders = listing.folders.filter((folder) => folderOf(folder.replace(/\/$/, '')) === path)
  const told = direct.filter((file) => isSourcePath(file) || /\.md$/i.test(file))
  const excerpts = yield* session.readAll(told.slice(0, 8), 60)
  const sayFile = (file: string): Part => {
    const excerpt = excerpts.find((other) => other.path === file)
    const said = excerpt && introduceFile(excerpt)
    const name = tick(baseName(file))
    if (said) return claim(`${name}: ${quote(said.text, 160)}`, [said.cite], [baseName(file)])
    const own = excerpt && isSourcePath(file) ? readSymbols(excerpt).filter(({ exported }) => exported) : []
    const defined = own.slice(0, 4)
    return defined.length === 0
      ? claim(name, [{ path }], [baseName(file)])
      : claim(
          `${name} defines ${series(defined.map((one) => tick(one.name)))}${own.length > 4 ? ' and more' : ''}`,
          defined.map(({ line }) => at(file, line)),
          [baseName(file)],
        )
  }
  const inside = folders.length > 0 ? ` and ${plural(folders.length, 'folder')}` : ''
  const counted = [direct.length, folders.length]
  return [
    lead(`${tick(path)} has ${plural(direct.length, 'file')}${inside} directly in it`, [{ path }], counted),
    heading('In it'),
    ...folders.slice(0, 15).map((folder) => claim(tick(folder), [{ path: folder }])),
    ...direct.slice(0, MOST_ENTRIES).map(sayFile),
    ...(direct.length > MOST_ENTRIES || listing.more > 0 ? [note('More entries are left out here.')] : []),
  ]
}
