import { at, atLines } from '../../cite.ts'
import type { Look } from '../../look.ts'
import { depthOf, folderOf } from '../../paths.ts'
import { claim, type Part } from '../../question/claim.ts'
import { uniqueBy } from '../../question/question.ts'
import { names, tick } from '../../question/wording.ts'
import { type Excerpt, type Listing, numbered } from '../../read/formats.ts'
import { readImport, resolveImport } from '../../read/imports.ts'
import { entryPaths, type Manifest } from '../../read/manifest.ts'
import { isSourcePath, isTestPath } from '../../read/symbols.ts'
import type { ToolSession } from '../../tool-session.ts'
import { describeExports } from '../describe-exports.ts'
import type { Told } from './told-architecture.ts'

const FOLLOWED_LINES = 40
const MOST_FOLLOWED = 3
const MOST_LINKS = 7

/** The files that start the code: those that manifests name where they are listed, else those named like one. */
export function entriesOf(manifests: readonly Manifest[], tree: Listing): string[] {
  const listed = tree.files.map(({ path }) => path).filter((path) => isSourcePath(path) && !/\.d\.[cm]?ts$/.test(path))
  const named = manifests.flatMap((manifest) => {
    const main = manifest.fact('main')?.value.replace(/^\.\//, '')
    const bare =
      main === undefined ? [] : [main, `${main}.js`, `${main}/index.js`].map((path) => manifest.folder + path)
    const paths = [...bare, ...entryPaths(manifest)]
    // what a build writes has its source under another name
    const sources = paths.map((path) => path.replace(/(^|\/)dist\//, '$1src/').replace(/\.js$/, '.ts'))
    const once = uniqueBy([...paths, ...sources], (path) => path.replace(ENDING, ''))
    return once.filter((path) => listed.includes(path)).slice(0, 2)
  })
  if (named.length > 0) return [...new Set(named)]
  return listed
    .filter((path) => /(?:^|\/)(?:index|main|app|cli|__main__|__init__)\.\w+$/.test(path) && !isTestPath(path))
    .sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
    .slice(0, 3)
}

/** The way of a request: as a document says it; else what starts the code and what that loads, as the files say. */
export function runsThrough(
  told: Told,
  main: Manifest | undefined,
  files: readonly Excerpt[],
  tree: Listing,
): [string, Part[]] {
  if (told.how.length > 0) return [`How it runs (${told.title})`, told.how]
  const field = main?.fact('main')
  const commands = (main?.group('bin') ?? []).map((item) =>
    claim(`the command ${tick(item.name)} starts ${tick(item.value)}`, item.cites),
  )
  const parts = [
    ...(field ? [claim(`the main file is ${tick(field.value)}`, field.cites)] : []),
    ...commands.slice(0, 2),
    ...files.flatMap(describeExports).slice(0, 2),
    ...files.flatMap((file) => describeLinks(file, tree)).slice(0, MOST_LINKS),
  ]
  return ['How it runs, from where it starts', parts]
}

interface Link {
  readonly to: string
  /** The file, or the folder that was named in its place. */
  readonly shown: string
  readonly line: number
}

const ENDING = /\.[cm]?[jt]sx?$|\.pyi?$/

/** Files of the workspace that a file loads, in the order in which it names them. */
function linksOf(excerpt: Excerpt, tree: Listing): Link[] {
  const known = tree.files.map(({ path }) => path)
  return numbered(excerpt).flatMap(({ line, text }) => {
    const specifier = readImport(excerpt.path, text)
    const target = specifier === undefined ? undefined : resolveImport(excerpt.path, specifier)
    if (specifier === undefined || target === undefined) return []
    const end = /\.[cm]?[jt]sx?$/.exec(specifier)?.[0] ?? ''
    const stems = [target, `${target}/index`, `${target}/__init__`, `src/${target}`]
    const matches = known.filter((path) => isSourcePath(path) && stems.includes(path.replace(ENDING, '')))
    const to = matches.find((path) => path === target + end) ?? matches[0]
    return to === undefined || to === excerpt.path
      ? []
      : [{ to, shown: to.startsWith(`${target}/`) ? `${target}/` : to, line }]
  })
}

/** What a file loads of the others. */
function describeLinks(file: Excerpt, tree: Listing): Part[] {
  const once = uniqueBy(linksOf(file, tree), ({ to }) => to)
  if (once.length === 0) return []
  const folder = folderOf(file.path)
  const short = once.map(({ shown }) =>
    folder !== '' && shown.startsWith(folder) ? shown.slice(folder.length) : shown,
  )
  const lines = once.map(({ line }) => line)
  const cites = atLines(file.path, lines)
  const cited = cites.length > 2 ? [at(file.path, Math.min(...lines), Math.max(...lines))] : cites
  return [claim(`${tick(file.path)} loads ${names(short)}`, cited, [file.path, ...short])]
}

/** Reads on from the first file that starts the code, to what it loads. */
export function* follow(
  session: ToolSession,
  first: Excerpt | undefined,
  known: readonly Excerpt[],
  tree: Listing,
): Look<Excerpt[]> {
  const next = (first === undefined ? [] : linksOf(first, tree))
    .map(({ to }) => to)
    .filter((path) => !known.some((excerpt) => excerpt.path === path))
  return yield* session.readAll([...new Set(next)].slice(0, MOST_FOLLOWED), FOLLOWED_LINES)
}
