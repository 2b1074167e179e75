import { at } from '../cite.ts'
import { type Look, together } from '../look.ts'
import type { Part } from '../question/claim.ts'
import { claim, heading, lead, note } from '../question/claim.ts'
import type { Question } from '../question/question.ts'
import { plural, quote, tick } from '../question/wording.ts'
import { numbered } from '../read/formats.ts'
import { entryPaths, type Manifest, type NamedFact } from '../read/manifest.ts'
import { isSourcePath } from '../read/symbols.ts'
import type { Finding, Skill } from '../skill.ts'
import { findReadme, lookAtTree, readAskedManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { describeExports } from './describe-exports.ts'
import { introduce } from './introduce.ts'

const MOST_FILES = 2
const FILE_LINES = 200

/** How people ask for each fact, and how it is answered. */
const SINGLE: readonly { field: string; asked: RegExp; say: string }[] = [
  {
    field: 'name',
    asked: /\bname of (?:the|this) (?:package|project|library)\b|\b(?:package|project) name\b|\bits name\b|^name\b/,
    say: 'The name is',
  },
  { field: 'version', asked: /\bversion\b(?! control)/, say: 'The version is' },
  { field: 'license', asked: /\blicen[cs](?:e[ds]?|ing)\b/, say: 'The licence is' },
  { field: 'author', asked: /\bauthors?\b|\bwho (?:wrote|made|created|develops)\b/, say: 'The author is' },
  { field: 'homepage', asked: /\bhome ?page\b|\bweb ?site\b/, say: 'The homepage is' },
  {
    field: 'repository',
    asked: /\b(?:repository|repo|source code|git) (?:url|address|link)\b/,
    say: 'The repository is',
  },
  { field: 'description', asked: /\bdescription\b/, say: 'The description is' },
  { field: 'type', asked: /\b(?:module (?:type|system)|esm or commonjs)\b/, say: 'The module type is' },
]

const DEPENDENCIES = 'dependenc(?:y|ies)\\b'
const GROUPS: readonly { field: string; asked: RegExp; title: string; one: string }[] = [
  {
    field: 'scripts',
    asked:
      /\bscripts?\b|\bnpm run\b|\bhow (?:do|can|to) (?:i |you |we )?(?:build|test|lint|start|run the tests)\b|\bcommands? (?:to|for) (?:run )?(?:the )?(?:build|test|lint|start|check|format|bench)\w*/,
    title: 'Scripts',
    one: 'script',
  },
  {
    field: 'dependencies',
    asked: new RegExp(`(?<!\\b(?:dev|development|peer|optional)[ -]?)${DEPENDENCIES}|\\bdepends? on\\b(?! which)`),
    title: 'Dependencies',
    one: 'dependency',
  },
  {
    field: 'devDependencies',
    asked: new RegExp(`\\bdev(?:elopment)?[ -]?${DEPENDENCIES}`),
    title: 'Development dependencies',
    one: 'development dependency',
  },
  {
    field: 'peerDependencies',
    asked: new RegExp(`\\bpeer[ -]?${DEPENDENCIES}`),
    title: 'Peer dependencies',
    one: 'peer dependency',
  },
  {
    field: 'optionalDependencies',
    asked: new RegExp(`\\boptional[ -]?${DEPENDENCIES}`),
    title: 'Optional dependencies',
    one: 'optional dependency',
  },
  {
    field: 'engines',
    asked:
      /\bengines?\b|\b(?:node|python|node\.js) versions?\b|\bversions? of (?:node|python)\b|\b(?:requires?|needs?|supports?) (?:node|python)\b/,
    title: 'Engines',
    one: 'engine',
  },
  { field: 'workspaces', asked: /\bworkspaces\b/, title: 'Workspaces', one: 'workspace' },
]

const ENTRIES =
  /\bentry ?(?:points?|files?|modules?)\b|\bmain (?:file|module|script)\b|\bfiles? (?:is|are|gets?) (?:loaded|executed|required|imported)\b|\btypescript types\b|\btype (?:definitions|declarations)\b|\b(?:holds?|has|contains?|where are) (?:the|its) types\b|\bpackage exports?\b|\bwhat (?:does|do) (?:it|this package|this library) export\b|\bpublic api\b/
const PURPOSE =
  /\bwhat (?:is|does) (?:this|it|the)(?: (?:package|project|library|module|repo(?:sitory)?|tool|code))?(?: for| about| do)?\s*\??$|\bwhat is (?:this|the) (?:package|project|library|module|repo(?:sitory)?|tool)\b|\bdescribe (?:this|the) (?:package|project|library|repo(?:sitory)?)\b/
/** "What is tapable for?": whether it is the package is seen in the manifest. */
const NAMED = /^what(?:'s| is| does) [`"']?([a-z][\w@/.-]*)[`"']?(?: for| about| used for| do)?\s*\??$/i
const VERSION_OF = /\bversions? of (?:the )?(?:package |library |module )?[`"']?([@\w][\w@/.-]*\w)/i
const OWN = /^(?:this|the|it|its|a|an|node|python|node\.js|package|project|library|them)$/i
/** What the changelog says. */
const CHANGED = /\bchang(?:ed?|es)\b|\bnew in\b|\brelease notes\b/
const NEEDS = /\b(?:need|require|depend|use)s?\b(?! files?)|\bdependenc(?:y|ies)\b/

/** Purpose, version, licence, author, dependencies, scripts, entry points: what the manifest says, each with its line. */
export const packageFacts: Skill = {
  id: 'package-facts',
  asks: ({ text, lower, paths, identifiers }) =>
    // such words ask for the manifest only where the question is not about a file or a function
    !/\b(?:which|what) files? (?:imports?|uses?|mentions?)\b|\bhow (?:do|can|should) (?:i|you|we) (?!build|test|lint|start|run)/.test(
      lower,
    ) &&
    paths.every((path) => /^(?:package\.json|pyproject\.toml|node\.js)$/i.test(path) || NAMED.test(text)) &&
    !CHANGED.test(lower) &&
    (identifiers.length === 0 || !/\b(?:where|defined|function|class|method)\b/.test(lower)) &&
    ([...SINGLE, ...GROUPS].some(({ asked }) => asked.test(lower)) ||
      [ENTRIES, PURPOSE, NAMED].some((asked) => asked.test(lower)) ||
      NEEDS.test(lower)),
  *work(session) {
    const { question } = session
    const { lower, text } = question
    const manifest = yield* readAskedManifest(session)
    const named = NAMED.exec(text)?.[1]
    if (PURPOSE.test(lower) || (named !== undefined && isSelf(named, manifest))) return yield* describePackage(session)
    const asksNeeded = NEEDS.test(lower) || /\bversions?\b/.test(lower)
    const needed = manifest && asksNeeded && !asksHowMany(question) ? namedDependencies(question, manifest) : []
    if (needed.length > 0) return { parts: needed.map(sayNeeded), facts: { dependencies: toMap(needed) } }
    const foreign = VERSION_OF.exec(text)?.[1]
    if (foreign !== undefined && !OWN.test(foreign) && !isSelf(foreign, manifest))
      return { parts: [note(`I found no \`${foreign}\` among the dependencies of the manifest.`)], missing: true }
    const isVersionOfEngine = GROUPS.some(({ field, asked }) => field === 'engines' && asked.test(lower))
    const singles = SINGLE.filter(
      ({ field, asked }) => asked.test(lower) && !(field === 'version' && isVersionOfEngine),
    )
    const groups = GROUPS.filter(({ asked }) => asked.test(lower))
    const asksEntries = ENTRIES.test(lower)
    if (singles.length + groups.length === 0 && !asksEntries) return undefined
    const asksLicence = singles.some(({ field }) => field === 'license')
    const file = asksLicence && !manifest?.fact('license') ? yield* quoteLicence(session) : []
    if (!manifest) return file.length > 0 ? { parts: file } : yield* sayNoManifest(session)
    // a document may say it where the manifest does not
    if (
      singles.length === 0 &&
      groups.every(({ field }) => field === 'engines' && manifest.group(field).length === 0) &&
      !asksEntries
    )
      return undefined
    const facts: Record<string, unknown> = {}
    const parts: Part[] = []
    for (const { field, say } of singles) {
      const fact = manifest.fact(field)
      if (fact) facts[field] = fact.value
      const said = field === 'description' ? `${say}: ${quote(fact?.value ?? '')}` : `${say} ${tick(fact?.value ?? '')}`
      parts.push(
        ...(fact
          ? [lead(said, fact.cites)]
          : field === 'license' && file.length > 0
            ? file
            : [note(`I found nothing about the ${field} in ${manifest.path}.`)]),
      )
    }
    for (const { field, title, one } of groups) {
      const items = narrow(question, manifest.group(field))
      facts[field] = toMap(items)
      if (asksHowMany(question)) facts.count = items.length
      parts.push(...describeGroup(question, manifest, { field, title, one }, items))
    }
    if (asksEntries) {
      facts.entryPoints = entryPaths(manifest)
      parts.push(...describeEntries(manifest))
      const files = yield* session.readAll(entryPaths(manifest).filter(isSourcePath).slice(0, MOST_FILES), FILE_LINES)
      parts.push(...files.flatMap(describeExports).slice(0, 1))
    }
    return { parts, facts, missing: parts.every((part) => part.kind === 'note') }
  },
}

/** Whether a word of the question is the package itself: its name as people write it, or no name at all. */
function isSelf(word: string, manifest: Manifest | undefined): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/^@[^/]*\/|[-_.]/g, '')
  return /^(?:it|this|that)$/i.test(word) || plain(word) === plain(manifest?.fact('name')?.value ?? '')
}

