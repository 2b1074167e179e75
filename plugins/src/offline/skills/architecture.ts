import { at, atLines } from '../cite.ts'
import type { Part } from '../claim.ts'
import { claim, heading, note } from '../claim.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { baseName, depthOf, folderOf } from '../paths.ts'
import { uniqueBy } from '../question.ts'
import type { Excerpt, Hit, Listing } from '../read/formats.ts'
import { numbered } from '../read/formats.ts'
import { readImport, resolveImport } from '../read/imports.ts'
import { entryPaths, Manifest, type NamedFact } from '../read/manifest.ts'
import { readIntroduction } from '../read/sentences.ts'
import { isPythonPath, isSourcePath, isTestPath, readExports, readTopComment } from '../read/symbols.ts'
import { notFound, type Skill } from '../skill.ts'
import { findManifests, findReadme, lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { inWords, names, series, tick } from '../wording.ts'
import { introduce } from './introduce.ts'
import { findPages, readTold, type Told } from './told-architecture.ts'

const DOCUMENT_LINES = 140
const MANIFEST_LINES = 100
const HEAD_LINES = 60
const MOST_MANIFESTS = 9
const MOST_PARTS = 10
const MOST_LINKS = 7
const MOST_GROUPED = 4
const FOLLOWED_LINES = 40

/** What a repository is, its parts and what they are for, who depends on whom, how it runs, and where to begin. */
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
    const readme = findReadme(tree)
    const pages = findPages(tree).slice(0, 2)
    const isWorkspace = findManifests(tree).length > 1
    const [texts, documents, deeper] = yield* together([
      session.readAll(findManifests(tree).slice(0, MOST_MANIFESTS), MANIFEST_LINES),
      session.readAll([...(readme === undefined ? [] : [readme]), ...pages], DOCUMENT_LINES),
      // the sources of a package lie below what was listed
      isWorkspace ? session.list({ depth: 4, pattern: '**/src/{index,main,__init__}.*', limit: 30 }) : nothing(),
    ])
    const listed = [...tree.files, ...(deeper?.files ?? [])].map(({ path }) => path)
    const manifests = uniqueBy(
      texts.map((excerpt) => new Manifest(excerpt)),
      ({ folder }) => folder,
    )
    const main = manifests.find(({ folder }) => folder === '') ?? (manifests.length === 1 ? manifests[0] : undefined)
    const told = readTold(documents, tree)
    const folders = foldersOf(tree, manifests).filter(
      (folder) => !told.mapped.some((mapped) => mapped === folder || mapped.startsWith(folder)),
    )
    const named = entriesOf(main === undefined ? manifests : [main], tree)
    const isSingle = manifests.length < 2
    const isDescribed = (folder: string): boolean =>
      manifests.some((manifest) => manifest.folder === folder && manifest.fact('description') !== undefined)
    // a file is read for what its folder is for, and for what it loads
    const wanted = [
      ...(told.how.length > 0 && told.starts.length > 0 ? [] : named),
      ...folders
        .filter((folder) => !isDescribed(folder))
        .slice(0, MOST_PARTS)
        .flatMap(headOf(listed)),
    ]
    const [heads, imports] = yield* together([
      session.readAll([...new Set(wanted)], HEAD_LINES),
      searchImports(session, isSingle ? folders : [], tree),
    ])
    const sources = heads.map(({ path }) => path).filter((path) => isSourcePath(path))
    const entries = named.length > 0 ? named : sources.slice(0, 2)
    const loaded = told.how.length > 0 ? [] : yield* follow(session, heads, entries, tree)
    const links = [...linkPackages(manifests), ...linkFolders(imports, folders)]
    const parts: Part[] = [
      ...introduce(
        main,
        documents.find(({ path }) => path === readme),
        2,
        (text) => inWords(text, 140),
      ),
      ...under('The parts', [
        ...told.map,
        ...folders
          .slice(0, MOST_PARTS - told.map.length)
          .flatMap((folder) => describe(folder, tree, manifests, heads) ?? []),
        ...(told.map.length + folders.length === 0 ? describeFiles(tree) : []),
      ]),
      ...under('How they depend on each other', links.slice(0, MOST_LINKS)),
      ...under(
        ...runsThrough(
          told,
          main,
          heads.filter(({ path }) => entries.includes(path)),
          loaded,
          tree,
        ),
      ),
      ...under('Where to begin', begin(told, documents, heads, entries, main)),
    ]
    if (tree.more > 0 && told.map.length === 0)
      parts.push(note('The workspace is larger than what I listed: some folders and files are left out above.'))
    return {
      parts,
      facts: { packages: manifests.map((manifest) => manifest.fact('name')?.value) },
      missing: parts.every((part) => part.kind === 'note'),
    }
  },
}

