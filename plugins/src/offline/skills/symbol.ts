import { at } from '../cite.ts'
import type { Part } from '../claim.ts'
import { claim, heading, lead, note } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { looksLikeCode, type Question } from '../question.ts'
import type { Excerpt } from '../read/formats.ts'
import { type Hit, numbered } from '../read/formats.ts'
import type { Ranked } from '../read/rank-passages.ts'
import { type CodeSymbol, readDoc } from '../read/symbols.ts'
import { type Finding, notFound, type Skill } from '../skill.ts'
import { lookAtTree, readMainManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, quote, tick } from '../wording.ts'
import { exportedFirst, findReached, isAmbiguous } from './exported.ts'
import { type Definition, definitionsOf, holdsWord, searchEverywhere } from './find-definitions.ts'
import { findPassages } from './find-passage.ts'
import { describeBody, describeMembers, type Members, readPrototype, readWhole } from './members.ts'

/** Where a function, class or type is defined, what it does and what it offers. */
export const symbol: Skill = {
  id: 'symbol',
  asks: ({ lower, identifiers }) =>
    identifiers.length > 0 &&
    !/\b(?:which|what|list|find|show|how many) (?:all )?(?:the )?(?:files?|modules?|places|tests?) .{0,20}\b(?:imports?|uses?|using|calls?|requires?|mentions?|references?)\b|\bwho (?:imports|uses|calls)\b|\bwhere (?:is|are|does) .{0,200} (?:used|imported|mentioned|called|referenced)\b/.test(
      lower,
    ) &&
    /\b(?:where|what|how|explain|describe|defin|declar|implement|signature|parameters?|arguments?|returns?|methods?|members?|exports?|show|find|document|does|purpose|extends?)/.test(
      lower,
    ),
  *work(session) {
    const { lower, identifiers } = session.question
    // a class or a type is explained where it is defined
    const mayBeOption = EXPLAINS.test(lower) && identifiers.every((name) => /^[a-z]/.test(name))
    const said = mayBeOption ? yield* findPassages(session, explainsName(session.question)) : []
    if (said.length > 0) return { parts: said, answered: true }
    const findings = yield* together(session.question.identifiers.slice(0, 3).map((name) => explainName(session, name)))
    const isMissing = findings.every((finding) => finding.missing === true)
    const passages = isMissing && !DEFINED.test(session.question.lower) ? yield* findPassages(session) : []
    if (passages.length > 0) return { parts: passages, answered: true }
    return {
      parts: findings.flatMap((finding) => finding.parts),
      facts: Object.assign({}, ...findings.map((finding) => finding.facts ?? {})),
      answered: findings.some((finding) => finding.answered),
      missing: isMissing,
    }
  },
}

/** What a document explains better than the code does. */
const EXPLAINS = /\bwhat (?:does|do|is|are|values?|happens)\b|\boptions?\b|\bmean(?:s|ing)?\b|\bdefaults?\b/
const DEFINED = /\b(?:where|defin|declar|implement|methods?|members?|signature)/

