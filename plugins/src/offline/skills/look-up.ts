import { at } from '../cite.ts'
import { type Look, nothing, together } from '../look.ts'
import { baseName, depthOf } from '../paths.ts'
import { claim, code, heading, lead, type Part } from '../question/cited-sentence.ts'
import type { Kind } from '../question/kind.ts'
import { quote, tick, withoutMarkup } from '../question/wording.ts'
import { readDoc } from '../read/comments.ts'
import { type Excerpt, type Hit, numbered } from '../read/formats.ts'
import { readSentences } from '../read/sentences.ts'
import { type CodeSymbol, DOCUMENTS, isTestPath, readDefinition, SOURCES } from '../read/symbols.ts'
import { asPattern } from '../read/terms.ts'
import type { ToolSession } from '../tool-session.ts'
import { quoteHit } from './closest.ts'

const MOST_HITS = 30
const LINES_BEFORE = 30
const LINES_AFTER = 32
const MOST_CODE = 30
const PASSAGE_LINES = 14
const MOST_OTHERS = 5
const MOST_TOLD = 2
const CHANGES = /changelog|changes|history/i
/** Words that stand before a definition, for names with more uses than a search shows. */
const DEFINING = ['function', 'class', 'const', 'def', 'interface', 'type']

export interface Definition {
  readonly path: string
  readonly symbol: CodeSymbol
}

/** What a name stands for. */
export interface Known {
  readonly name: string
  /** The likeliest first. */
  readonly definitions: readonly Definition[]
  /** Rows, items and titles of documents that begin with it. */
  readonly keys: readonly Hit[]
  /** Other lines of documents that hold it: those first that say what it is used for. */
  readonly told: readonly Hit[]
  /** Lines of code that hold it as a word. */
  readonly mentions: readonly Hit[]
}

/** Looks a name up in code and documents; a plain word only where it is defined. */
export function* lookUp(session: ToolSession, name: string, kind: Kind, isWord = false): Look<Known> {
  const isPlain = isWord && kind === 'together'
  const member = name.slice(name.lastIndexOf('.') + 1)
  const isFlag = name.startsWith('-')
  const [code, documents] = yield* together([
    isPlain ? nothing() : session.search(isFlag ? name : member, { pattern: SOURCES, limit: MOST_HITS }),
    kind === 'where' ? nothing() : session.search(name, { pattern: DOCUMENTS, limit: isPlain ? 12 : MOST_HITS }),
  ])
  const isFound = definitionsIn(name, code?.hits ?? []).some(({ symbol }) => isOwn(symbol) && symbol.exported)
  const isWhole = isFlag || code?.more === 0 || isFound
  const before = isPlain ? DEFINING.slice(0, 3) : DEFINING
  const more = isWhole
    ? []
    : yield* together([
        ...(isPlain ? [] : [session.search(`${member}(`, { pattern: SOURCES, limit: 12 })]),
        ...before.map((word) => session.search(`${word} ${member}`, { pattern: SOURCES, limit: 6 })),
      ])
  const hits = [code, ...more].flatMap((some) => some?.hits ?? [])
  const said = (documents?.hits ?? []).filter(({ path }) => !CHANGES.test(baseName(path)))
  const asWord = new RegExp(`(?<![\\w$-])${asPattern(member)}(?![\\w$-])`)
  const helps = isFlag ? hits : []
  const keys = [...said.filter(({ text }) => !isCode(text)), ...helps].filter(({ text }) => explains(text, name))
  const told = said.filter((hit) => asWord.test(hit.text) && !keys.includes(hit) && !isCode(hit.text))
  return {
    name,
    definitions: isFlag ? [] : definitionsIn(name, hits),
    keys: keys.sort((a, b) => orderOf(a) - orderOf(b) || depthOf(a.path) - depthOf(b.path)).slice(0, 2),
    told: told.sort((a, b) => Number(tellsUse(b.text, name)) - Number(tellsUse(a.text, name))).slice(0, MOST_TOLD),
    mentions: hits.filter(({ path, text }) => !isTestPath(path) && asWord.test(text)),
  }
}

