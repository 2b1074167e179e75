import type { Call } from '../../../text/calls/call.ts'
import { excerpt } from '../check.ts'
import { toRecords } from '../evidence/records.ts'
import { toTokens } from '../evidence/tokens.ts'
import { agree, toDates, toDayNumber } from '../figures/dates.ts'
import { toDerived } from '../figures/derived.ts'
import { agrees, type Figure, says, toFigures, toValues } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { type Statement, toStatements } from '../statements/to-statements.ts'
import { evidenceOf, type Rule } from './rule.ts'

/** Smaller whole numbers are said of too many things. */
const SMALLEST = 13
const MAX_OPERANDS = 24
const MAX_FIGURES = 400
/** From this share of its words on a statement speaks of what was read. */
const RELATED_FROM = 0.5
/** What one multiplies and divides by without saying so. */
const CONSTANTS = [2, 7, 10, 12, 24, 60, 100, 1000]

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
  hold({ text }, material) {
    if (!/\d/.test(text)) return undefined
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
  const statements = toStatements(material)
  const known = toValues(material.sourceText)
  const derived = toDerived(material.calls, toRecords(material.calls))
  for (const count of toListed(statements)) derived.add(count)
  const figures = statements.map(({ text }) => toFigures(text).slice(0, MAX_FIGURES))
  const open = new Map<Figure, number>()
  for (const [at, own] of figures.entries())
    for (const figure of own) if (!isSmall(figure) && !says(figure, known) && !says(figure, derived)) open.set(figure, at)
  // A number that follows from others may itself be what the next follows from.
  for (let before = -1; open.size > 0 && open.size !== before; ) {
    before = open.size
    for (const [figure, at] of open) {
      const near = [figures[at], figures[at - 1], figures[at + 1]].flatMap((some = []) => some)
      const operands = near.filter((other) => other !== figure && !open.has(other)).map(({ value }) => value)
      if (follows(figure, withRows(operands, figures[at] ?? [], material).slice(0, MAX_OPERANDS))) open.delete(figure)
    }
  }
  for (const [figure, at] of open) {
    const { text } = statements[at] ?? { text: '' }
    if (isAboutRead(text, material)) found.set(text, [...(found.get(text) ?? []), figure.text])
  }
  for (const { text } of statements) {
    const dates = findDates(text, material)
    if (dates.length > 0 && isAboutRead(text, material)) found.set(text, [...(found.get(text) ?? []), ...dates])
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

/** The numbers that stand in one line of a source with a figure of the statement. */
function withRows(operands: readonly number[], own: readonly Figure[], { done }: Material): number[] {
  const rows = done.flatMap(({ text }) => text.slice(0, 20_000).split('\n')).filter((row) => row.length < 200 && /\d/.test(row))
  const mates = rows.slice(0, 500).flatMap((row) => {
    const values = toValues(row)
    return own.some((figure) => figure.value >= SMALLEST && values.has(Math.abs(figure.value))) ? [...values] : []
  })
  return [...new Set([...operands, ...mates])]
}

/** Whether one operation on two numbers gives it, the sum or mean of all, or one number and a constant. */
function follows(figure: Figure, operands: readonly number[]): boolean {
  const isIt = (value: number): boolean => Number.isFinite(value) && agrees(figure, value)
  const total = operands.reduce((sum, value) => sum + value, 0)
  if (operands.length > 2 && (isIt(total) || isIt(total / operands.length))) return true
  if (operands.some((a) => CONSTANTS.some((b) => isIt(a * b) || isIt(a / b)))) return true
  return operands.some((a, i) =>
    operands.some((b, j) => {
      if (i === j) return false
      if (/^(?:%|percent|prozent)/.test(figure.unit)) return isIt((100 * a) / b) || isIt((100 * (a - b)) / b)
      return isIt(a + b) || isIt(a - b) || isIt(a * b) || isIt(a / b) || isIt((a * b) / 100) || isIt(a * (1 + b / 100))
    }),
  )
}

/** The dates of a statement that no source has, nor days or months counted from one of its dates. */
function findDates(text: string, material: Material): string[] {
  const said = toDates(text)
  if (said.length === 0) return []
  const known = material.once('dates', () => toDates(material.sourceText))
  if (known.length === 0) return []
  const steps = material.once('steps', () => [...toValues(`${material.sourceText}\n${material.prose}`)].filter((step) => step <= 1_000))
  return said
    .filter((date) => !known.some((other) => agree(date, other)))
    .filter((date) => {
      const wanted = toDayNumber(date)
      return !known.some((other) => {
        const year = other.year ?? date.year
        const from = toDayNumber({ ...other, ...(year !== undefined && { year }) })
        if (from === undefined) return false
        const to = wanted ?? toDayNumber({ ...date, year: year ?? 0, day: date.day ?? 1 })
        if (to === undefined) return false
        const months = (date.month - other.month + 12) % 12
        return steps.some(
          (step) =>
            [1, 7].some((unit) => Math.abs(Math.abs(to - from) - step * unit) <= 1) ||
            (step % 12 === months && Math.abs((date.day ?? 1) - (other.day ?? 1)) <= 1),
        ) || (date.day === undefined && date.month === other.month)
      })
    })
    .map((date) => date.text.trim())
}

/** Whether half of the words of a statement stand in what was read or asked for. */
function isAboutRead(text: string, material: Material): boolean {
  if (material.mustBeGrounded) return true
  const read = material.once('read-tokens', () => new Set(toTokens(material.sourceText)))
  const said = toTokens(text).filter((token) => !/^\d/.test(token))
  return said.filter((token) => read.has(token)).length >= RELATED_FROM * said.length
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
