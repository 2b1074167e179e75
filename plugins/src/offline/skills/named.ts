import { at } from '../cite.ts'
import { type Look, together } from '../look.ts'
import { baseName } from '../paths.ts'
import { claim, heading, type Part } from '../question/cited-sentence.ts'
import { type Kind, kindOf, SORT } from '../question/kind.ts'
import { type Question, unique } from '../question/question.ts'
import { plural, series, tick } from '../question/wording.ts'
import { isSourcePath, isTestPath } from '../read/symbols.ts'
import { says, stemsOf, toTerms } from '../read/terms.ts'
import { type Finding, notFound, type Skill } from '../skill.ts'
import { readAskedManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { isSelf } from './facts.ts'
import { describeFile, describeFolder } from './file.ts'
import { findNamed, type Named } from './find-file.ts'
import { explain, type Known, lookUp, sayDefined } from './look-up.ts'
import { importsOf, listImports, listUsers } from './users.ts'

const MOST_NAMES = 4
const MOST_FILES = 5
const MOST_WORDS = 7
/** Lines of code where they show the steps of something. */
const LONG = 32
const BRIEF = 8
const FILE_LINES = 300

/** What a question asks of things that it calls by their names: files, folders, and what code and documents define. */
export const named: Skill = {
  id: 'named',
  asks: (question) => kindOf(question) !== undefined,
  *work(session) {
    const { question } = session
    const kind = kindOf(question)
    if (kind === undefined) return undefined
    const isOfFolder = question.topics.has('folder') || kind === 'together'
    const found = yield* findNamed(session, isOfFolder ? question.rest : [])
    // a folder that is called by one word of several is not all that is asked about
    const isPartly = kind === 'together' && question.rest.some((word) => !found.said.includes(word))
    const things = isPartly && question.paths.length === 0 ? { ...found, folders: [] } : found
    if (things.missing.length > 0 && things.files.length + things.folders.length === 0) return sayMissing(things)
    const names = namesIn(question, kind)
    const words = names.length + question.paths.length > 0 && kind !== 'together' ? [] : wordsOf(question, kind, names)
    const isUse = kind === 'users' || kind === 'imports'
    const finding = isUse
      ? yield* sayUse(session, kind, things, [...names, ...words], words.length > 0)
      : things.files.length + things.folders.length > 0 && kind !== 'where'
        ? yield* describe(session, things, names, kind)
        : yield* tellAll(session, kind, names, words)
    // "the roadmap of Client", "which companies use it?": what is shown must speak of the rest too
    const isWhole = kind === 'together' || isSaid(askedBeside(question), finding?.parts ?? [])
    return isWhole ? finding : undefined
  },
}

function* tellAll(session: ToolSession, kind: Kind, names: readonly string[], words: readonly string[]) {
  const known = yield* together([...names, ...words].map((name) => lookUp(session, name, kind, words.includes(name))))
  const parts = yield* tell(session, kind, known, new Set(words))
  return parts.length === 0 ? undefined : { parts }
}

const QUESTION_WORD =
  /(?<!\p{L})(?:what|which|where|who|how|was|wie|wo|wer|welche\p{L}*|wozu|wofür|que|quoi|qui|quelle?s?|où)(?!\p{L})|何|どこ|誰|どの/iu

/** What is asked beside the names, without what leads to the question: "I want to touch a.js. Who imports it?" */
function askedBeside({ text, rest }: Question): string[] {
  const clauses = text.split(/(?<=[.?!;:])\s+|,\s+|\s-{1,2}\s/)
  const asking = clauses.findLast((clause) => QUESTION_WORD.test(clause)) ?? text
  return rest.filter((word) => asking.includes(word) && !SORT.test(word))
}

/** Whether parts speak of all these words. */
function isSaid(words: readonly string[], parts: readonly Part[]): boolean {
  const said = stemsOf(parts.flatMap((part) => (part.kind === 'code' ? part.excerpt.lines : [part.text])).join(' '))
  return toTerms(words).every((term) => says(said, term))
}

/** What is spelled like a name, without those of files. */
function namesIn({ identifiers, quoted, paths, rest }: Question, kind: Kind): string[] {
  const inQuotes = quoted.flatMap((item) => /^[\w$@./-]+(?=$|[:=(])/.exec(item)?.[0] ?? [])
  const spelled = unique([...identifiers, ...inQuotes])
  const dashed = kind === 'together' ? [] : rest.filter((word) => /\w-\w/.test(word))
  return (spelled.length + paths.length > 0 ? spelled : dashed)
    .filter((name) => !paths.includes(name))
    .slice(0, MOST_NAMES)
}

/** Words that may be names, where none is spelled like one. */
function wordsOf({ rest, topics, paths, language }: Question, kind: Kind, names: readonly string[]): string[] {
  const words = rest.filter((word) => /^[\w$-]+$/.test(word))
  if (kind === 'together') {
    if (paths.length > 0) return []
    const isName = (word: string): boolean => language !== 'de' && /^[A-Z]/.test(word)
    return words.filter((word) => word.length > 3 && (names.length === 0 || isName(word))).slice(0, MOST_WORDS)
  }
  return rest.length === 1 || (kind === 'what' && (rest.length === 2 || topics.has('option'))) ? words.slice(0, 1) : []
}

const sayMissing = ({ missing, tree }: Named): Finding =>
  notFound(
    `I found no file or folder ${series(missing.map((path) => `\`${path}\``))}: I looked at ${plural(tree.files.length, 'file')} and by its name in every folder.`,
  )

/** Files of code that a word is the name of. */
function filesCalled(words: readonly string[], { tree }: Named): string[] {
  const paths = tree.files
    .map(({ path }) => path)
    .filter((path) => isSourcePath(path) && !isTestPath(path) && !/\.d\.[cm]?ts$/.test(path))
  return words.flatMap((word) => {
    const called = paths.filter(
      (path) =>
        baseName(path)
          .replace(/\.\w+$/, '')
          .toLowerCase() === word.toLowerCase(),
    )
    return called.length === 1 ? called : []
  })
}

/** Whether a file is called without its folder, and others are called so that are not other builds of it. */
function isOneOfMany(asked: readonly string[], file: string | undefined, { tree }: Named): boolean {
  if (file === undefined || asked.some((path) => path.includes('/'))) return false
  const alike = tree.files.map(({ path }) => path).filter((path) => baseName(path) === baseName(file))
  return new Set(alike.map((path) => path.replace(BUILDS, ''))).size > 1
}
const BUILDS = /(?<![^/])(?:dist|build|esm|cjs|umd|commonjs|lib|src)\//g

function* sayUse(
  session: ToolSession,
  kind: Kind,
  things: Named,
  names: readonly string[],
  isWord: boolean,
): Look<Finding | undefined> {
  const isOfFolder = session.question.topics.has('folder') && things.files.length === 0
  // what a package uses stands in its manifest, and not in a file that is called like it
  const manifest = yield* readAskedManifest(session)
  const others = names.filter((word) => !isSelf(word, manifest))
  const [file] = things.files.length > 0 || isOfFolder ? things.files : filesCalled(others, things)
  const [name = file] = names
  if (isOneOfMany(session.question.paths, file, things)) return undefined
  // which packages use this one stands elsewhere
  if (kind === 'users' && file === undefined && names.length > others.length) return undefined
  // "what does one import from the other?"
  if (things.files.length > 1 || (names.length > 1 && !isWord)) return undefined
  if (kind === 'imports') return file === undefined ? undefined : yield* listImports(session, file)
  if (name === undefined || isOfFolder) return undefined
  const isBoth = things.files.length === 0 && file !== undefined && manifest?.needs(name) === true
  if (!isBoth) return yield* listUsers(session, name, file, isWord)
  // a package and a file are called so
  const both = yield* together([listUsers(session, name, undefined, true), listUsers(session, file, file, false)])
  const parts = both.flatMap((one) => one?.parts ?? [])
  return parts.length === 0 ? undefined : { parts }
}

function* describe(session: ToolSession, things: Named, names: readonly string[], kind: Kind): Look<Finding> {
  const isBrief = things.files.length + things.folders.length > 1
  const [excerpts, folders, known] = yield* together([
    session.readAll(things.files.slice(0, MOST_FILES), isBrief ? 120 : FILE_LINES),
    together(things.folders.slice(0, 3).map((path) => describeFolder(session, path))),
    together(names.map((name) => lookUp(session, name, kind))),
  ])
  const told = yield* together(known.map((one) => explain(session, one, 0)))
  return {
    parts: [
      ...told.flat(),
      ...excerpts.flatMap((excerpt) => describeFile(excerpt, isBrief ? 8 : 20)),
      ...folders.flat(),
    ],
  }
}

function* tell(session: ToolSession, kind: Kind, all: readonly Known[], words: ReadonlySet<string>): Look<Part[]> {
  const isOpen = kind === 'where' && session.question.rest.length > 0
  const isKnown = ({ name, definitions, keys }: Known): boolean =>
    definitions.some(({ symbol }) => symbol.kind !== 'property' || !(words.has(name) || isOpen)) ||
    (kind !== 'where' && keys.length > 0)
  const known = all.filter(isKnown)
  if (kind === 'where') {
    const places = yield* together(
      known.filter(({ definitions }) => definitions.length > 0).map((one) => sayDefined(session, one)),
    )
    return places.flat()
  }
  // what is said of some of the names does not answer for all
  if (all.some((one) => !known.includes(one) && (kind === 'what' || !words.has(one.name)))) return []
  if (kind !== 'together') return (yield* together(known.map((one) => explain(session, one)))).flat()
  const isBare = known.every(({ name }) => words.has(name))
  const own = isBare ? known.filter(({ definitions }) => definitions.some(({ symbol }) => symbol.exported)) : known
  // a file of that name shows that it is more than a word
  const isMain = ({ name, definitions: [best] }: Known): boolean =>
    best !== undefined && baseName(best.path).startsWith(`${name}.`)
  if (own.length === 0 || (isBare && own.length < 2 && !own.some(isMain))) return []
  const told = yield* together(own.map((one) => explain(session, one, own.length > 1 ? BRIEF : LONG)))
  return [...told.flat(), ...relate(own), ...(yield* sayHomes(session, own))]
}

/** Lines of code that hold several of the names. */
function relate(known: readonly Known[]): Part[] {
  const lines = known.flatMap(({ mentions }) => mentions)
  const both = lines.filter(
    (hit, index) =>
      lines.findIndex(({ path, line }) => path === hit.path && line === hit.line) === index &&
      known.filter(({ mentions }) => mentions.some(({ path, line }) => path === hit.path && line === hit.line)).length >
        1,
  )
  return [
    heading('Lines with several of them'),
    ...both.slice(0, 8).map(({ path, line, text }) => claim(tick(text, 140), [at(path, line)])),
  ]
}

/** What the files import in which the names are defined. */
function* sayHomes(session: ToolSession, known: readonly Known[]): Look<Part[]> {
  const homes = unique(known.flatMap(({ definitions }) => definitions.slice(0, 1).map(({ path }) => path)))
  const excerpts = yield* session.readAll(homes.slice(0, MOST_FILES), 60)
  return excerpts.flatMap((excerpt) =>
    importsOf(excerpt).length === 0
      ? []
      : [
          heading(`${tick(excerpt.path)} imports`),
          ...importsOf(excerpt).map(({ name, cites }) => claim(tick(name), cites)),
        ],
  )
}
