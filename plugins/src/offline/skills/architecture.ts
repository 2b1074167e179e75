import type { Part } from '../claim.ts'
import { claim, heading, note } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName, depthOf, folderOf } from '../paths.ts'
import type { Hits, Listing } from '../read/formats.ts'
import { entryPaths, Manifest } from '../read/manifest.ts'
import { isSourcePath, isTestPath } from '../read/symbols.ts'
import { notFound, type Skill } from '../skill.ts'
import { findManifests, findReadme, lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, quote, series, tick } from '../wording.ts'
import { describeDirections } from './directions.ts'
import { describeEntries, describeExports, readEntries } from './entry-points.ts'
import { introduce } from './purpose.ts'
import { beginTold, nothing, readTold } from './told-architecture.ts'

const CODE_PATTERN = '**/*.{ts,tsx,js,jsx,mjs,cjs,mts,cts}'
const SCRIPT_ORDER = ['build', 'start', 'dev', 'test', 'lint', 'check', 'typecheck', 'bench', 'format']

/** What a repository is, its parts, their ways in, who imports whom, scripts, tests and dependencies. */
export const architecture: Skill = {
  id: 'architecture',
  asks: ({ lower, identifiers }) =>
    /\b(?:architecture|folder structure|project structure|code structure|layout|overview|code ?base|organi[sz]ed|laid out|how is (?:this|the) .{0,40}\b(?:structured|built|put together)|structure of (?:this|the) (?:repo|repository|project|package|code|codebase|workspace|library))\b/.test(
      lower,
    ) ||
    (/\b(?:explain|describe|understand|summari[sz]e|tell me about|walk me through)\b.{0,30}\b(?:this|the) (?:repo|repository|project|code|workspace|package|library|folder)\b/.test(
      lower,
    ) &&
      identifiers.length === 0) ||
    /\b(?:what are|list|name) (?:the|all) (?:main )?(?:modules|components|packages|parts|workspaces)\b|\bhow do (?:the|its) (?:parts|modules|folders|packages|components) (?:depend|fit|work|relate)|\bimport (?:directions?|graph)\b|\bwhich (?:folders?|packages?|modules?) (?:import|depend)/.test(
      lower,
    ),
  *work(session) {
    const tree = yield* lookAtTree(session)
    if (tree.files.length === 0 && tree.folders.length === 0)
      return notFound('I found no files in the workspace: there is nothing to describe.')
    const source = sourceFolders(tree)
    const readme = findReadme(tree)
    const [excerpts, readmes, begun] = yield* together([
      session.readAll(findManifests(tree).slice(0, 9), 130),
      session.readAll(readme === undefined ? [] : [readme], 40),
      beginTold(session, tree),
    ])
    const [told, imports] = yield* together([
      readTold(session, tree, begun),
      begun.promises ? nothing() : searchImports(session, tree, source),
    ])
    const hasWords = told.how.length > 0
    const manifests = distinct(excerpts.map((excerpt) => new Manifest(excerpt)))
    const main = manifests.find((manifest) => manifest.folder === '')
    const readmeText = readmes[0]
    const entries = hasWords ? [] : yield* readEntries(session, entriesOf(manifests, tree), 4)
    const inventory: Part[] = [
      ...(told.map.length > 0
        ? told.map
        : [...describePackages(manifests), ...describeFolders(tree, source, hasWords)]),
      ...(main ? describeEntries(main, 6) : []),
      ...describeExports(entries, 14),
      ...describePackageDirections(manifests),
      ...(hasWords ? [] : describeDirections(tree, imports, entries)),
      ...(main ? describeScripts(main, hasWords ? 4 : 8) : []),
      ...(hasWords ? [] : describeTests(tree)),
      ...describeDependencies(manifests),
    ]
    const parts: Part[] = [
      ...introduce(main ?? (manifests.length === 1 ? manifests[0] : undefined), readmeText, 2),
      ...told.how,
      ...inventory,
    ]
    if (tree.more > 0 && told.map.length === 0)
      parts.push(
        note(
          'The workspace is larger than what I listed: folders and files beyond the first 250 entries are left out above.',
        ),
      )
    return { parts, facts: { packages: manifests.map((manifest) => manifest.fact('name')?.value) }, answered: true }
  },
}

function distinct(manifests: readonly Manifest[]): Manifest[] {
  return manifests.filter(
    (manifest, index) => manifests.findIndex((other) => other.folder === manifest.folder) === index,
  )
}

/** Folders with code, tests left out, each ending with `/`. */
function sourceFolders(tree: Listing): string[] {
  const folders = new Set<string>()
  for (const { path } of tree.files)
    if (isSourcePath(path) && !isTestPath(path) && path.includes('/')) folders.add(folderOf(path))
  return [...folders].sort()
}

