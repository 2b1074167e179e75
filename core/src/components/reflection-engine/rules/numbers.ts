import type { Call } from '../../../text/calls/call.ts'
import { excerpt } from '../check.ts'
import { toRecords } from '../evidence/records.ts'
import { isTelling, toTokens } from '../evidence/tokens.ts'
import { agree, leadsTo, toDates } from '../figures/dates.ts'
import { toDerived } from '../figures/derived.ts'
import { agrees, type Figure, says, toFigures, toValues } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { type Statement, toStatements } from '../statements/to-statements.ts'
import { evidenceOf, type Rule } from './rule.ts'

/** Smaller whole numbers are said of too many things. */
const SMALLEST = 13
const MAX_OPERANDS = 24
/** Further figures of one statement, and figures that come from nowhere of all, are not looked at. */
const MAX_FIGURES = 400
const MAX_OPEN = 200
const MAX_STATEMENTS = 2_000
const MOST_ROWS = 4
const ROUGHLY = 0.005
/** From this share of its words on a statement speaks of what was read. */
const RELATED_FROM = 0.5
/** What one multiplies and divides by without saying so. */
const CONSTANTS = [2, 7, 12, 24, 60]
/** Speaks of lines, which another rule holds, or of what might be. */
const NO_AMOUNT =
  /\blines?\b|\bzeilen?\b|\blignes?\b|行|\b(?:if|would|expect|e\.g|for example|such as|wenn|falls|könnten?|zum beispiel|z\.\s?b|si|pourrai(?:en)?t|par exemple)\b|例えば|たとえば/iu
/** A number of days, weeks, months or years. */
const PERIOD =
  /(\d{1,4})[\s-]?(?:days?|weeks?|months?|years?|tagen?|wochen?|monaten?|jahren?|jours?|semaines?|mois|ans?|日|週|か月|ヶ月|年)|(?:days?|weeks?|months?|years?)\W{1,4}(\d{1,4})/giu

/** Every amount and date stands in the task or in what a tool returned, or follows from such ones. */
export const numbers: Rule = {
  id: 'numbers',
  trust: 0.9,
  lesson: {
    trigger: 'an answer with numbers that tools returned',
    cause: '3.3',
    advice: 'Copy every number from the tool output that it comes from.',
  },
  hint: 'Use what the tools returned, or say where the number comes from.',
  hold({ text, block }, material) {
    if (block !== undefined || !/\d/.test(text)) return undefined
    const wrong = material.once('unfounded', () => findUnfounded(material)).get(text)
    if (wrong === undefined || wrong.length === 0) return undefined
    const nearest = nearestCalls(wrong, material)
    const returned = nearest.map((call) => `${call.tool} returned ${excerpt(call.text, 160)}`).join('; ')
    return {
      verdict: 'contradicted',
      kind: 'figure',
      evidence: nearest.map(evidenceOf),
      why: `${wrong.slice(0, 5).join(', ')} stands nowhere and follows from nothing${returned === '' ? '' : `; ${returned}`}`,
    }
  },
}

