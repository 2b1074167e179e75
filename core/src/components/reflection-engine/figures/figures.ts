/** The numbers of a text, and sums worked out from text. Linear in its length. */
import { readDecimalComma } from '../../../text/numbers.ts'

/** A number as it stands in a text. */
export interface Figure {
  /** As written, with sign, percent and unit. */
  text: string
  value: number
  /** Digits after the point as written. */
  decimals: number
  /** `%`, a unit, or a scale word that follows. */
  unit: string
  /** True for a round way of saying: `about`, `~`, `over`. */
  loose: boolean
}

const TOKEN = /[^\s|"'“”‘’`()[\]{}<>;!?]+/g
const PLAIN =
  /^([~≈±<>≤≥]{0,2})([$€£¥]?)([-−–+]?)([$€£¥]?)(\d{1,3}(?:,\d{3})+|\d{1,18})(\.\d{1,18})?(%|°[CF]?|[a-zµ]{1,4}|[KMGTB]{1,2}i?B?|x|×)?$/i
const ORDINAL = /^\d+(?:st|nd|rd|th)$/i
const LABELS: ReadonlySet<string> = new Set(
  (
    'step section option chapter figure fig table part phase item point question answer line lines page pages level example case note ' +
    'day week version v rule number no nr round row column appendix article sec eq equation tier stage issue pr task port http status'
  ).split(' '),
)
const LOOSE: ReadonlySet<string> = new Set(
  'about around roughly approximately nearly almost over under circa some ~ ca'.split(' '),
)
/** Units that are often written apart from their number. */
const APART =
  /^(?:%|°[cf]|celsius|fahrenheit|km|kilomet(?:er|re)s?|mi|miles?|ft|feet|foot|inch(?:es)?|cm|met(?:er|re)s?|kg|kilograms?|lbs?|pounds?|[kmgt]i?b|ms|s|sec|seconds?|min|minutes?|h|hours?|milliseconds?)$/
const SCALES: Readonly<Record<string, number>> = {
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
  percent: 1,
}

/**
 * The numbers that a text claims, in order.
 *
 * Left out are those that count or name rather than claim: list numbers, ordinals, `step 3`, and parts of dates, versions,
 * paths, ids and code names.
 */
export function toFigures(text: string): Figure[] {
  const figures: Figure[] = []
  for (const line of text.split('\n')) {
    if (!/\d/.test(line)) continue
    const bare = line.replace(/^\s{0,12}(?:#{1,6}\s+)?(?:\*\*)?\d{1,3}[.):]\s/, ' ')
    const tokens = bare.match(TOKEN) ?? []
    tokens.forEach((token, index) => {
      if (token.length > 120 || !/\d/.test(token)) return
      const parts = toParts(token)
      if (parts.length === 0) return
      const before = (tokens[index - 1] ?? '').toLowerCase().replace(/[^\p{L}~]/gu, '')
      if (LABELS.has(before)) return
      const after = (tokens[index + 1] ?? '').toLowerCase().replace(/[^\p{L}%°]/gu, '')
      for (const part of parts) {
        const figure = toFigure(part, after, LOOSE.has(before))
        if (figure !== undefined) figures.push(figure)
      }
    })
  }
  return figures
}

/** `12-15` and `17*23=391` hold several numbers; `2024-05-01`, `1.2.3`, `a/b1` and `x:12` hold none. */
function toParts(token: string): string[] {
  const bare = token.replace(/^[*_.,:]+/, '').replace(/(?<![*_.,:])[*_.,:]+$/, '')
  if (PLAIN.test(bare)) return [bare]
  if (/^[~≈]?[$€£]?\d[\d,]*(?:\.[\d,]+)*%?(?:[-–—]|\.\.\.?)[$€£]?\d[\d.,]*[%a-z]{0,4}$/i.test(bare)) {
    return /^\d{4}[-–]\d{2}$/.test(bare) ? [] : bare.split(/[-–—]|\.\.+/)
  }
  if (/^[-−\d.,+*×·÷/^=≈%$€£]+$/.test(bare) && /[*×·÷=≈^+]/.test(bare)) return bare.split(/[+*×·÷/^=≈]|(?<=\d)[-−]/)
  return []
}

function toFigure(part: string, after: string, loose: boolean): Figure | undefined {
  if (ORDINAL.test(part)) return undefined
  const match = PLAIN.exec(part)
  if (match === null) return undefined
  const [, mark = '', , sign = '', , digits = '', fraction = '', suffix = ''] = match
  const value = Number(digits.replaceAll(',', '') + fraction) * (sign === '-' || sign === '−' ? -1 : 1)
  if (!Number.isFinite(value)) return undefined
  const unit = suffix !== '' ? suffix : after in SCALES || APART.test(after) ? after : ''
  return { text: part, value, decimals: Math.max(0, fraction.length - 1), unit, loose: loose || /[~≈<>≤≥]/.test(mark) }
}

/** A number with a decimal comma in a row with semicolons: `kettle;1,5;3`. */
const DECIMAL_COMMA =
  /(?<=;)\d[\d.]{0,20},\d{1,18}(?=[^\d,.;\n]{0,3}(?:;|$))|(?<![\d.,])\d[\d.]{0,20},\d{1,18}(?=[^\d,.;\n]{0,3};)/gm

/** Every number that stands anywhere in a text, also inside of dates, versions, paths and ids: what a claim may rest on. */
export function toValues(text: string): Set<number> {
  const values = new Set<number>()
  for (const match of text.matchAll(/(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d{1,18})?|\d+(?:\.\d{1,18})?/g)) {
    const [whole] = match
    const value = Number(whole.replaceAll(',', ''))
    if (!Number.isFinite(value)) continue
    values.add(value)
    if (!/[.,]/.test(whole)) continue
    for (const part of whole.split(/[.,]/)) values.add(Number(part))
    // A comma may also separate two columns: "41,512.30" holds 512.3.
    for (const part of whole.split(',')) values.add(Number(part))
  }
  if (text.includes(';')) {
    for (const [number] of text.matchAll(DECIMAL_COMMA)) values.add(readDecimalComma(number) ?? 0)
  }
  return values
}

/** Whether a figure says the same as a value, at the precision it is written with. */
export function agrees(figure: Figure, value: number): boolean {
  const claimed = Math.abs(figure.value)
  const known = Math.abs(value)
  if (claimed === known) return true
  if (figure.loose && Math.abs(claimed - known) <= known * 0.1) return true
  // A whole number may stand for a value with a fraction, never for another whole number.
  if (Number.isInteger(known)) return false
  return isNear(figure, known)
}

/** Whether a figure is a value rounded to the figure's last digit. */
export function isNear(figure: Pick<Figure, 'value' | 'decimals'>, value: number): boolean {
  return Math.abs(Math.abs(figure.value) - Math.abs(value)) <= 0.5000001 * 10 ** -figure.decimals
}

/** Other measures of the same: `313 miles` where the source says kilometres. Sizes in the unit that the source may use. */
const CONVERSIONS: readonly { unit: RegExp; to: readonly ((value: number) => number)[] }[] = [
  { unit: /^°f$|^fahrenheit$/, to: [(value) => (value - 32) / 1.8] },
  { unit: /^°c$|^celsius$/, to: [(value) => value * 1.8 + 32] },
  { unit: /^mi$|^miles?$/, to: [(value) => value * 1.609344] },
  { unit: /^km$|^kilomet(?:er|re)s?$/, to: [(value) => value / 1.609344, (value) => value * 1000] },
  { unit: /^ft$|^feet$|^foot$/, to: [(value) => value * 0.3048] },
  { unit: /^in$|^inch(?:es)?$/, to: [(value) => value * 2.54] },
  { unit: /^cm$|^centimet(?:er|re)s?$/, to: [(value) => value / 2.54, (value) => value / 100] },
  { unit: /^m$|^met(?:er|re)s?$/, to: [(value) => value / 0.3048, (value) => value / 1000] },
  { unit: /^kg$|^kilograms?$/, to: [(value) => value * 2.20462, (value) => value * 1000] },
  { unit: /^lbs?$|^pounds?$/, to: [(value) => value / 2.20462] },
]
const CONVERTED_WITHIN = 0.01

/** Whether a figure says a value in another measure, to one part in a hundred or the figure's last digit. */
export function isConverted(figure: Figure, known: ReadonlySet<number>): boolean {
  const unit = figure.unit.toLowerCase()
  const conversion = CONVERSIONS.find((entry) => entry.unit.test(unit))
  if (conversion === undefined) return false
  const step = 10 ** -figure.decimals
  return conversion.to.some((convert) => {
    const bounds = [convert(figure.value - step / 2), convert(figure.value + step / 2)]
    const slack = CONVERTED_WITHIN * Math.abs(convert(figure.value))
    const [low, high] = [Math.min(...bounds) - slack, Math.max(...bounds) + slack]
    for (const value of known) if (value >= low && value <= high) return true
    return false
  })
}

/** Factors by which the unit of a figure may differ from that of its source. */
export function scalesOf(figure: Figure): readonly number[] {
  const unit = figure.unit.toLowerCase()
  if (unit === '%' || unit === 'percent') return [1, 0.01]
  const word = SCALES[unit]
  if (word !== undefined) return [1, word]
  if (unit === 'k') return [1, 1e3, 1024]
  if (unit === 'm') return [1, 1e6, 60, 1e-3]
  if (/^[kmgt]i?b$/.test(unit)) {
    const power = 'kmgt'.indexOf(unit.charAt(0)) + 1
    return [1, 1000 ** power, 1024 ** power]
  }
  if (/^(?:s|sec|ms|h|min|seconds?|minutes?|hours?|milliseconds?)$/.test(unit)) return [1, 1e3, 1e-3, 60, 3600, 60_000]
  return unit === 'x' || unit === '×' || unit === '' ? [1] : [1, 1e3, 1e-3]
}