/** Whether a line of a document is one of an example, or of a list of contents. */
const isCode = (text: string): boolean =>
  /[{};]$|\]\(#[^()]*\)$/.test(text.trim()) ||
  /^(?:\/\/|\$ |[\w$.]{1,80}\(|['"]?[\w$]{1,80}['"]?: (?:\S{1,80}$|\[)|(?:const|let|var|import|export|await|return) )/.test(
    text.trim(),
  ) ||
  text.includes('=>')

/** What a name is: its definition with its comment and first lines, and what documents say; empty where nothing says so. */
export function* explain(session: ToolSession, known: Known, most = MOST_CODE): Look<Part[]> {
  const { definitions, keys } = known
  // declarations of types often have the comments
  const declared = definitions.filter(({ path }) => DECLARES.test(path)).slice(0, 1)
  const shown = isOneOfMany(known) ? [] : [...new Set([...definitions.slice(0, 1), ...declared])]
  // an option stands in code as a property, which says little of it
  const isPlain = definitions.slice(0, 1).every(({ symbol }) => !isOwn(symbol))
  const uses = keys.length > 0 ? [] : known.told.slice(0, isPlain ? MOST_TOLD : 1)
  const [excerpts, passages, around] = yield* together([
    together(shown.map((one) => readAround(session, one))),
    together(keys.map(({ path, line }) => session.read(path, { offset: line, limit: PASSAGE_LINES }))),
    together(uses.map(({ path, line }) => session.read(path, { offset: Math.max(1, line - 3), limit: PASSAGE_LINES }))),
  ])
  const said = shown.flatMap((one, index) => {
    const excerpt = excerpts[index]
    return excerpt && !isInside(one, excerpt)
      ? [{ one, excerpt, parts: describe(one, excerpt, most), doc: readDoc(excerpt, one.symbol.line) }]
      : []
  })
  const told = [
    ...keys.flatMap((hit, index) => quoteKey(hit, passages[index])),
    ...uses.flatMap((hit, index) => quoteUse(hit, around[index])),
  ]
  // that a name is set or handed on says nothing of it
  // the beginning of a long one shows little of what it does
  const isWhole = ({ one, excerpt }: (typeof said)[number]): boolean =>
    most !== MOST_CODE || (bodyOf(excerpt, one.symbol.line, MOST_CODE)?.lines.length ?? 0) < MOST_CODE
  const isSaid = told.length > 0 || said.some((own) => own.doc !== undefined || (isTelling(own.one) && isWhole(own)))
  return isSaid ? [...said.flatMap(({ parts }) => parts), ...told] : []
}

/** A variable inside of a function, which is only called so. */
const isInside = ({ symbol: { kind, line } }: Definition, { first, lines }: Excerpt): boolean =>
  kind === 'constant' && /^\s/.test(lines[line - first] ?? '')

const DECLARES = /\.d\.[cm]?ts$/

/** Whether several files define it, each in another way: which of them is meant is not known. */
function isOneOfMany({ name, definitions }: Known): boolean {
  const [best] = definitions
  if (best === undefined || best.symbol.kind === 'property' || name.includes('.')) return false
  const own = definitions.filter(
    (one) =>
      !isTestPath(one.path) &&
      !DECLARES.test(one.path) &&
      !isAlias(one) &&
      (one.symbol.kind === best.symbol.kind || isOwn(one.symbol)),
  )
  const texts = new Set(own.map(({ symbol }) => symbol.text.replace(/^(?:export |default |async )*|(?<!\W)\W+$/g, '')))
  const files = new Set(own.map(({ path }) => baseName(path).replace(/(?:\.browser)?\.\w+$/, '')))
  return files.size > 1 && (texts.size > 1 || best.symbol.kind === 'method')
}

/** Where a name is defined, and where else. */
export function* sayDefined(session: ToolSession, { name, definitions }: Known): Look<Part[]> {
  const [best, ...rest] = definitions
  const excerpt = best && (yield* readAround(session, best))
  if (!best || !excerpt) return []
  const others = rest.filter(({ symbol }) => isOwn(symbol) || !isOwn(best.symbol)).slice(0, MOST_OTHERS)
  return [
    ...describe(best, excerpt, 0),
    ...(others.length === 0 ? [] : [heading(`Other definitions of ${tick(name)}`)]),
    ...others.map(({ path, symbol }) => claim(`${tick(path)} defines ${tick(symbol.name)}`, [at(path, symbol.line)])),
  ]
}

/** `exports.a = a` and `const a = b.a` hand on what another line defines. */
const isAlias = ({ symbol }: Definition): boolean =>
  /=\s*(?!true|false|null)[\w$]+(?:\.[\w$]+)*;?\s*$/.test(symbol.text)

/** Whether the lines of a definition show what it does. */
const isTelling = (one: Definition): boolean =>
  !isAlias(one) &&
  one.symbol.kind !== 'property' &&
  (one.symbol.kind !== 'constant' || one.symbol.exported || /function|=>/.test(one.symbol.text))

const isOwn = ({ kind, indent, exported }: CodeSymbol): boolean =>
  indent === 0 && kind !== 'method' && kind !== 'property' && (kind !== 'constant' || exported)

const readAround = (session: ToolSession, { path, symbol }: Definition): Look<Excerpt | undefined> =>
  session.read(path, { offset: Math.max(1, symbol.line - LINES_BEFORE), limit: LINES_BEFORE + LINES_AFTER })

function describe({ path, symbol }: Definition, excerpt: Excerpt, most: number): Part[] {
  const text = symbol.text.trim().replace(/(?<!\s)\s*\{$/, '')
  const kind = /^[aeiou]/.test(symbol.kind) ? `an ${symbol.kind}` : `a ${symbol.kind}`
  const doc = readDoc(excerpt, symbol.line)
  const body = bodyOf(excerpt, symbol.line, most)
  return [
    lead(`${tick(symbol.name)} is ${kind} defined in ${tick(path)}: ${tick(text, 200)}`, [at(path, symbol.line)]),
    ...(doc ? [lead(`Its comment says: ${quote(doc.text, 500)}`, [at(path, doc.from, doc.to)])] : []),
    ...(body && body.lines.length > 1 ? [code(body)] : []),
  ]
}

/** The first lines of a definition, to its end where that is near. */
function bodyOf({ path, first, lines, total }: Excerpt, line: number, most: number): Excerpt | undefined {
  const own = lines.slice(line - first, line - first + most)
  const indentOf = (text: string): number => text.length - text.trimStart().length
  const end = own.findIndex(
    (text, index) =>
      index > 0 && text.trim() !== '' && indentOf(text) <= indentOf(own[0] ?? '') && !/^\s*[{)]/.test(text),
  )
  const isClosed = end > 0 && /^\s*[}\]]/.test(own[end] ?? '')
  return own.length === 0
    ? undefined
    : { path, first: line, lines: end < 0 ? own : own.slice(0, end + Number(isClosed)), total }
}

/** "To tell them apart use the `X` flag": what a name is used for. */
const tellsUse = (text: string, name: string): boolean =>
  new RegExp(
    `\\b(?:use|using|with|via|set(?:ting)?|pass(?:ing)?|enabl(?:e|ing)|specify(?:ing)?) (?:the |an? )?[\`"']?${asPattern(name)}[\`"']? (?:option|flag|setting|method|function|parameter|property)|(?:^|[.!?:] )(?:The )?[\`*_]{1,3}${asPattern(name)}(?:\\([^()]*\\))?[\`*_]{1,3} \\p{L}`,
    'iu',
  ).test(text)

/** Whether a line begins with a name, as an item, a row, a title or the line of a list of options does. */
function explains(text: string, name: string): boolean {
  if (text.trimStart().startsWith('|')) {
    const cells = /^\s*\|([^|]*)\|/
      .exec(text)?.[1]
      ?.replace(/[`*_\s]/g, '')
      .split(',')
    return [name, `--${name}`, `${name}()`].some((one) => cells?.includes(one))
  }
  const bare = withoutMarkup(text)
    .replace(/^[\s#>|*+\d.)-]*(?=[\w`"'[(<*_-])/, '')
    .replace(/^(?:new |async |static )+/, '')
  const begin = name.startsWith('-') ? text.trimStart().replace(/^[`|*\s]+/, '') : bare
  const spelled = asPattern(name)
  const isTitle = /^#{1,6}\s/.test(text) && bare.split(/\s+/).length <= 6
  const before = name.startsWith('-') ? '(?:--?[\\w-]+(?: \\S+)?, ?)?' : '[`"\'[(<*_]*(?:--)?(?:[\\w$]+\\.)?'
  return (
    new RegExp(`^${before}${spelled}(?![\\w$-])`, 'i').test(begin) ||
    (isTitle && new RegExp(`(?<![\\w$])${spelled}(?![\\w$])`, 'i').test(bare))
  )
}

/** A title of the document first, then items and rows, then the titles of sections: the deeper, the later. */
const orderOf = ({ text }: Hit): number => (/^# /.test(text) ? 0 : text.startsWith('#') ? text.indexOf(' ') : 1)

/** What an item, a row or the text below a title says. */
function quoteKey({ path, line, text }: Hit, excerpt: Excerpt | undefined): Part[] {
  if (!excerpt) return []
  if (text.startsWith('|')) return [lead(quote(text.replace(/^\||\|$/g, ''), 400), [at(path, line)])]
  if (!/\.(?:md|mdx|markdown|rst|txt|adoc)$/.test(path)) return [lead(tick(text, 160), [at(path, line)])]
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

/** The sentence of a document that is found on a line, and the list that it begins. */
function quoteUse(hit: Hit, excerpt: Excerpt | undefined): Part[] {
  if (!excerpt) return []
  const { path, line, text } = hit
  const below = text.trimEnd().endsWith(':')
    ? numbered(excerpt)
        .filter((one) => one.line > line)
        .slice(1)
    : []
  const end = below.findIndex((one) => !/^\s*(?:[-*+]|\d+[.)]) /.test(one.text))
  return [
    { ...quoteHit(hit, excerpt), lead: true },
    ...(end < 0 ? below : below.slice(0, end)).map((one) =>
      claim(quote(one.text.replace(/^\s*\S+ /, ''), 160), [at(path, one.line)]),
    ),
  ]
}

/** `name: value`, `name?: type`, `this.name = value`. */
function readProperty(name: string, { line, text }: Hit): CodeSymbol | undefined {
  const pattern = new RegExp(
    `^(?:(?:readonly|static|public|private|protected|declare) )*(?:[\\w$.]+\\.)?['"]?${asPattern(name)}['"]?\\??\\s*(?::|=(?![=>]))(?!:)`,
  )
  return pattern.test(text) ? { name, kind: 'property', line, text, exported: false, indent: 2 } : undefined
}

/** Exported before others, no test, near the root, source before types. */
function definitionsIn(name: string, hits: readonly Hit[]): Definition[] {
  const owner = name.slice(0, Math.max(0, name.lastIndexOf('.')))
  const member = name.slice(name.lastIndexOf('.') + 1)
  const found = new Map<string, Definition>()
  for (const hit of hits) {
    const { path, line, text } = hit
    // a search shows lines without their indentation, which a member needs to be seen as one
    const symbol = [
      readDefinition(path, line, text),
      readDefinition(path, line, `  ${text}`),
      readProperty(member, hit),
    ]
      .filter((one) => one?.name === member)
      .at(0)
    if (symbol) found.set(`${path}:${line}`, { path, symbol })
  }
  const weight = ({ path, symbol }: Definition): number =>
    (isTestPath(path) ? 16 : 0) +
    (symbol.kind === 'method' && owner === '' ? 6 : 0) +
    (symbol.kind === 'property' ? 9 : 0) +
    (symbol.indent > 0 ? 4 : 0) +
    (symbol.kind === 'constant' ? 4 : 0) +
    (symbol.exported ? 0 : 2) +
    (isAlias({ path, symbol }) ? 8 : 0) +
    (/\.d\.[cm]?ts$/.test(path) ? 3 : 0) +
    (/(?:^|\/)(?:umd|browser|dist|esm)\/|\.umd\./.test(path) ? 3 : 0) +
    depthOf(path) / 20
  const all = [...found.values()]
  const owned = all.filter(
    ({ path, symbol }) => symbol.text.includes(`${owner}.`) || path.toLowerCase().includes(owner.toLowerCase()),
  )
  return (owned.length > 0 ? owned : all).sort((a, b) => weight(a) - weight(b) || (a.path < b.path ? -1 : 1))
}