/** By statement, the figures and dates that come from nowhere, of those that speak of what was read. */
function findUnfounded(material: Material): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  // What was seen cannot be compared, and where no source holds a number those of the answer come from elsewhere.
  if (material.sawOther || !material.grounded || !/\d/.test(material.evidenceText)) return found
  const statements = toStatements(material).filter(({ block }) => block === undefined).slice(0, MAX_STATEMENTS)
  const known = toValues(material.sourceText)
  const records = toRecords(material.calls)
  const derived = toDerived(material.calls, records)
  const labels = new Set(records.flatMap(({ fields }) => fields.flatMap(({ label }) => label)))
  for (const count of toListed(statements)) derived.add(count)
  const figures = statements.map(({ text }) => (NO_AMOUNT.test(text) ? [] : toFigures(text).slice(0, MAX_FIGURES)))
  const counts = [...new Set(statements.slice(0, MAX_FIGURES).flatMap(({ text }) => toTokens(text)))].map(Number)
    .filter((count) => count > 1 && count < SMALLEST)
  const open = new Map<Figure, number>()
  for (const [at, own] of figures.entries())
    for (const figure of own)
      if (open.size < MAX_OPEN && !isSmall(figure) && !says(figure, known) && !says(figure, derived)) open.set(figure, at)
  // A number that follows from others may itself be what the next follows from.
  for (let before = -1; open.size > 0 && open.size !== before; ) {
    before = open.size
    for (const [figure, at] of open) {
      const founded = (some: readonly Figure[] = []): Figure[] => some.filter((other) => other !== figure && !open.has(other))
      const own = founded(figures[at])
      const near = own.length > 1 && figure.unit !== '%' ? own : [...own, ...founded(figures[at - 1]), ...founded(figures[at + 1])]
      const { byFigure, byName, pairs } = rowMates(statements[at]?.text ?? '', own, material)
      const mates = byFigure.filter((value) => value >= SMALLEST || !Number.isInteger(value))
      const terms = [...near, ...mates.map((value) => ({ value, unit: '' }))].slice(0, MAX_OPERANDS)
      const factors = [...terms.map(({ value }) => value), ...counts, ...byName].slice(0, MAX_OPERANDS)
      if (pairs.some(([a, b]) => isOfPair(figure, a, b)) || follows(figure, terms, factors)) open.delete(figure)
    }
  }
  for (const [figure, at] of open) {
    const { text } = statements[at] ?? { text: '' }
    const founded = (figures[at] ?? []).filter((other) => !open.has(other)).length
    if (isAboutRead(text, founded, material) || toTokens(text).some((token) => labels.has(token))) found.set(text, [...(found.get(text) ?? []), figure.text])
  }
  for (const { text } of statements) {
    const dates = NO_AMOUNT.test(text) ? [] : findDates(text, material)
    if (dates.length > 0) found.set(text, [...(found.get(text) ?? []), ...dates])
  }
  return found
}

const isSmall = ({ value, unit, decimals }: Figure): boolean =>
  decimals === 0 && ((Math.abs(value) < SMALLEST && !/^[%$€£]/.test(unit)) || (value === 100 && unit === '%'))

/** How many things the answer itself lists. */
function toListed(statements: readonly Statement[]): number[] {
  const commas = statements.map(({ text }) => (text.match(/[,;、]\s?/g) ?? []).length)
  return [statements.length, ...commas.flatMap((count) => (count === 0 ? [] : [count + 1, count + 2]))]
}

interface Operand {
  readonly value: number
  readonly unit: string
}

interface RowMates {
  readonly byFigure: readonly number[]
  readonly byName: readonly number[]
  readonly pairs: readonly (readonly [number, number])[]
}

/** The numbers that stand in one line of a source with a figure or a name of the statement; of short lines in pairs. */
function rowMates(text: string, own: readonly Figure[], material: Material): RowMates {
  const rows = material.once('rows', () =>
    material.done
      .flatMap((call) => call.text.slice(0, 20_000).split('\n'))
      .filter((row) => row.length < 200 && /\d/.test(row))
      .slice(0, 500)
      .map((row) => ({ values: toValues(row, false), words: new Set(toTokens(row)) })),
  )
  const names = toTokens(text).filter((token) => token.length > 2 && !/^\d/.test(token))
  const named = rows.filter(({ words }) => names.some((name) => words.has(name)))
  const toNumbers = (some: typeof rows): number[] => [...new Set(some.slice(0, MOST_ROWS).flatMap(({ values }) => [...values]))]
  return {
    byFigure: toNumbers(rows.filter(({ values }) => own.some(({ value }) => value >= SMALLEST && values.has(value)))),
    byName: toNumbers(named),
    pairs: named
      .filter(({ values }) => values.size <= MOST_ROWS)
      .flatMap(({ values }) => [...values].flatMap((a) => [...values].map((b) => [a, b] as const))),
  }
}

