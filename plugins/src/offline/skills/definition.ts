import { at } from '../cite.ts'
import { type Look, together } from '../look.ts'
import { depthOf } from '../paths.ts'
import { claim, heading, lead, type Part } from '../question/cited-sentence.ts'
import { looksLikeCode, type Question } from '../question/question.ts'
import { plural, quote, tick } from '../question/wording.ts'
import { readDoc } from '../read/comments.ts'
import type { Excerpt, Hit } from '../read/formats.ts'
import { numbered } from '../read/formats.ts'
import { type CodeSymbol, isTestPath, readDefinition } from '../read/symbols.ts'
import { type Finding, notFound, type Skill } from '../skill.ts'
import { lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { quotePassages } from './quote-passages.ts'

const MOST_HITS = 60
const MOST_OTHERS = 5
const LINES_BEFORE = 80
const LINES_AFTER = 20
/** Words that stand before a definition, for names with more uses than a search shows. */
const DEFINING = ['function', 'class', 'const', 'def', 'interface', 'type']
const ASKS_USES =
  /\b(?:which|what|list|find|show|how many) (?:all )?(?:the )?(?:files?|modules?|places|tests?|usages?|uses) .{0,20}\b(?:imports?|uses?|using|calls?|requires?|mentions?|references?|of)\b|\bwho (?:imports|uses|calls)\b|\bwhere (?:is|are|does) .{0,200} (?:used|imported|mentioned|called|referenced)\b/
const ASKS_DEFINITION = /\b(?:where|defin|declar|implement|signature)/
const KIND = '(?:function|class|method|interface|type|constant|variable|enum)'

interface Definition {
  readonly path: string
  readonly symbol: CodeSymbol
}

/** Where a function, class or type is defined, and what its documentation says. */
export const definition: Skill = {
  id: 'definition',
  asks: ({ lower, identifiers }) =>
    identifiers.length > 0 &&
    !ASKS_USES.test(lower) &&
    /\b(?:where|what|explain|describe|defin|declar|implement|signature|returns?|show|does|purpose)/.test(lower),
  *work(session) {
    const { question } = session
    // an option is explained in the documents, and a class or a type where it is defined
    const isOption = !ASKS_DEFINITION.test(question.lower) && question.identifiers.every((name) => /^[a-z]/.test(name))
    const said = isOption ? yield* quotePassages(session) : []
    if (said.length > 0) return { parts: said }
    const findings = yield* together(question.identifiers.slice(0, 3).map((name) => explain(session, name)))
    const found = findings.filter((finding) => finding !== undefined)
    if (found.length === 0) return undefined
    return {
      parts: found.flatMap(({ parts }) => parts),
      facts: Object.assign({}, ...found.map(({ facts }) => facts ?? {})),
      // where a class is defined is no list of its methods
      missing: found.every(({ missing }) => missing === true) || /\b(?:methods?|members?)\b/.test(question.lower),
    }
  },
}

/** Undefined where nothing bears the name and it may be a plain word: a general search answers better then. */
function* explain(session: ToolSession, name: string): Look<Finding | undefined> {
  const found = yield* findDefinitions(session, name)
  const [best, ...rest] = found
  if (!best) return isName(name, session.question) ? yield* sayUnknown(session, name) : undefined
  const { path, symbol } = best
  const from = Math.max(1, symbol.line - LINES_BEFORE)
  const excerpt = yield* session.read(path, { offset: from, limit: LINES_BEFORE + LINES_AFTER })
  const others = rest.filter((other) => other.symbol.indent === 0).slice(0, MOST_OTHERS)
  const parts: Part[] = [
    ...(excerpt ? describe(name, best, excerpt) : []),
    ...(others.length === 0 ? [] : [heading(`Other definitions of ${tick(name)}`)]),
    ...others.map((other) =>
      claim(`${tick(other.path)} defines ${tick(other.symbol.name)}`, [at(other.path, other.symbol.line)]),
    ),
  ]
  return { parts, facts: { file: path, path, line: symbol.line, kind: symbol.kind } }
}

function describe(name: string, { path, symbol }: Definition, excerpt: Excerpt): Part[] {
  const { text, to } = signatureOf(symbol, excerpt)
  const kind = /^[aeiou]/.test(symbol.kind) ? `an ${symbol.kind}` : `a ${symbol.kind}`
  const doc = readDoc(excerpt, symbol.line)
  return [
    lead(`${tick(name.slice(name.lastIndexOf('.') + 1))} is ${kind} defined in ${tick(path)}: ${tick(text, 200)}`, [
      at(path, symbol.line, to),
    ]),
    ...(doc ? [lead(`Its documentation says: ${quote(doc.text, 500)}`, [at(path, doc.from, doc.to)])] : []),
  ]
}

/** The definition's own line, and the next ones while its brackets are open. */
function signatureOf(found: CodeSymbol, excerpt: Excerpt): { text: string; to: number } {
  const lines: string[] = []
  let depth = 0
  for (const { line, text } of numbered(excerpt)
    .filter((item) => item.line >= found.line)
    .slice(0, 12)) {
    lines.push(text.trim())
    depth += (text.match(/[(<]/g)?.length ?? 0) - (text.match(/[)>]/g)?.length ?? 0)
    if (depth <= 0) return { text: lines.join(' ').trimEnd().replace(/\{$/, '').trimEnd(), to: line }
  }
  return { text: found.text.trim(), to: found.line }
}

/** The lines that define a name, the likeliest first. */
function* findDefinitions(session: ToolSession, name: string): Look<Definition[]> {
  const member = name.slice(name.lastIndexOf('.') + 1)
  const [hits, assigned] = yield* together([
    session.search(member, { limit: MOST_HITS }),
    session.search(name.includes('.') ? `${name} =` : `${name}(`, { limit: 20 }),
  ])
  const narrow =
    (hits?.more ?? 0) === 0
      ? []
      : yield* together(DEFINING.map((word) => session.search(`${word} ${member}`, { limit: 12 })))
  const all = [hits, assigned, ...narrow].flatMap((some) => some?.hits ?? [])
  return definitionsIn(name, all)
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
    (symbol.exported ? 0 : 2) +
    // `exports.a = a` and `const a = b.a` hand on what another line defines
    (/=\s*[\w$]+(?:\.[\w$]+)*;?\s*$/.test(symbol.text) ? 8 : 0) +
    (/\.d\.[cm]?ts$/.test(path) ? 3 : 0) +
    (/\.min\.|(?:^|\/)(?:umd|browser)/.test(path) ? 3 : 0) +
    depthOf(path) / 20
  return [...found.values()].sort((a, b) => weight(a) - weight(b) || (a.path < b.path ? -1 : 1))
}

/** Whether the question means a name by it: it is quoted, spelled as code, called a function, or said to be defined. */
function isName(name: string, { quoted, text }: Question): boolean {
  if (looksLikeCode(name) || name.includes('.') || quoted.some((item) => item.includes(name))) return true
  if (!ASKS_DEFINITION.test(text.toLowerCase())) return false
  const spelled = name.replace(/\W/g, '\\$&')
  const isKind = new RegExp(`\\b${KIND}\\s+${spelled}\\b|\\b${spelled}\\s+${KIND}\\b`, 'i').test(text)
  const isPlaced = new RegExp(`\\bwhere(?:'s| is)\\s+${spelled}\\s+(?:defined|declared|exported)\\b`, 'i').test(text)
  return isKind || isPlaced
}

/** That nothing bears the name, and how many files that is true of. */
function* sayUnknown(session: ToolSession, name: string): Look<Finding> {
  yield* lookAtTree(session)
  const all = yield* session.list({ depth: 50, pattern: '**/*', limit: 400 })
  const looked = all ? `: I looked at ${plural(all.files.length + all.more, 'file')}` : ''
  return notFound(`I found nothing named \`${name}\`${looked}.`)
}
