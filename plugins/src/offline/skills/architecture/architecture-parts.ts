import { at } from '../../cite.ts'
import { baseName, depthOf, folderOf } from '../../paths.ts'
import { type CitedSentence, claim, type Part } from '../../question/cited-sentence.ts'
import { uniqueBy } from '../../question/question.ts'
import { inWords, names, series, tick } from '../../question/wording.ts'
import { introduceFile } from '../../read/comments.ts'
import type { Excerpt, Hit, Listing } from '../../read/formats.ts'
import type { Manifest } from '../../read/manifest.ts'
import { isSourcePath, isTestPath } from '../../read/symbols.ts'

/** Folders worth a line: those of packages, then those of code, else those at the top; no hidden ones. */
export function foldersOf(tree: Listing, manifests: readonly Manifest[]): string[] {
  const packages = manifests.map(({ folder }) => folder).filter((folder) => folder !== '')
  const top = tree.folders.filter((folder) => depthOf(folder) === 1 && !folder.startsWith('.'))
  const inner = (folder: string): string[] =>
    tree.folders.filter(
      (other) =>
        other.startsWith(folder) &&
        depthOf(other) === depthOf(folder) + 1 &&
        !isTestPath(`${other}a.ts`) &&
        (isCut(tree, other) || tree.files.some(({ path }) => path.startsWith(other))),
    )
  return top.flatMap((folder) => {
    const own = packages.filter((other) => other.startsWith(folder))
    if (own.length > 0) return own
    const code = inner(folder).filter((other) => holdsCode(tree, other))
    const isBare = !tree.files.some(({ path }) => folderOf(path) === folder)
    if (packages.length > 0 || code.length === 0) return [folder]
    return isBare ? code : [folder, ...code]
  })
}

/** Whether a listing that is too long shows nothing of what is in a folder. */
const isCut = (tree: Listing, folder: string): boolean =>
  tree.more > 0 && !tree.files.some(({ path }) => path.startsWith(folder))

const holdsCode = (tree: Listing, folder: string): boolean =>
  isCut(tree, folder) ||
  tree.files.some(({ path }) => path.startsWith(folder) && isSourcePath(path) && !isTestPath(path))

/** The file that tells what a folder is for. */
export function headOf(folder: string, listed: readonly string[]): string | undefined {
  const own = listed.filter((path) => isHeadOf(path, folder))
  return (
    own.find((path) => /^readme\.(?:md|rst|txt)$/i.test(baseName(path))) ??
    own.find((path) => /^(?:__init__|index|mod|main|lib)\.\w+$/.test(baseName(path)))
  )
}

const isHeadOf = (path: string, folder: string): boolean => [folder, `${folder}src/`].includes(folderOf(path))

/** A part and what it is for: by its manifest, its README, or the comment that its main file begins with; else what it holds. */
export function describeFolder(
  folder: string,
  tree: Listing,
  manifests: readonly Manifest[],
  heads: readonly Excerpt[],
): CitedSentence[] {
  const name = tick(folder)
  const description = manifests.find((manifest) => manifest.folder === folder)?.fact('description')
  if (description) return [claim(`${name}: ${inWords(description.value)}`, [...description.cites, { path: folder }])]
  const head = heads.find(({ path }) => isHeadOf(path, folder))
  const said = head && introduceFile(head)
  if (said) return [claim(`${name}: ${inWords(said.text)}`, [said.cite, { path: folder }])]
  const below = [...tree.files.map(({ path }) => path), ...tree.folders].filter((path) => path.startsWith(folder))
  const inside = [...new Set(below.map((path) => path.slice(folder.length).replace(/\/[\s\S]*/, '/')))]
    .filter((path) => path !== '' && !isTestPath(path) && !/\.d\.[cm]?ts$/.test(path))
    .sort((a, b) => Number(!isSourcePath(a)) - Number(!isSourcePath(b)) || (a < b ? -1 : 1))
  return inside.length === 0 ? [] : [claim(`${name} holds ${names(inside, 260)}`, [{ path: folder }], inside)]
}

/** The code at the top of a package, which may be all of it. */
export function describeFiles(tree: Listing, isAll: boolean): Part[] {
  const files = tree.files
    .map(({ path }) => path)
    .filter((path) => isSourcePath(path) && !isTestPath(path) && (isAll || depthOf(path) === 1))
  if (files.length === 0) return []
  return [claim(`${isAll ? 'all code lies in' : 'at the top lie'} ${names(files, 260)}`, [{ path: './' }], files)]
}

/** Which package of the repository needs which other. */
export function linkPackages(manifests: readonly Manifest[]): Part[] {
  const called = new Map(manifests.map((manifest) => [manifest.fact('name')?.value ?? '', shortName(manifest)]))
  return manifests.flatMap((manifest) => {
    const own = manifest.fact('name')?.value
    const needed = ['dependencies', 'peerDependencies', 'devDependencies']
      .flatMap((field) => manifest.group(field))
      .filter(({ name }) => called.has(name) && name !== own)
    const once = uniqueBy(needed, ({ name }) => name)
    const subject = manifest.folder.replace(/\/$/, '') || own
    if (subject === undefined || once.length === 0) return []
    const cites = [...(manifest.folder === '' ? manifest.nameCites() : []), ...once.flatMap((item) => item.cites)]
    return [claim(`${tick(subject)} depends on ${names(once.map(({ name }) => called.get(name) ?? name))}`, cites)]
  })
}

const ASIDE = /^\.|\.d\.[cm]?ts$|\.min\.|(?:^|\/)(?:examples?|samples?|bench\w*|docs?)\//
const MOST_TARGETS = 6

/** Which file imports which others of the package: those with the most first. */
export function linkFiles(hits: readonly Hit[]): Part[] {
  const byPath = new Map<string, Map<string, number>>()
  for (const { path, line, text } of hits) {
    const target = /['"](\.[^'"]*)['"]/.exec(text)?.[1]
    if (target === undefined || !isSourcePath(path) || isTestPath(path) || ASIDE.test(path)) continue
    const own = byPath.get(path) ?? new Map<string, number>()
    byPath.set(path, own.set(baseName(target.replace(/\/$/, '')), line))
  }
  return [...byPath]
    .sort(([, a], [, b]) => b.size - a.size)
    .map(([path, own]) => {
      const shown = [...own].slice(0, MOST_TARGETS)
      const named = series(shown.map(([target]) => tick(target)))
      const cites = shown.map(([, line]) => at(path, line))
      return claim(`${tick(path)} imports ${named}${own.size > shown.length ? ' and more' : ''}`, cites)
    })
}

/** The folder of a package, where its name says the same; else its name. */
function shortName(manifest: Manifest): string {
  const name = manifest.fact('name')?.value ?? ''
  const folder = manifest.folder.replace(/\/$/, '')
  return baseName(folder) === name.slice(name.lastIndexOf('/') + 1) ? baseName(folder) : name
}