const toMap = (items: readonly NamedFact[]) => Object.fromEntries(items.map(({ name, value }) => [name, value]))
const asksHowMany = ({ lower }: Question): boolean => /\b(?:how many|number of|count)\b/.test(lower)
const isNamed = ({ text }: Question, name: string): boolean =>
  name.length > 1 && text.split(/[\s`"',?]+/).includes(name)
const sayNeeded = ({ name, value, cites }: NamedFact): Part =>
  lead(`It needs ${tick(name)}${value === '' ? '' : ` ${tick(value)}`}`, cites)

/** The dependencies, of whichever kind, that the question names. */
const namedDependencies = (question: Question, manifest: Manifest): NamedFact[] =>
  GROUPS.filter(({ field }) => /dependencies$/i.test(field))
    .flatMap(({ field }) => manifest.group(field))
    .filter(({ name }) => isNamed(question, name))

/** Only the items that the question names, where it names some. */
function narrow(question: Question, items: readonly NamedFact[]): readonly NamedFact[] {
  const named = items.filter(({ name }) => isNamed(question, name))
  return named.length > 0 ? named : items
}

function describeGroup(
  question: Question,
  manifest: Manifest,
  { field, title, one }: { field: string; title: string; one: string },
  items: readonly NamedFact[],
): Part[] {
  const cites = manifest.nameCites()
  const name = manifest.fact('name')?.value
  if (items.length === 0) {
    const none = `lists no ${plural(2, one).slice(2)}`
    return name === undefined
      ? [note(`${manifest.path} ${none}.`)]
      : [lead(`The manifest of ${tick(name)} ${none}`, cites)]
  }
  const commands = field === 'scripts' ? describeCommands(question, items) : []
  if (commands.length > 0) return commands
  const count = lead(
    `${tick(name ?? manifest.path)} lists ${plural(items.length, one)}`,
    [...cites, ...items.flatMap((item) => item.cites)],
    [items.length, manifest.path],
  )
  const say = (item: NamedFact): string =>
    item.value === ''
      ? tick(item.name)
      : field === 'scripts'
        ? `${tick(item.name)} runs ${tick(item.value, 140)}`
        : `${tick(item.name)} ${tick(item.value)}`
  return [
    ...(asksHowMany(question) ? [count] : []),
    heading(`${title} (${plural(items.length, one)})`),
    ...items.map((item) => claim(say(item), item.cites)),
  ]
}

/** The script that the question names by what it does, with what is typed; nothing where all scripts are asked for. */
function describeCommands({ lower }: Question, scripts: readonly NamedFact[]): Part[] {
  if (/\bscripts\b/.test(lower)) return []
  const script = scripts.find(({ name }) => new RegExp(`\\b${name.replace(/\W/g, '\\$&')}s?\\b`).test(lower))
  if (!script) return []
  const command = /^(?:test|start)$/.test(script.name) ? `npm ${script.name}` : `npm run ${script.name}`
  return [lead(`Run ${command}: the script ${tick(script.name)} runs ${tick(script.value, 140)}`, script.cites)]
}

/** The entry points that a manifest names. */
function describeEntries(manifest: Manifest): Part[] {
  const single = [
    ['main', 'main file'],
    ['module', 'ES module'],
    ['types', 'types'],
  ].flatMap(([field = '', meaning]) => {
    const fact = manifest.fact(field)
    return fact ? [claim(`${meaning}: ${tick(fact.value)}`, fact.cites)] : []
  })
  const commands = manifest
    .group('bin')
    .map((item) => claim(`command ${tick(item.name)} runs ${tick(item.value)}`, item.cites))
  const exported = manifest
    .group('exports')
    .slice(0, 16)
    .map(({ name, value, cites }) => {
      // `./sub import` where a condition chooses; conditions alone are those of the package itself
      const [first = '', ...rest] = name.split(' ')
      const [path, conditions] = first.startsWith('.') ? [first, rest] : ['.', [first, ...rest]]
      const condition = conditions.length > 0 ? ` (condition ${conditions.map((part) => tick(part)).join(', ')})` : ''
      return value === ''
        ? claim(`exports ${tick(name)}`, cites)
        : claim(`exports ${tick(path)}${condition}: ${tick(value)}`, cites, [path])
    })
  const parts = [...single, ...commands, ...exported]
  return parts.length === 0
    ? [note(`I found no entry point in ${manifest.path}.`)]
    : [heading('Entry points'), ...parts]
}

/** What a package is for: its own description, and how its README begins. */
export function* describePackage(session: ToolSession): Look<Finding> {
  const [tree, manifest] = yield* together([lookAtTree(session), readAskedManifest(session)])
  const path = findReadme(tree)
  const readme = path === undefined ? undefined : yield* session.read(path, { limit: 60 })
  const parts = introduce(manifest, readme, 3)
  const description = manifest?.fact('description')?.value
  if (parts.length > 0) return { parts, facts: { description, purpose: description } }
  const files = plural(tree.files.length, 'file')
  return { parts: [note(`I found no manifest with a description and no README among ${files}.`)], missing: true }
}

/** How the licence file begins. */
function* quoteLicence(session: ToolSession): Look<Part[]> {
  const tree = yield* lookAtTree(session)
  const path = tree.files.map((file) => file.path).find((one) => /^(?:licen[cs]e|copying)(?:[.-]\w+)*$/i.test(one))
  const excerpt = path === undefined ? undefined : yield* session.read(path, { limit: 12 })
  const first = excerpt && numbered(excerpt).find(({ text }) => text.trim() !== '')
  return excerpt && first
    ? [lead(`The licence file begins with ${quote(first.text)}`, [at(excerpt.path, first.line)])]
    : []
}

function* sayNoManifest(session: ToolSession): Look<Finding> {
  const tree = yield* lookAtTree(session)
  return {
    parts: [note(`I found no package manifest among ${plural(tree.files.length, 'file')}, so I cannot say this.`)],
    missing: true,
  }
}
