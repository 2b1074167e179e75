/** The words and numbers of a text. Linear in its length. */
import { isStopWord, toStem } from '../../../text/index.ts'
import { TELLING } from '../told/language.ts'

const NUMBER =
  /(?<![\p{L}\d_#@/.:,&]|\d[-–])([~≈±<>≤≥]{0,2}\s?)([$€£¥]?)([-−+]?)(\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,18})?|\d{1,18}(?:[.,]\d{1,18})?)(?![\d]|[.,:/_]\d|[-–]\p{L})\s?(%|°[CF]?|€|[\p{Script=Latin}µ³²]{1,12}|[\p{Script=Han}]{1,2}|)/gu
const GROUPED = /^\d{1,3}(?:([,.'’\u00a0\u202f ])\d{3})(?:\1\d{3})*(?:[.,]\d{1,18})?$/
const ANY_NUMBER =
  /(?<!\d)\d{1,3}(?:([,.'’\u00a0\u202f ])\d{3})(?:\1\d{3})*(?:[.,]\d{1,18})?(?!\d)|\d{1,18}(?:[.,]\d{1,18})?/g
/** Dates, times and versions: their numbers are no amounts. */
const NO_AMOUNTS =
  /\d{4}-\d{2}(?:-\d{2})?T?|(?<![\d.,])\d{1,2}\.\s?(?:0?[1-9]|1[0-2])\.(?:\s?\d{4}|(?=\s\S|[),;–-]))|(?<![\d.,:])\d{1,2}(?:st|nd|rd|th|er|\.)?\s\p{L}{3,10}\.?,?\s(?:1[5-9]|20)\d\d(?!\d)|\p{Lu}\p{L}{2,9}\s(?:\d{1,2}(?:st|nd|rd|th)?,\s)?(?:1[5-9]|20)\d\d(?![.,]?\d)|\d{1,4}[年月日]|(?<![\d:.])\d{1,2}[:h]\d{2}(?::\d{2})?(?![\d:])|(?<![\d.])[vV]?\d+(?:\.\d+){2,}/gu
/** Units of scale, time and measure, and by what one multiplies or divides to come from one to another. */
const CONVERSIONS: readonly (readonly [units: RegExp, factors: readonly number[]])[] = [
  [
    /^(?:k|thousand|millions?|millionen|billion|万|億|[kmgt]i?b|bytes?|[mg])$/,
    [1e3, 1e4, 1e6, 1e8, 1e9, 1024, 1024 ** 2],
  ],
  [
    /^(?:m?s|secs?|seconds?|milliseconds?|h|hours?|mins?|minutes?|days?|weeks?|months?|years?|stunden?|minuten?|sekunden?|tage?n?|wochen?|heures?|jours?|mois|分|秒|時間|日)$/,
    [1e3, 60, 3600, 24, 7, 12, 86_400],
  ],
  [
    /^(?:mi|miles?|km|[cm]m|ft|feet|foot|in|inch(?:es)?|kg|mg|t|tonn?e?s?|tonnen|lbs?|pounds?|oz|[mcd]?l|lit(?:er|re)s?)$/,
    [100, 1e3, 1.609344, 0.3048, 2.54, 2.20462, 28.3495],
  ],
]

/**
 * The amounts that a text states, in order: left out are dates, times, versions, ordinals, and what is part of a name or path.
 * Each has its text, with sign and percent; its readings, where the sign between digits can part thousands or decimals more
 * than one; and `%`, a sign of currency, a unit, or a word of scale that follows.
 */
export function toFigures(text: string) {
  const amounts = text.replace(NO_AMOUNTS, (blank) => ' '.repeat(blank.length))
  return [...amounts.matchAll(NUMBER)].flatMap(([, mark = '', sign = '', minus = '', digits = '', unit = '']) => {
    const factor = minus === '-' || minus === '−' ? -1 : 1
    const readings = readNumber(digits).map(({ value, decimals }) => ({ value: value * factor, decimals }))
    const written = `${mark}${sign}${minus}${digits}${/^\W/.test(unit) ? unit : ''}`.trim()
    return readings.length === 0 ? [] : [{ text: written, readings, unit: (unit || sign).toLowerCase() }]
  })
}
export type Figure = ReturnType<typeof toFigures>[number]

/** What a number says: `1,234` and `1.234` are a thousand in one place and one and a bit in another. */
export function readNumber(digits: string) {
  const sign = GROUPED.exec(digits)?.[1]
  const whole = sign === undefined ? [] : [digits.replaceAll(sign, '')]
  const plain = /^\d+(?:[.,]\d+)?$/.test(digits) ? [digits] : []
  return [...whole, ...plain].map((written) => ({
    value: Number(written.replace(',', '.')),
    /** Digits after the point as written. */
    decimals: written.split(/[.,]/)[1]?.length ?? 0,
  }))
}

type Reading = ReturnType<typeof readNumber>[number]

/** Every number that stands anywhere in a text, in each way to read it; of dates, times and versions their parts. */
export function toValues(text: string): Set<number> {
  const values = new Set<number>()
  for (const [digits] of text.matchAll(ANY_NUMBER)) {
    for (const { value } of readNumber(digits)) values.add(value)
    if (/[,\u00a0\u202f ]/.test(digits)) for (const part of digits.split(/[^\d.]/)) values.add(Number(part))
  }
  return values
}

/** Whether a figure is a value rounded to the figure's last digit. */
export const isNear = ({ value, decimals }: Reading, known: number): boolean =>
  Math.abs(Math.abs(value) - Math.abs(known)) <= 0.5000001 * 10 ** -decimals

export const saysNumber = (written: string, known: ReadonlySet<number>): boolean =>
  says({ text: written, readings: readNumber(written), unit: '' }, known)

/** What a figure is in other units and scales. */
function toConverted({ readings, unit }: Figure): number[] {
  const values = readings.map(({ value }) => value)
  if (/^°?f/.test(unit)) return values.map((value) => (value - 32) / 1.8)
  if (/^°?c/.test(unit)) return values.map((value) => value * 1.8 + 32)
  const [, factors = []] = CONVERSIONS.find(([units]) => units.test(unit)) ?? []
  return values.flatMap((value) => factors.flatMap((factor) => [Math.abs(value) * factor, Math.abs(value) / factor]))
}

/** Whether a figure says one of some values: exactly, rounded where it has a fraction, or in another unit or scale. */
export function says(figure: Figure, known: ReadonlySet<number>): boolean {
  const { readings } = figure
  if (readings.some(({ value }) => known.has(Math.abs(value)))) return true
  const converted = toConverted(figure)
  const [{ value, decimals } = { value: 0, decimals: 0 }] = readings
  const precision = Math.min(0.05, (0.5 * 10 ** -decimals) / Math.max(1e-9, Math.abs(value)))
  for (const one of known) {
    // A whole number may stand for a value with a fraction, never for another whole number.
    if (!Number.isInteger(one) && readings.some((reading) => isNear(reading, one))) return true
    if (converted.some((wanted) => Math.abs(one - wanted) <= wanted * precision)) return true
  }
  return false
}

/** Words, of Japanese its Kanji and runs of Katakana, and numbers with their separators. */
const TOKEN =
  /\d+(?:[.,:'’\u00a0\u202f ]?\d+)*|\p{Script=Han}|[\p{Script=Katakana}ー]+|(?![\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}])\p{L}(?:(?![\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}])[\p{L}\p{M}\d])*/gu

/** Numbers in words, from two on: "one" says too much else. */
const NUMBERS: ReadonlyMap<string, string> = new Map(
  [
    'two three four five six seven eight nine ten eleven twelve',
    'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
    'deux trois quatre cinq six sept huit neuf dix onze douze',
    '二 三 四 五 六 七 八 九 十',
  ].flatMap((words) => words.split(' ').map((word, index): [string, string] => [word, String(index + 2)])),
)

/** The words of a text that carry a topic, as stems, and its numbers without the signs between thousands; in order. */
export const toTokens = (text: string): string[] =>
  [...text.normalize('NFKC').matchAll(TOKEN)].flatMap(([raw]) => {
    const word = raw.toLowerCase()
    if (/^\d/.test(raw)) return toNumbers(raw)
    return isStopWord(word) ? [] : [NUMBERS.get(word) ?? toStem(word)]
  })

/** A number, or a version, as one; of what is no one number, its parts. */
function toNumbers(raw: string): string[] {
  const [reading] = readNumber(raw)
  if (reading === undefined && /^\d+(?:\.\d+){2,3}$/.test(raw)) return [raw]
  return (reading === undefined ? raw.split(/\D+/).map(Number) : [reading.value]).map(String)
}

const WORKED_OUT = 'total sum average mean figure count equal line lines contains field called now currently'
const TELLING_TOKENS: ReadonlySet<string> = new Set(toTokens(`${[...TELLING].join(' ')} ${WORKED_OUT}`))
/** Whether by a word a text says that something is so, or how it was worked out, and nothing about what. */
export const isTelling = (token: string): boolean => TELLING_TOKENS.has(token)
