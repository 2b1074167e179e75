import { isStopWord } from '@svc/core/text'
import { at, type Cite } from '../cite.ts'
import { together } from '../look.ts'
import { baseName, folderOf } from '../paths.ts'
import { claim, heading, lead } from '../question/cited-sentence.ts'
import { type Question, uniqueBy } from '../question/question.ts'
import { type Topic, topicsIn } from '../question/topics.ts'
import { tick } from '../question/wording.ts'
import type { Hit } from '../read/formats.ts'
import { isSourcePath, isTestPath, readDefinition } from '../read/symbols.ts'
import { says, stemsOf, type Term, toTerms } from '../read/terms.ts'
import type { Finding, Skill } from '../skill.ts'
import { SOURCES } from './definition.ts'

const MOST_HITS = 15
const MOST_FILES = 25
const MOST_TERMS = 7
const MOST_SHOWN = 3
const MOST_ALIKE = 3
const MOST_CANDIDATES = 4
/** The next file must say so much less than the best one. */
const SHARE = 0.75
const FORBIDDEN: readonly Topic[] = ['why', 'judgement', 'change']
/** Topics whose words are none of what it is about; those of others are: "the default values", "the command line tool". */
const FORM = topicsIn(
  'where defined purpose self file function class method interface typeWord constant option effect ' +
    'how needs uses summary count exports folder',
)
/** Words of such questions that name no thing. */
const VAGUE =
  /^(?:codes?|handl(?:ing|ed|es?|er)|logic|parts?|places?|stuff|sources?|sets?|kept|stored|computed|calculated|done|happens?|variants?|helpers?|turns?|need|responsible|bits?|work|works|new|other|different|own|so|dealt|takes?|built|made|decides?|whether|checks?|checked|initiali[sz]ed|created|produced|performed|actual|actually|real|api|level|spot|exactly|thing|look|looks|looking|looked|way|where|which|what|files?|folders?|find|found|defin(?:ed|ition)|implement(?:s|ed|ation)?|declared|located|lives?|lies|written|i|see|want|open|touch|edit|show|point|tell|please|two|one|three|first|several|something|somebody|someone|responsible|contains?|holds?|has|have|gets?|got|goes|does|would|could|module|directory|repo|repository|switched|off|turned|entries|like|etc|belong|belongs|uses?|used|using|exact|hidden|concerning|regarding|via|actually|whole|main|feature|mechanism|process|processed|method|managed|maintained|controlled|controls|reside|resides|sits?|taken|place|care|into)$/i

/** Where something is that the question does not call by its name: the file whose name or definitions say all of it. */
export const locate: Skill = {
  id: 'locate',
  asks: (question) =>
    question.topics.has('where') &&
    question.paths.length === 0 &&
    wordsOf(question).length > 0 &&
    !FORBIDDEN.some((topic) => question.topics.has(topic)) &&
    // what uses a thing is another question than where it is
    !question.topics.has('needs') &&
    /^(?:need(?:s|ed)?(?: |$))*$/i.test(question.told.get('uses') ?? ''),
  *work(session) {
    const { quoted } = session.question
    const own = yield* session.search('"name":', { pattern: 'package.json', limit: 2 })
    const isSelf = (word: string): boolean =>
      own?.hits.some(({ path, text }) => path === 'package.json' && text.includes(`"${word.toLowerCase()}"`)) === true
    const terms = toTerms(wordsOf(session.question).filter((word) => !isSelf(word)))
    if (terms.length === 0 || terms.length > MOST_TERMS) return undefined
    const [listings, searches] = yield* together([
      together(terms.map((term) => session.list({ depth: 12, pattern: namedBy(term), limit: MOST_FILES }))),
      together(terms.map(({ sought }) => session.search(sought, { pattern: SOURCES, limit: MOST_HITS }))),
    ])
    const first = searches.flatMap((found) => found?.hits ?? [])
    const paths = [
      ...new Set([
        ...listings
          .flatMap((one) => one?.files ?? [])
          .map(({ path }) => path)
          .filter(isSourcePath),
        ...first.map(({ path }) => path),
      ]),
    ]
    const candidates = rank(paths, first, terms).slice(0, MOST_CANDIDATES)
    // a search of everything shows the first lines only, and may leave out these files
    const isCut = (index: number): boolean => (searches[index]?.more ?? 0) > 0
    const more = yield* together(
      candidates.flatMap(({ path }) =>
        terms.flatMap(({ sought }, index) => (isCut(index) ? [session.search(sought, { path, limit: 3 })] : [])),
      ),
    )
    const hits = uniqueBy(
      [...first, ...more.flatMap((found) => found?.hits ?? [])],
      ({ path, line }) => `${path}:${line}`,
    )
    const [best, ...others] = rank(
      candidates.map(({ path }) => path),
      hits,
      terms,
    )
    // the same in another form: `a.cjs` beside `a.js`
    const isForm = ({ path }: Weighed): boolean =>
      best?.path.replace(/\.[cm]?[jt]sx?$/, '') === path.replace(/\.[cm]?[jt]sx?$/, '')
    const next = others.filter((other) => !isForm(other))
    const phrased = first.filter(
      (hit) =>
        quoted.some((text) => /\S\s\S/.test(text) && hit.text.toLowerCase().includes(text.toLowerCase())) &&
        !isTestPath(hit.path) &&
        !ASIDE.test(hit.path),
    )
    const [phrase] = phrased
    if (phrase && phrased.every(({ path }) => path === phrase.path)) return sayPlace(phrase.path, phrased)
    const folders = listings
      .flatMap((one) => one?.folders ?? [])
      .filter(
        (folder) =>
          terms.length === 1 && terms.every((term) => stemsOf(baseName(folder.replace(/\/$/, ''))).has(term.stem)),
      )
    const [folder] = folders
    if (folder && folders.every((other) => other.startsWith(folder)))
      return { parts: [lead(`They are in the folder ${tick(folder)}`, [{ path: folder }])], facts: { path: folder } }
    if (!best) return undefined
    if (isSure(best, next[0], terms.length)) return sayPlace(best.path, best.lines)
    const alike = next.filter(
      (other) => other.held === best.held && other.calls > 0 && other.score > best.score * SHARE,
    )
    if (!isCalledSo(best, terms.length) || alike.length === 0 || alike.length >= MOST_ALIKE) return undefined
    return sayPlaces([best, ...alike])
  },
}

