import { isBuiltin } from 'node:module'
import { at, type Cite } from '../cite.ts'
import { type Look, together } from '../look.ts'
import { baseName, folderOf } from '../paths.ts'
import { claim, lead, type Part } from '../question/cited-sentence.ts'
import { looksLikeCode, uniqueBy } from '../question/question.ts'
import { plural, tick } from '../question/wording.ts'
import { type Excerpt, type Hit, numbered } from '../read/formats.ts'
import { isSourcePath, isTestPath, readDefinition, SOURCES } from '../read/symbols.ts'
import { asPattern } from '../read/terms.ts'
import type { Finding } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'

const MOST_HITS = 120
const MOST_SHOWN = 30
/** Other languages name what they import without quotation marks. */
const IMPORTS =
  /(?:(?<![\w.])(?:require|import)\(\s{0,9}|^(?:import|export|\}|[\w$ ,{}*]{1,300}\bfrom)(?![\w.])[^'"()=]{0,200})['"]([^'"]+)['"]/g
const CAN_IMPORT = /\.[cm]?[jt]sx?$/
/** A module whose name is worked out while the code runs. */
const BY_VARIABLE = /(?<![\w.])(?:require|import)\((?!['"`)])/

const sourcesIn = (text: string): string[] => [...text.trim().matchAll(IMPORTS)].map(([, source = '']) => source)
const isComment = (text: string): boolean => /^\s*(?:\/\/|\*|\/\*|#)/.test(text)

/** What a file imports, each once. */
export const importsOf = (excerpt: Excerpt): Import[] =>
  importsIn(numbered(excerpt).map((one) => ({ path: excerpt.path, ...one })))

interface Import {
  readonly name: string
  readonly cites: readonly Cite[]
}

function importsIn(lines: readonly Hit[]): Import[] {
  const found = lines
    .filter(({ text }) => !isComment(text))
    .flatMap(({ path, line, text }) => sourcesIn(text).map((name) => ({ name, cites: [at(path, line)] })))
  return uniqueBy(found, ({ name }) => name).filter(({ name }) => /^[@\w.~#][\w@.:~#/-]*$/.test(name))
}

const isLocal = (name: string): boolean => name.startsWith('.')
/** Which of its imports a question asks for. */
const SORTS: readonly (readonly [RegExp, (name: string) => boolean])[] = [
  [/(?<!\p{L})(?:built-?in|core|node(?:\.?js)?(?:'s)?(?: own)?) modules?(?!\p{L})/u, (name) => isBuiltin(name)],
  [
    /(?<!\p{L})(?:third[- ]party|external|npm|foreign|externe[nrs]?|fremde[nr]?|tierce?s?)(?!\p{L})|外部/u,
    (name) => !isLocal(name) && !isBuiltin(name),
  ],
  [/(?:which|what)(?: of (?:its|the))? (?:packages|dependencies|libraries)/, (name) => !isLocal(name)],
  [/(?<!\p{L})(?:local|relative|sibling|internal|lokale[nr]?|locaux|locales?)(?!\p{L})/u, isLocal],
]

/** What a file imports, a line each; undefined where that is not read. */
export function* listImports(session: ToolSession, path: string): Look<Finding | undefined> {
  const searches = yield* together([
    session.read(path, { limit: 1 }),
    ...['require(', 'import', 'from '].map((query) => session.search(query, { path, limit: 200 })),
  ])
  const hits = searches.flatMap((found) => (found && 'hits' in found ? found.hits : []))
  if (!CAN_IMPORT.test(path) || searches.some((found) => !found || ('more' in found && found.more > 0)))
    return undefined
  const lines = uniqueBy(hits, ({ line }) => String(line)).sort((a, b) => a.line - b.line)
  const sort = SORTS.find(([words]) => words.test(session.question.lower))?.[1]
  const found = importsIn(lines).filter(({ name }) => sort === undefined || sort(name))
  const open = lines.filter(({ text }) => BY_VARIABLE.test(text) && !isComment(text)).slice(0, 3)
  const nothing = lead(`${tick(path)} imports nothing${sort === undefined ? '' : ' of that kind'}`, [at(path, 1)])
  return {
    parts: [
      ...(found.length + open.length === 0 ? [nothing] : []),
      ...found.map(({ name, cites }) => lead(`${tick(path)} imports ${tick(name)}`, cites)),
      ...open.map(({ line, text }) =>
        lead(`What a variable names is loaded too: ${tick(text, 110)}`, [at(path, line)]),
      ),
    ],
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

const AS_FOLDER = ["'.'", "'./'", "'..'", "'../'", '"."', '"./"', '".."', '"../"']
const HANDED_ON = /=\s*[\w$]+(?:\.[\w$]+)+;?\s*$/

/** Which files import a file or a package, or name something; a plain word only as a package. */
export function* listUsers(
  session: ToolSession,
  name: string,
  file: string | undefined,
  isWord: boolean,
): Look<Finding | undefined> {
  const base = baseName(file ?? name).replace(/\.\w+$/, '')
  // a folder is imported for its index
  const folder = file?.split('/').at(-2)
  const sought =
    file === undefined
      ? [name]
      : base !== 'index'
        ? [`/${base}`]
        : ['/index', ...(folder === undefined ? [] : [`/${folder}`]), ...AS_FOLDER]
  // what is mentioned may be so anywhere
  const isMention = /mention|erwähn/i.test(session.question.told.get('uses') ?? '')
  const searches = yield* together(
    sought.map((query) => session.search(query, { ...(isMention ? {} : { pattern: SOURCES }), limit: MOST_HITS })),
  )
  const hits = searches.flatMap((some) => some?.hits ?? []).filter(({ text }) => isMention || !isComment(text))
  const isUse = (hit: Hit): boolean => {
    const sources = sourcesIn(hit.text)
    if (file !== undefined) return sources.some((source) => isSame(resolve(hit.path, source), file))
    const isImport = sources.some((source) => source === name || source.startsWith(`${name}/`))
    if (isImport || (isWord && !isMention)) return isImport
    return new RegExp(`(?<![\\w$'"/-]${looksLikeCode(name) ? '' : '|\\.'})${asPattern(name)}(?![\\w$-])`).test(hit.text)
  }
  const home = new Set(
    (isMention ? [] : hits)
      // what hands on a name of another file uses it
      .filter(({ path, line, text }) => readDefinition(path, line, text)?.name === name && !HANDED_ON.test(text))
      .map(({ path }) => path),
  )
  const users = hits.filter(
    (hit) =>
      isUse(hit) &&
      (!home.has(hit.path) || sourcesIn(hit.text).includes(name)) &&
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
  // some of them are no answer to who they are
  if (searches.some((some) => some?.more !== 0) || !session.lookedEverywhere) return undefined
  const parts: Part[] = [
    lead(
      `${plural(files.length, 'file')} ${isMention ? 'mention' : 'use'}${files.length === 1 ? 's' : ''} ${tick(name)}`,
      files.slice(0, 1).map(({ path, line }) => at(path, line)),
      [files.length, name],
    ),
    ...(isMention ? users : files)
      .slice(0, MOST_SHOWN)
      .map(({ path, line, text }) => claim(`${tick(path)}: ${tick(text, 110)}`, [at(path, line)])),
  ]
  return { parts, facts: { files: files.map(({ path }) => path), count: files.length } }
}