/** Imports between folders where there are several, a few lines of each; else between the files of the one folder. */
function* searchImports(session: ToolSession, tree: Listing, folders: readonly string[]): Look<Hits | undefined> {
  const code = tree.files.filter(({ path }) => isSourcePath(path) && !isTestPath(path))
  const python = code.filter(({ path }) => path.endsWith('.py')).length
  if (python > code.length - python) return yield* session.search('import ', { pattern: '**/*.py', limit: 120 })
  if (folders.length < 2) return yield* session.search('./', { pattern: CODE_PATTERN, limit: 120 })
  // folders on the lowest listed level hold files that the listing does not show
  const lowest = tree.folders.filter(
    (folder) => depthOf(folder) === 3 && folders.includes(folderOf(folder.slice(0, -1))) && !isTestPath(folder),
  )
  const inner = [...new Set([...folders.filter((folder) => depthOf(folder) > 1), ...lowest])].sort()
  const wanted = (inner.length > 1 ? inner : folders).slice(0, 12)
  const found = yield* together(
    wanted.map((folder) =>
      session.search('../', { path: folder.replace(/\/$/, ''), pattern: CODE_PATTERN, limit: 12 }),
    ),
  )
  const known = found.filter((hits) => hits !== undefined)
  return { hits: known.flatMap((hits) => hits.hits), more: known.reduce((sum, hits) => sum + hits.more, 0) }
}

function describePackages(manifests: readonly Manifest[]): Part[] {
  const parts = manifests
    .filter((manifest) => manifest.folder !== '')
    .flatMap((manifest) => {
      const name = manifest.fact('name')
      const description = manifest.fact('description')
      if (!name) return []
      const where = `${tick(manifest.folder)} is ${tick(name.value)}`
      return [
        claim(description ? `${where}: ${quote(description.value, 200)}` : where, [
          ...name.cites,
          ...(description?.cites ?? []),
        ]),
      ]
    })
  return parts.length === 0 ? [] : [heading('Packages'), ...parts]
}

/** The folders worth a line: of code first, two levels deep, with the files that lie in them. */
function describeFolders(tree: Listing, source: readonly string[], isShort: boolean): Part[] {
  const isComplete = (folder: string): boolean =>
    tree.more === 0 &&
    !tree.folders.some((other) => other.startsWith(folder) && other !== folder && depthOf(other) >= 3)
  const wanted = tree.folders
    .filter((folder) => depthOf(folder) <= (isShort ? 2 : 3) && !/(?:^|\/)\./.test(folder))
    .filter(
      (folder) => source.includes(folder) || depthOf(folder) === 1 || source.some((other) => other.startsWith(folder)),
    )
    .filter((folder) => !isTestPath(folder) || depthOf(folder) === 1)
  const shown = wanted.filter(
    (folder) =>
      !(
        tree.files.every((file) => folderOf(file.path) !== folder) &&
        wanted.some((other) => other !== folder && other.startsWith(folder))
      ),
  )
  const parts = shown.slice(0, isShort ? 8 : 14).map((folder) => {
    const direct = tree.files.map((file) => file.path).filter((path) => folderOf(path) === folder)
    const below = tree.files.filter((file) => file.path.startsWith(folder)).length
    const inner = tree.folders.filter((other) => other.startsWith(folder) && depthOf(other) === depthOf(folder) + 1)
    const names = [...inner.map((other) => other.slice(folder.length)), ...orderNames(direct.map(baseName))]
    const content =
      names.length === 0
        ? ''
        : `: ${series(
            names.map((name) => tick(name)),
            7,
          )}`
    const cites = [{ path: folder }, ...inner.slice(0, 7).map((other) => ({ path: other }))]
    const named = new Set(names)
    return claim(
      isComplete(folder) && below > 0
        ? `${tick(folder)} (${plural(below, 'file')})${content}`
        : `${tick(folder)}${content === '' ? ' is a folder' : ` holds${content.slice(1)}`}`,
      cites.slice(0, 1),
      [below, ...named],
    )
  })
  return parts.length === 0 ? [] : [heading('Folders'), ...parts]
}

/** The telling files first. */
function orderNames(names: readonly string[]): string[] {
  const weight = (name: string): number =>
    /^(?:index|main|__init__|mod|lib)\.\w+$/.test(name) ? 0 : isSourcePath(name) ? 1 : 2
  return [...names].sort((a, b) => weight(a) - weight(b) || (a < b ? -1 : 1))
}

