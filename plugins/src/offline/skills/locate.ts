import { isStopWord } from '@svc/core/text'
import { at } from '../cite.ts'
import { together } from '../look.ts'
import { baseName, folderOf } from '../paths.ts'
import { claim, lead } from '../question/cited-sentence.ts'
import { kindOf } from '../question/kind.ts'
import { type Question, uniqueBy } from '../question/question.ts'
import { topicsIn } from '../question/topics.ts'
import { tick } from '../question/wording.ts'
import type { Excerpt, Hit } from '../read/formats.ts'
import { isSourcePath, isTestPath, readDefinition, readSymbols, SOURCES } from '../read/symbols.ts'
import { asPattern, says, stemsOf, type Term, toTerms } from '../read/terms.ts'
import type { Finding, Skill } from '../skill.ts'
import { lookAtTree } from '../survey.ts'

const MOST_HITS = 25
const MOST_TERMS = 6
const MOST_SHOWN = 3
const MOST_CANDIDATES = 4
/** Lines before and after one that are about the same. */
const LINES_AROUND = 8
/** The best file must be so much ahead of the next, and more where words are left that nothing says. */
const AHEAD = 1.2
const FAR_AHEAD = 2.5
/** Topics whose words are none of what it is about; those of others are: "the default values", "the command line tool". */
const FORM = topicsIn(
  'where defined purpose self file function class method codeWord option effect how needs uses summary count exports folder',
)
/** Words that ask for a place and name no thing. */
const ASKING =
  /^(?:code|logic|parts?|places?|stuff|sources?|files?|folders?|modules?|director(?:y|ies)|repo(?:sitory)?|functions?|class(?:es)?|methods?|find|look(?:ing|ed)?|show|point|tell|want|need|get|open|edit|touch|see|please|live|lives|lies|happens?|something|things?|ones?|bit|pieces?|implement(?:s|ed|ation)?|defin(?:ed|es|ition)|handle[sd]?|handling|kept|put|made|done|like|etc|whole|helpers?|utilit(?:y|ies)|actual|actually|exactly|own|new|other|different|several|first|one|two|three)$/i

/** Where something is that the question does not call by its name: the file that says most of it, clearly ahead of others. */
export const locate: Skill = {
  id: 'locate',
  asks: (question) => kindOf(question) === 'where' && question.paths.length === 0 && wordsOf(question).length > 0,
  *work(session) {
    const terms = toTerms(wordsOf(session.question)).slice(0, MOST_TERMS)
    const isThing = ({ typed }: Term): boolean => !isDoing(typed, session.question.text)
    const tree = yield* lookAtTree(session)
    const searches = yield* together(
      terms.map(({ sought }) => session.search(sought, { pattern: SOURCES, limit: MOST_HITS })),
    )
    // a test is sought where the question says so
    const isAside = session.question.topics.has('test') ? (path: string) => !isTestPath(path) : isApart
    const hits = searches.flatMap((found) => found?.hits ?? []).filter(({ path }) => !isAside(path))
    const listed = tree.files.map(({ path }) => path).filter((path) => isSourcePath(path) && !isAside(path))
    const sizes = new Map(tree.files.map(({ path, bytes = 0 }) => [path, bytes]))
    const paths = [...new Set([...listed, ...hits.map(({ path }) => path)])]
    const isCut = terms.map((_, index) => (searches[index]?.more ?? 0) > 0)
    const first = rank(paths, hits, terms, isCut, sizes, isThing).slice(0, MOST_CANDIDATES)
    // a search of everything shows the first lines only, and may leave out these files
    const more = yield* together(
      first.flatMap(({ path }) =>
        terms.flatMap(({ sought }, index) => (isCut[index] ? [session.search(sought, { path, limit: 4 })] : [])),
      ),
    )
    const all = uniqueBy(
      [...hits, ...more.flatMap((found) => found?.hits ?? [])],
      ({ path, line }) => `${path}:${line}`,
    )
    const ranked = rank(paths, all, terms, isCut, sizes, isThing).filter(({ path }) =>
      first.some((one) => one.path === path),
    )
    // `a.cjs` beside `a.js` is the same in another form
    const [best, next] = uniqueBy(ranked, ({ path }) => path.replace(/(?:\.browser)?\.[cm]?[jt]sx?$/, ''))
    if (!best || !isSure(best, next, terms, session.question)) return undefined
    const [line] = best.lines
    const asksName = NAMED.test(session.question.lower)
    const around =
      asksName && line ? yield* session.read(best.path, { offset: Math.max(1, line.line - 20), limit: 35 }) : undefined
    return sayPlace(best.path, best.lines, around)
  },
}

const NAMED = /(?<!\p{L})(?:class|function|method|klasse|funktion|methode|classe|fonction)(?!\p{L})/u

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
  const words = all.flatMap((word) => (/-.*-|\d/.test(word) ? [word] : word.split(/[\s-]+/)))
  return [
    ...spelled,
    ...words.filter(
      (word) => word.length > 1 && /[\p{L}\p{N}]/u.test(word) && !isStopWord(word.toLowerCase()) && !ASKING.test(word),
    ),
  ]
}

interface Weighed {
  readonly path: string
  readonly score: number
  /** Terms that it says, and of these those that few files say. */
  readonly said: readonly Term[]
  readonly telling: readonly Term[]
  /** Terms that no other file says. */
  readonly alone: readonly Term[]
  /** How many telling terms that name things stand close together. */
  readonly close: number
  readonly isName: boolean
  readonly lines: readonly Hit[]
}

