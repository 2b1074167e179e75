import type { Look } from './look.ts'
import { baseName, depthOf, folderOf } from './paths.ts'
import type { Listing } from './read/formats.ts'
import { MANIFEST_NAMES, Manifest } from './read/manifest.ts'
import type { ToolSession } from './tool-session.ts'

/** First looks at a workspace that several skills share: equal calls are made once. */

/** Lines of a manifest that are read: of the longest ones those that describe the package. */
const MANIFEST_LINES = 600

const EMPTY: Listing = { files: [], folders: [], more: 0 }

/** What lies directly in the workspace. */
export function* lookAtRoot(session: ToolSession): Look<Listing> {
  if (session.tree) {
    const { files, folders } = session.tree
    return {
      files: files.filter(({ path }) => depthOf(path) === 1),
      folders: folders.filter((path) => depthOf(path) === 1),
      more: 0,
    }
  }
  return (yield* session.list({ depth: 1, limit: 300 })) ?? EMPTY
}

/** Files and folders three levels deep, at most 250 entries. */
export function* lookAtTree(session: ToolSession): Look<Listing> {
  session.tree ??= yield* session.list({ depth: 3, limit: 250 })
  return session.tree ?? EMPTY
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
  return listing.files
    .map((file) => file.path)
    .filter(
      (path) =>
        MANIFEST_NAMES.includes(baseName(path)) &&
        !/(?:^|\/)(?:test|tests|fixtures?|examples?|vendor|_vendor)\//.test(path),
    )
    .sort((a, b) => depthOf(a) - depthOf(b) || compareManifests(a, b))
}

const compareManifests = (a: string, b: string): number =>
  folderOf(a) === folderOf(b)
    ? MANIFEST_NAMES.indexOf(baseName(a)) - MANIFEST_NAMES.indexOf(baseName(b))
    : folderOf(a) < folderOf(b)
      ? -1
      : 1

/** The manifest of the workspace, or the nearest one below it; undefined where there is none. */
export function* readMainManifest(session: ToolSession): Look<Manifest | undefined> {
  const root = yield* lookAtRoot(session)
  let path = findManifests(root)[0]
  if (path === undefined) {
    const searched = yield* session.list({ depth: 3, pattern: `**/{${MANIFEST_NAMES.join(',')}}`, limit: 20 })
    path = searched && findManifests(searched)[0]
  }
  if (path === undefined) return undefined
  const excerpt = yield* session.read(path, { limit: MANIFEST_LINES })
  return excerpt && new Manifest(excerpt)
}

/** Words before "package" that name none. */
const NO_NAME =
  /^(?:this|the|a|an|npm|its|what|which|each|every|main|whole|any|our|my|your|python|node|and|or|of|source|external|internal|published)$/i

/** The manifest that the question is about: of the package whose name or folder it mentions, else the workspace's. */
export function* readAskedManifest(session: ToolSession): Look<Manifest | undefined> {
  const { question } = session
  const main = yield* readMainManifest(session)
  if (!main) return undefined
  const root = yield* lookAtRoot(session)
  const scoped = question.text.match(/@[\w-]+\/[\w.-]*\w/g) ?? []
  const called = [...question.text.matchAll(/[`"']?(?<![\w./-])([\w./-]+)[`"']?\s+(?:package|workspace)\b/g)].map(
    (match) => match[1] ?? '',
  )
  const inRoot = question.text
    .split(/[\s`"',?]+/)
    .filter((word) => root.folders.includes(`${word.replace(/\/$/, '')}/`))
  const names = [...scoped, ...called.filter((name) => !NO_NAME.test(name)), ...inRoot].map((name) =>
    name.replace(/\/$/, ''),
  )
  if (names.length === 0 || names.includes(main.fact('name')?.value ?? '')) return main
  const all = yield* session.list({ depth: 3, pattern: `**/{${MANIFEST_NAMES.join(',')}}`, limit: 40 })
  const folders = names.map((name) => name.slice(name.lastIndexOf('/') + 1))
  const path = findManifests(all ?? EMPTY).find((other) => folders.includes(other.split('/').at(-2) ?? ''))
  const excerpt = path === undefined ? undefined : yield* session.read(path, { limit: MANIFEST_LINES })
  return excerpt ? new Manifest(excerpt) : main
}
