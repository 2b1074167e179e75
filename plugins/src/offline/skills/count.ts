import { at } from '../cite.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { claim, heading, lead, note } from '../question/cited-sentence.ts'
import type { Question } from '../question/question.ts'
import { plural, tick } from '../question/wording.ts'
import { type Finding, notFound, type Skill } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { findNamed } from './find-file.ts'

const KINDS: Readonly<Record<string, string>> = {
  typescript: 'ts',
  javascript: 'js',
  python: 'py',
  markdown: 'md',
  json: 'json',
  csv: 'csv',
  css: 'css',
  html: 'html',
  yaml: 'yaml',
}
const SCRIPTS = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs']
/** What test runners take for tests by their names. */
const TEST_FILES = `**/{${SCRIPTS.flatMap((ending) => [`*.test.${ending}`, `*.spec.${ending}`]).join(',')},test_*.py,*_test.py,*_test.go}`
const COUNTS = /\b(?:how many|count|number of)\b/
const COUNTS_LINES = /\b(?:how many|number of|count (?:the )?) ?lines\b|\blines? of code\b/
/** What people leave in the code for later, as one of them or as a topic. */
const NOTES = /\b(TODO|FIXME|HACK|XXX)s?\b|\b(todo|fixme)(?:s|\s(?:comment|note|item|mark)s?)\b/
const FILES = /\b(?:files?|folders?|director(?:y|ies)|test files)\b/
const MOST_SHOWN = 30

/** How many files, folders or lines there are, and how many notes such as TODO. */
export const count: Skill = {
  id: 'count',
  asks: ({ text, lower }) =>
    NOTES.test(text) ||
    (COUNTS.test(lower) &&
      (COUNTS_LINES.test(lower) ||
        (FILES.test(lower) && !/\bfiles? (?:that )?(?:import|use|mention|contain|hold|have)/.test(lower)))),
  *work(session) {
    const { text, lower } = session.question
    if (COUNTS_LINES.test(lower)) return yield* countLines(session)
    const [, word, small] = NOTES.exec(text) ?? []
    if (word !== undefined || small !== undefined) return yield* countWord(session, (word ?? small ?? '').toUpperCase())
    return yield* countFiles(session)
  },
}

function extensionOf({ text, lower }: Question): string | undefined {
  const written = /(?:^|[\s`"'*])\.([a-z]\w{0,5})\b(?=[`"']?\s+files?)/i.exec(text)?.[1]
  const named = Object.keys(KINDS).find((name) => new RegExp(`\\b${name}\\b.{0,12}\\bfiles?\\b`).test(lower))
  return written?.toLowerCase() ?? (named === undefined ? undefined : KINDS[named])
}

function* countFiles(session: ToolSession): Look<Finding> {
  const { lower } = session.question
  const named = /\b(?:in|inside|under|within)\b/.test(lower) ? yield* findNamed(session) : undefined
  const [folder] = named?.folders ?? []
  const [missing] = named?.missing ?? []
  if (folder === undefined && missing !== undefined)
    return notFound(`I found no folder \`${missing}\` in the workspace.`)
  const place = folder ?? './'
  const asksFolders = /\bfolders?\b|\bdirector/.test(lower) && !/\bfiles?\b/.test(lower)
  const extension = extensionOf(session.question)
  const isTests = /\btests?\b/.test(lower)
  const pattern = isTests ? TEST_FILES : extension === undefined ? '**/*' : `**/*.${extension}`
  const listing = yield* session.list({
    ...(folder === undefined ? {} : { path: folder }),
    depth: 50,
    limit: 400,
    ...(asksFolders ? {} : { pattern }),
  })
  if (!listing) return notFound('I cannot count files: no tool that lists files gave a result.')
  const inside = (path: string): boolean => path.startsWith(folder ?? '') && path !== folder
  const files = listing.files.map(({ path }) => path).filter(inside)
  const found = asksFolders ? listing.folders.filter(inside) : files
  // with a pattern only files are listed, so what was left out are files too
  const isSure = listing.more === 0 || !asksFolders
  const all = found.length + (isSure ? listing.more : 0)
  const noun = asksFolders
    ? 'folder'
    : `${extension === undefined ? '' : `\`.${extension}\` `}${isTests ? 'test ' : ''}file`
  session.evidence.noteFolder(place)
  const text = `There ${all === 1 ? 'is' : 'are'} ${isSure ? '' : 'at least '}${plural(all, noun)} in ${tick(place)}, ignored folders such as node_modules left out`
  return { parts: [lead(text, [{ path: place }], [all, place, `.${extension}`])], facts: { count: all, files } }
}

function* countLines(session: ToolSession): Look<Finding> {
  const named = yield* findNamed(session)
  const excerpts = yield* together(named.files.slice(0, 12).map((path) => readEnds(session, path)))
  const counted = excerpts.filter((excerpt) => excerpt !== undefined)
  const total = counted.reduce((sum, excerpt) => sum + excerpt.total, 0)
  const parts = counted.map(({ path, total: own }) =>
    lead(`${tick(path)} has ${plural(own, 'line')}`, [at(path, Math.max(1, own))], [own]),
  )
  if (parts.length === 0 && named.missing.length === 0)
    return notFound('I count the lines of files that the question names; it names none that I can find.')
  const missing = named.missing.map((path) => note(`I found no file \`${path}\` in the workspace.`))
  return { parts: [...parts, ...missing], facts: { count: total, lines: total }, missing: counted.length === 0 }
}

/** The beginning of a file, and its last line, whose number shows how many there are. */
function* readEnds(session: ToolSession, path: string) {
  const start = yield* session.read(path, { limit: 1 })
  if (start && start.total > 1) yield* session.read(path, { offset: start.total, limit: 1 })
  return start
}

function* countWord(session: ToolSession, word: string): Look<Finding> {
  const found = yield* session.search(word, { limit: 300 })
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