/** The files that start the code: of the root's manifest, then of the packages below it; built files only as a last resort. */
function entriesOf(manifests: readonly Manifest[], tree: Listing): string[] {
  const listed = new Set(tree.files.map((file) => file.path))
  const paths: string[] = []
  for (const manifest of manifests) {
    const named = entryPaths(manifest).filter((path) => isSourcePath(path))
    const known = named.filter((path) => listed.has(path))
    const guesses = [
      'src/index.ts',
      'src/index.js',
      'src/main.ts',
      'index.ts',
      'index.js',
      'lib/index.js',
      `src/${manifest.fact('name')?.value}/__init__.py`,
    ].map((path) => manifest.folder + path)
    const guessed = guesses.filter((path) => listed.has(path))
    paths.push(
      ...(known.length > 0
        ? known.slice(0, manifest.folder === '' ? 2 : 1)
        : guessed.length > 0
          ? guessed.slice(0, 1)
          : manifest.folder === '' && tree.more === 0
            ? named.slice(0, 2)
            : []),
    )
  }
  if (manifests.length === 0)
    paths.push(
      ...[...listed]
        .filter((path) => /(?:^|\/)(?:index|main|app|cli|__main__|__init__)\.\w+$/.test(path) && isSourcePath(path))
        .sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
        .slice(0, 3),
    )
  return [...new Set(paths)]
}

/** Which package of the repository needs which other. */
function describePackageDirections(manifests: readonly Manifest[]): Part[] {
  const names = new Set(manifests.map((manifest) => manifest.fact('name')?.value ?? ''))
  const parts = manifests.flatMap((manifest) => {
    const name = manifest.fact('name')
    const needed = ['dependencies', 'peerDependencies', 'devDependencies']
      .flatMap((field) => manifest.group(field))
      .filter((item) => names.has(item.name) && item.name !== name?.value)
    const once = needed.filter((item, index) => needed.findIndex((other) => other.name === item.name) === index)
    if (!name || once.length === 0) return []
    return [
      claim(`${tick(name.value)} depends on ${series(once.map((item) => tick(item.name)))}`, [
        ...name.cites,
        ...once.flatMap((item) => item.cites),
      ]),
    ]
  })
  return parts.length === 0 ? [] : [heading('How the packages depend on each other'), ...parts]
}

function describeScripts(manifest: Manifest, most: number): Part[] {
  const order = (name: string): number =>
    SCRIPT_ORDER.includes(name) ? SCRIPT_ORDER.indexOf(name) : SCRIPT_ORDER.length
  const scripts = manifest
    .group('scripts')
    .map((item, index) => ({ item, index }))
    .sort((a, b) => order(a.item.name) - order(b.item.name) || a.index - b.index)
    .slice(0, most)
  if (scripts.length === 0) return []
  return [
    heading('Scripts'),
    ...scripts.map(({ item }) => claim(`${tick(item.name)} runs ${tick(item.value, 110)}`, item.cites)),
  ]
}

function describeTests(tree: Listing): Part[] {
  const folders = tree.folders.filter((folder) => /(?:^|\/)(?:tests?|__tests__|specs?|e2e)\/$/.test(folder)).slice(0, 6)
  const parts = folders.map((folder) => {
    const names = tree.files.filter((file) => folderOf(file.path) === folder).map((file) => baseName(file.path))
    return claim(
      names.length === 0
        ? `${tick(folder)} is a folder of tests`
        : `${tick(folder)} holds ${series(
            names.map((name) => tick(name)),
            5,
          )}`,
      [{ path: folder }],
      names,
    )
  })
  if (parts.length > 0) return [heading('Tests'), ...parts]
  const files = tree.files.map((file) => file.path).filter((path) => isTestPath(path) && isSourcePath(path))
  const byFolder = [...new Set(files.map(folderOf))].slice(0, 4)
  const beside = byFolder.map((folder) => {
    const names = files.filter((path) => folderOf(path) === folder).map(baseName)
    return claim(
      `${tick(folder === '' ? './' : folder)} holds ${series(
        names.map((name) => tick(name)),
        5,
      )}`,
      [{ path: folder === '' ? './' : folder }],
      ['./', ...names],
    )
  })
  return beside.length === 0 ? [] : [heading('Tests'), ...beside]
}

const MOST_NEEDY = 8
const MOST_NEEDED = 4

/** What is needed from outside to run: one line a package, the main one first, its first dependencies by name. */
function describeDependencies(manifests: readonly Manifest[]): Part[] {
  const own = new Set(manifests.map((manifest) => manifest.fact('name')?.value ?? ''))
  const parts = manifests.flatMap((manifest) => {
    const needed = manifest.group('dependencies').filter((item) => !own.has(item.name))
    const name = manifest.fact('name')
    if (!name || needed.length === 0) return []
    const most = manifests.length === 1 ? 3 * MOST_NEEDED : MOST_NEEDED
    const shown = needed.slice(0, most)
    const more = needed.length > most ? ' and more' : ''
    return [
      claim(
        `${tick(name.value)} needs ${shown.map((item) => tick(`${item.name} ${item.value}`.trim())).join(', ')}${more}`,
        [...name.cites, ...shown.flatMap((item) => item.cites)],
      ),
    ]
  })
  return parts.length === 0 ? [] : [heading('Dependencies from outside'), ...parts.slice(0, MOST_NEEDY)]
}