/** Several files that are called so, each with the line that says most. */
const sayPlaces = (some: readonly Weighed[]): Finding => ({
  parts: [
    heading(`${some.length} files are called so`),
    ...some.map(({ path, lines: [line] }) =>
      claim(line ? `${tick(path)}: ${tick(line.text, 110)}` : tick(path), [placeOf(path, line)], [path]),
    ),
  ],
  facts: { files: some.map(({ path }) => path) },
})

const placeOf = (path: string, line: Hit | undefined): Cite =>
  line ? at(path, line.line) : { path: folderOf(path) || './' }

function sayPlace(path: string, lines: readonly Hit[]): Finding {
  const shown = lines.slice(0, MOST_SHOWN)
  return {
    parts: [
      lead(`It is in ${tick(path)}`, [placeOf(path, shown[0])], [path]),
      ...shown.map(({ line, text }) => claim(tick(text, 140), [at(path, line)])),
    ],
    facts: { file: path, path },
  }
}

/** What it is about: names, quotations, and the words that say more than that it is somewhere. */
function wordsOf({ text, rest, quoted, identifiers, told, language }: Question): string[] {
  const spelled = [...quoted, ...identifiers.filter((name) => !quoted.includes(name))]
  const left = spelled.reduce((said, name) => said.replaceAll(name, ' '), text)
  const content = [...told].filter(([topic]) => !FORM.has(topic)).map(([, words]) => words)
  const all = language === 'en' ? (left.match(/[\p{L}\p{N}_$-]+/gu) ?? []) : [...rest, ...content]
  const words = all.flatMap((word) => (/[A-Z][^-A-Z]*-/.test(word) ? [word] : word.split(/[\s-]+/)))
  const telling = words.filter((word) => word.length > 1 && !isStopWord(word.toLowerCase()) && !VAGUE.test(word))
  const strong = telling.filter((word) => !WEAK.test(word))
  return [...spelled, ...(strong.length + spelled.length > 0 ? strong : telling)]
}
/** Words that name a thing only where nothing else does. */
const WEAK =
  /^(?:options?|settings?|arguments?|parameters?|flags?|summar(?:y|ies)|functions?|class(?:es)?|methods?|types?|interfaces?|constants?|variables?|values?|objects?|strings?|names?|default|runtime|packages?|projects?|librar(?:y|ies)|modules?|exports?|versions?)$/i

/** Files, and files in folders, whose name holds a word. */
function namedBy({ sought }: Term): string {
  const [first = '', ...others] = sought.replace(/[^\w-]/g, '?')
  const word = `*[${first.toLowerCase()}${first.toUpperCase()}]${others.join('')}*`
  return `{**/${word},**/${word}/*}`
}

