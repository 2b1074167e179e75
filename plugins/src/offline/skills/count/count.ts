import { at } from '../../cite.ts'
import type { Look } from '../../look.ts'
import { nothing, together } from '../../look.ts'
import { claim, heading, lead, note } from '../../question/cited-sentence.ts'
import { type Topic, topicsIn } from '../../question/topics.ts'
import { names, plural, tick } from '../../question/wording.ts'
import { readExports } from '../../read/exports.ts'
import { type CodeSymbol, readSymbols } from '../../read/symbols.ts'
import { stemsOf, toTerms } from '../../read/terms.ts'
import { type Finding, notFound, type Skill } from '../../skill.ts'
import { lookAtTree, namesBuilds } from '../../survey.ts'
import type { ToolSession } from '../../tool-session.ts'
import { findNamed, type Named } from '../find-file.ts'

const ENDINGS: Readonly<Record<string, string>> = { typescript: 'ts', javascript: 'js', python: 'py', markdown: 'md' }
const ENDING =
  /^\.?(?:[cm]?[jt]sx?|py|md|json|csv|css|html|ya?ml|typescript|javascript|python|markdown)(?:-?(?:dateie?n?|files?))?$/i
const SCRIPTS = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs']
/** What test runners take for tests by their names. */
const TEST_FILES = `**/{${SCRIPTS.flatMap((ending) => [`*.test.${ending}`, `*.spec.${ending}`]).join(',')},test_*.py,*_test.py,*_test.go}`
const ALLOWED = topicsIn(
  'count file folder line test todo function class method exports self purpose defined where codeWord how',
)
const COUNTED: readonly Topic[] = ['file', 'folder', 'test']
const MOST_SHOWN = 30
const TABLE = /\.[ct]sv$/i
const ROWS = /^(?:rows?|records?|entr(?:y|ies)|datensätze|einträge|enregistrements?)$/i
const FILE_LINES = 1200

/** How many files, folders, lines, exports, classes or functions there are, and how many notes such as TODO. */
export const count: Skill = {
  id: 'count',
  asks: ({ topics, identifiers, paths, text, told }) =>
    (topics.has('count') || topics.has('todo') || (topics.has('how') && topics.has('line'))) &&
    !/\bsource\b/i.test(told.get('defined') ?? '') &&
    identifiers.length === 0 &&
    [...topics].every((topic) => ALLOWED.has(topic)) &&
    (paths.length > 0 ||
      (['file', 'folder', 'line', 'test'] as const).some((topic) => topics.has(topic)) ||
      (topics.has('todo') && /\b(?:TODO|FIXME|HACK|XXX)|todos?\b|fixmes?\b/.test(text))),
  *work(session) {
    const { topics, text, rest } = session.question
    if (topics.has('todo'))
      return yield* countWord(session, (/\b(todo|fixme|hack|xxx)/i.exec(text)?.[1] ?? 'TODO').toUpperCase())
    const ending = rest.find((word) => ENDING.test(word))
    // what is left out of a count lies deeper
    const leftOut = text.split(/\b(?:not counting|excluding)\b/i)[1] ?? ''
    const words = session.question.paths.length > 0 ? [] : rest.filter((word) => word !== ending)
    const named = yield* findNamed(session, words)
    const open = rest.filter(
      (word) =>
        word !== ending && !named.said.includes(word) && !leftOut.includes(word) && !/^(?:long|lang)$/i.test(word),
    )
    const [file] = named.files
    if (file !== undefined && TABLE.test(file) && open.length > 0 && open.every((word) => ROWS.test(word)))
      return yield* countRows(session, file)
    const isOfFile = file !== undefined && named.folders.length === 0
    if (isOfFile && topics.has('line')) return open.length === 0 ? yield* countLines(session, named) : undefined
    if (isOfFile) return yield* countInFile(session, file, open)
    if ((['line', 'function', 'class', 'method', 'exports'] as const).some((topic) => topics.has(topic)))
      return undefined
    // "the test folder" that is not there, or "modules" of no folder
    if (
      named.folders.length === 0 &&
      ((topics.has('folder') && topics.has('test')) || !COUNTED.some((topic) => topics.has(topic)))
    )
      return undefined
    const stems = stemsOf(named.folders.join(' '))
    // "how many interceptors are in lib/interceptor": a file is one of what its folder is called
    if (
      toTerms(open.filter((word) => !/^long$/i.test(word))).some(({ stem }) => !stems.has(stem)) ||
      (named.folders.length !== 1 && named.missing.length > 0)
    )
      return undefined
    return yield* countFiles(session, named.folders[0], ending)
  },
}

