import { editDistance, isStopWord, toStem, toWords } from '@svc/core/text'
import type { Question } from '../question.ts'

/** A word that is asked about. */
export interface AskedTerm {
  /** As a stem, or as written where it is a flag, a format or a number. */
  readonly text: string
  /** True: only exactly so. */
  readonly isExact: boolean
  /** Stems of other words for the same. */
  readonly kin: ReadonlySet<string>
  /** Words such as "add" and "write", which say little about what is done. */
  readonly isWeak: boolean
}

/** Words with which one asks, and which say nothing about what is asked. */
const ASKING = new Set(
  (
    'use using used usage work works working example examples show tell explain describe want know need help way way docs doc documentation ' +
    'readme say says please possible package library project repo repository module code do does done mean means happen happens get gets give gives given take takes ' +
    'go goes thing things something anything whats hows wheres whos theres isnt dont doesnt should could can may whole entire every own one exist ' +
    'available support supports supported there here like just what which how who where when why did find see look i im my name called call contain contains hold holds option options'
  ).split(' '),
)

/** Words for nearly the same, as people ask and as documents say. */
const KIN: readonly ReadonlySet<string>[] = [
  'add write create make define own custom new register build implement',
  'disable off exclude suppress hide',
  'enable on activate',
  'clear empty flush purge',
  'reset update',
  'close end shut shutdown stop terminate quit',
  'keep kept store stored save saved persist',
  'hold held keep kept',
  'send sent',
  'run ran execute start',
  'fast speed performance performant quick slow benchmark',
  'color colour colors colours',
  'expire expires expiry expiration ttl age maxage',
  'environment env variable variables',
  'error errors exception exceptions throw throws thrown fail fails failure failed reject',
  'big large size huge limit max maximum most',
  'limit max maximum most',
  'directory directories folder folders dir',
  'install installation setup npm',
  'file files upload uploads multipart',
  'parameter parameters argument arguments arg args',
  'default defaults',
  'browser browsers web',
  'sort sorted order',
  'check test tell whether',
  'log logs logging output',
  'start launch begin',
  'difference differ differs versus',
  'async asynchronous asynchronously promise await',
  'dot dotfile dotfiles hidden',
  'case insensitive sensitive nocase',
  'recursion recursive depth deep',
  'exit code status',
  'delete remove rm',
  'change replace override customize customise configure set',
  'number numbers numeric integer',
  'response reply answer',
  'value values',
  'shutdown shut',
  'milliseconds millisecond ms',
  'seconds second',
].map((line) => new Set(line.split(' ').map(toStem)))

const WEAK = new Set(
  'add write create make define own custom new register build set put change configure run start'
    .split(' ')
    .map(toStem),
)
/** `--yes`, `-v`, `%j`, `@scope/name`: what is meant as it is written. */
const SIGNED = /(?<=^|[\s`"'(])(?:--?[a-z][\w-]*|%[a-z%]|@[\w-]+\/[\w.-]+)(?=$|[\s`"'?,.;:)])/gi
/** A number that names something, as in "code 6"; one before a plural counts. */
const NUMBER = /(?<![\w.-])\d{1,6}(?![\w.%-])(?!\s+(?!means\b|is\b|was\b|does\b)[a-z]+s\b)/gi

/** What a question is about, each word once. */
export function readTerms({ text, words }: Pick<Question, 'text' | 'words'>): AskedTerm[] {
  const exact = [...text.matchAll(SIGNED), ...text.matchAll(NUMBER)].map((match) => match[0])
  const inExact = new Set(exact.flatMap((item) => toWords(item)))
  const plain = words.filter(
    (word) => word.length > 1 && !isStopWord(word) && !ASKING.has(word) && !inExact.has(word) && !/^\d+$/.test(word),
  )
  const isOff = /\b(?:turn|switch)(?:ed|ing)?\b[^.?!]{0,40}\boff\b/i.test(text)
  const isOn = !isOff && /\b(?:turn|switch)(?:ed|ing)?\b[^.?!]{0,40}\bon\b/i.test(text)
  const stems = plain
    .map(toStem)
    .map((stem) => (/^(?:turn|switch)$/.test(stem) && (isOff || isOn) ? (isOff ? 'disabl' : 'enabl') : stem))
  const [, either, or] = /(?<![\p{L}\p{N}])([\p{L}\p{N}]+),? or ([\p{L}\p{N}]+)\b/u.exec(text.toLowerCase()) ?? []
  const pair = [either, or].flatMap((word) => (word === undefined || !plain.includes(word) ? [] : [toStem(word)]))
  const isSecond = (stem: string): boolean => pair.length === 2 && stem === pair[1]
  return [
    ...[...new Set(exact)].map((item) => ({ text: item, isExact: true, kin: new Set<string>(), isWeak: false })),
    // of "seconds or milliseconds" one is enough
    ...[...new Set(stems)]
      .filter((stem) => !isSecond(stem))
      .map((stem) => ({
        text: stem,
        isExact: false,
        kin: new Set([
          ...KIN.filter((group) => group.has(stem)).flatMap((group) => [...group]),
          ...(pair.length === 2 && stem === pair[0] ? pair : []),
        ]),
        isWeak: WEAK.has(stem),
      })),
  ]
}

/** The terms, those that no document holds replaced by the one word that is a slip of the fingers away. */
export function mendTerms(terms: readonly AskedTerm[], known: ReadonlySet<string>): AskedTerm[] {
  return terms.map((term) => {
    const isKnown = term.isExact || known.has(term.text) || [...term.kin].some((stem) => known.has(stem))
    if (isKnown || term.text.length < 5) return term
    const near = [...known].find((stem) => stem[0] === term.text[0] && editDistance(stem, term.text, 1) <= 1)
    return near === undefined ? term : { ...term, text: near }
  })
}
