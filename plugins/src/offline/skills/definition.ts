import { at } from '../cite.ts'
import { type Look, together } from '../look.ts'
import { baseName, depthOf } from '../paths.ts'
import { claim, heading, lead, type Part } from '../question/cited-sentence.ts'
import type { Question } from '../question/question.ts'
import { type Topic, topicsIn } from '../question/topics.ts'
import { quote, tick } from '../question/wording.ts'
import { readDoc } from '../read/comments.ts'
import { type Excerpt, type Hit, numbered } from '../read/formats.ts'
import { readSentences } from '../read/sentences.ts'
import { type CodeSymbol, isSourcePath, isTestPath, readDefinition } from '../read/symbols.ts'
import { asPattern, says, stemsOf, toTerms } from '../read/terms.ts'
import type { Finding, Skill } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { quoteHit } from './closest.ts'

export const SOURCES = '**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,py,vue,svelte}'
export const DOCUMENTS = '**/*.{md,mdx,markdown,rst,txt,adoc}'
const MOST_HITS = 25
const MOST_OTHERS = 5
const LINES_BEFORE = 30
const LINES_AFTER = 12
const PASSAGE_LINES = 14
/** Words that stand before a definition, for names with more uses than a search shows. */
const DEFINING = ['function', 'class', 'const', 'def', 'interface', 'type']
const ALLOWED = topicsIn(
  'where defined exports function class method codeWord option purpose effect ' +
    'file summary self bin line default how',
)

/** What no comment of a definition answers. */
const HOW: readonly Topic[] = ['how', 'line']

/** What no comment says in so many words: whether something is so. */
const YES_OR_NO =
  /^(?:is|are|does|do|did|can|could|has|have|will|ist|sind|hat|kann|est-ce)\b(?!.*\b(?:what|which|where|how|was|welche|wo|wie)\b)/

/** What a thing has is another question than what it is. */
const MEMBERS = /\b(?:methods|members|functions|classes|methoden|funktionen|klassen|méthodes|fonctions)\b/

export interface Definition {
  readonly path: string
  readonly symbol: CodeSymbol
}

/** Where a name is defined; what it is, by the comment above its definition and by the documents that explain it. */
export const definition: Skill = {
  id: 'definition',
  asks: (question) =>
    question.paths.length === 0 &&
    !YES_OR_NO.test(question.lower) &&
    !MEMBERS.test(question.lower) &&
    [...question.topics].every((topic) => ALLOWED.has(topic)) &&
    (asksPlace(question) || (asksMeaning(question) && !HOW.some((topic) => question.topics.has(topic)))) &&
    targetsOf(question).length > 0,
  *work(session) {
    const { question } = session
    const targets = targetsOf(question).slice(0, 3)
    const found = yield* together(
      targets.map((name) => (asksPlace(question) ? findPlace(session, name) : findMeaning(session, name))),
    )
    const findings = found.filter((finding) => finding !== undefined)
    const parts = findings.flatMap((finding) => finding.parts)
    const others = question.rest.filter((word) => !targets.includes(word))
    // a default value is said with that word
    if (question.topics.has('default') && !asksPlace(question) && !parts.some(({ text }) => /\bdefault/i.test(text)))
      return undefined
    const told = stemsOf(
      parts.map((part) => `${part.text} ${part.kind === 'claim' ? part.cites[0]?.path : ''}`).join(' '),
    )
    // a word that what was found does not speak of asks for something else
    const open = toTerms(others).filter((term) => !says(told, term))
    const isWhole = open.length <= (asksPlace(question) && question.identifiers.length > 0 ? 1 : 0)
    if (findings.length < targets.length || !isWhole) return undefined
    return { parts, facts: Object.assign({}, ...findings.map((finding) => finding.facts ?? {})) }
  },
}

const asksPlace = ({ topics }: Question): boolean => topics.has('where')
const asksMeaning = ({ topics, identifiers, rest }: Question): boolean =>
  topics.has('purpose') ||
  topics.has('effect') ||
  topics.has('default') ||
  topics.has('summary') ||
  (topics.size === 0 && identifiers.length > 0 && rest.length === 0)

