import { at } from '../cite.ts'
import { type Look, together } from '../look.ts'
import { baseName, depthOf } from '../paths.ts'
import { claim, heading, lead, type Part } from '../question/cited-sentence.ts'
import { uniqueBy } from '../question/question.ts'
import { quote, tick } from '../question/wording.ts'
import { readDoc } from '../read/comments.ts'
import { type Excerpt, type Hit, numbered } from '../read/formats.ts'
import { readSentences } from '../read/sentences.ts'
import { type CodeSymbol, isSourcePath, isTestPath, readDefinition } from '../read/symbols.ts'
import { asPattern } from '../read/terms.ts'
import type { Finding } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { quoteHit } from './closest.ts'

export const SOURCES = '**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,py,vue,svelte}'
/** Where places and values are sought: of what was built no declarations. */
export const codeOf = ({ built }: ToolSession): string => (built === undefined ? SOURCES : '**/*.{js,mjs,cjs,py}')
export const DOCUMENTS = '**/*.{md,mdx,markdown,rst,txt,adoc}'
const MOST_HITS = 25
const MOST_OTHERS = 5
const LINES_BEFORE = 30
const LINES_AFTER = 26
/** Lines of code that are shown where no comment says what it does. */
const MOST_BODY = 24
const PASSAGE_LINES = 14
/** Words that stand before a definition, for names with more uses than a search shows. */
const DEFINING = ['function', 'class', 'const', 'def', 'interface', 'type']

export interface Definition {
  readonly path: string
  readonly symbol: CodeSymbol
}

/** Where a name is defined. */
export function* findPlace(session: ToolSession, name: string): Look<Finding | undefined> {
  const hits = yield* searchName(session, name)
  const [best, ...rest] = definitionsIn(name, hits)
  if (!best) return sayOption(name, hits)
  const excerpt = yield* readAround(session, best)
  if (!excerpt) return undefined
  const { path, symbol } = best
  const others = rest.filter((other) => other.symbol.indent === 0 || symbol.indent > 0).slice(0, MOST_OTHERS)
  const parts: Part[] = [
    ...describe(best, excerpt),
    ...(others.length === 0 ? [] : [heading(`Other definitions of ${tick(name)}`)]),
    ...others.map((other) =>
      claim(`${tick(other.path)} defines ${tick(other.symbol.name)}`, [at(other.path, other.symbol.line)]),
    ),
  ]
  return { parts, facts: { file: path, path, line: symbol.line, kind: symbol.kind } }
}

/** The one file that sets an option of that name. */
function sayOption(name: string, hits: readonly Hit[]): Finding | undefined {
  const options = hits.filter(({ path, text }) => !isTestPath(path) && setsOption(text, name))
  const [first, ...others] = uniqueBy(options, ({ path }) => path)
  if (!first || others.length > 0) return undefined
  const { path, line, text } = first
  return {
    parts: [lead(`It is in ${tick(path)}: ${tick(text)}`, [at(path, line)], [path])],
    facts: { file: path, path },
  }
}

const setsOption = (text: string, name: string): boolean =>
  new RegExp(`^(?:readonly )?['"]?${asPattern(name)}['"]?\\??:`).test(text)