function isSure(
  best: Weighed,
  next: Weighed | undefined,
  terms: readonly Term[],
  { text, language }: Question,
): boolean {
  const ahead = best.score / Math.max(next?.score ?? 0, 1e-9)
  const missing = terms.filter((term) => !best.said.includes(term))
  const spelled = terms.filter(isSpelled)
  const isAlone = spelled.length > 0 && spelled.every((term) => best.alone.includes(term))
  if (isAlone) return language !== 'en' || best.said.length * 2 >= terms.length
  if (terms.length === 1) return best.said.length === 1 && (best.isName || spelled.length === 1) && ahead >= FAR_AHEAD
  if (best.said.length < 2) return false
  const things = best.said.filter(({ typed }) => !isDoing(typed, text))
  if (things.length < 2 && !best.isName) return false
  if (missing.every((term) => isDoing(term.typed, text))) return best.said.length * 2 >= terms.length && ahead >= AHEAD
  return (
    best.close >= 2 &&
    best.said.length * 2 >= terms.length &&
    ahead >= FAR_AHEAD &&
    !missing.some((term) => isSpelled(term) && language === 'en')
  )
}

const holds = (text: string, { sought }: Term): boolean => text.toLowerCase().includes(sought.toLowerCase())
const isSpelled = ({ typed }: Term): boolean => !/^\p{Lu}?\p{Ll}+$/u.test(typed)
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

/**
 * Files by what they say of the terms, the best first (BM25; Robertson and Walker, 1994), where a term counts the more, the
 * fewer files say it, and most in the name of a file or of a definition.
 */
function rank(
  paths: readonly string[],
  hits: readonly Hit[],
  terms: readonly Term[],
  isCut: readonly boolean[],
  sizes: ReadonlyMap<string, number>,
  isThing: (term: Term) => boolean,
): Weighed[] {
  const saidBy = (text: string): Term[] => {
    const stems = stemsOf(text)
    return terms.filter((term) => (/[^a-z]/i.test(term.typed) ? holds(text, term) : says(stems, term)))
  }
  const known = paths.map((path) => {
    const own = hits.filter((hit) => hit.path === path).map((hit) => ({ hit, says: saidBy(hit.text) }))
    const names = own.flatMap(({ hit }) => readDefinition(path, hit.line, hit.text)?.name ?? [])
    return {
      path,
      own,
      inPath: saidBy(path),
      named: saidBy(names.join(' ')),
      isName: saidBy(baseName(path)).length > 0,
    }
  })
  const holders = (term: Term) =>
    known.filter(({ own, inPath }) => inPath.includes(term) || own.some(({ says }) => says.includes(term)))
  const sorted = [...paths].sort()
  // hits come in the order of paths: where some were left out, as many files more hold it among those not reached
  const counts = new Map(
    terms.map((term, index) => {
      const own = holders(term)
      const last = sorted.indexOf(
        [...(isCut[index] ? own : [])]
          .map(({ path }) => path)
          .sort()
          .at(-1) ?? '',
      )
      return [term, last < 0 ? own.length : Math.min(paths.length, (own.length * paths.length) / (last + 1))]
    }),
  )
  const weightOf = (term: Term): number => {
    const count = counts.get(term) ?? 0
    return Math.log(1 + (paths.length - count + 0.5) / (count + 0.5))
  }
  const mean = paths.reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0) / Math.max(1, paths.length)
  const weigh = ({ path, own, inPath, named, isName }: (typeof known)[number]): Weighed => {
    const length = 0.25 + 0.75 * ((sizes.get(path) ?? mean) / Math.max(1, mean))
    const score = terms.reduce((sum, term) => {
      const often = own.filter(({ says }) => says.includes(term)).length
      const inText = (often * 2.2) / (often + 1.2 * length)
      return sum + weightOf(term) * (inText + (inPath.includes(term) ? 1.5 : 0) + (named.includes(term) ? 0.7 : 0))
    }, 0)
    const said = terms.filter((term) => inPath.includes(term) || own.some(({ says }) => says.includes(term)))
    const isTelling = (term: Term): boolean => (counts.get(term) ?? 0) <= Math.max(1, paths.length / 3)
    const near = own.map(({ hit }) => {
      const around = own.filter((other) => Math.abs(other.hit.line - hit.line) <= LINES_AROUND)
      return new Set(
        [...inPath, ...around.flatMap(({ says }) => says)].filter((term) => isTelling(term) && isThing(term)),
      ).size
    })
    return {
      path,
      score,
      said,
      telling: said.filter(isTelling),
      alone: said.filter((term) => holders(term).length === 1),
      close: Math.max(0, ...near),
      isName,
      lines: [...own].sort((a, b) => b.says.length - a.says.length).map(({ hit }) => hit),
    }
  }
  return known.map(weigh).sort((a, b) => b.score - a.score)
}

const isApart = (path: string): boolean => isTestPath(path) || ASIDE.test(path)
const ASIDE =
  /\.d\.[cm]?ts$|\.min\.|\.umd\.|^\.|(?:^|\/)(?:bench(?:mark)?s?|examples?|samples?|docs?|umd|browser|esm)\//
