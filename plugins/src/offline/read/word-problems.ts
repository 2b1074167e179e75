import { toStem } from '@svc/core/text'
import { NUMBER, readExpression, toPlain } from './expressions.ts'

/** A number and what it counts: `17 requests per second` counts requests, for each second. */
interface Quantity {
  readonly value: string
  readonly of: readonly string[]
  readonly per: readonly string[]
}

/** What is asked for, as units; `of` is empty where the words leave it open. */
type Asked = Omit<Quantity, 'value'>

const LONGEST = 200
const MOST_QUANTITIES = 4
/** Seconds of each unit of time, by the beginnings of its names. */
const SECONDS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milli?se[ck].*)$/, 0.001],
  [/^(?:s|secs?|second\p{L}*|sekund\p{L}*)$/u, 1],
  [/^(?:mins?|minut\p{L}*)$/u, 60],
  [/^(?:h|hrs?|hours?|stunden?|heures?)$/, 3600],
  [/^(?:d|days?|tage?n?|jours?)$/, 86_400],
  [/^(?:weeks?|wochen?|semaines?)$/, 604_800],
]
const PER = '(?:per|pro|par|je)'
/** Where the words end that say what a number counts. */
const END =
  'per|pro|par|je|each|every|apiece|and|or|of|in|on|at|for|with|over|to|into|from|by|is|are|was|were|has|have|had|do|does|take|takes|left|per|then|how|what|und|oder|von|mit|bei|für|sind|ist|hat|et|ou|de|dans|sont|est|plus|minus|times|divided|multiplied|mal|geteilt|fois|moins'
