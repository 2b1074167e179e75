import { at } from '../cite.ts'
import { type Look, together } from '../look.ts'
import type { Part } from '../question/cited-sentence.ts'
import { claim, heading, lead } from '../question/cited-sentence.ts'
import { kindOf } from '../question/kind.ts'
import type { Question } from '../question/question.ts'
import { type Topic, topicsIn } from '../question/topics.ts'
import { plural, quote, tick } from '../question/wording.ts'
import { entryPaths, FACT_NAMES, type Manifest, type NamedFact } from '../read/manifest.ts'
import { readSections } from '../read/sentences.ts'
import { asPattern, says, stemsOf, toTerms } from '../read/terms.ts'
import { type Finding, notFound, type Skill } from '../skill.ts'
import { findReadme, lookAtTree, readAskedManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { introduce, listNames } from './introduce.ts'

/** Facts of several values, and the noun for one of them. */
const GROUPS: Readonly<Record<string, string>> = {
  scripts: 'script',
  devDependencies: 'development dependency',
  peerDependencies: 'peer dependency',
  dependencies: 'dependency',
  engines: 'engine',
  bin: 'command',
}
const TOLD_OF_NEEDED: readonly string[] = ['version', 'engines', 'dependencies', 'devDependencies', 'peerDependencies']
const PARTS: readonly string[] = ['scripts', 'bin', 'main']
const COMMANDS: readonly string[] = ['testScript', 'command']
const ASKED: readonly Topic[] = [
  ...topicsIn('name version license author main testScript command'),
  ...(Object.keys(GROUPS) as Topic[]),
]
/** What may stand beside them without asking for something else. */
const BESIDE: ReadonlySet<Topic> = new Set([
  ...ASKED,
  ...topicsIn('self purpose how count uses needs defined where test file default summary'),
])

/** What a dependency is for, which ones may be missing, and what Node.js brings along: no manifest says so. */
const ELSEWHERE =
  /(?:used|needed|required|good) for\b|\bwhat for\b|^(?:wozu|wofür|à quoi)|\boptional dependenc|\bnode(?:\.?js)?[- ](?:core |built-?in )?modules?|built-?in modules?/
const USERS =
  /(?<!\p{L})(?:who|wer|qui|what(?= \p{L}+s (?:on |upon )?[\w@])|(?:which|what|welche[rs]?|quels?) \p{L}+) (?:(?!it|this|the)\p{L}+ )?(?:uses?|imports?|requires?|needs?|loads?|calls?|depends?|relies|benutz\p{L}*|verwend\p{L}*|nutz\p{L}*|importier\p{L}*|utilis\p{L}*|import\p{L}*)(?!\p{L})/u

/** What the manifest says: purpose, version, licence, author, dependencies, scripts, entry points, each with its line. */
export const facts: Skill = {
  id: 'facts',
  asks: (question) =>
    [...question.topics].every((topic) => BESIDE.has(topic)) &&
    // what of it uses a dependency stands in the code
    (kindOf(question) !== 'users' || question.topics.has('version') || !USERS.test(question.lower)) &&
    !ELSEWHERE.test(question.lower) &&
    question.paths.every((path) => /(?:^|\/)(?:package\.json|pyproject\.toml)$/i.test(path) || path.endsWith('/')) &&
    (ASKED.some((topic) => question.topics.has(topic)) ||
      fieldsIn(question).length > 0 ||
      asksNeeds(question) ||
      isAboutSelf(question)),
  *work(session) {
    const { question } = session
    const { topics } = question
    const manifest = yield* readAskedManifest(session)
    const asked: string[] = [...ASKED.filter((topic) => topics.has(topic)), ...fieldsIn(question)]
    // what a dependency is like, and how many files use it, no manifest says
    const isOfOther = topics.has('count') || asked.some((field) => !TOLD_OF_NEEDED.includes(field))
    // what a part of it needs, and how many authors there are, the manifest does not say
    if (topics.has('count') && asked.includes('author')) return undefined
    if (asksNeeds(question) && asked.length > 0 && asked.every((field) => PARTS.includes(field))) return undefined
    const needed = manifest && !isOfOther && namesOf(question).length > 0 ? namedDependencies(question, manifest) : []
    // "what does the parser need?", where a package is called so too
    if (
      needed.some(({ name }) => new RegExp(`\\b(?:does|do) (?:the )?${asPattern(name)}(?![\\w-])`).test(question.lower))
    )
      return undefined
    const open = namesOf(question).filter(
      (word) => !isSelf(word, manifest) && !asked.includes(word) && !needed.some(({ name }) => name === word),
    )
    if (asked.length === 0 && !asksNeeds(question)) {
      const isSelfOnly = namesOf(question).every((word) => isSelf(word, manifest))
      return isSelfOnly ? yield* describePackage(session) : undefined
    }
    if (asked.includes('license') && manifest?.fact('license') === undefined) return yield* quoteLicence(session)
    if (!manifest) return undefined
    const isCommand = !topics.has('count') && (COMMANDS.some((topic) => asked.includes(topic)) || topics.has('scripts'))
    const script = isCommand ? findScript(question, manifest) : undefined
    if (script) return { parts: [sayCommand(script)] }
    if (asked.every((topic) => COMMANDS.includes(topic)) && asked.length > 0) return undefined
    if (topics.has('count') && topics.has('main')) return undefined
    // a word that nothing here explains asks for something else
    const isOfEngine = topics.has('engines') && open.every((word) => /^[\d.x]+$/.test(word))
    if (
      open.length > 0 &&
      !isOfEngine &&
      !(
        asked.length > 0 &&
        asked.every((topic) => LOOSE.includes(topic)) &&
        open.every((word) => isAside(word, question)) &&
        // "which dependencies are scoped?"
        isListed(open, manifest, asked) &&
        // Node.js is no engine of a database
        (!asked.includes('engines') || topics.has('version') || /version/.test(question.lower))
      )
    )
      return undefined
    if (needed.length > 0 && needed.every(({ name }) => !isSelf(name, manifest)))
      return { parts: needed.map(sayNeeded), facts: { dependencies: toMap(needed) } }
    return describe(question, manifest, asked)
  },
}

/** What the licence file begins with, where no manifest names one. */
function* quoteLicence(session: ToolSession): Look<Finding | undefined> {
  const { files } = yield* lookAtTree(session)
  const path = files.map((file) => file.path).find((name) => /^(?:licen[cs]e|copying)(?:\.\w{1,8})?$/i.test(name))
  const shown = path === undefined ? undefined : yield* session.read(path, { limit: 5 })
  const line = shown?.lines.findIndex((text) => text.trim() !== '') ?? -1
  const text = shown?.lines[line]
  return path === undefined || text === undefined ? undefined : { parts: [lead(quote(text), [at(path, line + 1)])] }
}

/** Fields of a manifest that a question calls by their names. */
const fieldsIn = ({ rest }: Question): string[] => FACT_NAMES.filter((name) => rest.includes(name))

/** Lists in which what is asked for stands, whatever is said beside it. */
const LOOSE: readonly string[] = ['engines', 'dependencies', 'devDependencies', 'peerDependencies', 'scripts']

/** Whether the lists that are asked for speak of all these words. */
function isListed(words: readonly string[], manifest: Manifest, fields: readonly string[]): boolean {
  const items = fields.flatMap((field) => [{ name: field, value: '' }, ...manifest.group(field)])
  const said = stemsOf(items.map(({ name, value }) => `${name} ${value}`).join(' '))
  return fields.includes('engines') || toTerms(words).every((term) => term.typed === 'optional' || says(said, term))
}

/** A plain word that is not what the fact is asked of: no name, and not behind "of", "in" or "for". */
const isAside = (word: string, { text, rest }: Question): boolean =>
  rest.length <= 2 &&
  /^\p{Ll}+$/u.test(word) &&
  !new RegExp(
    `(?<!\\p{L})(?:of|in|for|from|by|von|für|in|des|der|de|du|dans|pour)(?: (?:the|a|an|its|die|den|dem|le|la|les))? ${word}`,
    'iu',
  ).test(text)

function describe(question: Question, manifest: Manifest, asked: readonly string[]): Finding | undefined {
  const found: Record<string, unknown> = {}
  const parts: Part[] = []
  const fields: readonly string[] = asked.length > 0 ? asked : ['dependencies']
  const isVersion = fields.includes('version') && !fields.includes('engines')
  for (const field of fields) {
    const isSingle = FACT_NAMES.includes(field) && field !== 'main'
    const one = GROUPS[field]
    const fact = manifest.fact(field)
    if (isSingle && (field !== 'version' || isVersion)) {
      if (fact) parts.push(lead(`The ${field === 'license' ? 'licence' : field} is ${tick(fact.value)}`, fact.cites))
      found[field] = fact?.value
    } else if (one !== undefined) {
      const items = manifest.group(field)
      // a document may say what the manifest leaves out
      if (items.length === 0 && (field === 'engines' || field === 'bin')) continue
      if (question.topics.has('count')) found.count = items.length
      found[field] = toMap(items)
      parts.push(...describeGroup(manifest, field, one, items))
    }
  }
  if (fields.includes('main')) {
    parts.push(...describeEntries(manifest))
    found.entryPoints = entryPaths(manifest)
  }
  return parts.length === 0 ? undefined : { parts, facts: found }
}

/** What it depends on, without the word for it. */
function asksNeeds({ topics, identifiers, lower }: Question): boolean {
  return (
    (topics.has('needs') || topics.has('uses')) &&
    !topics.has('where') &&
    identifiers.length === 0 &&
    !/\b(?:who|wer|qui|companies|projects|people)\b|誰/.test(lower)
  )
}

/** "What is this?" and "What does express do?": nothing but the package is spoken of. */
const isAboutSelf = ({ topics, paths, rest, identifiers, text }: Question): boolean =>
  (topics.has('purpose') || topics.has('summary')) &&
  [...topics].every((topic) => ['purpose', 'summary', 'self', 'uses'].includes(topic)) &&
  paths.length + identifiers.length === 0 &&
  (rest.length === 1 || topics.has('self') || /\bthis\b|\bdas hier\b|\bceci\b|これ|この/i.test(text))

const namesOf = ({ rest, identifiers, quoted }: Question): string[] => [
  ...new Set([...rest, ...identifiers, ...quoted]),
]

/** Whether a word of the question is the package itself, as people write its name. */
export function isSelf(word: string, manifest: Manifest | undefined): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/^@[^/]*\/|[-_.]|(?:\.?js|’s|'s)$/g, '')
  return plain(word) === plain(manifest?.fact('name')?.value ?? '')
}

const toMap = (items: readonly NamedFact[]) => Object.fromEntries(items.map(({ name, value }) => [name, value]))
const KINDS = {
  dependencies: 'dependency',
  devDependencies: 'development dependency',
  peerDependencies: 'peer dependency',
  optionalDependencies: 'optional dependency',
}

/** The dependencies, of whichever kind, that the question names. */
const namedDependencies = (question: Question, manifest: Manifest) =>
  Object.entries(KINDS).flatMap(([field, kind]) =>
    manifest
      .group(field)
      .filter(({ name }) => namesOf(question).includes(name))
      .map((fact) => ({ ...fact, kind })),
  )

const sayNeeded = ({ name, value, cites, kind }: ReturnType<typeof namedDependencies>[number]): Part =>
  lead(`${tick(name)}${value === '' ? '' : ` ${tick(value)}`} is ${/^o/.test(kind) ? 'an' : 'a'} ${kind}`, cites)

function describeGroup(manifest: Manifest, field: string, one: string, items: readonly NamedFact[]): Part[] {
  const cites = manifest.nameCites()
  const name = manifest.fact('name')?.value
  if (items.length === 0)
    return name === undefined ? [] : [lead(`The manifest of ${tick(name)} lists no ${plural(2, one).slice(2)}`, cites)]
  const listed = [...cites, ...items.flatMap((item) => item.cites)]
  const say = ({ name: item, value }: NamedFact): string =>
    value === '' || value === item
      ? tick(item)
      : `${tick(item)} ${field === 'scripts' || field === 'bin' ? 'runs ' : ''}${tick(value, 140)}`
  return [
    lead(`${tick(name ?? manifest.path)} lists ${plural(items.length, one)}`, listed.slice(0, 1), [
      items.length,
      name ?? '',
      manifest.path,
    ]),
    heading(field),
    ...items.slice(0, MOST_ITEMS).map((item) => claim(say(item), item.cites)),
  ]
}
const MOST_ITEMS = 40

/** The script that the question names, by its name or by what it does. */
function findScript({ topics, rest, text }: Question, manifest: Manifest): NamedFact | undefined {
  const scripts = manifest.group('scripts')
  const named = scripts.find(
    ({ name }) =>
      rest.some((word) => word === name || (name.length >= 4 && word.toLowerCase().startsWith(name))) ||
      new RegExp(`[\`"' ]${asPattern(name)}[\`"']`).test(text),
  )
  if (named) return named
  const field = topics.has('testScript') ? 'test' : undefined
  const main = scripts.find(({ name }) => name === field)
  return main && rest.every((word) => /^(?:unit|tools?|runs?|frameworks?|local(?:ly)?)$/i.test(word)) ? main : undefined
}

function sayCommand({ name, value, cites }: NamedFact): Part {
  const command = /^(?:test|start)$/.test(name) ? `npm ${name}` : `npm run ${name}`
  return lead(`Run ${command}: the script ${tick(name)} runs ${tick(value, 140)}`, cites)
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
  const isSilent = single.length + exported.length === 0 && manifest.isNpm
  const parts = [
    ...(isSilent
      ? [claim('main file: `index.js`, as the manifest names none', manifest.nameCites(), ['index.js'])]
      : []),
    ...single,
    ...commands,
    ...exported,
  ]
  return parts.length === 0 ? [] : [heading('The manifest names'), ...parts]
}

/** What a package is for: its own description, and how its README begins. */
export function* describePackage(session: ToolSession): Look<Finding> {
  const [tree, manifest] = yield* together([lookAtTree(session), readAskedManifest(session)])
  const path = findReadme(tree)
  const readme = path === undefined ? undefined : yield* session.read(path, { limit: README_LINES })
  const titles = readme
    ? readSections(readme)
        .filter(({ level }) => level === 2 || level === 3)
        .slice(0, 14)
        .map(({ title, from }) => ({ name: title, cites: [at(readme.path, from)] }))
    : []
  const parts: Part[] = [
    ...introduce(manifest, readme, 5, quote, true),
    ...listNames('Keywords:', manifest?.group('keywords') ?? [], 200),
    ...(titles.length < 2 ? [] : listNames('Sections of its README:', titles, 400)),
  ]
  const description = manifest?.fact('description')?.value
  if (parts.length > 0) return { parts, facts: { description, purpose: description } }
  return notFound(`I found no manifest with a description and no README among ${plural(tree.files.length, 'file')}.`)
}

/** Lines of a README, as many as are read of any file that is summarised. */
const README_LINES = 160
