import { at, atLines } from '../cite.ts'
import type { Part } from '../claim.ts'
import { claim, heading, lead, note } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName, folderOf } from '../paths.ts'
import type { Question } from '../question.ts'
import type { Excerpt, Hit } from '../read/formats.ts'
import { isSourcePath, readSymbols } from '../read/symbols.ts'
import { type Finding, notFound, type Skill } from '../skill.ts'
import { findManifests, readMainManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, tick } from '../wording.ts'
import { findNamed } from './find-file.ts'

const KINDS: Readonly<Record<string, string>> = {
  typescript: 'ts',
  javascript: 'js',
  python: 'py',
  markdown: 'md',
  json: 'json',
  csv: 'csv',
  rust: 'rs',
  go: 'go',
  css: 'css',
  html: 'html',
  yaml: 'yaml',
}

/** What test runners take for tests by their names. */
const TEST_FILES = `**/{${['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs'].flatMap((ending) => [`*.test.${ending}`, `*.spec.${ending}`]).join(',')},test_*.py,*_test.py,*_test.go}`

const COUNTS_LINES = /\bhow many lines\b|\bnumber of lines\b|\bcount (?:the )?lines\b|\blines? of code\b/

/** What the manifest counts, whichever other noun stands beside it: "how many dependencies does this package have". */
const COUNTS_DEPENDENCIES = /\b(?:how many|count|number of)\b[^.?!]{0,60}\bdependenc(?:y|ies)\b/

/** What people leave in the code for later, as one of them or as a topic. */
const NOTES = /\b(?:TODO|FIXME|HACK|XXX)s?\b|\b(?:todo|fixme)s\b|\b(?:todo|fixme) (?:comment|note|item|mark)s?\b/

/** How many files, folders, lines, functions, tests or packages there are. */
export const count: Skill = {
  id: 'count',
  asks: ({ text, lower, identifiers, paths }) =>
    NOTES.test(text) ||
    (/\b(?:how many|count|number of|total number)\b/.test(lower) &&
      !COUNTS_DEPENDENCIES.test(lower) &&
      // the skill for symbols counts those of a class
      !(/\b(?:methods?|members?)\b/.test(lower) && identifiers.length > 0 && paths.length === 0) &&
      (COUNTS_LINES.test(lower) ||
        (/\b(?:files?|folders?|director(?:y|ies)|lines?|functions?|methods?|class(?:es)?|interfaces?|types?|symbols?|tests?|packages?|workspaces?|modules?|todos?|fixmes?)\b/.test(
          lower,
        ) &&
          !/\b(?:rows?|records?|columns?|csv|items?|entries)\b/.test(lower)))),
  *work(session) {
    const { question } = session
    if (COUNTS_LINES.test(question.lower)) return yield* countLines(session)
    if (
      /\b(?:functions?|methods?|class(?:es)?|interfaces?|symbols?)\b/.test(question.lower) &&
      question.paths.length > 0
    )
      return yield* countSymbols(session)
    const word = NOTES.exec(question.text)?.[0] ?? /\b(?:todo|fixme)s?\b/i.exec(question.text)?.[0]
    if (word !== undefined) return yield* countWord(session, word.toUpperCase().replace(/S?(?:\s.*)?$/s, ''))
    if (/\b(?:packages?|workspaces?)\b/.test(question.lower)) return yield* countPackages(session)
    return yield* countFiles(session)
  },
}