const WORD = `(?!(?:${END})(?!\\p{L}))\\p{L}[\\p{L}-]*`
const UNITS = `((?: ${WORD}){0,3})(?: ${PER} (\\p{L}+)| (each|apiece|jeweils|chacune?s?)(?!\\p{L}))?`
const QUANTITY = new RegExp(`(?<![\\p{L}\\d_./-])((?:je|each) )?(${NUMBER})${UNITS}(?![\\d_/])`, 'gu')
const ASKED =
  /(?<!\p{L})(?:how (?:many|much|long)|what|wie ?viele?|wie lange|combien(?: de| d['’])?)(?!\p{L})([^\d?.:;,]*)/gu
/** Numbers and shares in words, which are not read here. */
const SPELLED =
  /(?<!\p{L})(?:two|three|four|five|six|seven|eight|nine|ten|dozen|half|third|quarter|twice|double|triple|percent\p{L}*|more|less|fewer|than|zwei|drei|hälfte|deux|trois|moitié)(?!\p{L})|%/u
const SHARES: Readonly<Record<string, string>> = { 'half of': ' / 2', 'a third of': ' / 3', twice: ' * 2' }

/**
 * The expression of a calculation in words, whose numbers stand beside what they count; undefined where they could be put together in
 * none or several ways.
 */
export function readProblem(text: string): string | undefined {
  const plain = text.length > LONGEST ? undefined : toPlain(text)
  if (plain === undefined) return undefined
  // "what is left: 9 - 2", "I mean 128 + 32"
  const said = /(?:: |, (?:i mean|that is|i\.e\.|also|soit|das heißt) )([^:]+)$/.exec(plain)?.[1]
  const last = said === undefined ? undefined : readExpression(said)
  return last ?? continueExpression(plain) ?? solve(plain)
}

/** "28 files plus 16 more files, what is half of that?" */
function continueExpression(plain: string): string | undefined {
  const [, told = '', share] =
    /^(.+?)[,;.:]? (?:so |and )?(?:what|how much)(?:'s| is| does)? (?:(half of|a third of|twice) )?(?:that|it|this)(?: make| come to| in total)?\??$/.exec(
      plain,
    ) ?? []
  const expression = readExpression(told.replace(new RegExp(`(${NUMBER})(?: ${WORD}){1,3}`, 'gu'), '$1'))
  return expression === undefined || share === undefined ? expression : `(${expression})${SHARES[share] ?? ''}`
}

/** The one way to multiply and divide the quantities, or to add or take away those of one kind, that gives what is asked. */
function solve(plain: string): string | undefined {
  const [asking] = [...plain.matchAll(ASKED)].slice(-1)
  const bare = plain.replace(/\bthe\b |\b(?:a|an)\b (?=\p{L})/gu, '')
  const quantities = readQuantities(bare)
  const isWhole = !/\d/.test(bare.replace(QUANTITY, ' ')) && !SPELLED.test(bare)
  if (!asking || !isWhole || quantities.length === 0 || quantities.length > MOST_QUANTITIES) return undefined
  const asked = readAsked(asking[0], bare)
  const values = quantities.map(({ value }) => value)
  const isOneKind =
    values.length > 1 &&
    quantities.every(({ of, per }) => per.length === 0 && (of.length === 0 || isSame(of, quantities[0]?.of ?? [])))
  if (isOneKind && /\b(?:left|remain(?:s|ing)?)\b|übrig|\breste(?:nt)?\b/.test(plain))
    return [...values].sort((a, b) => Number(b) - Number(a)).join(' - ')
  if (isOneKind && /\b(?:altogether|in total|together|in all|insgesamt|zusammen|au total|en tout)\b/.test(plain))
    return values.join(' + ')
  const ways = signsOf(quantities.length).flatMap((signs) => combine(quantities, signs, asked) ?? [])
  return ways.length === 1 ? ways[0] : undefined
}

function readQuantities(bare: string): Quantity[] {
  const found = [...bare.matchAll(QUANTITY)].map(([, before, value = '', of = '', per, each]) => ({
    value,
    of: wordsOf(of),
    per: per === undefined ? [] : wordsOf(per),
    isEach: (before ?? each) !== undefined,
  }))
  // "10 requests each" is for each of what was counted before
  return found.map((one, index) => (one.isEach ? { ...one, per: found[index - 1]?.of ?? [] } : one))
}

function readAsked(asking: string, bare: string): Asked {
  const per = new RegExp(` (?:${PER}|one|each|(?:a )?single) (\\p{L}+)`, 'u').exec(asking)?.[1]
  const unit = /(?:\bin|\ben|\binto|\bto) (\p{L}+)\??$/u.exec(bare)?.[1]
  const named =
    new RegExp(`^(?:how many|how much|wie ?viele?|combien d[e'’])((?: ?${WORD}){0,2})`, 'u').exec(asking)?.[1] ?? ''
  const time = /(?:how long|wie lange)/.test(asking) ? 'seconds' : ''
  const inUnit = unit !== undefined && secondsOf([unit]) !== undefined ? unit : undefined
  return { of: wordsOf(inUnit ?? (named.trim() === '' ? time : named)), per: per === undefined ? [] : wordsOf(per) }
}

/** The quantities multiplied (1) and divided (-1), where what they count comes to what is asked. */
function combine(quantities: readonly Quantity[], signs: readonly number[], asked: Asked): string | undefined {
  const sums: { units: readonly string[]; power: number }[] = []
  let factor = 1
  const add = (units: readonly string[], power: number): void => {
    const seconds = secondsOf(units)
    if (seconds !== undefined) factor *= seconds ** power
    const known = sums.find((sum) => isSame(sum.units, units))
    if (known) known.power += power
    else if (units.length > 0) sums.push({ units, power })
  }
  quantities.forEach(({ of, per }, index) => {
    add(of, signs[index] ?? 0)
    add(per, -(signs[index] ?? 0))
  })
  const isOpen = asked.of.length === 0
  if (isOpen && (asked.per.length === 0 || signs[0] !== 1)) return undefined
  const isAsked = (units: readonly string[], power: number): boolean =>
    units.length === 0 || sums.some((sum) => sum.power === power && isSame(sum.units, units))
  if (!isAsked(asked.of, 1) || !isAsked(asked.per, -1)) return undefined
  const others = sums.filter((sum) => sum.power !== 0 && !isSame(sum.units, asked.of) && !isSame(sum.units, asked.per))
  if (others.length > 0 && !isOpen) return undefined
  factor /= (secondsOf(asked.of) ?? 1) / (secondsOf(asked.per) ?? 1)
  if (isOpen || sums.every(({ units }) => secondsOf(units) === undefined)) factor = 1
  const times = quantities.map(({ value }) => value).filter((_, index) => signs[index] === 1)
  const over = quantities.map(({ value }) => value).filter((_, index) => signs[index] === -1)
  if (times.length === 0 || (quantities.length === 1 && factor === 1)) return undefined
  const scale = (value: number): string => String(Number(value.toPrecision(12)))
  if (factor > 1) times.push(scale(factor))
  if (factor < 1) over.push(scale(1 / factor))
  return [times.join(' * '), ...over].join(' / ')
}

/** Every choice of 1 and -1. */
const signsOf = (count: number): number[][] =>
  Array.from({ length: 2 ** count }, (_, choice) =>
    Array.from({ length: count }, (__, index) => ((choice >> index) % 2 === 0 ? 1 : -1)),
  )

const wordsOf = (text: string): string[] => text.match(/\p{L}[\p{L}-]*/gu) ?? []

const secondsOf = (units: readonly string[]): number | undefined =>
  SECONDS.find(([name]) => units.some((unit) => name.test(unit)))?.[1]

/** Whether two count the same: time, or a thing in one of its forms. */
const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((unit) => others.some((other) => isForm(unit, other) || isForm(other, unit))) ||
  (secondsOf(some) !== undefined && secondsOf(others) !== undefined)
const isForm = (long: string, short: string): boolean =>
  toStem(long) === toStem(short) || (short.length >= 4 && long.includes(toStem(short)))
