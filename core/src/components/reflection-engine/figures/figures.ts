/** The numbers that a text claims. Linear in its length. */
import { withoutDates } from './dates.ts'

/** A number as it stands in a text. */
export interface Figure {
  /** As written, with sign and percent. */
  text: string
  value: number
  /** Where the signs between its digits can be read in two ways: the other value. */
  other?: number
  /** Digits after the point as written. */
  decimals: number
  /** `%`, a sign of currency, a unit, or a word of scale that follows. */
  unit: string
  /** Said as a round one: `about`, `~`, `over`. */
  loose: boolean
}

const NUMBER =
  /(?<![\p{L}\d_#@/.:,&]|\d[-–])([~≈±<>≤≥]{0,2}\s?)([$€£¥]?)([-−+]?)(\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,18})?|\d{1,18}(?:[.,]\d{1,18})?)(?![\d]|[.,:/_]\d|[-–]\p{L})\s?(%|°[CF]?|€|[\p{Script=Latin}µ³²]{1,12}|[\p{Script=Han}]{1,2}|)/gu
/** The second of `8–12`. */
const RANGE = /(?<=\d\s?)[-–—](?=\s?\d)/g
const GROUPED = /^\d{1,3}(?:([,.'’\u00a0\u202f ])\d{3})(?:\1\d{3})*(?:[.,]\d{1,18})?$/
/** What numbers a thing and is no amount. */
const LABELS =
  /(?:^|[^\p{L}])(?:step|section|option|chapter|figure|table|part|item|point|example|case|day|week|version|rule|number|row|column|issue|pr|lines?|pages?|zeilen?|seiten?|lignes?)\.?\s?$/iu
const LOOSE =
  /(?:about|around|roughly|approximately|nearly|almost|ca\.?|etwa|rund|knapp|environ|près de|presque|約|over|under)\s?$/iu
/** Units of scale, time and measure, and by what one multiplies or divides to come from one to another. */
const CONVERSIONS: readonly (readonly [units: RegExp, factors: readonly number[]])[] = [
  [/^(?:%|percent|prozent|cents?|ct|€|eur|\$|usd)$/, [100]],
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
 * The amounts that a text states, in order: left out are dates, times, versions, ordinals, what is part of a name or path,
 * and the numbers of steps, lines and the like.
 */
export function toFigures(text: string): Figure[] {
  const amounts = withoutDates(text).replace(RANGE, ' ')
  return [...amounts.matchAll(NUMBER)].flatMap((match): Figure[] => {
    const [, mark = '', sign = '', minus = '', digits = '', unit = ''] = match
    const before = amounts.slice(Math.max(0, match.index - 24), match.index + (mark.length - mark.trimStart().length))
    const [value, other] = readNumber(digits)
    if (value === undefined || /^(?:st|nd|rd|th|er|e|ère|ème)$/i.test(unit) || LABELS.test(before)) return []
    const factor = minus === '-' || minus === '−' ? -1 : 1
    const decimals = /[.,](\d+)$/.exec(digits)?.[1]?.length ?? 0
    return [
      {
        text: `${mark}${sign}${minus}${digits}${/^\W/.test(unit) ? unit : ''}`.trim(),
        value: value * factor,
        ...(other !== undefined && { other: other * factor }),
        decimals: GROUPED.test(digits) && Number.isInteger(value) ? 0 : decimals,
        unit: (unit || sign).toLowerCase(),
        loose: LOOSE.test(before) || /[~≈<>≤≥]/.test(mark),
      },
    ]
  })
}

/** What a number says, and what else it may: `1,234` and `1.234` are a thousand in one place and one and a bit in another. */
export function readNumber(digits: string): [value?: number, other?: number] {
  const plain = /^(\d+)(?:[.,](\d+))?$/.exec(digits)
  const simple = plain === null ? undefined : Number(`${plain[1]}.${plain[2] ?? 0}`)
  if (!GROUPED.test(digits)) return simple === undefined ? [] : [simple]
  const sign = /[,.'’\u00a0\u202f ]/.exec(digits)?.[0] ?? ','
  const [whole = '', rest = '0'] = digits.split(sign === ',' ? '.' : ',')
  const grouped = Number(`${whole.replace(/\D/g, '')}.${rest}`)
  return simple === undefined || simple === grouped ? [grouped] : [grouped, simple]
}

const ANY_NUMBER =
  /(?<!\d)\d{1,3}(?:([,.'’\u00a0\u202f ])\d{3})(?:\1\d{3})*(?:[.,]\d{1,18})?(?!\d)|\d{1,18}(?:[.,]\d{1,18})?/g

/** Every number that stands anywhere in a text, in each way to read it; of dates, times and versions their parts. */
export function toValues(text: string): Set<number> {
  const values = new Set<number>()
  for (const [digits] of text.matchAll(ANY_NUMBER)) {
    for (const value of readNumber(digits)) if (value !== undefined) values.add(value)
    if (/[,\u00a0\u202f ]/.test(digits)) for (const part of digits.split(/[^\d.]/)) values.add(Number(part))
  }
  return values
}

/** Whether a figure is a value rounded to the figure's last digit. */
export const isNear = ({ value, decimals }: Pick<Figure, 'value' | 'decimals'>, known: number): boolean =>
  Math.abs(Math.abs(value) - Math.abs(known)) <= 0.5000001 * 10 ** -decimals

/** What a figure is in other units and scales. */
export function toConverted({ value, unit }: Figure): number[] {
  if (/^°?f/.test(unit)) return [(value - 32) / 1.8]
  if (/^°?c/.test(unit)) return [value * 1.8 + 32]
  const [, factors = []] = CONVERSIONS.find(([units]) => units.test(unit)) ?? []
  return factors.flatMap((factor) => [Math.abs(value) * factor, Math.abs(value) / factor])
}

/** Whether a figure says one of some values: exactly, rounded where it has a fraction, or in another unit or scale. */
export function says(figure: Figure, known: ReadonlySet<number>): boolean {
  const { value, other = value, decimals, loose } = figure
  if (known.has(Math.abs(value)) || known.has(Math.abs(other))) return true
  const claimed = [value, other].map(Math.abs)
  const isRounded = (one: number): boolean => claimed.some((own) => isNear({ value: own, decimals }, one))
  const isAbout = (one: number): boolean => claimed.some((own) => Math.abs(own - one) <= 0.03 * one)
  const precision = (0.5 * 10 ** -decimals) / Math.max(1e-9, Math.abs(value))
  const converted = toConverted(figure)
  for (const one of known) {
    // A whole number may stand for a value with a fraction, never for another whole number.
    if ((!Number.isInteger(one) && isRounded(one)) || (loose && isAbout(one))) return true
    if (converted.some((wanted) => Math.abs(one - wanted) <= Math.abs(wanted) * Math.min(0.05, precision))) return true
  }
  return false
}
