import { at } from '../cite.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName, folderOf } from '../paths.ts'
import type { Part } from '../question/cited-sentence.ts'
import { claim, heading, lead, note } from '../question/cited-sentence.ts'
import { topicsIn } from '../question/topics.ts'
import { plural, quote, series, tick } from '../question/wording.ts'
import { introduceFile, readDoc, readTopComment } from '../read/comments.ts'
import { type Excerpt, numbered } from '../read/formats.ts'
import { readIntroduction, readSections } from '../read/sentences.ts'
import { isSourcePath, readSymbols } from '../read/symbols.ts'
import { type Finding, notFound, type Skill } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { findNamed, type Named } from './find-file.ts'

const LINES = 160
const MOST_FILES = 4
const MOST_ENTRIES = 30
const MOST_TITLES = 14
const MOST_SYMBOLS = 20
const ALLOWED = topicsIn('summary purpose file folder defined where self test function class exports method')
const DOCUMENT = /\.(?:md|mdx|rst|txt|adoc)$/i

/** What is in a file or a folder. */
export const summary: Skill = {
  id: 'summary',
  asks: ({ topics, paths, identifiers }) =>
    identifiers.length === 0 &&
    [...topics].every((topic) => ALLOWED.has(topic)) &&
    (paths.length > 0 || topics.has('folder')),
  *work(session) {
    const { rest, topics } = session.question
    const named = yield* findNamed(session, rest)
    if (rest.some((word) => !named.said.includes(word))) return undefined
    if (named.files.length + named.folders.length === 0) return named.missing.length > 0 ? sayMissing(named) : undefined
    const [excerpts, folders] = yield* together([
      session.readAll(named.files.slice(0, MOST_FILES), LINES),
      together(named.folders.slice(0, 3).map((path) => describeFolder(session, path))),
    ])
    // what code does is said by its comment, and not by a list of what it defines
    const isSilent = !topics.has('summary') && excerpts.some((one) => isSourcePath(one.path) && !readTopComment(one))
    return {
      parts: [...excerpts.flatMap(describeFile), ...folders.flat()],
      missing: isSilent && !topics.has('defined') && !topics.has('exports') && topics.has('purpose'),
    }
  },
}

const sayMissing = ({ missing, tree }: Named): Finding =>
  notFound(
    `I found no file or folder ${series(missing.map((path) => `\`${path}\``))}: I looked at ${plural(tree.files.length, 'file')} and by its name in every folder.`,
  )

function describeFile(excerpt: Excerpt): Part[] {
  const { path, first, lines, total } = excerpt
  const last = first + lines.length - 1
  if (lines.length === 0) return [note(`\`${path}\` is empty.`)]
  // the lines at hand show how many a file has only where they are all of it
  const size =
    last < total
      ? `I read the first ${plural(last, 'line')} of ${tick(path)}`
      : `${tick(path)} has ${plural(last, 'line')}`
  const said = isSourcePath(path) ? describeSource(excerpt) : describeDocument(excerpt)
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
function describeSource(excerpt: Excerpt): Part[] {
  const { path } = excerpt
  const top = readTopComment(excerpt)
  const symbols = readSymbols(excerpt)
  const outer = Math.min(...symbols.map(({ indent }) => indent))
  const own = symbols.filter(({ indent, kind, exported }) => indent === outer && (kind !== 'constant' || exported))
  const shown = own.sort((a, b) => Number(b.exported) - Number(a.exported)).slice(0, MOST_SYMBOLS)
  return [
    ...(top ? [lead(quote(top.text, 400), [at(path, top.from, top.to)])] : []),
    heading('It defines'),
    ...shown.map(({ kind, name, line }) => {
      const doc = readDoc(excerpt, line)
      const cites = [...(doc ? [at(path, doc.from, doc.to)] : []), at(path, line)]
      return claim(doc ? `${kind} ${tick(name)}: ${quote(doc.text, 160)}` : `${kind} ${tick(name)}`, cites)
    }),
  ]
}

/** The entries of a folder, each file with the first thing that it says of itself. */
function* describeFolder(session: ToolSession, path: string): Look<Part[]> {
  const listing = yield* session.list({ path, depth: 2, limit: 120 })
  if (!listing) return []
  const direct = listing.files.map((file) => file.path).filter((file) => folderOf(file) === path)
  const folders = listing.folders.filter((folder) => folderOf(folder.replace(/\/$/, '')) === path)
  const told = direct.filter((file) => isSourcePath(file) || /\.md$/i.test(file))
  const excerpts = yield* session.readAll(told.slice(0, 5), 40)
  const sayFile = (file: string): Part => {
    const excerpt = excerpts.find((other) => other.path === file)
    const said = excerpt && introduceFile(excerpt)
    const name = tick(baseName(file))
    return said
      ? claim(`${name}: ${quote(said.text, 160)}`, [said.cite], [baseName(file)])
      : claim(name, [{ path }], [baseName(file)])
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