/** What documents say of a name that they explain, and what its definition says; else the few places that name it. */
export function* findMeaning(session: ToolSession, name: string): Look<Finding | undefined> {
  const [sources, documents] = yield* together([
    searchName(session, name),
    session.search(name, { pattern: DOCUMENTS, limit: MOST_HITS }),
  ])
  const isTold = ({ path }: Hit): boolean => !/changelog|history/i.test(baseName(path))
  const keys = [...(documents?.hits ?? []), ...(name.startsWith('-') ? sources : [])]
    .filter((hit) => isTold(hit) && explains(hit.text, name))
    .sort((a, b) => orderOf(a) - orderOf(b) || depthOf(a.path) - depthOf(b.path))
    .slice(0, 2)
  const definitions = definitionsIn(name, sources)
  // declarations of types often have the comments
  const declared = definitions.filter(({ path }) => /\.d\.[cm]?ts$/.test(path)).slice(0, 1)
  const defined = [...new Set([...definitions.slice(0, 2), ...declared])]
  const [excerpts, passages] = yield* together([
    together(defined.map((one) => readAround(session, one))),
    together(keys.map(({ path, line }) => session.read(path, { offset: line, limit: PASSAGE_LINES }))),
  ])
  const said = keys.flatMap((hit, index) => quoteKey(hit, passages[index]))
  const told = defined.flatMap((one, index) => {
    const excerpt = excerpts[index]
    // a constant of a function says what it is set to there, and not what it is for
    const isLocal = one.symbol.kind === 'constant' && /^\s/.test(excerpt?.lines[one.symbol.line - excerpt.first] ?? '')
    const isSaying =
      excerpt && (readDoc(excerpt, one.symbol.line) || (index === 0 && !isTestPath(one.path) && !isLocal))
    return isSaying ? [describe(one, excerpt)] : []
  })
  const saying = told.filter((parts) => parts.length > 1)
  const uses = (documents?.hits ?? []).filter((hit) => isTold(hit) && tellsUse(hit.text, name))
  if (saying.length + said.length === 0 && uses.length > 0 && uses.length <= MOST_USES)
    return { parts: yield* quoteUses(session, uses) }
  const parts = [...(saying.length > 0 ? saying : told.slice(0, 1)).flat().slice(0, MOST_BODY), ...said]
  if (parts.length > 0 || /^[a-z\d]+$/.test(name)) return parts.length > 0 ? { parts } : undefined
  const named = sources.filter(
    ({ path, text }) => !isTestPath(path) && new RegExp(`(?<![\\w$])${asPattern(name)}(?![\\w$])`).test(text),
  )
  const options = named.filter(({ text }) => setsOption(text, name))
  const places = (options.length > 0 ? options.slice(0, 2) : named).map(({ path, line }) => ({ path, line }))
  return places.length === 0 || places.length > MOST_USES
    ? undefined
    : { parts: yield* showPlaces(session, name, places) }
}

const MOST_USES = 3
const AROUND_USE = 10

function* quoteUses(session: ToolSession, uses: readonly Hit[]): Look<Part[]> {
  const around = yield* together(
    uses.map(({ path, line }) => session.read(path, { offset: Math.max(1, line - 3), limit: PASSAGE_LINES })),
  )
  return uses.flatMap((hit, index) => [
    { ...quoteHit(hit, around[index]), lead: true },
    ...itemsBelow(hit, around[index]),
  ])
}

/** The lines that name what no line defines, each with the comment above it and the lines below. */
function* showPlaces(
  session: ToolSession,
  name: string,
  places: readonly { path: string; line: number }[],
): Look<Part[]> {
  const excerpts = yield* together(
    places.map(({ path, line }) => session.read(path, { offset: Math.max(1, line - 8), limit: 8 + MOST_BODY })),
  )
  return places.flatMap(({ path, line }, index) => {
    const excerpt = excerpts[index]
    if (!excerpt) return []
    const doc = readDoc(excerpt, line)
    return [
      lead(`${tick(name)} is named in ${tick(path)}`, [at(path, line)], [path]),
      ...(doc ? [lead(`The comment there says: ${quote(doc.text, 500)}`, [at(path, doc.from, doc.to)])] : []),
      ...numbered(excerpt)
        .filter((one) => one.line >= line && one.line < line + (doc ? 1 : AROUND_USE) && one.text.trim() !== '')
        .map((one) => claim(tick(one.text, 160), [at(path, one.line)])),
    ]
  })
}