/** In the place of a look that is not needed. */
function* nothing(): Look<undefined> {}

const under = (title: string, parts: readonly Part[]): Part[] => (parts.length === 0 ? [] : [heading(title), ...parts])

/** Folders worth a line: those of packages, then those of code, else those at the top; no hidden ones. */
function foldersOf(tree: Listing, manifests: readonly Manifest[]): string[] {
  const packages = manifests.map(({ folder }) => folder).filter((folder) => folder !== '')
  const top = tree.folders.filter((folder) => depthOf(folder) === 1 && !folder.startsWith('.'))
  const inner = (folder: string): string[] =>
    tree.folders.filter(
      (other) =>
        other.startsWith(folder) &&
        depthOf(other) === depthOf(folder) + 1 &&
        !isTestPath(`${other}a.ts`) &&
        tree.files.some(({ path }) => path.startsWith(other)),
    )
  return top.flatMap((folder) => {
    const own = packages.filter((other) => other.startsWith(folder))
    if (own.length > 0) return own
    const code = inner(folder).filter((other) => holdsCode(tree, other))
    const isBare = !tree.files.some(({ path }) => folderOf(path) === folder)
    return packages.length === 0 && (code.length > 1 || (code.length === 1 && isBare)) ? code : [folder]
  })
}

const holdsCode = (tree: Listing, folder: string): boolean =>
  tree.files.some(({ path }) => path.startsWith(folder) && isSourcePath(path) && !isTestPath(path))

/** The file that tells what a folder is for. */
const headOf =
  (listed: readonly string[]) =>
  (folder: string): string[] => {
    const own = listed.filter((path) => isHeadOf(path, folder))
    const head = [/^readme\.(?:md|rst|txt)$/i, /^(?:__init__|index|mod|main|lib)\.\w+$/].flatMap((name) =>
      own.filter((path) => name.test(baseName(path))).slice(0, 1),
    )
    return head.slice(0, 1)
  }

const isHeadOf = (path: string, folder: string): boolean => [folder, `${folder}src/`].includes(folderOf(path))

/** A part and what it is for: by its manifest, its README, or the comment that its main file begins with; else what it holds. */
function describe(
  folder: string,
  tree: Listing,
  manifests: readonly Manifest[],
  heads: readonly Excerpt[],
): Part | undefined {
  const name = tick(folder)
  const description = manifests.find((manifest) => manifest.folder === folder)?.fact('description')
  if (description) return claim(`${name}: ${inWords(description.value)}`, [...description.cites, { path: folder }])
  const head = heads.find(({ path }) => isHeadOf(path, folder))
  const comment = head && isSourcePath(head.path) ? readTopComment(head) : undefined
  const [sentence] = head && !isSourcePath(head.path) ? readIntroduction(head, 1) : []
  const said = sentence ?? (comment && head && { text: comment.text, cite: at(head.path, comment.from, comment.to) })
  if (said) return claim(`${name}: ${inWords(said.text)}`, [said.cite, { path: folder }])
  const below = [...tree.files.map(({ path }) => path), ...tree.folders].filter((path) => path.startsWith(folder))
  const inside = [...new Set(below.map((path) => path.slice(folder.length).replace(/\/[\s\S]*/, '/')))]
    .filter((path) => path !== '')
    .sort(byWeight)
  return inside.length === 0 ? undefined : claim(`${name} holds ${names(inside)}`, [{ path: folder }], inside)
}

/** The telling files first. */
const byWeight = (a: string, b: string): number => weigh(a) - weigh(b) || (a < b ? -1 : 1)
const weigh = (name: string): number =>
  /^(?:index|main|__init__|mod|lib)\.\w+$/.test(name) ? 0 : isSourcePath(name) || name.endsWith('/') ? 1 : 2

/** In a package of one folder, the files themselves. */
function describeFiles(tree: Listing): Part[] {
  const files = tree.files.map(({ path }) => path).filter((path) => isSourcePath(path) && !isTestPath(path))
  if (files.length === 0) return []
  return [claim(`all code lies in ${names(files)}`, [{ path: './' }], files)]
}

