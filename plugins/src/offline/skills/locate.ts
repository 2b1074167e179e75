import { isStopWord } from '@svc/core/text'
import { at } from '../cite.ts'
import { together } from '../look.ts'
import { baseName, folderOf } from '../paths.ts'
import { claim, lead } from '../question/cited-sentence.ts'
import { type Question, uniqueBy } from '../question/question.ts'
import { topicsIn } from '../question/topics.ts'
import { tick } from '../question/wording.ts'
import type { Excerpt, Hit } from '../read/formats.ts'
import { isSourcePath, isTestPath, readDefinition, readSymbols } from '../read/symbols.ts'
import { asPattern, says, stemsOf, type Term, toTerms } from '../read/terms.ts'
import type { Finding, Skill } from '../skill.ts'
import { SOURCES } from './look-up.ts'

const MOST_HITS = 15
const MOST_FILES = 25
const MOST_TERMS = 5
const MOST_SHOWN = 3
const MOST_CANDIDATES = 4
/** Lines before and after one that are about the same. */
const LINES_AROUND = 5
/** The next file must say so much less than the best one. */
const SHARE = 0.75
/** The same, where its names say less too. */
const SHARE_UNCALLED = 0.85
/** Topics whose words are none of what it is about; those of others are: "the default values", "the command line tool". */
const FORM = topicsIn(
  'where defined purpose self file function class method codeWord option effect ' +
    'how needs uses summary count exports folder',
)
/** Words that ask for a place and name no thing. */
const ASKING =
  /^(?:code|logic|parts?|places?|stuff|sources?|files?|folders?|modules?|director(?:y|ies)|repo(?:sitory)?|functions?|class(?:es)?|methods?|find|looking|show|point|tell|want|need|open|edit|touch|see|please|live|lives|lies|happens?|thing|bit|piece|helpers?|implement(?:s|ed|ation)?|defin(?:ed|es|ition)|like|etc|whole|actual|actually|exactly|own|new|other|different|several|first|one|two|three)$/i
/** Where something is that the question does not call by its name: the file that alone says all of it. */
export const locate: Skill = {
  id: 'locate',
  asks: (question) =>
    question.topics.has('where') &&
    question.paths.length === 0 &&
    wordsOf(question).length > 0 &&
    !question.topics.has('opinion') &&
    !question.topics.has('needs') &&
    // what uses a thing is another question than where it is
    /^(?:need(?:s|ed)?(?: |$))*$/i.test(question.told.get('uses') ?? ''),
  *work(session) {
    const terms = toTerms(wordsOf(session.question))
    if (terms.length === 0 || terms.length > MOST_TERMS) return undefined
    const [listings, searches] = yield* together([
      together(terms.map((term) => session.list({ depth: 12, pattern: namedBy(term), limit: MOST_FILES }))),
      together(terms.map(({ sought }) => session.search(sought, { pattern: SOURCES, limit: MOST_HITS }))),
    ])
    const first = searches.flatMap((found) => found?.hits ?? [])
    const listed = listings.flatMap((one) => one?.files ?? []).map(({ path }) => path)
    const paths = [...new Set([...listed.filter(isSourcePath), ...first.map(({ path }) => path)])]
    // a test is sought where the question says so
    const isAside = session.question.topics.has('test') ? (path: string) => !isTestPath(path) : isApart
    const candidates = rank(
      paths.filter((path) => !isAside(path)),
      first,
      terms,
    ).slice(0, MOST_CANDIDATES)
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
    const ranked = rank(
      candidates.map(({ path }) => path),
      hits,
      terms,
    )
    // `a.cjs` beside `a.js` is the same in another form
    const found = uniqueBy(ranked, ({ path }) => path.replace(/\.[cm]?[jt]sx?$/, ''))
    const [best] = found
    if (!best || !isSure(found, terms, session.question.text)) return undefined
    const [line] = best.lines
    const asksName = /\b(?:class|function|method|klasse|funktion|methode|classe|fonction)\b/.test(
      session.question.lower,
    )
    const around =
      asksName && line ? yield* session.read(best.path, { offset: Math.max(1, line.line - 20), limit: 35 }) : undefined
    return sayPlace(best.path, best.lines, around)
  },
}