/** The lines of a piece of code, to the one that ends it. */
function linesOf(excerpt: Excerpt, from: number, most: number): Part[] {
  const lines = numbered(excerpt).filter(({ line }) => line >= from)
  const widthOf = (text: string): number => text.length - text.trimStart().length
  const own = widthOf(lines[0]?.text ?? '')
  const end = lines.findIndex(
    ({ text }, index) => index > 0 && text.trim() !== '' && widthOf(text) <= own && !/^\s*[)\]]/.test(text),
  )
  return lines
    .slice(0, Math.min(most, end < 0 ? most : end + Number(/^\s*\}/.test(lines[end]?.text ?? ''))))
    .filter(({ text }) => text.trim() !== '')
    .map(({ line, text }) => claim(tick(text, 160), [at(excerpt.path, line)]))
}

/** The list that a line with a colon at its end begins. */
function itemsBelow({ line, text }: Hit, excerpt: Excerpt | undefined): Part[] {
  const below = excerpt && text.trimEnd().endsWith(':') ? numbered(excerpt).filter((one) => one.line > line) : []
  const items = below.slice(1)
  const end = items.findIndex((one) => !/^\s*(?:[-*+]|\d+[.)]) /.test(one.text))
  return (end < 0 ? items : items.slice(0, end)).map((one) =>
    claim(quote(one.text.replace(/^\s*\S+ /, ''), 160), [at(excerpt?.path ?? '', one.line)]),
  )
}

const readAround = (session: ToolSession, { path, symbol }: Definition): Look<Excerpt | undefined> =>
  session.read(path, { offset: Math.max(1, symbol.line - LINES_BEFORE), limit: LINES_BEFORE + LINES_AFTER })

/** "To tell them apart use the `X` flag": what a name is used for. */
const tellsUse = (text: string, name: string): boolean =>
  new RegExp(
    `\\b(?:use|using|with|via|set(?:ting)?|pass(?:ing)?|enabl(?:e|ing)|specify(?:ing)?) (?:the |an? )?[\`"']?${asPattern(name)}[\`"']? (?:option|flag|setting|method|function|parameter|property)|(?:^|[.!?:] )(?:The )?[\`*_]{1,3}${asPattern(name)}(?:\\([^()]*\\))?[\`*_]{1,3} \\p{L}`,
    'iu',
  ).test(text)