function extensionOf(question: Question): string | undefined {
  const written = /(?:^|[\s`"'*])\.([a-z]\w{0,5})\b(?=[`"']?\s+files?)/i.exec(question.text)?.[1]
  if (written !== undefined) return written.toLowerCase()
  for (const [name, extension] of Object.entries(KINDS))
    if (new RegExp(`\\b${name}\\b.{0,12}\\bfiles?\\b`).test(question.lower)) return extension
  return undefined
}

/** Folders of a count that are shown. */
const MOST_FOLDERS = 5

function* countFiles(session: ToolSession): Look<Finding> {
  const { question } = session
  const extension = extensionOf(question)
  const onlyTests = /\btests?\b/.test(question.lower)
  const named = /\b(?:in|inside|under|within)\b/.test(question.lower) ? yield* findNamed(session) : undefined
  const folder = named?.folders[0]
  const [missing] = named?.missing ?? []
  if (folder === undefined && missing !== undefined)
    return notFound(`I found no folder \`${missing}\` in the workspace.`)
  const asksFolders = /\bfolders?\b|\bdirector/.test(question.lower) && !/\bfiles?\b/.test(question.lower)
  const pattern = onlyTests ? TEST_FILES : extension === undefined ? '**/*' : `**/*.${extension}`
  const listing = yield* session.list({
    ...(folder === undefined ? {} : { path: folder }),
    depth: 50,
    limit: 400,
    ...(asksFolders ? {} : { pattern }),
  })
  if (!listing) return notFound('I cannot count files: no tool that lists files gave a result.')
  const onlyDirect = /\bdirectly\b|\btop[- ]level\b/.test(question.lower)
  const place = folder ?? './'
  const files = listing.files
    .map((file) => file.path)
    .filter(
      (path) =>
        (folder === undefined || path.startsWith(folder)) &&
        (extension === undefined || path.endsWith(`.${extension}`)) &&
        (!onlyDirect || folderOf(path) === (folder ?? '')),
    )
  if (asksFolders) {
    const folders = listing.folders.filter((path) => path !== place && path.startsWith(folder ?? ''))
    return {
      parts: [
        lead(
          `There ${folders.length === 1 ? 'is' : 'are'} ${plural(folders.length, 'folder')} in ${tick(place)}`,
          [{ path: place }],
          [folders.length, place],
        ),
        ...(folders.length <= MOST_FOLDERS ? folders.map((path) => claim(tick(path), [{ path }])) : []),
      ],
      facts: { count: folders.length },
      answered: true,
    }
  }
  // with a pattern only files are listed, so what was left out are files too
  const isPlain = !onlyDirect && !(onlyTests && extension !== undefined)
  const all = files.length + (isPlain ? listing.more : 0)
  const isCut = listing.more > 0 && !isPlain
  const noun = `${extension === undefined ? '' : `\`.${extension}\` `}${onlyTests ? 'test ' : ''}file`
  const folders = [...new Set(files.map(folderOf))].sort()
  session.evidence.noteFolder(place)
  // a handful of folders tells where they are; more are a listing that nobody asked for
  const shown = folders.length <= MOST_FOLDERS && listing.more === 0 ? folders : []
  const perFolder: Part[] = shown.map((path) => {
    const here = files.filter((file) => folderOf(file) === path)
    const where = path === '' ? './' : path
    session.evidence.noteFolder(where)
    const names = here
      .slice(0, 12)
      .map((file) => tick(baseName(file)))
      .join(', ')
    return claim(
      `${tick(where)} directly holds ${here.length}: ${names}${here.length > 12 ? ' and more' : ''}`,
      [{ path: where }],
      [here.length, where, ...here.map(baseName)],
    )
  })
  const total = lead(
    `There ${all === 1 ? 'is' : 'are'} ${isCut ? 'at least ' : ''}${plural(all, noun)} in ${tick(place)}, ignored folders such as node_modules left out`,
    [{ path: place }],
    [all, place, `.${extension}`],
  )
  return {
    parts: [total, ...(perFolder.length > 0 ? [heading('By folder'), ...perFolder] : [])],
    facts: { count: all, files },
    answered: true,
  }
}

function* countLines(session: ToolSession): Look<Finding> {
  const named = yield* findNamed(session)
  const excerpts = yield* together(named.files.slice(0, 12).map((path) => readEnds(session, path)))
  const parts: Part[] = excerpts.flatMap((excerpt) =>
    excerpt
      ? [
          lead(
            `${tick(excerpt.path)} has ${plural(excerpt.total, 'line')}`,
            [at(excerpt.path, Math.max(1, excerpt.total))],
            [excerpt.total],
          ),
        ]
      : [],
  )
  parts.push(...named.missing.map((path) => note(`I found no file \`${path}\` in the workspace.`)))
  const total = excerpts.reduce((sum, excerpt) => sum + (excerpt?.total ?? 0), 0)
  if (parts.length === 0)
    parts.push(note('I count the lines of files that the question names; it names none that I can find.'))
  return { parts, facts: { count: total, lines: total }, answered: true, missing: excerpts.every((one) => !one) }
}

