import { at } from '../../cite.ts'
import { nothing, together } from '../../look.ts'
import { depthOf } from '../../paths.ts'
import { claim, heading, note, type Part } from '../../question/cited-sentence.ts'
import { uniqueBy } from '../../question/question.ts'
import { topicsIn } from '../../question/topics.ts'
import { inWords, series, tick } from '../../question/wording.ts'
import { readTopComment } from '../../read/comments.ts'
import type { Excerpt, Listing } from '../../read/formats.ts'
import { entryPaths, MANIFEST_NAMES, Manifest, type NamedFact } from '../../read/manifest.ts'
import { isSourcePath, isTestPath, SOURCES } from '../../read/symbols.ts'
import { stemsOf, toTerms } from '../../read/terms.ts'
import { notFound, type Skill } from '../../skill.ts'
import { findManifests, findReadme, lookAtTree } from '../../survey.ts'
import { isSelf } from '../facts.ts'
import { introduce, listNames } from '../introduce.ts'
import { describeFiles, describeFolder, foldersOf, headOf, linkFiles, linkPackages } from './architecture-parts.ts'
import { findPages, readTold, type Told } from './told-architecture.ts'

const DOCUMENT_LINES = 140
const MANIFEST_LINES = 100
const HEAD_LINES = 60
const MOST_MANIFESTS = 9
const MOST_PARTS = 10
const MOST_LINKS = 7
const MOST_IMPORTS = 40
/** How a file imports another of the same package. */
const IMPORTS = ["require('.", "from '.", 'require(".', 'from ".']
const MOST_SCRIPTS = 6

const ALLOWED = topicsIn(
  'architecture summary self purpose how where defined file folder function class exports main ' + 'test bin',
)

const PAIR = /(?<!\p{L})(?:how|wie|comment) (?:do|does|are|is)? ?(?:the )?[\w-]{2,} (?:and|und|et) (?:the )?[\w-]{2,}/u

