import type { Look } from './look.ts'
import { baseName, depthOf, folderOf } from './paths.ts'
import type { Listing } from './read/formats.ts'
import { MANIFEST_NAMES, Manifest } from './read/manifest.ts'
import { isSourcePath, isTestPath } from './read/symbols.ts'
import type { ToolSession } from './tool-session.ts'

/** First looks at a workspace that several skills share: equal calls are made once. */

/** Lines of a manifest that are read: of the longest ones those that describe the package. */
const MANIFEST_LINES = 300

/** Entries of a listing that shows the whole. */
const MOST_ENTRIES = 130
const BUILT = '**/*.{js,mjs,cjs}'
/** Where code is that a build is made of. */
const HOME = /^(?:src|lib|source|packages)\//

/** Files and folders three levels deep, at most 130 entries; those of `dist` too where the code lies there, or is asked about. */
export function* lookAtTree(session: ToolSession): Look<Listing> {
  if (session.tree) return session.tree
  const tree = (yield* session.list({ depth: 3, limit: MOST_ENTRIES })) ?? { files: [], folders: [], more: 0 }
  const isSource = ({ path }: { path: string }): boolean => isSourcePath(path) && !isTestPath(path) && HOME.test(path)
  // where code may lie deeper than was listed, it is looked for there
  const isBare = tree.more === 0 && !tree.files.some(isSource) && !tree.folders.some((path) => depthOf(path) >= 3)
  const isAsked = session.question.paths.some((path) => path.startsWith('dist/'))
  const isBuilt = isAsked || (isBare && (yield* namesBuilds(session, tree)))
  const built = isBuilt
    ? yield* session.list({ path: 'dist', depth: 4, pattern: BUILT, limit: MOST_ENTRIES })
    : undefined
  if (built) session.built = 'dist'
  session.tree = {
    files: [...tree.files, ...(built?.files ?? []).filter(({ path }) => !path.includes('.min.'))],
    folders: [...tree.folders, ...(built ? ['dist/', ...built.folders] : [])],
    more: tree.more + (built?.more ?? 0),
  }
  return session.tree
}

/** Whether the manifest names files in `dist`, which listings and searches leave out. */
export function* namesBuilds(session: ToolSession, tree: Listing): Look<boolean> {
  if (!tree.files.some(({ path }) => path === 'package.json')) return false
  const manifest = yield* session.read('package.json', { limit: MANIFEST_LINES })
  return manifest?.lines.some((line) => /"(?:\.\/)?dist[/"]/.test(line)) === true
}

/** The README nearest to the workspace's root. */
export function findReadme(listing: Listing): string | undefined {
  return listing.files
    .map((file) => file.path)
    .filter((path) => /^readme(?:\.(?:md|markdown|rst|txt|adoc))?$/i.test(baseName(path)))
    .sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))[0]
}

/** Paths of the manifests among listed files: the root's first, those of tests and examples left out. */
export function findManifests(listing: Listing): string[] {
  const orderOf = (path: string): number => MANIFEST_NAMES.indexOf(baseName(path))
  return listing.files
    .map((file) => file.path)
    .filter((path) => orderOf(path) >= 0)
    .filter((path) => !/(?:^|\/)(?:test|tests|fixtures?|examples?|vendor|_vendor)\//.test(path))
    .sort(
      (a, b) =>
        depthOf(a) - depthOf(b) ||
        (folderOf(a) === folderOf(b) ? orderOf(a) - orderOf(b) : folderOf(a) < folderOf(b) ? -1 : 1),
    )
}

/**
 * The manifest that the question is about: of the package of the workspace whose name or folder it mentions, else the
 * workspace's; undefined where there is none.
 */
export function* readAskedManifest(session: ToolSession): Look<Manifest | undefined> {
  const { text } = session.question
  const tree = yield* lookAtTree(session)
  const paths = findManifests(tree)
  const words = new Set(text.split(/[\s`"',?]+/).map((word) => word.replace(/\/$/, '')))
  const isNamed = (path: string): boolean => {
    const folder = folderOf(path).replace(/\/$/, '')
    const name = baseName(folder)
    return (
      folder !== '' &&
      (words.has(folder) || [...words].some((word) => word.startsWith('@') && word.endsWith(`/${name}`)))
    )
  }
  const path = paths.find(isNamed) ?? paths[0]
  const excerpt = path === undefined ? undefined : yield* session.read(path, { limit: MANIFEST_LINES })
  return excerpt && new Manifest(excerpt)
}