/** Which package of the repository needs which other. */
function linkPackages(manifests: readonly Manifest[]): Part[] {
  const called = new Map(manifests.map((manifest) => [manifest.fact('name')?.value ?? '', shortName(manifest)]))
  const needs = manifests.flatMap((manifest) => {
    const needed = ['dependencies', 'peerDependencies', 'devDependencies']
      .flatMap((field) => manifest.group(field))
      .filter((item) => called.has(item.name) && item.name !== manifest.fact('name')?.value)
    const once = uniqueBy(needed, ({ name }) => name)
    const name = manifest.folder.replace(/\/$/, '') || manifest.fact('name')?.value
    const cites = [...(manifest.folder === '' ? manifest.nameCites() : []), ...once.flatMap((item) => item.cites)]
    return name === undefined || once.length === 0
      ? []
      : [{ name, to: once.map((item) => called.get(item.name) ?? item.name), cites }]
  })
  const groups = [...new Set(needs.map(({ to }) => to.join(' ')))]
    .map((to) => needs.filter((one) => one.to.join(' ') === to))
    .sort((a, b) => (a[0]?.to.length ?? 0) - (b[0]?.to.length ?? 0))
  return groups.map((group) => {
    const shown = group.slice(0, MOST_GROUPED).map(({ name }) => tick(name))
    const subject = group.length > shown.length ? `${shown.join(', ')} and more` : series(shown)
    const verb = group.length === 1 ? 'depends' : 'depend'
    const cites = group.slice(0, MOST_GROUPED).flatMap((one) => one.cites)
    return claim(`${subject} ${verb} on ${names(group[0]?.to ?? [])}`, cites)
  })
}