interface Weighed {
  readonly path: string
  readonly score: number
  /** How many terms it says. */
  readonly held: number
  /** How many of them its path or what it defines is called by. */
  readonly named: number
  /** How many of them one definition is called by. */
  readonly together: number
  /** How many of them the name of the file says. */
  readonly calls: number
  /** The name of the file says nothing else. */
  readonly isCalled: boolean
  /** The name of a definition is all of them and nothing else. */
  readonly isNamed: boolean
  readonly lines: readonly Hit[]
}

/** All is said and the file or a definition is called by it; or one definition by two words of it. */
function isSure(best: Weighed, second: Weighed | undefined, terms: number): boolean {
  if (best.isNamed && second?.isNamed !== true) return true
  const isAhead = second === undefined || second.score <= best.score * SHARE
  // the name of the file is all that is asked for
  if (best.calls === terms && terms >= 2 && (second?.calls ?? 0) < terms) return true
  if (best.calls === terms && best.isCalled && !(second?.isCalled === true && second.calls === terms)) return true
  if (isCalledSo(best, terms) && isAhead) return true
  return best.together >= 2 && best.held >= terms - 2 && (second?.together ?? 0) < 2 && isAhead
}

/** It says all, or of many words all but one, and is called by some of them. */
function isCalledSo({ held, calls, named }: Weighed, terms: number): boolean {
  if (held === terms) return calls > 0 || (named * 2 >= terms && terms >= 2)
  return held >= terms - Math.floor(terms / 3) && calls > 0 && named >= 2
}

/** A term counts the more, the fewer files say it (inverse document frequency; Spärck Jones, 1972). */
function rank(paths: readonly string[], hits: readonly Hit[], terms: readonly Term[]): Weighed[] {
  const kept = paths.filter((path) => !isTestPath(path) && !ASIDE.test(path))
  const known = kept.map((path) => ({ path, own: hits.filter((hit) => hit.path === path) }))
  const weights = terms.map((term) => {
    const count = known.filter(
      ({ path, own }) => says(stemsOf(path), term) || own.some(({ text }) => says(stemsOf(text), term)),
    ).length
    return Math.log(1 + (kept.length + 1) / (count + 0.5))
  })
  return known.map(({ path, own }) => weigh(path, own, terms, weights)).sort((a, b) => b.score - a.score)
}

const ASIDE = /\.d\.[cm]?ts$|\.min\.|^\.|(?:^|\/)(?:bench(?:mark)?s?|examples?|samples?|docs?|dist|umd)\//

/** A term counts most where the file's name says it, then where a definition does, then a comment, then any line. */
function weigh(path: string, hits: readonly Hit[], terms: readonly Term[], weights: readonly number[]): Weighed {
  const [file, folders] = [stemsOf(baseName(path)), stemsOf(path)]
  const symbols = hits
    .flatMap((hit) => readDefinition(path, hit.line, hit.text) ?? [])
    .filter(({ kind }) => kind === 'function' || kind === 'class' || kind === 'method')
  const called = symbols.map(({ name }) => stemsOf(name))
  const holding = (term: Term): Hit[] => hits.filter(({ text }) => says(stemsOf(text), term))
  const values = terms.map((term) => {
    if (says(file, term)) return 1
    if (called.some((stems) => says(stems, term))) return 0.8
    if (says(folders, term)) return 0.5
    return holding(term).length > 0 ? 0.4 : 0
  })
  const about = (hit: Hit): number => terms.filter((term) => says(stemsOf(hit.text), term)).length
  const most = Math.max(0, ...called.map((stems) => terms.filter((term) => says(stems, term)).length))
  const bare = stemsOf(baseName(path).replace(/\.[^.]*$/, ''))
  const isCalled = bare.size > 0 && [...bare].every((stem) => terms.some((term) => says(new Set([stem]), term)))
  const isNamed =
    terms.length >= 2 && called.some((stems) => stems.size === terms.length && terms.every((term) => says(stems, term)))
  return {
    path,
    isNamed,
    calls: values.filter((value) => value === 1).length,
    isCalled,
    score:
      values.reduce<number>((sum, value, index) => sum + value * (weights[index] ?? 0), 0) *
      (isNamed ? 2 : isCalled || most >= 2 ? 1.3 : 1),
    held: values.filter((value) => value > 0).length,
    named: values.filter((value) => value >= 0.8).length,
    together: most,
    lines: [...hits].sort(
      (a, b) =>
        about(b) - about(a) ||
        Number(symbols.some(({ line }) => line === b.line)) - Number(symbols.some(({ line }) => line === a.line)),
    ),
  }
}
