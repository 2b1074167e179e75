import { at, atLines } from '../cite.ts'
import { type Claim, claim, heading, lead, type Part } from '../claim.ts'
import type { Look } from '../look.ts'
import type { Excerpt } from '../read/formats.ts'
import { endOf, type Member, readMembers } from '../read/members.ts'
import { isPythonPath, readDoc } from '../read/symbols.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, quote, tick } from '../wording.ts'
import type { Definition } from './find-definitions.ts'

/** Lines that are read at once of a class, and how often. */
const LINES = 1500
const MOST_READS = 4
const MOST_DESCRIBED = 24
const MOST_NAMED = 120

/** A definition's lines from those above it, where its documentation stands, to its end; the end is open where it was not reached. */
export function* readWhole(
  session: ToolSession,
  { path, symbol }: Definition,
): Look<{ excerpt: Excerpt; end: number; isWhole: boolean } | undefined> {
  const first = Math.max(1, symbol.line - 25)
  let excerpt = yield* session.read(path, { offset: first, limit: LINES })
  if (!excerpt) return undefined
  for (let reads = 1; reads < MOST_READS && endOf(symbol, excerpt) === undefined; reads++) {
    const more: Excerpt | undefined = yield* session.read(path, {
      offset: excerpt.first + excerpt.lines.length,
      limit: LINES,
    })
    if (!more || more.lines.length === 0) break
    excerpt = { ...excerpt, lines: [...excerpt.lines, ...more.lines], total: more.total }
  }
  const end = endOf(symbol, excerpt)
  return { excerpt, end: end ?? excerpt.first + excerpt.lines.length - 1, isWhole: end !== undefined }
}

export interface Members {
  readonly name: string
  readonly path: string
  /** Line of the definition. */
  readonly line: number
  readonly members: readonly Member[]
  /** Whether all of them are known. */
  readonly isWhole: boolean
  readonly excerpt: Excerpt | undefined
}

/** The methods: how many, all names, and what the first ones are for. */
export function describeMembers({ name, path, line, members, isWhole, excerpt }: Members): Part[] {
  const methods = members.filter(({ kind }) => kind === 'method')
  if (methods.length === 0) return []
  const named = methods.slice(0, MOST_NAMED)
  const rest = isPythonPath(path) ? '' : ', its constructor not counted'
  const count = `${isWhole ? '' : 'at least '}${plural(methods.length, 'method')}`
  const lines = named.map((one) => one.line)
  return [
    lead(
      `${tick(name)} has ${count}${rest}: ${named.map((one) => tick(one.name)).join(', ')}`,
      atLines(path, [line, ...lines]),
      [methods.length],
    ),
    heading(methods.length > MOST_DESCRIBED ? `The first ${MOST_DESCRIBED} of them` : 'They are'),
    ...methods.slice(0, MOST_DESCRIBED).map((one) => describeMember(path, one, excerpt)),
    ...describeAccessors(path, members),
  ]
}

function describeMember(path: string, { text, line }: Member, excerpt: Excerpt | undefined): Claim {
  const doc = excerpt && readDoc(excerpt, line)
  const signature = tick(text.replace(/(?:(?<!\s)\s+)?[{;,:]\s*$/, ''), 140)
  return claim(doc ? `${signature}: ${quote(doc.text, 140)}` : signature, [
    ...(doc ? [at(path, doc.from, doc.to)] : []),
    at(path, line),
  ])
}

function describeAccessors(path: string, members: readonly Member[]): Part[] {
  const accessors = members.filter(({ kind }) => kind === 'accessor').slice(0, 30)
  if (accessors.length === 0) return []
  const lines = accessors.map(({ line }) => line)
  return [heading('Its accessors'), claim(accessors.map(({ name }) => tick(name)).join(', '), atLines(path, lines))]
}

/** The methods of a class or an interface that was read, and those that were assigned to its prototype. */
export function describeBody(
  name: string,
  { path, symbol }: Definition,
  { excerpt, end, isWhole }: { excerpt: Excerpt; end: number; isWhole: boolean },
  assigned: readonly Member[] = [],
): Part[] {
  const parent = /\bextends\s+([\w$.]+)|^\s*class\s+\w+\(([\w.]+)/.exec(symbol.text)
  const inherited = parent?.[1] ?? parent?.[2]
  const own = readMembers(symbol, excerpt, end)
  const others = assigned.filter((one) => !own.some((member) => member.name === one.name))
  const parts = describeMembers({ name, path, line: symbol.line, members: [...own, ...others], isWhole, excerpt })
  if (inherited === undefined || parts.length === 0) return parts
  return [...parts, lead(`The methods of ${tick(inherited)} come on top, as it extends it`, [at(path, symbol.line)])]
}

/** Methods that are assigned to the prototype of a function, from wherever. */
export function* readPrototype(session: ToolSession, { path, symbol }: Definition): Look<Members> {
  const { name, kind, line: own } = symbol
  const mayHave = (kind === 'class' || kind === 'function') && !isPythonPath(path) && !/\.d\.[cm]?ts$/.test(path)
  if (!mayHave) return { name, path, line: own, members: [], isWhole: true, excerpt: undefined }
  const found = yield* session.search(`${name}.prototype`, { path, limit: 300 })
  const assigned = new RegExp(
    `^(?:module\\.)?(?:exports\\.)?${name.replace(/\$/g, '\\$')}\\.prototype\\.([\\w$]+)\\s*=(?!=)\\s*(.*)$`,
  )
  const members: Member[] = []
  for (const { line, text } of found?.hits ?? []) {
    const match = assigned.exec(text)
    const isFunction = !/^(?:["'\d[{]|true|false|null|undefined)/.test(match?.[2] ?? '')
    const member = match?.[1]
    if (member === undefined || member === 'constructor' || !isFunction || members.some((one) => one.name === member))
      continue
    members.push({ name: member, kind: 'method', line, text })
  }
  const isMixed = (found?.hits ?? []).some(({ text }) => /\.prototype\s*[,=)[]/.test(text))
  return { name, path, line: own, members, isWhole: found?.more === 0 && !isMixed, excerpt: undefined }
}
