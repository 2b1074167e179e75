import { toStems } from '@svc/core/text'
import { at, atLines } from '../cite.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName, FILE_ENDING, folderOf } from '../paths.ts'
import type { Part } from '../question/claim.ts'
import { claim, heading, lead, note } from '../question/claim.ts'
import { names, plural, quote, tick } from '../question/wording.ts'
import { readDoc, readTopComment } from '../read/comments.ts'
import { type Excerpt, numbered } from '../read/formats.ts'
import { readImport } from '../read/imports.ts'
import { readTerms, weigh } from '../read/rank-passages.ts'
import { readIntroduction, readSections, readSentences } from '../read/sentences.ts'
import { isSourcePath, readExports, readSymbols } from '../read/symbols.ts'
import type { Skill } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { findNamed } from './find-file.ts'

const LINES = 300
const MOST_FILES = 4
const MOST_ENTRIES = 30
const MOST_TITLES = 14
const MOST_SYMBOLS = 20
const ASKS_WHOLE =
  /\b(?:summari[sz]e|summary|what is in|what's in|describe|explain|outline|overview|contents? of|what does|compare|which functions)\b/
/** What would have to be counted or calculated. */
const ASKS_NUMBER = /\b(?:how many|how much|sum|total|average|mean|median|highest|lowest|largest|smallest|add up)\b/
const DOCUMENT = /\.(?:md|mdx|rst|txt|adoc)$/i
const NAMES_FOLDER =
  /\b(?:folder|directory)\s+[`"']?[\w@./-]+|(?<![\w@./-])[\w@./-]+[`"']?\s+(?:folder|directory)\b|\bwhat(?:'s| is| are| lies)(?: there)? (?:in|inside|under) (?!this|the|it)[\w@./-]+|\b(?:compare|difference between)\s+[`"'\w]/

/** What is in a file or a folder. */
export const summary: Skill = {
  id: 'summary',
  asks: ({ lower, paths }) =>
    (paths.length > 0 || NAMES_FOLDER.test(lower)) &&
    !/\b(?:which|what) (?:other )?files? (?:imports?|uses?|mentions?|depends?)|\bwho imports|\busages? of\b|\bused\b/.test(
      lower,
    ),
  *work(session) {
    const named = yield* findNamed(session)
    // `req.body` is what a program calls something
    const isCode = named.missing.every((path) => /^[\w$]+(?:\.[\w$]+)+$/.test(path) && !FILE_ENDING.test(path))
    if (named.files.length + named.folders.length === 0 && isCode) return undefined
    const [excerpts, folders] = yield* together([
      session.readAll(named.files.slice(0, MOST_FILES), LINES),
      together(named.folders.slice(0, 3).map((path) => describeFolder(session, path))),
    ])
    const looked = `I looked at ${plural(named.tree.files.length, 'file')} and by its name in every folder`
    return {
      parts: [
        ...excerpts.flatMap((excerpt) =>
          ASKS_WHOLE.test(session.question.lower) ? describeFile(excerpt) : answerFrom(session, excerpt),
        ),
        ...folders.flat(),
        ...named.missing.map((path) => note(`I found no file or folder \`${path}\`: ${looked}.`)),
      ],
      missing: named.files.length + named.folders.length === 0 || ASKS_NUMBER.test(session.question.lower),
    }
  },
}

/** The sentences of a file that speak of what is asked, else what the file is. */
function answerFrom({ question }: ToolSession, excerpt: Excerpt): Part[] {
  if (!DOCUMENT.test(excerpt.path)) return describeFile(excerpt)
  const sentences = readSentences(excerpt)
  const name = new Set(toStems(excerpt.path))
  const terms = readTerms(question).filter(({ text }) => !name.has(text))
  const covers = weigh(
    terms,
    sentences.map(({ text }) => text),
  )
  const best = sentences
    .map((sentence) => ({ sentence, covered: covers(`${sentence.section} ${sentence.text}`) }))
    .filter(({ covered }) => covered >= 0.5)
    .sort((a, b) => b.covered - a.covered)
    .slice(0, 5)
  if (best.length === 0) return describeFile(excerpt)
  const quotes = best.map(({ sentence }) => claim(quote(sentence.text), [sentence.cite]))
  return [heading(`From ${tick(excerpt.path)}`), ...quotes]
}

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
  const plain = numbered(excerpt)
    .filter(({ text }) => /\w/.test(text))
    .slice(0, 5)
  return [
    ...start.map(({ text, cite }) => lead(quote(text), [cite])),
    ...(start.length > 0 ? [] : plain.map(({ line, text }) => lead(quote(text, 140), [at(path, line)]))),
    ...(titles.length > 1 ? [heading('Its sections')] : []),
    ...(titles.length > 1 ? titles.map(({ title, from }) => claim(quote(title), [at(path, from)])) : []),
  ]
}

/** The comment at the top, what is defined and handed out, and what is imported. */
function describeSource(excerpt: Excerpt): Part[] {
  const { path } = excerpt
  const top = readTopComment(excerpt)
  const exported = readExports(excerpt)
  const handed = new Set(exported.map(({ name }) => name))
  const symbols = readSymbols(excerpt)
  const outer = Math.min(...symbols.map(({ indent }) => indent))
  const own = symbols.filter(
    ({ indent, kind, name }) => indent === outer && (kind !== 'constant' || handed.has(name) || symbols.length < 8),
  )
  const isHanded = ({ name }: { name: string }): number => (handed.has(name) ? 0 : 1)
  const shown = own.sort((a, b) => isHanded(a) - isHanded(b)).slice(0, MOST_SYMBOLS)
  const others = exported.filter(({ name }) => !shown.some((symbol) => symbol.name === name))
  const imports = numbered(excerpt).flatMap(({ line, text }) => {
    const specifier = readImport(path, text)
    return specifier === undefined ? [] : [{ name: specifier, line }]
  })
  const list = (title: string, items: readonly { name: string; line: number }[]): Part[] => {
    const cites = atLines(
      path,
      items.map(({ line }) => line),
    )
    const [from, to] = [cites[0]?.from ?? 1, cites.at(-1)?.to ?? cites.at(-1)?.from ?? 1]
    const text = names([...new Set(items.map(({ name }) => name))], 400)
    return items.length === 0 ? [] : [heading(title), claim(text, cites.length > 6 ? [at(path, from, to)] : cites)]
  }
  return [
    ...(top ? [lead(quote(top.text, 400), [at(path, top.from, top.to)])] : []),
    heading(handed.size === 0 || path.endsWith('.py') ? 'It defines' : 'It defines, what it exports first'),
    ...shown.map(({ kind, name, line }) => {
      const doc = readDoc(excerpt, line)
      const cites = [...(doc ? [at(path, doc.from, doc.to)] : []), at(path, line)]
      return claim(doc ? `${kind} ${tick(name)}: ${quote(doc.text, 160)}` : `${kind} ${tick(name)}`, cites)
    }),
    ...list('It also exports', others),
    ...list('It imports', imports),
  ]
}

function* describeFolder(session: ToolSession, path: string): Look<Part[]> {
  const listing = yield* session.list({ path, depth: 2, limit: 120 })
  if (!listing) return []
  const direct = listing.files.map((file) => file.path).filter((file) => folderOf(file) === path)
  const folders = listing.folders.filter(
    (folder) => folder.startsWith(path) && folder.slice(path.length).split('/').length === 2,
  )
  const told = direct.filter((file) => isSourcePath(file) || /\.md$/i.test(file))
  const excerpts = yield* session.readAll(told.slice(0, 5), 40)
  const say = (file: string): Part => {
    const excerpt = excerpts.find((other) => other.path === file)
    const [sentence] = excerpt && !isSourcePath(file) ? readIntroduction(excerpt, 1) : []
    const doc = excerpt && isSourcePath(file) ? readTopComment(excerpt) : undefined
    const said = sentence ?? (doc && { text: doc.text, cite: at(file, doc.from, doc.to) })
    const name = tick(baseName(file))
    return said
      ? claim(`${name}: ${quote(said.text, 160)}`, [said.cite], [baseName(file)])
      : claim(name, [{ path }], [baseName(file)])
  }
  const inside = folders.length > 0 ? ` and ${plural(folders.length, 'folder')}` : ''
  const isCut = direct.length > MOST_ENTRIES || listing.more > 0
  return [
    lead(
      `${tick(path)} has ${plural(direct.length, 'file')}${inside} directly in it`,
      [{ path }],
      [direct.length, folders.length],
    ),
    heading('In it'),
    ...folders.slice(0, 15).map((folder) => claim(tick(folder), [{ path: folder }])),
    ...direct.slice(0, MOST_ENTRIES).map(say),
    ...(isCut ? [note('More entries are left out here.')] : []),
  ]
}