/** Keeps the passages that stand for a name of the question: its section, row or item. */
const explainsName =
  ({ identifiers, lower }: Question) =>
  ({ passage: { kind, key } }: Ranked): boolean =>
    !DEFINED.test(lower) &&
    identifiers.some((name) => {
      const own = key.replace(/[`*]/g, '').trim()
      return kind === 'section' ? own === name : own.split(/[\s,]+/).includes(name)
    })

/** Where one name is defined and what it is; not answered where nothing bears it and it may be a plain word. */
export function* explainName(session: ToolSession, name: string): Look<Finding> {
  const member = name.slice(name.lastIndexOf('.') + 1)
  const [hits, assigned] = yield* together([
    searchEverywhere(session, member, 60, (hit) => definitionsOf(name, [hit]).length > 0),
    name.includes('.') ? session.search(`${name} =`, { limit: 20 }) : nothing(),
    lookAtTree(session),
    readMainManifest(session),
  ])
  if (!hits) return { parts: [], answered: false }
  let definitions = definitionsOf(name, [...(assigned?.hits ?? []), ...hits.hits])
  const narrow = hits.more > 0 ? yield* searchNarrowly(session, member) : undefined
  if (narrow) definitions = definitionsOf(name, [...(assigned?.hits ?? []), ...hits.hits, ...narrow])
  if (name.includes('.')) definitions = yield* keepOwner(session, name.slice(0, name.lastIndexOf('.')), definitions)
  if (isAmbiguous(definitions)) definitions = exportedFirst(definitions, yield* findReached(session))
  const best = definitions[0]
  // a plain word may be a topic and no name at all: a general search is the better answer then
  if (!best && !isNamed(name, session.question)) return { parts: [], answered: false }
  if (!best) {
    const held = hits.hits.filter((hit) => holdsWord(hit.text, member))
    return held.length > 0 ? sayUndefined(name, held) : yield* sayUnknown(session, name)
  }
  const typed = definitions.find(
    (other) => other !== best && /\.d\.[cm]?ts$/.test(other.path) && !/\.d\.[cm]?ts$/.test(best.path),
  )
  const [whole, onPrototype, types] = yield* together([
    readWhole(session, best),
    readPrototype(session, best),
    typed ? readAround(session, typed) : nothing(),
  ])
  const asksMembers = /\b(?:methods?|members?)\b/.test(session.question.lower)
  const members = whole ? yield* findMembers(session, best, typed, whole, onPrototype) : []
  const parts: Part[] = asksMembers ? [...members] : []
  if (whole) parts.push(...describeDefinition(name, best, whole))
  if (!asksMembers) parts.push(...members)
  if (typed && types) parts.push(...describeTyped(typed, types))
  const others = definitions
    .filter((other) => other !== best && other !== typed && other.symbol.indent === 0)
    .slice(0, 5)
  if (others.length > 0) {
    parts.push(heading(`Other definitions of ${tick(name)}`))
    parts.push(
      ...others.map((other) =>
        claim(`${tick(other.path)} defines ${tick(other.symbol.name)}`, [at(other.path, other.symbol.line)]),
      ),
    )
  }
  return {
    parts,
    missing: asksMembers && members.length === 0,
    facts: { file: best.path, path: best.path, line: best.symbol.line, kind: best.symbol.kind },
    answered: true,
  }
}

/** In the place of a search that is not needed. */
function* nothing(): Look<undefined> {}

/** A common word has too many hits: look for the words that usually stand before a definition. */
function* searchNarrowly(session: ToolSession, name: string): Look<Hit[]> {
  const words = ['function', 'class', 'const', 'def', 'interface', 'type']
  const found = yield* together(words.map((word) => session.search(`${word} ${name}`, { limit: 12 })))
  return found.flatMap((hits) => hits?.hits ?? [])
}

/** Of `Owner.member`, the members that stand after the line of their owner in the same file. */
function* keepOwner(session: ToolSession, owner: string, definitions: readonly Definition[]): Look<Definition[]> {
  const hits = yield* searchEverywhere(session, owner, 60, (hit) => definitionsOf(owner, [hit]).length > 0)
  const owners = definitionsOf(owner, hits?.hits ?? [])
  const owned = definitions.filter(({ path, symbol: found }) =>
    owners.some((other) => other.path === path && other.symbol.line < found.line && other.symbol.indent < found.indent),
  )
  return owned.length > 0 ? owned : definitions.filter(({ symbol: found }) => found.text.includes(`${owner}.`))
}

function* readAround(session: ToolSession, { path, symbol: found }: Definition): Look<Excerpt | undefined> {
  return yield* session.read(path, { offset: Math.max(1, found.line - 25), limit: 90 })
}

/** The methods: of a class in its body, of a function on its prototype, else as its type declares them. */
function* findMembers(
  session: ToolSession,
  best: Definition,
  typed: Definition | undefined,
  whole: Whole,
  onPrototype: Members,
): Look<Part[]> {
  const { kind, name } = best.symbol
  if (kind === 'class' || kind === 'interface') return describeBody(name, best, whole, onPrototype.members)
  const assigned = describeMembers(onPrototype)
  if (assigned.length > 0 || typed === undefined || !/^(?:class|interface)$/.test(typed.symbol.kind)) return assigned
  const declared = yield* readWhole(session, typed)
  return declared ? describeBody(name, typed, declared) : []
}

type Whole = NonNullable<ReturnType<typeof readWhole> extends Look<infer Read> ? Read : never>

/** Whether the question means a name by it: it is quoted, spelled as code, called a function, or said to be defined. */
function isNamed(name: string, { quoted, text }: Question): boolean {
  if (looksLikeCode(name) || name.includes('.') || quoted.some((item) => item.includes(name))) return true
  if (!/\b(?:where|defined|declared|definition|signature)\b/i.test(text)) return false
  const spelled = name.replace(/[.$]/g, '\\$&')
  const kind = '(?:function|class|method|interface|type|constant|variable|symbol|enum|struct|decorator|hook)'
  if (new RegExp(`\\b${kind}\\s+${spelled}\\b|\\b${spelled}\\s+${kind}\\b`, 'i').test(text)) return true
  const isTopic = /(?:ing|ion|ment|ness|ity)$/i.test(name)
  return !isTopic && new RegExp(`\\bwhere(?:'s| is)\\s+${spelled}\\s+(?:defined|declared|exported)\\b`, 'i').test(text)
}

/** That nothing bears the name, and how many files that is true of. */
function* sayUnknown(session: ToolSession, name: string): Look<Finding> {
  const all = yield* session.list({ depth: 50, pattern: '**/*', limit: 400 })
  const looked = all ? `: I looked at ${plural(all.files.length + all.more, 'file')}` : ''
  return notFound(`I found nothing named \`${name}\`${looked}.`, { found: false })
}

function sayUndefined(name: string, hits: readonly { path: string; line: number; text: string }[]): Finding {
  const shown = hits.slice(0, 6)
  return {
    parts: [
      note(`I cannot tell which line defines \`${name}\`; it occurs here:`),
      ...shown.map((hit) => claim(tick(hit.text, 140), [at(hit.path, hit.line)])),
    ],
    answered: true,
    missing: true,
  }
}

function describeDefinition(name: string, { path, symbol: found }: Definition, { excerpt, end }: Whole): Part[] {
  const signature = signatureOf(found, excerpt)
  const parts: Part[] = [
    lead(
      `${tick(name.slice(name.lastIndexOf('.') + 1))} is ${article(found.kind)} defined in ${tick(path)}: ${tick(signature.text, 200)}`,
      [at(path, found.line, signature.to)],
    ),
  ]
  const doc = readDoc(excerpt, found.line)
  if (doc) parts.push(lead(`Its documentation says: ${quote(doc.text, 500)}`, [at(path, doc.from, doc.to)]))
  const body = numbered(excerpt).filter(({ line }) => line > found.line && line <= end)
  if (found.kind === 'function' || found.kind === 'method') parts.push(...describeLines(path, body, doc === undefined))
  return parts
}

const article = (kind: string): string => (/^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`)

function describeTyped({ path, symbol: found }: Definition, excerpt: Excerpt): Part[] {
  const parts: Part[] = [
    lead(`Its type is declared in ${tick(path)}: ${tick(signatureOf(found, excerpt).text, 200)}`, [
      at(path, found.line, signatureOf(found, excerpt).to),
    ]),
  ]
  const doc = readDoc(excerpt, found.line)
  if (doc) parts.push(lead(`There the documentation says: ${quote(doc.text, 500)}`, [at(path, doc.from, doc.to)]))
  return parts
}

/** The definition's own line, and the next ones while its brackets are open. */
function signatureOf(found: CodeSymbol, excerpt: Excerpt): { text: string; to: number } {
  const lines: string[] = []
  let depth = 0
  let to = found.line
  for (const { line, text } of numbered(excerpt).filter(
    (item) => item.line >= found.line && item.line < found.line + 12,
  )) {
    lines.push(text.trim())
    to = line
    for (const char of text) {
      if (char === '(' || char === '<') depth++
      else if (char === ')' || char === '>') depth--
    }
    if (depth <= 0) break
  }
  return { text: lines.join(' ').replace(/(?:(?<!\s)\s+)?\{\s*$/, ''), to }
}

/** What a function's body says about it: what it returns, throws and calls. */
function describeLines(path: string, body: readonly { line: number; text: string }[], isUndocumented: boolean): Part[] {
  const parts: Part[] = []
  const say = (title: string, pattern: RegExp, limit: number): void => {
    for (const { line, text } of body.filter((item) => pattern.test(item.text)).slice(0, limit)) {
      const code = text.trim().replace(/[;{]\s*$/, '')
      parts.push(claim(`${title} ${tick(code, 140)}`, [at(path, line)]))
    }
  }
  say('returns:', /^\s*return\b.{2}/, isUndocumented ? 3 : 2)
  say('throws:', /^\s*(?:throw|raise)\b/, 2)
  if (isUndocumented && parts.length === 0)
    for (const { line, text } of body.filter((item) => /\w/.test(item.text)).slice(0, 4))
      parts.push(claim(tick(text.trim(), 140), [at(path, line)]))
  return parts.length === 0 ? [] : [heading('In its body'), ...parts]
}
