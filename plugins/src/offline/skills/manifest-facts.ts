import { toStems } from '@svc/core/text'
import type { Claim, Part } from '../claim.ts'
import { claim, heading, lead, note } from '../claim.ts'
import type { Look } from '../look.ts'
import type { Question } from '../question.ts'
import type { Manifest, NamedFact } from '../read/manifest.ts'
import { readVersion } from '../read/python-version.ts'
import type { Finding, Skill } from '../skill.ts'
import { findReadme, lookAtRoot, readAskedManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { plural, quote, tick } from '../wording.ts'

/** How people ask for each fact, and how it is answered. */
const SINGLE: readonly { field: string; asked: RegExp; say: string }[] = [
  {
    field: 'name',
    asked:
      /\b(?:name of (?:the|this) (?:package|project|library|module)|(?:package|project) name|what is (?:the|this) (?:package|project) called|its name)\b/,
    say: 'The name is',
  },
  {
    field: 'version',
    asked: /\bversion\b(?! (?:of|control).{0,20}(?:node|python|typescript)\b)|\bwhich release\b/,
    say: 'The version is',
  },
  { field: 'license', asked: /\blicen[cs](?:e[ds]?|ing)\b/, say: 'The licence is' },
  { field: 'author', asked: /\bauthors?\b|\bwho (?:wrote|made|created|develops)\b/, say: 'The author is' },
  { field: 'homepage', asked: /\bhome ?page\b|\bweb ?site\b/, say: 'The homepage is' },
  {
    field: 'repository',
    asked:
      /\b(?:repository|repo|source code|git) (?:url|address|link|hosted)|\bwhere is (?:the|its) (?:repository|repo|source code)\b|\brepository field\b/,
    say: 'The repository is',
  },
  {
    field: 'bugs',
    asked: /\b(?:bugs?|issues?) (?:url|tracker|reported)|\breport (?:a )?bugs?\b/,
    say: 'Bugs are reported at',
  },
  { field: 'description', asked: /\bdescription\b/, say: 'The description is' },
  { field: 'type', asked: /\b(?:module (?:type|system|format)|esm|commonjs|es modules?)\b/, say: 'The module type is' },
  {
    field: 'packageManager',
    asked: /\bpackage manager\b|\bbuild backend\b/,
    say: 'The package manager or build backend is',
  },
  { field: 'private', asked: /\bprivate\b/, say: 'The manifest sets private to' },
  { field: 'sideEffects', asked: /\bside ?effects?\b/, say: 'The manifest sets sideEffects to' },
]

const GROUPS: readonly { field: string; asked: RegExp; title: string; one: string }[] = [
  {
    field: 'scripts',
    asked:
      /\bscripts?\b|\bnpm run\b|\bhow (?:do|can|to) (?:i |you |we )?(?:build|test|lint|start|run the tests)\b|\bcommands? (?:to|for|that) (?:i |you )?(?:run |runs )?(?:the |all )?(?:build|test|lint|start|check|format|bench)\w*/,
    title: 'Scripts',
    one: 'script',
  },
  {
    field: 'dependencies',
    asked:
      /\b(?<!dev |dev|peer |peer|optional |optional|development )dependenc(?:y|ies)\b|\bdepends? on\b(?! which)|\brequirements?\b/,
    title: 'Dependencies',
    one: 'dependency',
  },
  {
    field: 'devDependencies',
    asked: /\bdev(?:elopment)?[ -]?dependenc(?:y|ies)\b|\bdevdependencies\b/,
    title: 'Development dependencies',
    one: 'development dependency',
  },
  {
    field: 'peerDependencies',
    asked: /\bpeer[ -]?dependenc(?:y|ies)\b/,
    title: 'Peer dependencies',
    one: 'peer dependency',
  },
  {
    field: 'optionalDependencies',
    asked: /\boptional[ -]?dependenc(?:y|ies)\b/,
    title: 'Optional dependencies',
    one: 'optional dependency',
  },
  {
    field: 'engines',
    asked:
      /\bengines?\b|\b(?:node|python|node\.js|rust|go) versions?\b|\bversions? of (?:node|python|node\.js)\b|\b(?:requires?|needs?|supports?) (?:node|python)\b/,
    title: 'Engines',
    one: 'engine',
  },
  { field: 'keywords', asked: /\bkeywords?\b|\b(?:npm|package) tags\b/, title: 'Keywords', one: 'keyword' },
  { field: 'maintainers', asked: /\bmaintain(?:er|ers|s|ed)\b/, title: 'Maintainers', one: 'maintainer' },
  { field: 'workspaces', asked: /\bworkspaces\b/, title: 'Workspaces', one: 'workspace' },
  {
    field: 'files',
    asked: /\b(?:published|packed) files\b|\bfiles (?:are )?(?:published|packed|field)\b/,
    title: 'Published files',
    one: 'entry',
  },
  { field: 'funding', asked: /\bfunding\b|\bsponsors?\b/, title: 'Funding', one: 'entry' },
]

/** Version, licence, author, dependencies, scripts: what the manifest says, each with its line. */
export const manifestFacts: Skill = {
  id: 'manifest-facts',
  asks: (question) =>
    asksForManifest(question) &&
    (singlesOf(question).length > 0 || groupsOf(question).length > 0 || NEEDS.test(question.lower)),
  *work(session) {
    const manifest = yield* readAskedManifest(session)
    const singles = singlesOf(session.question)
    const groups = groupsOf(session.question)
    if (!manifest && singles.length + groups.length === 0) return { parts: [], answered: false }
    if (!manifest)
      return yield* withoutManifest(
        session,
        singles.map((single) => single.field),
      )
    const needed = NEEDS.test(session.question.lower) ? namedDependencies(session.question, manifest) : []
    if (needed.length > 0) return describeNeeded(needed)
    if (singles.length + groups.length === 0) return { parts: [], answered: false }
    const parts: Part[] = []
    const facts: Record<string, unknown> = {}
    for (const { field, say } of singles) {
      const fact = field === 'version' ? yield* readVersion(session, manifest) : manifest.fact(field)
      if (fact) {
        facts[field] = fact.value
        parts.push(
          lead(field === 'description' ? `${say}: ${quote(fact.value)}` : `${say} ${tick(fact.value)}`, fact.cites),
        )
      } else parts.push(yield* sayMissing(session, manifest, field))
    }
    for (const { field, title, one } of groups) {
      const items = narrow(session.question, manifest.group(field))
      facts[field] = Object.fromEntries(items.map((item) => [item.name, item.value]))
      if (asksHowMany(session.question)) {
        facts.count = items.length
        parts.push(...countGroup(manifest, one, items))
      }
      const commands = field === 'scripts' ? describeCommands(session.question, manifest, items) : []
      parts.push(...(commands.length > 0 ? commands : describeGroup(manifest, field, title, one, items)))
    }
    return { parts, facts, answered: true, missing: parts.every((part) => part.kind === 'note') }
  },
}

const NEEDS = /\b(?:need|require|depend|use|want|ask)s?\b(?! files?)|\bdependenc(?:y|ies)\b/

/** The dependencies, of whichever kind, that the question names. */
function namedDependencies(question: Question, manifest: Manifest): NamedFact[] {
  const kinds = GROUPS.filter(({ field }) => /dependencies$/i.test(field))
  const named = kinds.flatMap(({ field }) => manifest.group(field)).filter(({ name }) => isNamed(question, name))
  return asksHowMany(question) ? [] : named
}

function describeNeeded(items: readonly NamedFact[]): Finding {
  return {
    parts: items.map((item) => lead(`It needs ${tick(item.name)} ${tick(item.value)}`.replace(' ``', ''), item.cites)),
    facts: { dependencies: Object.fromEntries(items.map(({ name, value }) => [name, value])) },
    answered: true,
  }
}

const isNamed = ({ text }: Question, name: string): boolean =>
  name.length > 1 && text.split(/[\s`"',?]+/).includes(name)

/** A word such as "version" asks for the manifest only where the question is not about a function, a table or a memory. */
const asksForManifest = (question: Question): boolean =>
  !/\b(?:column|rows?|csv|records?)\b/.test(question.lower) &&
  !/\b(?:which|what) files? (?:imports?|uses?|mentions?)\b/.test(question.lower) &&
  !question.paths.some((path) => /\.(?:csv|tsv|[cm]?[jt]sx?|py)$/.test(path))

/** How something is done is no value of a field: "how do I check a version". */
const HOW_TO = /\bhow (?:do|can|to|should|would|could)\b/

const singlesOf = (question: Question) =>
  (HOW_TO.test(question.lower) ? [] : SINGLE)
    .filter(({ asked }) => asked.test(question.lower))
    .filter(
      ({ field }) =>
        field !== 'version' ||
        !/\b(?:node|python|node\.js) versions?\b|\bversions? of (?:node|python|node\.js)\b/.test(question.lower),
    )
const groupsOf = (question: Question) => GROUPS.filter(({ asked }) => asked.test(question.lower))

/** Only the items that the question names, where it names some: "which version of chalk does it depend on". */
function narrow(question: Question, items: readonly NamedFact[]): readonly NamedFact[] {
  const named = items.filter(({ name }) => isNamed(question, name))
  return named.length > 0 ? named : items
}

const asksHowMany = ({ lower }: Question): boolean => /\b(?:how many|number of|count)\b/.test(lower)

/** How many items a group has, with the lines that hold them, so that they can be counted. */
function countGroup(manifest: Manifest, one: string, items: readonly NamedFact[]): Part[] {
  if (items.length === 0) return []
  const name = manifest.fact('name')?.value ?? manifest.path
  const count = `${manifest.isWhole ? '' : 'at least '}${plural(items.length, one)}`
  const cites = [...manifest.nameCites(), ...items.flatMap((item) => item.cites)]
  return [lead(`${tick(name)} lists ${count}`, cites, [items.length, manifest.path])]
}

/** The scripts that the question names by what they do, each with what is typed; none where all scripts are asked for. */
function describeCommands({ lower, stems }: Question, manifest: Manifest, scripts: readonly NamedFact[]): Part[] {
  if (/\bscripts\b/.test(lower) || manifest.ecosystem !== 'npm') return []
  const held = ({ name }: NamedFact): number => {
    const words = toStems(name.replace(/[:_-]/g, ' '))
    const [first = ''] = words
    const isAsked = stems.has(first) || (first.length > 3 && [...stems].some((stem) => stem.startsWith(first)))
    return isAsked ? (1 + words.slice(1).filter((word) => stems.has(word)).length) / words.length : 0
  }
  return scripts
    .filter((script) => held(script) > 0)
    .sort((a, b) => held(b) - held(a))
    .map((script, index) => {
      const command = /^(?:test|start)$/.test(script.name) ? `npm ${script.name}` : `npm run ${script.name}`
      const text = `${command}: the script ${tick(script.name)} runs ${tick(script.value, 140)}`
      return index === 0 ? lead(`Run ${text}`, script.cites) : claim(text, script.cites)
    })
}

/** One group as a heading and its items; one sentence where there are none. */
function describeGroup(
  manifest: Manifest,
  field: string,
  title: string,
  one: string,
  items: readonly NamedFact[],
): Part[] {
  if (items.length === 0) {
    const cites = manifest.nameCites()
    const name = manifest.fact('name')?.value
    const none = `lists no ${one.endsWith('y') ? `${one.slice(0, -1)}ies` : `${one}s`}`
    return cites.length > 0 && name !== undefined
      ? [lead(`The manifest of ${tick(name)} ${none}`, cites)]
      : [note(`${manifest.path} ${none}.`)]
  }
  return [heading(`${title} (${plural(items.length, one)})`), ...items.map((item) => describeItem(field, item))]
}

function describeItem(field: string, item: NamedFact): Claim {
  if (item.value === '') return claim(tick(item.name), item.cites)
  if (field === 'scripts') return claim(`${tick(item.name)} runs ${tick(item.value, 140)}`, item.cites)
  return claim(`${tick(item.name)} ${tick(item.value)}`, item.cites)
}

function* sayMissing(session: ToolSession, manifest: Manifest, field: string): Look<Part> {
  if (field === 'license') {
    const [fromFile] = yield* readLicenceFile(session)
    if (fromFile) return fromFile
  }
  const name = manifest.fact('name')
  if (field === 'type' && manifest.ecosystem === 'npm' && name)
    return lead(
      `The manifest of ${tick(name.value)} sets no type, so Node takes its files for CommonJS unless they end in .mjs`,
      name.cites,
    )
  if (field === 'private' && name) return lead(`The manifest of ${tick(name.value)} does not set private`, name.cites)
  return note(`I found nothing about the ${field} in ${manifest.path}.`)
}

function* readLicenceFile(session: ToolSession): Look<Claim[]> {
  const root = yield* lookAtRoot(session)
  const path = root.files.map((file) => file.path).find((other) => /^(?:licen[cs]e|copying)(?:[.-]\w+)*$/i.test(other))
  const excerpt = path === undefined ? undefined : yield* session.read(path, { limit: 12 })
  const index = excerpt?.lines.findIndex((line) => line.trim() !== '') ?? -1
  if (!excerpt || index < 0) return []
  return [
    lead(`The licence file begins with ${quote(excerpt.lines[index] ?? '')}`, [
      { path: excerpt.path, from: excerpt.first + index },
    ]),
  ]
}

function* withoutManifest(session: ToolSession, fields: readonly string[]): Look<Finding> {
  const root = yield* lookAtRoot(session)
  const parts: Part[] = fields.includes('license') ? yield* readLicenceFile(session) : []
  const readme = findReadme(root)
  const rest = fields.filter((field) => field !== 'license' || parts.length === 0)
  if (rest.length > 0 || fields.length === 0)
    parts.push(
      note(
        `I found no package manifest among the ${plural(root.files.length, 'file')} and ${plural(root.folders.length, 'folder')} at the top of the workspace${readme === undefined ? '' : ', only a README'}, so I cannot say its ${rest.join(', ') || 'contents'}.`,
      ),
    )
  return { parts, answered: true, missing: parts.every((part) => part.kind === 'note') }
}