/** Whether a figure is a value: rounded only where it is written or said so, or is a share. */
function isIt(figure: Figure, value: number): boolean {
  if (!Number.isFinite(value)) return false
  if (figure.loose && Math.abs(Math.abs(figure.value) - Math.abs(value)) <= ROUGHLY * Math.abs(value)) return true
  if (figure.decimals > 0 || figure.loose || figure.unit === '%') return agrees({ ...figure, loose: false }, value)
  return Math.abs(figure.value) === Math.abs(Number(value.toPrecision(12)))
}

/** Whether two numbers give a figure as their sum or difference, or as a share or change where it is one. */
const isOfPair = (figure: Figure, a: number, b: number): boolean =>
  /^(?:%|percent|prozent)/.test(figure.unit)
    ? isIt(figure, (100 * a) / b) || isIt(figure, (100 * (a - b)) / b)
    : isIt(figure, a + b) || isIt(figure, a - b)

/** Whether a figure is the sum or mean of all terms, follows from two of them, or is a product or ratio of factors. */
function follows(figure: Figure, terms: readonly Operand[], factors: readonly number[]): boolean {
  const total = terms.reduce((sum, { value }) => sum + value, 0)
  if (terms.length > 2 && (isIt(figure, total) || isIt(figure, total / terms.length))) return true
  const isShare = /^(?:%|percent|prozent)/.test(figure.unit)
  const isOfTwo = terms.some(({ value: a, unit }, i) =>
    terms.some(({ value: b, unit: other }, j) => {
      if (i === j) return false
      if ((isShare || unit === '' || other === '' || unit === other) && isOfPair(figure, a, b)) return true
      return !isShare && (isIt(figure, (a * b) / 100) || isIt(figure, a * (1 + b / 100)))
    }),
  )
  if (isOfTwo || isShare) return isOfTwo
  return factors.some((a, i) =>
    [...factors, ...CONSTANTS].some((b, j) => i !== j && Math.abs(b) > 1 && (isIt(figure, a * b) || isIt(figure, a / b))),
  )
}

/** The dates of a statement that no source has, nor days or months counted from one of its dates. */
function findDates(text: string, material: Material): string[] {
  const said = toDates(text)
  if (said.length === 0) return []
  const known = material.once('dates', () => toDates(material.sourceText))
  if (known.length === 0) return []
  const steps = material.once('steps', () =>
    [...`${material.sourceText}\n${material.prose}`.matchAll(PERIOD)].map(([, before, after]) => Number(before ?? after)),
  )
  return said
    .filter((date) => !known.some((other) => agree(date, other) || steps.some((step) => leadsTo(other, step, date))))
    // Another day of a month that was read of, or a statement of what was read.
    .filter((date) => known.some((other) => agree({ ...other, ...date, day: other.day ?? 1 }, other)) || isAboutRead(text, 1, material))
    .map((date) => date.text.trim())
}

/** Whether half of the words of a statement stand in what was read or asked for, or two of them beside a figure that does. */
function isAboutRead(text: string, founded: number, material: Material): boolean {
  if (material.mustBeGrounded) return true
  const read = material.once(
    'read-tokens',
    () => new Set(toTokens([material.evidenceText, ...material.calls.map(({ words }) => words)].join('\n'))),
  )
  const words = (some: string): string[] => toTokens(some).filter((token) => !/^\d/.test(token) && !isTelling(token))
  const own = words(text)
  const said = own.length === 0 ? words(material.task.description) : own
  const shared = said.filter((token) => read.has(token)).length
  return shared >= RELATED_FROM * said.length || (shared > 1 && founded > 0)
}

/** The results that the wrong numbers were most likely meant to be: those with a close number that the answer does not hold. */
function nearestCalls(wrong: readonly string[], { done, prose }: Material): Call[] {
  const said = toValues(prose)
  const open = wrong.flatMap((text) => [...toValues(text)])
  const distanceOf = (value: number): number => Math.min(...open.map((other) => Math.abs(value - other) / (value + other + 1)))
  return done
    .map((call) => {
      const missing = [...toValues(call.text.slice(0, 20_000))].filter((value) => !said.has(value))
      return { call, distance: Math.min(...missing.map(distanceOf)) }
    })
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 2)
    .map(({ call }) => call)
}
