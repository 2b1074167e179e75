import { type Look, together } from '../look.ts'
import { folderOf } from '../paths.ts'
import { numbered } from '../read/formats.ts'
import { readImport, resolveImport } from '../read/imports.ts'
import type { Manifest } from '../read/manifest.ts'
import { isSourcePath, isTestPath } from '../read/symbols.ts'
import { lookAtTree, readMainManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import type { Definition } from './find-definitions.ts'

const MOST_FILES = 8
const LEVELS = 1
const LINES = 400

/** Whether several files that are no tests define a name, a file and its types taken as one. */
export const isAmbiguous = (definitions: readonly Definition[]): boolean =>
  new Set(definitions.filter(({ path }) => !isTestPath(path)).map(({ path }) => stemOf(path))).size > 1

/** Of definitions in several files those first that the package hands out: in files that its entry points bring in. */
export function exportedFirst(definitions: readonly Definition[], reached: ReadonlySet<string>): Definition[] {
  const folders = new Set([...reached].map(folderOf).filter((folder) => folder !== ''))
  const distance = ({ path }: Definition): number =>
    isTestPath(path) ? 3 : reached.has(stemOf(path)) ? 0 : folders.has(folderOf(stemOf(path))) ? 1 : 2
  return [...definitions].sort((a, b) => distance(a) - distance(b))
}

/** A path without its ending, and without the folder that a build puts in the place of the sources' one. */
const stemOf = (path: string): string =>
  path
    .replace(/^(?:src|lib|dist|build|esm|cjs)\/(?:(?:esm|cjs|src)\/)?/, '')
    .replace(/(?:\.d)?\.[cm]?[jt]sx?$|\.pyi?$/, '')

/** What is loaded under the package's own name, not its subpaths. */
function mainPaths(manifest: Manifest): string[] {
  const exported = manifest.group('exports').filter(({ name }) => !name.startsWith('./'))
  const values = [
    ...['main', 'module'].map((field) => manifest.fact(field)?.value),
    ...exported.map(({ value }) => value),
  ]
  return values.flatMap((value) =>
    value === undefined || value === '' ? [] : manifest.folder + value.replace(/^\.\//, ''),
  )
}

/** The files that the entry points import, and what those import, each without its ending. */
export function* findReached(session: ToolSession): Look<Set<string>> {
  const [manifest, tree] = yield* together([readMainManifest(session), lookAtTree(session)])
  const known = new Map(
    tree.files.filter(({ path }) => isSourcePath(path)).map(({ path }) => [withoutEnding(path), path]),
  )
  let level = manifest ? mainPaths(manifest) : []
  if (level.length === 0) level = [...known.values()].filter((path) => /(?:^|\/)(?:index|__init__)\.\w+$/.test(path))
  const reached = new Set(level.map(stemOf))
  for (let depth = 0; depth < LEVELS && level.length > 0; depth++) {
    const files = level.flatMap((path) => known.get(withoutEnding(path)) ?? []).slice(0, MOST_FILES)
    const excerpts = yield* session.readAll(files, LINES)
    const imported = excerpts.flatMap((excerpt) =>
      numbered(excerpt).flatMap(({ text }) => {
        const specifier = readImport(excerpt.path, text)
        const target = specifier === undefined ? undefined : resolveImport(excerpt.path, specifier)
        return target === undefined ? [] : [target, `${target}/index`]
      }),
    )
    level = [...new Set(imported)].filter((path) => !reached.has(stemOf(path)))
    for (const path of level) reached.add(stemOf(path))
  }
  return reached
}

const withoutEnding = (path: string): string => path.replace(/(?:\.d)?\.[cm]?[jt]sx?$|\.pyi?$/, '')