function sayPlace(path: string, lines: readonly Hit[], around?: Excerpt): Finding {
  const shown = lines.slice(0, MOST_SHOWN)
  const [line] = shown
  const symbols = around ? readSymbols(around) : []
  // a comment is about what follows it
  const isComment = /^\s*(?:\/\/|\/?\*|#)/.test(line?.text ?? '')
  const symbol = isComment
    ? symbols.find((one) => one.line > (line?.line ?? 0))
    : symbols.findLast((one) => one.line <= (line?.line ?? 0) && one.kind !== 'constant')
  return {
    parts: [
      ...(symbol ? [lead(`The ${symbol.kind} ${tick(symbol.name)} is defined there`, [at(path, symbol.line)])] : []),
      lead(`It is in ${tick(path)}`, [line ? at(path, line.line) : { path: folderOf(path) || './' }], [path]),
      ...shown.map((one) => claim(tick(one.text, 140), [at(path, one.line)])),
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
  // `x-powered-by` is one name where nothing in it is a capital
  const words = all.flatMap((word) => (/-.*-|[A-Z][^-A-Z]*-/.test(word) ? [word] : word.split(/[\s-]+/)))
  return [
    ...spelled,
    ...words.filter(
      (word) => word.length > 1 && /[\p{L}\p{N}]/u.test(word) && !isStopWord(word.toLowerCase()) && !ASKING.test(word),
    ),
  ]
}

/** Files, and files in folders, whose name holds a word. */
function namedBy({ sought }: Term): string {
  const [first = '', ...others] = sought.replace(/[^\w-]/g, '?')
  const word = `*[${first.toLowerCase()}${first.toUpperCase()}]${others.join('')}*`
  return `{**/${word},**/${word}/*}`
}

interface Weighed {
  readonly path: string
  readonly score: number
  /** Terms that the name of the file or of one definition says. */
  readonly called: number
  /** Whether that name says nothing else. */
  readonly isName: boolean
  /** The most telling terms that lines close to each other say, or the path. */
  readonly together: readonly Term[]
  /** Terms that nothing in it says. */
  readonly missing: readonly Term[]
  readonly lines: readonly Hit[]
}

/**
 * All but what is done is said, most of it close together, and the file or a definition is called by it, or it alone holds
 * what is spelled like code; no other file is nearly as good.
 */
function isSure([best, ...others]: readonly Weighed[], terms: readonly Term[], text: string): boolean {
  const telling = terms.filter(({ typed }) => !isDoing(typed, text))
  if (!best || !telling.some((term) => best.together.includes(term))) return false
  const [next] = others
  const isFewer = next !== undefined && next.called < best.called
  const isAhead = next === undefined || next.score <= best.score * (isFewer ? SHARE_UNCALLED : SHARE)
  const spelled = terms.filter(isSpelled)
  const isAlone =
    spelled.length > 0 &&
    spelled.every((term) => best.together.includes(term) && others.every(({ missing }) => missing.includes(term)))
  const open = best.missing.filter((term) => telling.includes(term))
  if (!isAhead || best.together.length * 2 < terms.length) return false
  if (isAlone) return best.missing.length * 2 <= terms.length
  if (open.length > 0) return false
  if (best.isName && best.called >= Math.min(2, terms.length)) return best.missing.length * 2 <= terms.length
  // a file says much of what is said of one other: what is sought must be called by a third of it
  return (
    best.called * 3 >= telling.length && best.missing.length * 3 <= terms.length && terms.length > 1 && best.called > 0
  )
}

const holds = (text: string, { sought }: Term): boolean => text.toLowerCase().includes(sought.toLowerCase())
const isSpelled = ({ typed }: Term): boolean => !/^[A-Z]?[a-z]+$/.test(typed)
/** What everything in code is. */
const GENERIC = /^(?:value|setting|option|name|object|string|text|list)s?$/i
/** Whether a word says what is done, which code often says in another one: by its ending, or by the word before it. */
const isDoing = (word: string, text: string): boolean =>
  /(?:ed|ing)$/.test(word) ||
  GENERIC.test(word) ||
  new RegExp(
    `\\b(?:that|which|what|it|to|file|code|class|function|method|module|part) ${asPattern(word)}(?!\\w)`,
    'i',
  ).test(text)

/** A term counts the more, the fewer files say it (inverse document frequency; Spärck Jones, 1972). */
function rank(paths: readonly string[], hits: readonly Hit[], terms: readonly Term[]): Weighed[] {
  const known = paths.map((path) => ({ path, own: hits.filter((hit) => hit.path === path) }))
  const weights = new Map(
    terms.map((term) => {
      const count = known.filter(
        ({ path, own }) => own.some(({ text }) => holds(text, term)) || holds(path, term),
      ).length
      return [term, Math.log(1 + (paths.length + 1) / (count + 0.5))]
    }),
  )
  return known.map(({ path, own }) => weigh(path, own, weights)).sort((a, b) => b.score - a.score)
}

const isApart = (path: string): boolean => isTestPath(path) || ASIDE.test(path)
const ASIDE = /\.d\.[cm]?ts$|\.min\.|^\.|(?:^|\/)(?:bench(?:mark)?s?|examples?|samples?|docs?|dist|umd)\//

/** A term counts most where the file's name says it, then where one definition does, then lines that stand close. */
function weigh(path: string, hits: readonly Hit[], weights: ReadonlyMap<Term, number>): Weighed {
  const terms = [...weights.keys()]
  const saidBy = (text: string): Term[] => {
    const stems = stemsOf(text)
    return terms.filter((term) => (/[^a-z]/i.test(term.typed) ? holds(text, term) : says(stems, term)))
  }
  const sum = (some: readonly Term[]): number => some.reduce((total, term) => total + (weights.get(term) ?? 0), 0)
  const most = (some: readonly (readonly Term[])[]): readonly Term[] =>
    some.reduce<readonly Term[]>((best, one) => (sum(one) > sum(best) ? one : best), [])
  const names = [
    baseName(path).replace(/\.[^.]*$/, ''),
    ...hits.flatMap((hit) => {
      const symbol = readDefinition(path, hit.line, hit.text)
      return symbol && /function|class|method/.test(symbol.kind) ? [symbol.name] : []
    }),
  ]
  const called = most(names.map(saidBy))
  const isName = names.some(
    (name) => called.length > 0 && saidBy(name).length === called.length && stemsOf(name).size <= called.length,
  )
  const inPath = saidBy(path)
  const around = (hit: Hit): Term[] => {
    const near = hits.filter(({ line }) => Math.abs(line - hit.line) <= LINES_AROUND)
    return saidBy([path, ...near.map(({ text }) => text)].join(' '))
  }
  const close = most([inPath, ...hits.map(around)])
  const said = saidBy([path, ...hits.map(({ text }) => text)].join(' '))
  const own = (hit: Hit): number => sum(saidBy(hit.text))
  return {
    path,
    score: (sum(called) + sum(close) + 0.3 * sum(said)) * (isName ? 1.3 : 1),
    called: called.length,
    isName,
    together: close,
    missing: terms.filter((term) => !said.includes(term)),
    lines: [...hits].sort((a, b) => own(b) - own(a)),
  }
}