/** The beginning of a file, and its last line, whose number shows how many there are. */
function* readEnds(session: ToolSession, path: string): Look<Excerpt | undefined> {
  const start = yield* session.read(path, { limit: 1 })
  if (start && start.total > 1) yield* session.read(path, { offset: start.total, limit: 1 })
  return start
}

function* countSymbols(session: ToolSession): Look<Finding> {
  const named = yield* findNamed(session)
  const excerpts = yield* together(
    named.files
      .filter(isSourcePath)
      .slice(0, 3)
      .map((path) => session.read(path, { limit: 1500 })),
  )
  const lower = session.question.lower
  const wanted = [
    { word: 'function', kinds: ['function'] },
    { word: 'method', kinds: ['method'] },
    { word: 'class', kinds: ['class'] },
    { word: 'interface', kinds: ['interface'] },
  ].filter(({ word }) => lower.includes(word))
  const parts: Part[] = []
  let total = 0
  for (const excerpt of excerpts) {
    if (!excerpt) continue
    const symbols = readSymbols(excerpt)
    for (const { word, kinds } of wanted) {
      const found = symbols.filter((item) => kinds.includes(item.kind))
      total += found.length
      const names = found
        .slice(0, 40)
        .map((item) => tick(item.name))
        .join(', ')
      parts.push(
        found.length === 0
          ? note(`I found no ${word} in \`${excerpt.path}\`: I read ${plural(excerpt.lines.length, 'line')}.`)
          : lead(
              `${tick(excerpt.path)} defines ${plural(found.length, word)}: ${names}`,
              atLines(
                excerpt.path,
                found.slice(0, 40).map((item) => item.line),
              ),
              [found.length],
            ),
      )
    }
  }
  parts.push(...named.missing.map((path) => note(`I found no file \`${path}\` in the workspace.`)))
  return { parts, facts: { count: total }, answered: parts.length > 0 }
}

function* countWord(session: ToolSession, word: string): Look<Finding> {
  const found = yield* session.search(word, { limit: 300 })
  const written = new RegExp(`(?<![A-Za-z_])${word}[Ss]?(?![A-Za-z])`)
  const inComment = new RegExp(`(?://|#|\\*|<!--)\\s*@?${word}\\b`, 'i')
  const hits = (found?.hits ?? []).filter(({ text }) => written.test(text))
  const others = (found?.hits ?? []).filter(({ text }) => !written.test(text) && inComment.test(text))
  if (!found || (hits.length + others.length === 0 && (found.more > 0 || !session.lookedEverywhere)))
    return notFound(`I found no \`${word}\` in the part of the files that was searched.`)
  if (hits.length + others.length === 0)
    return {
      parts: [note(`I found no \`${word}\` in the files of the workspace.`)],
      facts: { count: 0 },
      answered: true,
    }
  const show = (shown: readonly Hit[]): Part[] =>
    shown.slice(0, 30).map((hit) => claim(tick(hit.text, 130), [at(hit.path, hit.line)]))
  return {
    parts: [
      heading(
        `${found.more > 0 || !session.lookedEverywhere ? 'At least ' : ''}${plural(hits.length, 'line')} with ${tick(word)}`,
      ),
      ...show(hits),
      heading(`${plural(others.length, 'comment')} that write it otherwise`),
      ...show(others),
    ],
    facts: { count: hits.length },
    answered: true,
  }
}

function* countPackages(session: ToolSession): Look<Finding> {
  yield* readMainManifest(session)
  const listing = yield* session.list({
    depth: 4,
    pattern: '**/{package.json,pyproject.toml,setup.py,Cargo.toml,go.mod}',
    limit: 100,
  })
  const paths = findManifests(listing ?? { files: [], folders: [], more: 0 })
  const excerpts = yield* session.readAll(paths.slice(0, 20), 8)
  const parts = excerpts.map((excerpt) => {
    const index = excerpt.lines.findIndex((line) => /"?name"?\s*[:=]/.test(line))
    return claim(tick(excerpt.path), [at(excerpt.path, excerpt.first + Math.max(0, index))])
  })
  if (parts.length === 0)
    return { parts: [note('I found no package manifest in the workspace.')], facts: { count: 0 }, answered: true }
  return {
    parts: [heading(plural(paths.length, 'package manifest')), ...parts],
    facts: { count: paths.length },
    answered: true,
  }
}