function* countFiles(
  session: ToolSession,
  folder: string | undefined,
  word: string | undefined,
): Look<Finding | undefined> {
  const { topics } = session.question
  const place = folder ?? './'
  const isDirect = /\b(?:directly|itself|top[- ]level|not counting|without|excluding|direkt|directement|直下)\b/i.test(
    session.question.text,
  )
  const asksFolders = topics.has('folder') && !topics.has('file') && !topics.has('test') && folder === undefined
  const plain = word?.toLowerCase().replace(/^\.|-?(?:dateie?n?|files?)$/g, '')
  const ending = plain === undefined ? undefined : (ENDINGS[plain] ?? plain)
  const isTests = topics.has('test') && !/tests?\//.test(place)
  const pattern = isTests ? TEST_FILES : ending === undefined ? '**/*' : `**/*.${ending}`
  const options = { depth: isDirect ? 1 : 50, limit: 150, ...(asksFolders ? {} : { pattern }) }
  // a package may have its code in a folder that listings of the whole leave out
  const built = folder === undefined && !isDirect ? session.built : undefined
  // what is built may be counted or not
  if (
    folder === undefined &&
    !isDirect &&
    built === undefined &&
    (yield* namesBuilds(session, yield* lookAtTree(session)))
  )
    return undefined
  const [own, inBuilt] = yield* together([
    session.list({ ...options, ...(folder === undefined ? {} : { path: folder }) }),
    built === undefined ? nothing() : session.list({ ...options, path: built }),
  ])
  const listing = own && {
    files: [...own.files, ...(inBuilt?.files ?? [])],
    folders: [...own.folders, ...(inBuilt?.folders ?? [])],
    more: own.more + (inBuilt?.more ?? 0),
  }
  if (!listing) return notFound('I cannot count files: no tool that lists files gave a result.')
  const inside = (path: string): boolean => path.startsWith(folder ?? '') && path !== folder
  const files = listing.files.map(({ path }) => path).filter(inside)
  const found = asksFolders ? listing.folders.filter(inside) : files
  // with a pattern only files are listed, so what was left out are files too
  const isSure = listing.more === 0 || !asksFolders
  const all = found.length + (isSure ? listing.more : 0)
  // none under such names may lie under others
  if (all === 0) return undefined
  const noun = asksFolders ? 'folder' : `${ending === undefined ? '' : `\`.${ending}\` `}${isTests ? 'test ' : ''}file`
  session.evidence.noteFolder(place)
  const inPlace = isDirect ? 'directly in' : 'in'
  const text = `There ${all === 1 ? 'is' : 'are'} ${isSure ? '' : 'at least '}${plural(all, noun)} ${inPlace} ${tick(place)}${built === undefined ? '' : ' with `dist/`'}, ignored folders such as node_modules left out`
  return { parts: [lead(text, [{ path: place }], [all, place, 'dist/', `.${ending}`])], facts: { count: all, files } }
}

/** Exports, classes, functions: only where the whole file was read and none can be missed. */
function* countInFile(session: ToolSession, path: string, open: readonly string[]): Look<Finding | undefined> {
  const { topics } = session.question
  const excerpt = yield* session.read(path, { limit: FILE_LINES })
  if (!excerpt || excerpt.total > FILE_LINES || toTerms(open).some(({ stem }) => !stemsOf(path).has(stem)))
    return undefined
  const symbols = readSymbols(excerpt)
  const outer = Math.min(...symbols.map(({ indent }) => indent))
  const functions = symbols.filter(({ kind }) => kind === 'function')
  const isDeclared = ({ text }: CodeSymbol): boolean =>
    /^\s*(?:export\s|default\s|async\s|declare\s)*(?:function|def)\b/.test(text)
  // what is held by a name, and what lies within another, may be counted or not
  const isFlat = symbols.every(
    (one) => one.kind !== 'method' && (one.kind !== 'function' || (one.indent === outer && isDeclared(one))),
  )
  const [found, noun] = topics.has('exports')
    ? [readExports(excerpt), 'name']
    : topics.has('class')
      ? [symbols.filter(({ kind }) => kind === 'class'), 'class']
      : topics.has('function') && isFlat
        ? [functions, 'function']
        : [undefined, '']
  if (found === undefined || found.length === 0) return undefined
  const lines = found.map(({ line }) => line)
  return {
    parts: [
      lead(
        `${tick(path)} ${topics.has('exports') ? 'exports' : 'defines'} ${plural(found.length, noun)}: ${names(
          found.map(({ name }) => name),
          900,
        )}`,
        [at(path, Math.min(...lines), Math.max(...lines))],
        [found.length, path],
      ),
    ],
    facts: { count: found.length },
  }
}

/** The rows of a table, where each is one line. */
function* countRows(session: ToolSession, path: string): Look<Finding | undefined> {
  const excerpt = yield* session.read(path, { limit: FILE_LINES })
  if (!excerpt || excerpt.total > excerpt.lines.length) return undefined
  const lines = excerpt.lines.filter((line) => line.trim() !== '')
  const [head] = lines
  if (head === undefined || lines.some((line) => line.split('"').length % 2 === 0)) return undefined
  const isHeader = !head.split(/[,;\t]/).some((cell) => cell.trim() === '' || Number.isFinite(Number(cell)))
  const count = lines.length - Number(isHeader)
  const told = isHeader ? ` below its header ${tick(head, 200)}` : ', and no header'
  const cites = [at(path, 1, excerpt.lines.length)]
  return { parts: [lead(`${tick(path)} has ${plural(count, 'row')}${told}`, cites, [count, path])], facts: { count } }
}

function* countLines(session: ToolSession, named: Named): Look<Finding> {
  const excerpts = yield* together(named.files.slice(0, 12).map((path) => readEnds(session, path)))
  const counted = excerpts.filter((excerpt) => excerpt !== undefined)
  const total = counted.reduce((sum, excerpt) => sum + excerpt.total, 0)
  const parts = counted.map(({ path, total: own }) =>
    lead(`${tick(path)} has ${plural(own, 'line')}`, [at(path, Math.max(1, own))], [own]),
  )
  return { parts, facts: { count: total, lines: total }, missing: counted.length === 0 }
}

/** The beginning of a file, and its last line, whose number shows how many there are. */
function* readEnds(session: ToolSession, path: string) {
  const start = yield* session.read(path, { limit: 1 })
  if (start && start.total > 1) yield* session.read(path, { offset: start.total, limit: 1 })
  return start
}

function* countWord(session: ToolSession, word: string): Look<Finding> {
  const found = yield* session.search(word, { limit: 100 })
  const written = new RegExp(`(?<![A-Za-z_])${word}[Ss]?(?![A-Za-z])`)
  const hits = (found?.hits ?? []).filter(({ text }) => written.test(text))
  const isSure = found !== undefined && found.more === 0 && session.lookedEverywhere
  if (hits.length === 0 && !isSure)
    return notFound(`I found no \`${word}\` in the part of the files that was searched.`)
  if (hits.length === 0)
    return { parts: [note(`I found no \`${word}\` in the files of the workspace.`)], facts: { count: 0 } }
  return {
    parts: [
      heading(`${isSure ? '' : 'At least '}${plural(hits.length, 'line')} with ${tick(word)}`),
      ...hits.slice(0, MOST_SHOWN).map((hit) => claim(tick(hit.text, 130), [at(hit.path, hit.line)])),
    ],
    facts: { count: hits.length },
  }
}
