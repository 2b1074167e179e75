import { toSentences } from '../../../text/sentences.ts'
import type { Material } from '../material.ts'
import { toCounts } from './counted-figures.ts'
import { agrees, type Figure, isConverted, isNear, scalesOf, toFigures, toValues } from './figures.ts'
import { isTotalOf } from './table-totals.ts'

const MAX_SPREAD = 12
const MAX_SHORT_RESULT = 2_000
const MAX_PAIRED = 8
const MAX_ROWS = 2_000

/** The figures that no source states and that follow from nothing. */
export function findUnfounded(figures: readonly Figure[], material: Material): Figure[] {
  let open = figures.filter((figure) => figure.value !== 0 && figure.value !== 1)
  if (open.length === 0) return open
  const known = toValues(material.sourceText)
  const fractions = [...known].filter((value) => !Number.isInteger(value))
  const stated = (figure: Figure) => isStated(figure, known, fractions)
  open = open.filter((figure) => !stated(figure))
  if (open.length === 0) return open
  const counts = toCounts(material)
  open = open.filter(({ value }) => !(Number.isInteger(value) && counts.has(value)))
  // A number that follows from others may itself be what the next follows from.
  for (let before = -1; open.length > 0 && open.length !== before; ) {
    before = open.length
    const missing = new Set(open.map(({ text }) => text))
    const founded = (figure: Figure) => !missing.has(figure.text)
    open = open.filter(
      (figure) =>
        !(isDerived(figure, material, founded) || isWorkedOut(figure, material) || isTotalOf(figure, material)),
    )
  }
  return open
}

function isStated(figure: Figure, known: ReadonlySet<number>, fractions: readonly number[]): boolean {
  const value = Math.abs(figure.value)
  if (known.has(value)) return true
  for (const scale of scalesOf(figure)) {
    if (known.has(value * scale)) return true
    if (scale === 1) {
      if (fractions.some((fraction) => agrees(figure, fraction))) return true
    } else {
      for (const source of known) if (source !== 0 && isNear(figure, source / scale)) return true
    }
  }
  if (figure.loose) for (const source of known) if (agrees(figure, source)) return true
  return isConverted(figure, known)
}

/** A row that works something out itself, as a line of code does. */
const OPERATOR = /[*+]|\*\*|[<>]{2}/
const PERIODS = /\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|annual(?:ly)?|yearly|daily|dozens?)\b/i
const IN_PERIODS = [7, 12, 24, 30, 52, 60, 365, 3600]

/** Whether the sentences around a figure hold the numbers that give it. */
function isDerived(figure: Figure, material: Material, stated: (figure: Figure) => boolean): boolean {
  const sentences = material.once('sentences', () => toSentences(material.prose))
  return sentences.some((sentence, index) => {
    if (!sentence.includes(figure.text)) return false
    const own = basesOf(figure, sentence, stated)
    if (own.length > 2 && followsFromAll(figure, own)) return true
    const bases = index === 0 ? own : [...own, ...basesOf(figure, sentences[index - 1] ?? '', stated)]
    if (bases.some((a, i) => bases.some((b, j) => i !== j && follows(figure, a.value, b.value)))) return true
    // Delays and sizes double: 100, 200, 400.
    if (own.some(({ value }) => agrees(figure, value * 2))) return true
    return PERIODS.test(sentence) && bases.some(({ value }) => isPerPeriod(figure, value))
  })
}

const basesOf = (figure: Figure, sentence: string, stated: (figure: Figure) => boolean): Figure[] =>
  toFigures(sentence)
    .filter((other) => other.text !== figure.text && stated(other))
    .slice(0, MAX_SPREAD)

const isPerPeriod = (figure: Figure, value: number): boolean =>
  IN_PERIODS.some((count) => agrees(figure, value * count) || agrees(figure, value / count))

/** Whether two numbers of one short tool result, or of one row of it, give it: the gain between two measurements. */
function isWorkedOut(figure: Figure, { done }: Material): boolean {
  const isFromPair = (text: string, gives: typeof isGain): boolean => {
    const values = [...toValues(text)]
    return values.length <= MAX_PAIRED && values.some((a) => values.some((b) => a !== b && gives(figure, a, b)))
  }
  return done.some(({ text }) => {
    if (text.length <= MAX_SHORT_RESULT && isFromPair(text, isGain)) return true
    const rows = text.slice(0, MAX_SHORT_RESULT * 10).split('\n')
    return (
      rows.length <= MAX_ROWS &&
      rows.some((row) => row.length < 400 && isFromPair(row, OPERATOR.test(row) ? follows : isGain))
    )
  })
}

function isGain(figure: Figure, a: number, b: number): boolean {
  const results = figure.unit === '%' ? [(100 * a) / b, (100 * (a - b)) / b] : [a - b, a + b, a / b]
  return results.some((result) => Number.isFinite(result) && agrees(figure, result))
}

function follows(figure: Figure, a: number, b: number): boolean {
  const results = [a + b, a - b, a * b, b === 0 ? Number.NaN : a / b, (a + b) / 2]
  if (figure.unit === '%' || figure.unit === 'percent') results.push((100 * a) / b, (100 * (a - b)) / b, (a * b) / 100)
  return results.some((result) => Number.isFinite(result) && agrees(figure, result))
}

function followsFromAll(figure: Figure, bases: readonly Figure[]): boolean {
  const total = bases.reduce((sum, { value }) => sum + value, 0)
  return agrees(figure, total) || agrees(figure, total / bases.length)
}