/** Whether a line begins with a name, as an item, a row, a title or the line of a list of options does. */
function explains(text: string, name: string): boolean {
  if (text.trimStart().startsWith('|')) {
    const cell = /^\s*\|([^|]*)\|/.exec(text)?.[1]?.replace(/[`*_\s]/g, '')
    return cell === name || cell === `${name}()`
  }
  const bare = text.replace(/^[\s#>|*+\d.)-]*(?=[\w`"'[(<*_-])/, '').replace(/^(?:new |async |static )+/, '')
  const begin = name.startsWith('-') ? text.trimStart().replace(/^[`|*\s]+/, '') : bare
  const spelled = asPattern(name)
  const isTitle = /^#{1,6}\s/.test(text) && text.split(/\s+/).length <= 6
  const before = name.startsWith('-') ? '(?:--?[\\w-]+(?: \\S+)?, ?)?' : '[`"\'[(<*_]*(?:[\\w$]+\\.)?'
  return (
    new RegExp(`^${before}${spelled}(?![\\w$-])`, 'i').test(begin) ||
    (isTitle && new RegExp(`(?<![\\w$])${spelled}(?![\\w$])`, 'i').test(text))
  )
}

/** A title of the document first, then items and rows, then the titles of sections: the deeper, the later. */
const orderOf = ({ text }: Hit): number => (/^# /.test(text) ? 0 : text.startsWith('#') ? text.indexOf(' ') : 1)

/** What an item, a row or the text below a title says. */
function quoteKey({ path, line, text }: Hit, excerpt: Excerpt | undefined): Part[] {
  if (!excerpt) return []
  if (text.startsWith('|')) return [lead(quote(text.replace(/^\||\|$/g, ''), 400), [at(path, line)])]
  if (isSourcePath(path)) return [lead(tick(text, 160), [at(path, line)])]
  const isTitle = text.startsWith('#')
  const next = numbered(excerpt).find(
    (one) => one.line > line && (isTitle ? /^#{1,6}\s/ : /^\s*(?:[-*+]|\d+\.)\s|^#{1,6}\s|^\s*$/).test(one.text),
  )
  return readSentences(excerpt)
    .filter(
      ({ from, text: said }) =>
        from >= line + Number(isTitle) &&
        from < (next?.line ?? Number.POSITIVE_INFINITY) &&
        !said.endsWith(':') &&
        said.split(' ').length > 1,
    )
    .slice(0, 5)
    .map(({ text: said, cite }) => lead(quote(said.replace(/^\|\s*|\|$/g, ''), 400), [cite]))
}

function describe({ path, symbol }: Definition, excerpt: Excerpt): Part[] {
  const text = symbol.text.trim().replace(/(?<!\s)\s*\{$/, '')
  const kind = /^[aeiou]/.test(symbol.kind) ? `an ${symbol.kind}` : `a ${symbol.kind}`
  const doc = readDoc(excerpt, symbol.line)
  return [
    lead(`${tick(symbol.name)} is ${kind} defined in ${tick(path)}: ${tick(text, 200)}`, [at(path, symbol.line)]),
    ...(doc
      ? [lead(`Its comment says: ${quote(doc.text, 500)}`, [at(path, doc.from, doc.to)])]
      : linesOf(excerpt, symbol.line, MOST_BODY).slice(1)),
  ]
}

/** The lines that hold a name; with those that define it, where there are more than a search shows. */
function* searchName(session: ToolSession, name: string): Look<Hit[]> {
  const member = name.slice(name.lastIndexOf('.') + 1)
  const found = yield* session.search(member, { pattern: SOURCES, limit: MOST_HITS })
  const defining = [name.includes('.') ? `${name} =` : `${name}(`, ...DEFINING.map((word) => `${word} ${member}`)]
  const more =
    (found?.more ?? 0) > 0
      ? yield* together(defining.map((text) => session.search(text, { pattern: SOURCES, limit: 6 })))
      : []
  return [found, ...more].flatMap((some) => some?.hits ?? [])
}

/** The lines that define a name, the likeliest first: exported before others, no test, near the root, source before types. */
export function definitionsIn(name: string, hits: readonly Hit[]): Definition[] {
  const owner = name.slice(0, Math.max(0, name.lastIndexOf('.')))
  const found = new Map<string, Definition>()
  for (const { path, line, text } of hits) {
    // a search shows lines without their indentation, which a member needs to be seen as one
    const symbol = readDefinition(path, line, text) ?? readDefinition(path, line, `  ${text}`)
    if (symbol && symbol.name === name.slice(name.lastIndexOf('.') + 1)) found.set(`${path}:${line}`, { path, symbol })
  }
  const weight = ({ path, symbol }: Definition): number =>
    (isTestPath(path) ? 16 : 0) +
    (owner !== '' && !symbol.text.includes(`${owner}.`) ? 8 : 0) +
    (symbol.kind === 'method' && owner === '' ? 6 : 0) +
    (symbol.indent > 0 ? 4 : 0) +
    (symbol.kind === 'constant' ? 4 : 0) +
    (symbol.exported ? 0 : 2) +
    // `exports.a = a` and `const a = b.a` hand on what another line defines
    (/=\s*[\w$]+(?:\.[\w$]+)*;?\s*$/.test(symbol.text) ? 8 : 0) +
    (/\.d\.[cm]?ts$/.test(path) ? 3 : 0) +
    (/\.min\.|(?:^|\/)(?:umd|browser|dist)/.test(path) ? 3 : 0) +
    depthOf(path) / 20
  return [...found.values()].sort((a, b) => weight(a) - weight(b) || (a.path < b.path ? -1 : 1))
}
