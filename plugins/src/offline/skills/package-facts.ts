import { at } from '../cite.ts'
import { type Look, together } from '../look.ts'
import type { Part } from '../question/cited-sentence.ts'
import { claim, heading, lead, note } from '../question/cited-sentence.ts'
import type { Question } from '../question/question.ts'
import { plural, quote, tick } from '../question/wording.ts'
import { numbered } from '../read/formats.ts'
import { entryPaths, type Manifest, type NamedFact } from '../read/manifest.ts'
import { type Finding, notFound, type Skill } from '../skill.ts'
import { findReadme, lookAtTree, readAskedManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { introduce } from './introduce.ts'

/** How people ask for each fact, and how it is answered. */
const SINGLE: readonly (readonly [field: string, asked: RegExp, say: string])[] = [
  [
    'name',
    /\bname of (?:the|this) (?:package|project|library)\b|\b(?:package|project|its) name\b|^name\b/,
    'The name is',
  ],
  ['version', /\bversion\b(?! control)/, 'The version is'],
  ['license', /\blicen[cs](?:e[ds]?|ing)\b/, 'The licence is'],
  ['author', /\bauthors?\b|\bwho (?:wrote|made|created|develops)\b/, 'The author is'],
  ['homepage', /\bhome ?page\b|\bweb ?site\b/, 'The homepage is'],
  ['repository', /\b(?:repository|repo|source code|git) (?:url|address|link)\b/, 'The repository is'],
  ['description', /\bdescription\b/, 'The description is'],
]

const DEPENDENCIES = 'dependenc(?:y|ies)\\b'
/** Groups of facts, with the noun for one of them. */
const GROUPS: readonly (readonly [field: string, asked: RegExp, one: string])[] = [
  [
    'scripts',
    /\bscripts?\b|\bnpm run\b|\bhow (?:do|can|to) (?:i |you |we )?(?:build|test|lint|start|run the tests)\b|\bcommands? (?:to|for) (?:run )?(?:the )?(?:build|test|lint|start|check|format|bench)\w*/,
    'script',
  ],
  [
    'dependencies',
    new RegExp(`(?<!\\b(?:dev|development|peer|optional)[ -]?)${DEPENDENCIES}|\\bdepends? on\\b(?! which)`),
    'dependency',
  ],
  ['devDependencies', new RegExp(`\\bdev(?:elopment)?[ -]?${DEPENDENCIES}`), 'development dependency'],
  ['peerDependencies', new RegExp(`\\bpeer[ -]?${DEPENDENCIES}`), 'peer dependency'],
  ['optionalDependencies', new RegExp(`\\boptional[ -]?${DEPENDENCIES}`), 'optional dependency'],
  [
    'engines',
    /\bengines?\b|\b(?:node|python|node\.js) versions?\b|\bversions? of (?:node|python)\b|\b(?:requires?|needs?|supports?) (?:node|python)\b/,
    'engine',
  ],
  ['workspaces', /\bworkspaces\b/, 'workspace'],
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
    ([...SINGLE, ...GROUPS].some(([, asked]) => asked.test(lower)) ||
      [ENTRIES, PURPOSE, NAMED, NEEDS].some((asked) => asked.test(lower))),
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
      return notFound(`I found no \`${foreign}\` among the dependencies of the manifest.`)
    const groups = GROUPS.filter(([, asked]) => asked.test(lower))
    const asksEngine = groups.some(([field]) => field === 'engines')
    const singles = SINGLE.filter(([field, asked]) => asked.test(lower) && !(field === 'version' && asksEngine))
    const asksEntries = ENTRIES.test(lower)
    if (singles.length + groups.length === 0 && !asksEntries) return undefined
    const isLicenceOpen = singles.some(([field]) => field === 'license') && !manifest?.fact('license')
    const licence = isLicenceOpen ? yield* quoteLicence(session) : []
    if (!manifest) return licence.length > 0 ? { parts: licence } : yield* sayNoManifest(session)
    // a document may say it where the manifest does not
    const isEngineOpen = groups.every(([field]) => field === 'engines' && manifest.group(field).length === 0)
    if (singles.length === 0 && isEngineOpen && !asksEntries) return undefined
    const facts: Record<string, unknown> = {}
    const parts: Part[] = []
    for (const [field, , say] of singles) {
      const fact = manifest.fact(field)
      facts[field] = fact?.value
      if (fact && field === 'description') parts.push(lead(`${say}: ${quote(fact.value)}`, fact.cites))
      else if (fact) parts.push(lead(`${say} ${tick(fact.value)}`, fact.cites))
      else if (field === 'license' && licence.length > 0) parts.push(...licence)
      else parts.push(note(`I found nothing about the ${field} in ${manifest.path}.`))
    }
    for (const [field, , one] of groups) {
      const items = narrow(question, manifest.group(field))
      facts[field] = toMap(items)
      if (asksHowMany(question)) facts.count = items.length
      parts.push(...describeGroup(question, manifest, field, one, items))
    }
    if (asksEntries) {
      facts.entryPoints = entryPaths(manifest)
      parts.push(...describeEntries(manifest))
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
  GROUPS.filter(([field]) => /dependencies$/i.test(field))
    .flatMap(([field]) => manifest.group(field))
    .filter(({ name }) => isNamed(question, name))

/** Only the items that the question names, where it names some. */
function narrow(question: Question, items: readonly NamedFact[]): readonly NamedFact[] {
  const named = items.filter(({ name }) => isNamed(question, name))
  return named.length > 0 ? named : items
}

function describeGroup(
  question: Question,
  manifest: Manifest,
  field: string,
  one: string,
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
  const counted = plural(items.length, one)
  const listed = [...cites, ...items.flatMap((item) => item.cites)]
  const say = ({ name: item, value }: NamedFact): string =>
    value === '' ? tick(item) : `${tick(item)} ${field === 'scripts' ? 'runs ' : ''}${tick(value, 140)}`
  return [
    ...(asksHowMany(question)
      ? [lead(`${tick(name ?? manifest.path)} lists ${counted}`, listed, [items.length, manifest.path])]
      : []),
    heading(`It lists ${counted}`),
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
  // `./sub import` where a condition chooses
  const exported = manifest
    .group('exports')
    .slice(0, 16)
    .map(({ name, value, cites }) =>
      claim(value === '' ? `exports ${tick(name)}` : `exports ${tick(name)}: ${tick(value)}`, cites, [name]),
    )
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
  return notFound(`I found no manifest with a description and no README among ${plural(tree.files.length, 'file')}.`)
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
  return notFound(`I found no package manifest among ${plural(tree.files.length, 'file')}, so I cannot say this.`)
}