/** What a repository is, its parts and what they are for, who depends on whom, how it runs, and where to begin. */
export const architecture: Skill = {
  id: 'architecture',
  asks: ({ topics, identifiers, paths, rest, lower }) =>
    // two things are not the whole
    !(rest.length > 1 && PAIR.test(lower)) &&
    // "how does it work?" is as well asked of the whole
    (topics.has('architecture') || (topics.has('how') && topics.has('self') && rest.length <= 1)) &&
    [...topics].every((topic) => ALLOWED.has(topic)) &&
    // how a thing with a name works is no question about the whole
    identifiers.length <= (topics.has('how') ? 0 : 2) &&
    paths.length === 0 &&
    // where one thing is, is no question about the whole
    rest.length <= (topics.has('where') ? 0 : 2),
  *work(session) {
    const tree = yield* lookAtTree(session)
    if (tree.files.length === 0 && tree.folders.length === 0)
      return notFound('I found no files in the workspace: there is nothing to describe.')
    const readme = findReadme(tree)
    // A list that was cut may lack those of other packages.
    const below =
      tree.more === 0
        ? undefined
        : yield* session.list({ depth: 2, pattern: `*/{${MANIFEST_NAMES.join(',')}}`, limit: 20 })
    const known = { ...tree, files: uniqueBy([...tree.files, ...(below?.files ?? [])], ({ path }) => path) }
    const pages = [...(readme === undefined ? [] : [readme]), ...findPages(tree).slice(0, 2)]
    const [texts, documents, listed, imports] = yield* together([
      session.readAll(findManifests(known).slice(0, MOST_MANIFESTS), MANIFEST_LINES),
      session.readAll(pages, DOCUMENT_LINES),
      // the sources of a package lie below what was listed
      findManifests(known).length > 1
        ? session.list({ depth: 4, pattern: '**/src/{index,main,__init__}.*', limit: 30 })
        : nothing(),
      together(IMPORTS.map((query) => session.search(query, { pattern: SOURCES, limit: MOST_IMPORTS }))),
    ])
    const all = texts.map((excerpt) => new Manifest(excerpt))
    // a manifest without a name tells how to read a folder
    const manifests = uniqueBy(all, ({ folder }) => folder).filter(
      (manifest) => manifest.folder === '' || manifest.fact('name') !== undefined,
    )
    const main = manifests.find(({ folder }) => folder === '') ?? (manifests.length === 1 ? manifests[0] : undefined)
    // a word that a part is called by asks for that part
    const called = stemsOf(tree.files.map(({ path }) => path).join('\n'))
    const others = session.question.rest.filter((word) => !isSelf(word, main))
    if (toTerms(others).some(({ stem }) => called.has(stem))) return undefined
    const told = readTold(documents, tree)
    const unmapped = foldersOf(tree, manifests).filter(
      (folder) => !told.mapped.some((mapped) => mapped.startsWith(folder)),
    )
    const folders = unmapped.slice(0, Math.max(0, MOST_PARTS - told.map.length))
    const entries = entriesOf(main === undefined ? manifests : [main], tree)
    const undescribed = folders.filter(
      (folder) => !manifests.some((one) => one.folder === folder && one.fact('description')),
    )
    const paths = [...tree.files, ...(listed?.files ?? [])].map(({ path }) => path)
    const wanted = [
      ...(told.starts.length > 0 ? [] : entries),
      ...undescribed.flatMap((folder) => headOf(folder, paths) ?? []),
    ]
    const heads = yield* session.readAll([...new Set(wanted)], HEAD_LINES)
    const first =
      entries.length > 0
        ? heads.filter(({ path }) => entries.includes(path))
        : heads.filter(({ path }) => isSourcePath(path)).slice(0, 2)
    const described = folders.flatMap((folder) => describeFolder(folder, tree, manifests, heads))
    // one that says nothing of itself is named all the same
    const silent = unmapped.filter((folder) => !described.some(({ text }) => text.startsWith(tick(folder))))
    const further = silent.map((folder) => ({ name: folder, cites: [{ path: folder }] }))
    if (told.map.length === 0) described.push(...asItems(listNames('further folders:', further, 300)))
    const parts: Part[] = [
      ...introduce(
        main,
        documents.find(({ path }) => path === readme),
        2,
        (text) => inWords(text, 140),
      ),
      ...under('The parts', [
        ...told.map,
        ...described,
        ...(told.map.length > 0 ? [] : describeFiles(tree, folders.length === 0)),
      ]),
      ...under(
        'How they depend on each other',
        [
          ...linkPackages(manifests),
          ...(manifests.length > 1 ? [] : linkFiles(imports.flatMap((found) => found?.hits ?? []))),
        ].slice(0, MOST_LINKS),
      ),
      ...under(told.how.length > 0 ? `How it runs (${told.title})` : 'How it runs', howItRuns(told, main)),
      ...under('Where to begin', begin(told, documents, first, main)),
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

/** The files that start the code: those that manifests name where they are listed, else those named like one. */
function entriesOf(manifests: readonly Manifest[], tree: Listing): string[] {
  const listed = tree.files.map(({ path }) => path).filter((path) => isSourcePath(path) && !/\.d\.[cm]?ts$/.test(path))
  const named = manifests.flatMap((manifest) => {
    const paths = entryPaths(manifest)
    // what a build writes has its source under another name
    const sources = paths.map((path) => path.replace(/(^|\/)dist\//, '$1src/').replace(/\.js$/, '.ts'))
    return [...paths, ...sources].filter((path) => listed.includes(path)).slice(0, 2)
  })
  if (named.length > 0) return [...new Set(named)]
  return listed
    .filter((path) => /(?:^|\/)(?:index|main|app|cli|__main__|__init__)\.\w+$/.test(path) && !isTestPath(path))
    .sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
    .slice(0, 3)
}

/** The way of a request as a document says it; else what starts the code, as the manifest says. */
function howItRuns(told: Told, main: Manifest | undefined): Part[] {
  if (told.how.length > 0) return told.how
  const field = main?.fact('main')
  const commands = (main?.group('bin') ?? []).slice(0, 2)
  return [
    ...(field ? [claim(`the main file is ${tick(field.value)}`, field.cites)] : []),
    ...commands.map(({ name, value, cites }) => claim(`the command ${tick(name)} starts ${tick(value)}`, cites)),
  ]
}

const asItems = (parts: ReturnType<typeof listNames>) => parts.map((part) => ({ ...part, lead: false }))

const under = (title: string, parts: readonly Part[]): Part[] => (parts.length === 0 ? [] : [heading(title), ...parts])

const SCRIPTS = ['build', 'start', 'dev', 'test', 'lint', 'check']

/** What to read first, and the commands. */
function begin(
  told: Told,
  documents: readonly Excerpt[],
  first: readonly Excerpt[],
  main: Manifest | undefined,
): Part[] {
  const pages = documents.map(({ path }) => path)
  const read = claim(
    `read ${series(pages.map((path) => tick(path)))}`,
    documents.map(({ path, first: line }) => at(path, line)),
    pages,
  )
  const files =
    told.starts.length > 0
      ? []
      : first.slice(0, 2).map((head) => {
          const said = readTopComment(head)
          const text = `${tick(head.path)}${said ? `: ${inWords(said.text)}` : ', where the code starts'}`
          return claim(text, [said ? at(head.path, said.from, said.to) : at(head.path, head.first)], [head.path])
        })
  const order = ({ name }: NamedFact): number => (SCRIPTS.includes(name) ? SCRIPTS.indexOf(name) : SCRIPTS.length)
  const scripts = (main?.group('scripts') ?? []).sort((a, b) => order(a) - order(b)).slice(0, MOST_SCRIPTS)
  return [
    ...(pages.length === 0 ? [] : [read]),
    ...told.starts,
    ...files,
    ...asItems(listNames('scripts:', scripts)),
    ...asItems(listNames('from outside it needs', main?.group('dependencies') ?? [])),
  ]
}
