import { at, type Cite } from '../cite.ts'
import type { Look } from '../look.ts'
import { baseName, folderOf } from '../paths.ts'
import { claim, lead, type Part } from '../question/cited-sentence.ts'
import { looksLikeCode, uniqueBy } from '../question/question.ts'
import { plural, tick } from '../question/wording.ts'
import { type Excerpt, type Hit, numbered } from '../read/formats.ts'
import { isSourcePath, isTestPath, readDefinition, SOURCES } from '../read/symbols.ts'
import { asPattern } from '../read/terms.ts'
import type { Finding } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'

const MOST_HITS = 60
const MOST_SHOWN = 20
const HEAD_LINES = 400
/** Other languages name what they import without quotation marks. */
const IMPORTS = /(?:\b(?:import|require)\b[^'"]{0,200}|\bfrom\s{0,9})['"]([^'"]+)['"]/
const CAN_IMPORT = /\.[cm]?[jt]sx?$/

/** What a file imports, each once. */
export function importsOf(excerpt: Excerpt): { name: string; cites: Cite[] }[] {
  const found = numbered(excerpt).flatMap(({ line, text }) => {
    const name = /^\s*(?:\/\/|\*)/.test(text) ? undefined : IMPORTS.exec(text)?.[1]
    return name === undefined || !/^[@\w.~#][\w@.:~#/-]*$/.test(name) ? [] : [{ name, cites: [at(excerpt.path, line)] }]
  })
  return uniqueBy(found, ({ name }) => name)
}

const FOREIGN = /(?<!\p{L})(?:third[- ]party|external|npm|foreign|externe[nrs]?|fremde[nr]?|tierce?s?)(?!\p{L})|外部/u

/** What a file imports, a line each; undefined where that is not read. */
export function* listImports(session: ToolSession, path: string): Look<Finding | undefined> {
  const excerpt = yield* session.read(path, { limit: HEAD_LINES })
  if (!excerpt) return undefined
  const isForeign = FOREIGN.test(session.question.lower)
  const found = importsOf(excerpt).filter(({ name }) => !isForeign || !/^\.|^node:/.test(name))
  if (found.length === 0)
    return excerpt.total > HEAD_LINES || !CAN_IMPORT.test(path)
      ? undefined
      : { parts: [lead(`${tick(path)} imports nothing`, [at(path, 1, excerpt.total)])] }
  return {
    parts: found.slice(0, MOST_SHOWN).map(({ name, cites }) => lead(`${tick(path)} imports ${tick(name)}`, cites)),
  }
}

const WITHOUT_TESTS =
  /(?:without|except|excluding|besides|apart from|leaving|ignoring|not counting|ohne|außer|sans|sauf|hors) (?:the |die |les )?tests?|tests? (?:aside|excluded)/

/** The path that a file means by `../a.js`; undefined for a package. */
function resolve(from: string, source: string): string | undefined {
  if (!source.startsWith('.')) return undefined
  const parts = folderOf(from).split('/').slice(0, -1)
  for (const part of source.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

/** Whether an import leads to a file, whose ending and `index` it may leave out. */
const isSame = (path: string | undefined, file: string): boolean => {
  const plain = (text: string): string => text.replace(/\.[cm]?[jt]sx?$/, '').replace(/(?:^|\/)index$/, '')
  return path !== undefined && plain(path) === plain(file)
}

/** Which files import a file or a package, or name something; a plain word only as a package. */
export function* listUsers(
  session: ToolSession,
  name: string,
  file: string | undefined,
  isWord: boolean,
): Look<Finding | undefined> {
  const base = baseName(file ?? name).replace(/\.\w+$/, '')
  const sought = file === undefined ? name : base === 'index' ? (file.split('/').at(-2) ?? base) : base
  // what is mentioned may be so anywhere
  const isMention = /mention|erwähn/i.test(session.question.told.get('uses') ?? '')
  const found = yield* session.search(file === undefined ? sought : `/${sought}`, {
    ...(isMention ? {} : { pattern: SOURCES }),
    limit: MOST_HITS,
  })
  const hits = (found?.hits ?? []).filter(
    ({ path, text }) => (isMention || !/^\s*(?:\/\/|\*|\/\*|#)/.test(text)) && !path.includes('.min.'),
  )
  const isUse = (hit: Hit): boolean => {
    const source = IMPORTS.exec(hit.text)?.[1]
    if (file !== undefined) return source !== undefined && isSame(resolve(hit.path, source), file)
    const isImport = source === name || source?.startsWith(`${name}/`) === true
    if (isImport || (isWord && !isMention)) return isImport
    return new RegExp(`(?<![\\w$'"/-]${looksLikeCode(name) ? '' : '|\\.'})${asPattern(name)}(?![\\w$-])`).test(hit.text)
  }
  const home = new Set(
    (isMention ? [] : hits)
      .filter(({ path, line, text }) => readDefinition(path, line, text)?.name === name)
      .map(({ path }) => path),
  )
  const users = hits.filter(
    (hit) =>
      isUse(hit) &&
      (!home.has(hit.path) || IMPORTS.exec(hit.text)?.[1] === name) &&
      hit.path !== file &&
      (isMention || isSourcePath(hit.path)),
  )
  // what declares types beside code stands for that code
  const isTwin = ({ path }: Hit): boolean =>
    /\.d\.[cm]?ts$/.test(path) && users.some((other) => !/\.d\.[cm]?ts$/.test(other.path))
  const isLeftOut = (hit: Hit): boolean =>
    isTwin(hit) || (WITHOUT_TESTS.test(session.question.lower) && isTestPath(hit.path))
  const order = ({ path }: Hit): number => Number(isTestPath(path)) * 2 + Number(/\.d\.[cm]?ts$/.test(path))
  const files = uniqueBy(users, ({ path }) => path)
    .filter((hit) => !isLeftOut(hit))
    .sort((a, b) => order(a) - order(b))
  if (files.length === 0) return undefined
  const isAll = (found?.more ?? 0) === 0 && session.lookedEverywhere
  const parts: Part[] = [
    lead(
      `${isAll ? '' : 'At least '}${plural(files.length, 'file')} ${isMention ? 'mention' : 'use'}${files.length === 1 ? 's' : ''} ${tick(name)}`,
      files.slice(0, 1).map(({ path, line }) => at(path, line)),
      [files.length, name],
    ),
    ...(isMention ? users : files)
      .slice(0, MOST_SHOWN)
      .map(({ path, line, text }) => claim(`${tick(path)}: ${tick(text, 110)}`, [at(path, line)])),
  ]
  return { parts, facts: { files: files.map(({ path }) => path), count: files.length } }
}