/** The folder of a package, where its name says the same; else its name. */
function shortName(manifest: Manifest): string {
  const name = manifest.fact('name')?.value ?? ''
  const folder = manifest.folder.replace(/\/$/, '')
  return baseName(folder) === name.slice(name.lastIndexOf('/') + 1) ? baseName(folder) : name
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

const CODE = '**/*.{ts,tsx,js,jsx,mjs,cjs,mts,cts,py}'
const MOST_SEARCHED = 12

/** Lines that bring in what lies in other folders, a few of each. */
function* searchImports(session: ToolSession, folders: readonly string[], tree: Listing): Look<Hit[]> {
  const code = folders.filter((folder) => holdsCode(tree, folder)).slice(0, MOST_SEARCHED)
  if (code.length < 2) return []
  const found = yield* together(
    code.map((path) => {
      const isPython = tree.files.some((file) => file.path.startsWith(path) && isPythonPath(file.path))
      return session.search(isPython ? 'import ' : '../', { path: path.replace(/\/$/, ''), pattern: CODE, limit: 12 })
    }),
  )
  return found.flatMap((hits) => hits?.hits ?? [])
}

/** Which folder imports which. */
function linkFolders(hits: readonly Hit[], folders: readonly string[]): Part[] {
  const areaOf = (path: string): string | undefined => folders.find((folder) => `${path}/`.startsWith(folder))
  const edges = hits.flatMap(({ path, line, text }) => {
    const specifier = isTestPath(path) ? undefined : readImport(path, text)
    const target = specifier === undefined ? undefined : resolveImport(path, specifier)
    const [from, to] = [areaOf(path), target === undefined ? undefined : areaOf(target)]
    return from === undefined || to === undefined || from === to ? [] : [{ from, to, cite: at(path, line) }]
  })
  const once = uniqueBy(edges, ({ from, to }) => `${from} ${to}`)
  return [...new Set(once.map(({ from }) => from))].map((from) => {
    const own = once.filter((edge) => edge.from === from).slice(0, 4)
    const targets = own.map(({ to }) => to)
    return claim(
      `${tick(from)} imports ${names(targets)}`,
      own.map(({ cite }) => cite),
      [from, ...targets],
    )
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
function* follow(
  session: ToolSession,
  heads: readonly Excerpt[],
  entries: readonly string[],
  tree: Listing,
): Look<Excerpt[]> {
  const first = heads.find(({ path }) => path === entries[0])
  const next = (first === undefined ? [] : linksOf(first, tree))
    .map(({ to }) => to)
    .filter((path) => !heads.some((head) => head.path === path))
  return yield* session.readAll([...new Set(next)].slice(0, 3), FOLLOWED_LINES)
}

/** The files that start the code: those that manifests name where they are listed, else those named like one. */
function entriesOf(manifests: readonly Manifest[], tree: Listing): string[] {
  const listed = new Set(tree.files.map(({ path }) => path))
  const isEntry = (path: string): boolean => listed.has(path) && isSourcePath(path) && !/\.d\.[cm]?ts$/.test(path)
  const found = manifests.flatMap((manifest) => {
    const { folder } = manifest
    const name = (manifest.fact('name')?.value ?? '').replace(/-/g, '_')
    const guesses = ['src/index', 'src/main', 'index', 'main', 'lib/index', `src/${name}/__init__`, `${name}/__init__`]
    const guessed = guesses.flatMap((path) => ['.ts', '.js', '.mjs', '.py'].map((end) => folder + path + end))
    const main = [manifest.fact('main')?.value, ...manifest.group('bin').map(({ value }) => value)]
      .filter((path) => path !== undefined)
      .map((path) => folder + path.replace(/^\.\//, ''))
    const named = [...main, ...main.map((path) => `${path}.js`), ...main.map((path) => `${path}/index.js`)]
    const sources = named.map((path) => path.replace(/(^|\/)dist\//, '$1src/').replace(/\.js$/, '.ts'))
    const first = [...named, ...sources, ...guessed].filter(isEntry)
    const stemOf = (path: string): string => path.replace(ENDING, '')
    const once = uniqueBy(first, stemOf)
    return once.length > 0 ? once.slice(0, 2) : entryPaths(manifest).filter(isEntry).slice(0, 1)
  })
  if (found.length > 0) return [...new Set(found)]
  return [...listed]
    .filter(
      (path) =>
        /(?:^|\/)(?:index|main|app|cli|__main__|__init__)\.\w+$/.test(path) && isEntry(path) && !isTestPath(path),
    )
    .sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
    .slice(0, 3)
}

/** The way of a request: as a document tells it; else what starts the code and what that loads, as the files say. */
function runsThrough(
  told: Told,
  main: Manifest | undefined,
  entries: readonly Excerpt[],
  loaded: readonly Excerpt[],
  tree: Listing,
): [string, Part[]] {
  if (told.how.length > 0) return [`How it runs (${told.title})`, told.how]
  const field = main?.fact('main')
  const first = field ? [claim(`the main file is ${tick(field.value)}`, field.cites)] : []
  const commands = (main?.group('bin') ?? []).map((item) =>
    claim(`the command ${tick(item.name)} starts ${tick(item.value)}`, item.cites),
  )
  const exported = entries.flatMap((head) => {
    const all = readExports(head).filter(({ name }) => name !== '__esModule')
    const lines = all.map(({ line }) => line)
    const said = all.map(({ name }) => name)
    const cite = at(head.path, Math.min(...lines), Math.max(...lines))
    return all.length === 0 ? [] : [claim(`${tick(head.path)} exports ${names(said)}`, [cite], [head.path])]
  })
  const links = [...entries, ...loaded].flatMap((file) => describeLinks(file, tree))
  return [
    'How it runs, from where it starts',
    [...first, ...commands.slice(0, 2), ...exported.slice(0, 2), ...links.slice(0, MOST_LINKS)],
  ]
}

const SCRIPTS = ['build', 'start', 'dev', 'test', 'lint', 'check']

/** What to read first, and the commands. */
function begin(
  told: Told,
  documents: readonly Excerpt[],
  heads: readonly Excerpt[],
  entries: readonly string[],
  main: Manifest | undefined,
): Part[] {
  const first = documents.map(({ path, first: line }) => ({ path, line }))
  const read = claim(
    `read ${series(first.map(({ path }) => tick(path)))}`,
    first.map(({ path, line }) => at(path, line)),
    first.map(({ path }) => path),
  )
  const files = heads
    .filter(({ path }) => told.starts.length === 0 && entries.includes(path))
    .slice(0, 2)
    .map((head) => {
      const said = readTopComment(head)
      const what = said ? `: ${inWords(said.text)}` : ', where the code starts'
      return claim(
        `${tick(head.path)}${what}`,
        [said ? at(head.path, said.from, said.to) : at(head.path, head.first)],
        [head.path],
      )
    })
  const order = ({ name }: NamedFact): number => (SCRIPTS.includes(name) ? SCRIPTS.indexOf(name) : SCRIPTS.length)
  const scripts = (main?.group('scripts') ?? []).sort((a, b) => order(a) - order(b)).slice(0, SCRIPTS.length)
  const needed = main?.group('dependencies') ?? []
  return [
    ...(first.length === 0 ? [] : [read]),
    ...told.starts,
    ...files,
    ...(scripts.length === 0
      ? []
      : [
          claim(
            `scripts: ${names(scripts.map(({ name }) => name))}`,
            scripts.flatMap(({ cites }) => cites),
          ),
        ]),
    ...(needed.length === 0
      ? []
      : [
          claim(
            `from outside it needs ${names(needed.map(({ name }) => name))}`,
            needed.flatMap(({ cites }) => cites),
          ),
        ]),
  ]
}
