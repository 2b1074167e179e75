/** The numbers that a text claims. Linear in its length. */
import { withoutDates } from './dates.ts'

/** A number as it stands in a text. */
export interface Figure {
  /** As written, with sign, percent and unit. */
  text: string
  value: number
  /** Where the signs between its digits can be read in two ways: the other value. */
  other?: number
  /** Digits after the point as written. */
  decimals: number
  /** `%`, a unit, or a word of scale that follows. */
  unit: string
  /** Said as a round one: `about`, `~`, `over`. */
  loose: boolean
}

const NUMBER =
  /(?<![\p{L}\d_#@/.:,&]|\d[-–])([~≈±<>≤≥]{0,2}\s?)([$€£¥]?)([-−+]?)(\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,18})?|\d{1,18}(?:[.,]\d{1,18})?)(?![\d]|[.,:/_]\d|[-–]\p{L})\s?(%|°[CF]?|€|[\p{Script=Latin}µ³²]{1,12}|[\p{Script=Han}]{1,2}|)/gu
/** The second of `8–12`. */
const RANGE = /(?<=\d\s?)[-–—](?=\s?\d)/g
const GROUPED = /^\d{1,3}(?:([,.'’\u00a0\u202f ])\d{3})(?:\1\d{3})*(?:[.,]\d{1,18})?$/
const LABELS =
  /(?:^|[^\p{L}])(?:step|section|option|chapter|figure|fig|table|part|phase|item|point|question|example|case|note|day|week|version|v|rule|number|row|column|appendix|article|sec|eq|level|issue|pr|lines?|pages?|zeilen?|seiten?|lignes?|l)\.?\s?$/iu
const LOOSE =
  /(?:about|around|roughly|approximately|nearly|almost|some|circa|ca\.?|etwa|rund|knapp|gut|environ|près de|presque|約|およそ|over|under)\s?$/iu
const SCALES: ReadonlyMap<string, number> = new Map([
  ['thousand', 1e3],
  ['million', 1e6],
  ['millions', 1e6],
  ['millionen', 1e6],
  ['billion', 1e9],
  ['k', 1e3],
  ['万', 1e4],
  ['億', 1e8],
])

/**
 * The amounts that a text states, in order: left out are dates, times, versions, ordinals, what is part of a name or path,
 * and the numbers of steps, lines and the like.
 */
export function toFigures(text: string): Figure[] {
  const amounts = withoutDates(text).replace(RANGE, ' ')
  return [...amounts.matchAll(NUMBER)].flatMap((match): Figure[] => {
    const [, mark = '', sign = '', minus = '', digits = '', unit = ''] = match
    const before = amounts.slice(Math.max(0, match.index - 24), match.index + (mark.length - mark.trimStart().length))
    if (/^(?:st|nd|rd|th|er|e|ère|ème)$/i.test(unit) || LABELS.test(before)) return []
    const [value, other] = readNumber(digits)
    if (value === undefined) return []
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

/**
 * Every number that stands anywhere in a text; of dates, times and versions their parts.
 *
 * @param inEachWay also in the less likely way to read the signs between its digits
 */
export function toValues(text: string, inEachWay = true): Set<number> {
  const values = new Set<number>()
  for (const [digits] of text.matchAll(ANY_NUMBER)) {
    for (const value of readNumber(digits).slice(0, inEachWay ? 2 : 1)) if (value !== undefined) values.add(value)
    if (/[,\u00a0\u202f ]/.test(digits)) for (const part of digits.split(/[^\d.]/)) values.add(Number(part))
  }
  return values
}

/** Whether a figure is a value rounded to the figure's last digit. */
export function isNear(figure: Pick<Figure, 'value' | 'decimals'>, value: number): boolean {
  return Math.abs(Math.abs(figure.value) - Math.abs(value)) <= 0.5000001 * 10 ** -figure.decimals
}

/** Whether a figure says a value: exactly, rounded where the value has a fraction, or nearly where it is said as a round one. */
export function agrees(figure: Figure, value: number): boolean {
  const known = Math.abs(value)
  return [figure.value, figure.other ?? figure.value].map(Math.abs).some((claimed) => {
    if (Math.abs(claimed - known) <= 1e-9 * known) return true
    if (figure.loose && Math.abs(claimed - known) <= known * 0.03) return true
    // A whole number may stand for a value with a fraction, never for another whole number.
    return (
      !Number.isInteger(Number(known.toPrecision(12))) && isNear({ value: claimed, decimals: figure.decimals }, known)
    )
  })
}

/** Factors between units of one kind, and what a unit may be converted to. */
const CONVERSIONS: readonly { unit: RegExp; factors: readonly number[] }[] = [
  { unit: /^%$|^percent|^prozent|^pour/, factors: [0.01] },
  { unit: /^[kmgt]ib$/, factors: [1024, 1024 ** 2, 1024 ** 3, 1 / 1024, 1 / 1024 ** 2] },
  {
    unit: /^(?:[kmgt]b|[kmgt]|bytes?)$/,
    factors: [1e3, 1e6, 1e9, 1024, 1024 ** 2, 1024 ** 3, 1e-3, 1 / 1024, 1 / 1024 ** 2],
  },
  {
    unit: /^(?:s|secs?|seconds?|ms|milliseconds?|h|hours?|min|mins?|minutes?|days?|weeks?|months?|years?|stunden?|minuten?|sekunden?|tage?n?|wochen?|heures?|jours?|secondes?|mois|分|秒|時間|日)$/,
    factors: [
      1e3,
      1e-3,
      60,
      1 / 60,
      3600,
      1 / 3600,
      24,
      1 / 24,
      7,
      1 / 7,
      12,
      1 / 12,
      60_000,
      1 / 60_000,
      86_400,
      1 / 86_400,
    ],
  },
  { unit: /^(?:mi|miles?)$/, factors: [1.609344, 1609.344] },
  { unit: /^(?:km|kilomet(?:er|re)s?)$/, factors: [1 / 1.609344, 1e3, 1.852] },
  { unit: /^(?:ft|feet|foot|in|inch(?:es)?)$/, factors: [0.3048, 30.48, 2.54, 1 / 12, 12] },
  { unit: /^(?:cm|mm|m|met(?:er|re)s?)$/, factors: [1 / 0.3048, 0.01, 100, 1e-3, 1e3, 1 / 2.54] },
  {
    unit: /^(?:kg|kilograms?|g|grams?|t|tonn?e?s?|tonnen|mg)$/,
    factors: [2.20462, 1 / 28.3495, 1e3, 1e-3, 0.453592, 28.3495],
  },
  { unit: /^(?:lbs?|pounds?|oz)$/, factors: [1 / 2.20462, 0.453592, 16, 1 / 16, 1 / 28.3495] },
  { unit: /^(?:l|lit(?:er|re)s?|ml|cl|dl)$/, factors: [1e3, 1e-3] },
  { unit: /^(?:cents?|ct|cent|€|eur|\$|usd)$/, factors: [100, 0.01] },
]

/** By what a figure may be multiplied to be in the unit or scale of its source. */
export const factorsOf = ({ unit }: Figure): readonly number[] => [
  ...(SCALES.has(unit) ? [SCALES.get(unit) ?? 1] : []),
  ...(CONVERSIONS.find((entry) => entry.unit.test(unit))?.factors ?? []),
]

/** Whether a figure says a value, as it is or in another unit or scale, to one part in a hundred there. */
export function says(figure: Figure, known: ReadonlySet<number>): boolean {
  if (known.has(Math.abs(figure.value)) || (figure.other !== undefined && known.has(Math.abs(figure.other))))
    return true
  for (const value of known) if (!Number.isInteger(value) || figure.loose) if (agrees(figure, value)) return true
  const reach = (0.5 * 10 ** -figure.decimals) / Math.max(1e-9, Math.abs(figure.value))
  const isSaid = (wanted: number): boolean => {
    const slack = Math.abs(wanted) * Math.min(0.05, Math.max(reach, 1e-9))
    if (known.has(wanted)) return true
    for (const value of known) if (Math.abs(value - wanted) <= slack) return true
    return false
  }
  if (factorsOf(figure).some((factor) => isSaid(Math.abs(figure.value) * factor))) return true
  if (/^°?f$/.test(figure.unit.replace('ahrenheit', ''))) return isSaid((figure.value - 32) / 1.8)
  return /^°?c$/.test(figure.unit.replace('elsius', '')) && isSaid(figure.value * 1.8 + 32)
}