/** Names as they are spelled, else the one word that is left. */
function targetsOf({ identifiers, quoted, rest, topics }: Question): readonly string[] {
  if (identifiers.length > 0) return identifiers
  const words = [...quoted, ...rest].filter((word) => /^[\w$-]+$/.test(word))
  // "a bail hook": what explains the first word must speak of the other too
  const most = topics.has('where') ? 1 : 2
  return words.length === quoted.length + rest.length && words.length <= most ? words.slice(0, 1) : []
}

function* findPlace(session: ToolSession, name: string): Look<Finding | undefined> {
  const [best, ...rest] = yield* findDefinitions(session, name)
  if (!best) return undefined
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

/** What documents say of a name that they explain, and the comment above its definition; undefined where neither does. */
function* findMeaning(session: ToolSession, name: string): Look<Finding | undefined> {
  const [definitions, documents, helps] = yield* together([
    name.startsWith('-') ? nothing() : findDefinitions(session, name),
    session.search(name, { pattern: DOCUMENTS, limit: MOST_HITS }),
    name.startsWith('-') ? session.search(`${name}`, { pattern: SOURCES, limit: MOST_HITS }) : nothing(),
  ])
  const keys = [...(documents?.hits ?? []), ...(helps?.hits ?? [])]
    .filter(({ path, text }) => !/changelog|history/i.test(baseName(path)) && explains(text, name))
    .sort((a, b) => orderOf(a) - orderOf(b) || depthOf(a.path) - depthOf(b.path))
    .slice(0, 2)
  // declarations of types often have the comments
  const declared = (definitions ?? []).filter(({ path }) => /\.d\.[cm]?ts$/.test(path)).slice(0, 1)
  const defined = [...new Set([...(definitions ?? []).slice(0, 2), ...declared])]
  const [excerpts, passages] = yield* together([
    together(defined.map((one) => readAround(session, one))),
    together(keys.map(({ path, line }) => session.read(path, { offset: line, limit: PASSAGE_LINES }))),
  ])
  const said = keys.flatMap((hit, index) => quoteKey(hit, passages[index]))
  const told = defined.flatMap((one, index) => {
    const excerpt = excerpts[index]
    const doc = excerpt && readDoc(excerpt, one.symbol.line)
    return doc && excerpt ? describe(one, excerpt) : []
  })
  const uses =
    said.length + told.length > 0
      ? []
      : (documents?.hits ?? []).filter(
          ({ path, text }) => tellsUse(text, name) && !/changelog|history/i.test(baseName(path)),
        )
  if (uses.length > 0 && uses.length <= 3) {
    const around = yield* together(
      uses.map(({ path, line }) => session.read(path, { offset: Math.max(1, line - 3), limit: PASSAGE_LINES })),
    )
    return {
      parts: uses.flatMap((hit, index) => [
        { ...quoteHit(hit, around[index]), lead: true },
        ...itemsBelow(hit, around[index]),
      ]),
    }
  }
  return said.length + told.length === 0 ? undefined : { parts: [...told.slice(0, 4), ...said] }
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
function* nothing(): Look<undefined> {}

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
    ...(doc ? [lead(`Its comment says: ${quote(doc.text, 500)}`, [at(path, doc.from, doc.to)])] : []),
  ]
}

/** The lines that define a name, the likeliest first. */
export function* findDefinitions(session: ToolSession, name: string): Look<Definition[]> {
  const member = name.slice(name.lastIndexOf('.') + 1)
  const pattern = SOURCES
  const searches = yield* together([
    session.search(member, { pattern, limit: MOST_HITS }),
    session.search(name.includes('.') ? `${name} =` : `${name}(`, { pattern, limit: 12 }),
    ...DEFINING.map((word) => session.search(`${word} ${member}`, { pattern, limit: 6 })),
  ])
  return definitionsIn(
    name,
    searches.flatMap((some) => some?.hits ?? []),
  )
}

/** Exported before others, no test, near the root, source before types. */
function definitionsIn(name: string, hits: readonly Hit[]): Definition[] {
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
