import { at } from '../cite.ts'
import { type Look, together } from '../look.ts'
import { lead } from '../question/cited-sentence.ts'
import { type Question, unique, uniqueBy } from '../question/question.ts'
import { plural, tick } from '../question/wording.ts'
import type { Hit } from '../read/formats.ts'
import { isTestPath } from '../read/symbols.ts'
import { asPattern, stemsOf, toTerms } from '../read/terms.ts'
import type { Finding, Skill } from '../skill.ts'
import { lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { codeOf, findMeaning } from './definition.ts'
import { wordsOf } from './locate.ts'

/** What a line sets a name to. */
interface Value {
  readonly name: string
  readonly value: string
  readonly hit: Hit
}

const MOST_TERMS = 5
const MOST_HITS = 8
const LITERAL = String.raw`-?\d[\d_]*(?:\.\d+)?(?:e\d+)?(?: ?\* ?\d+)*|'[^']+'|"[^"]+"|true|false`
/** `name: 5`, `const name = 5`, `name = given ?? 5` and `name: isGiven ? given : 5`. */
const SET = new RegExp(
  String.raw`(?<![\w$.])['"]?([A-Za-z_$][\w$]*)['"]?\??(?:: ?\w+)? ?(?:=(?![=>])|:) ?(?:[^,;{}=]{1,80}(?:\?\?|\|\||\?[^:,;?]{1,60}:) ?)?(${LITERAL})(?= ?[,;})]| *\/[/*]|$)`,
  'g',
)
/** Words of names that say nothing of what is set. */
const GENERIC = new Set([
  'default',
  'max',
  'min',
  'maximum',
  'minimum',
  'limit',
  'size',
  'valu',
  'option',
  'ms',
  'milli',
  'count',
  'length',
  'time',
  'number',
])
const FACTORS: Readonly<Record<string, number>> = {
  twice: 2,
  double: 2,
  thrice: 3,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  ten: 10,
  doppelt: 2,
  dreimal: 3,
}
const FACTOR = /\b(twice|double|thrice|doppelt\w*|dreimal|(?:two|three|four|five|ten|\d+)(?= (?:times|mal|fois)))\b/i

/** What a name of the code is set to where nobody sets it, and what follows from that. */
export const value: Skill = {
  id: 'value',
  asks: ({ topics, identifiers, paths, rest }) =>
    !topics.has('opinion') &&
    paths.length === 0 &&
    (topics.has('default') || (topics.has('count') && identifiers.length > 0 && rest.length <= 1)) &&
    !topics.has('where'),
  *work(session) {
    const { question } = session
    yield* lookAtTree(session)
    const names = question.identifiers.slice(0, 2)
    const values = yield* together(names.map((name) => findValue(session, name)))
    const [first, second] = values
    if (first && second && /\b(?:times|multiplied|product|mal|fois)\b/.test(question.lower))
      return sayProduct(first, second)
    if (names.length === 1 && first) return sayValue(question, first)
    if (names.length > 0)
      return names.length === 1 && question.topics.has('default')
        ? yield* sayDefault(session, names[0] ?? '')
        : undefined
    const found = yield* findByWords(session)
    return found && sayValue(question, found)
  },
}

/** What documents say of a name, where they speak of its default. */
function* sayDefault(session: ToolSession, name: string): Look<Finding | undefined> {
  const found = yield* findMeaning(session, name)
  return found?.parts.some(({ text }) => /\bdefault/i.test(text)) ? found : undefined
}

function* findValue(session: ToolSession, name: string): Look<Value | undefined> {
  const found = yield* session.search(name, { pattern: codeOf(session), limit: 3 * MOST_HITS })
  return theOne((found?.hits ?? []).flatMap(readValues).filter((one) => one.name === name))
}

/** The value of the name that says most of what is asked, and nothing else. */
function* findByWords(session: ToolSession): Look<Value | undefined> {
  const terms = toTerms(
    [...wordsOf(session.question), ...(session.question.told.get('line') ?? '').split(' ')].filter(
      (word) => word !== '',
    ),
  ).slice(0, MOST_TERMS)
  const asked = new Set(terms.map(({ stem }) => stem))
  const searches = yield* together(
    terms.flatMap(({ typed }) =>
      [`${typed}: `, `${typed} = `].map((text) => session.search(text, { pattern: codeOf(session), limit: MOST_HITS })),
    ),
  )
  const values = searches.flatMap((found) => found?.hits ?? []).flatMap(readValues)
  const said = ({ name }: Value): number => {
    const telling = [...stemsOf(name)].filter((stem) => !GENERIC.has(stem))
    return name.length > 3 && telling.every((stem) => asked.has(stem)) ? telling.length : 0
  }
  const most = Math.max(0, ...values.map(said))
  const best = values.filter((one) => most > 0 && one.value !== '0' && said(one) === most)
  return unique(best.map(({ name }) => name.toLowerCase())).length === 1 ? theOne(best) : undefined
}

const readValues = (hit: Hit): Value[] =>
  isTestPath(hit.path) || /\.d\.[cm]?ts$|\.min\./.test(hit.path) || /^(?:\/[/*]|\*|#)/.test(hit.text)
    ? []
    : [...hit.text.matchAll(SET)].map(([, name = '', set = '']) => ({ name, value: set.replaceAll('_', ''), hit }))

/** The value that all lines set, or all that speak of defaults. */
function theOne(values: readonly Value[]): Value | undefined {
  const positive = values.filter((one) => !/^-|^(?:false|true|0)$/.test(one.value))
  const defaults = positive.filter(({ hit }) => /default/i.test(`${hit.path} ${hit.text}`))
  const [first, ...others] = uniqueBy(
    defaults.length > 0 ? defaults : positive.length > 0 ? positive : values,
    (one) => one.value,
  )
  return others.length === 0 ? first : undefined
}

const say = ({ name, value: set, hit }: Value): string =>
  `${tick(name)} is ${tick(set)} in ${tick(hit.path)}: ${tick(hit.text)}`
const citeOf = ({ hit }: Value) => at(hit.path, hit.line)

function sayProduct(first: Value, second: Value): Finding {
  const result = Number(first.value) * Number(second.value)
  return {
    parts: [first, second]
      .map((one) => lead(say(one), [citeOf(one)]))
      .concat(
        lead(`${tick(first.name)} times ${tick(second.name)} is ${result}`, [citeOf(first), citeOf(second)], [result]),
      ),
    facts: { result },
  }
}

/** The value, and the seconds or the multiple of it that are asked for; undefined where more is to be calculated. */
function sayValue({ lower, text }: Question, found: Value): Finding | undefined {
  const number = Number(found.value)
  const isMillis = /ms$|millis/i.test(found.name)
  const seconds = isMillis && /\b(?:seconds?|sekunden|secondes?)\b|秒/.test(lower) ? number / 1000 : undefined
  const minutes = isMillis && /\b(?:minutes?|minuten)\b/.test(lower) ? number / 60_000 : undefined
  const factor = FACTOR.exec(lower)?.[1]
  const times = factor === undefined ? undefined : (FACTORS[factor] ?? Number(factor))
  const others = text.replace(new RegExp(asPattern(found.name), 'gi'), '').match(/\d+/g) ?? []
  const isOpen =
    others.some((one) => one !== factor) ||
    /\b(?:half|plus|minus|sum|left|remain\w*|more|less|fewer|per|each|after\w*|until|hälfte|pro|moitié)\b/.test(lower)
  if (isOpen || (times !== undefined && !Number.isFinite(number * times))) return undefined
  const result = (seconds ?? minutes ?? number) * (times ?? 1)
  const unit =
    seconds !== undefined ? plural(result, 'second') : minutes !== undefined ? plural(result, 'minute') : String(result)
  const isChanged = result !== number && Number.isFinite(result)
  return {
    parts: [
      lead(say(found), [citeOf(found)]),
      ...(isChanged ? [lead(`That makes ${unit}`, [citeOf(found)], [result])] : []),
    ],
    facts: { value: found.value, result: Number.isFinite(result) ? result : found.value },
  }
}
