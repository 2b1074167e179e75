import type { Call } from '../../../text/calls/call.ts'
import { excerpt } from '../check.ts'
import { recordsOf } from '../evidence/records.ts'
import { isTelling, toTokens } from '../evidence/tokens.ts'
import { agree, leadsTo, toDates } from '../figures/dates.ts'
import { sumOf, toDerived } from '../figures/derived.ts'
import { type Figure, isNear, says, toConverted, toFigures, toValues } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { statementsOf } from '../statements/to-statements.ts'
import { contradict, type Rule } from './rule.ts'

/** Smaller whole numbers are said of too many things. */
const SMALLEST = 13
const MAX_OPERANDS = 30
/** Further figures of one statement, and figures that no source has of all, are not looked at. */
const MAX_FIGURES = 400
const MAX_OPEN = 200
const MAX_STATEMENTS = 2_000
const MAX_ROWS = 2_000
const LONGEST_ROW = 200
/** A row of more numbers says too little of each. */
const MOST_NUMBERS = 8
/** From this share of its words on a row is what a clause speaks of, and may have what a figure follows from. */
const COPIED_FROM = 0.25
const RELATED_FROM = 0.3
const MOST_RELATED = 4
/** What one multiplies and divides by without saying so. */
const CONSTANTS = [2, 7, 12, 24, 60]
const ROUGHLY = 0.005
/** Speaks of lines, which another rule holds, or of what might be. */
const NO_AMOUNT =
  /\b(?:lines?|zeilen?|lignes?|if|could|would|expect|e\.g|for example|such as|wenn|falls|könnten?|würden?|zum beispiel|si|pourrai(?:en)?t|par exemple)\b|行|例えば|たとえば/iu
/** A number of days, weeks, months or years. */
const PERIOD =
  /(\d{1,4})[\s-]?(?:days?|weeks?|months?|years?|tagen?|wochen?|monaten?|jahren?|jours?|semaines?|mois|ans?|日|週|か月|ヶ月|年)|(?:days?|weeks?|months?|years?)\W{1,4}(\d{1,4})/giu
const CLAUSE = /[,;()|—–\n]\s/

/**
 * An amount that no source has and that follows from none is refused where its clause repeats what one row of a source says
 * with another number.
 */
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
    const wrong = block === undefined ? material.once('unfounded', () => findUnfounded(material)).get(text) : undefined
    if (wrong === undefined) return undefined
    const shown = wrong.row === undefined ? '' : `; ${wrong.row.call.tool} returned "${excerpt(wrong.row.text, 160)}"`
    return contradict('figure', `${wrong.text} stands nowhere and follows from nothing${shown}`, wrong.row?.call)
  },
}

interface Row {
  readonly call: Call
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly values: ReadonlySet<number>
}

interface Unfounded {
  readonly text: string
  readonly row: Row | undefined
}

/** The first figure of each statement that no source has and that follows from none. */
function findUnfounded(material: Material): ReadonlyMap<string, Unfounded> {
  const found = new Map<string, Unfounded>()
  // What was seen cannot be compared, and where no source holds a number those of the answer come from elsewhere.
  if (material.sawOther || !material.isWhole || !material.grounded || !/\d/.test(material.evidenceText)) return found
  const statements = statementsOf(material).slice(0, MAX_STATEMENTS)
  const figures = statements.map(({ text, block }) =>
    block !== undefined || NO_AMOUNT.test(text) ? [] : toFigures(text).slice(0, MAX_FIGURES),
  )
  const known = toValues(material.sourceText)
  const derived = toDerived(material.calls, recordsOf(material))
  for (const { text } of statements) for (const count of toListed(text, statements.length)) derived.add(count)
  const worked = material.done.flatMap(({ tool, text }) => (tool === 'calculate' ? toResult(text) : []))
  const open = new Set(figures.flat().filter((one) => !isSmall(one) && !says(one, known) && !says(one, derived)))
  const rows = toRows(material)
  const counts = toSmall(statements.map(({ text }) => text).join('\n'))
  // A number that follows from others may itself be what the next follows from.
  for (let before = -1; open.size !== before && open.size <= MAX_OPEN; ) {
    before = open.size
    for (const [at, own] of figures.entries())
      for (const figure of own.filter((one) => open.has(one))) {
        const near = [...own, ...(figures[at - 1] ?? []), ...(figures[at + 1] ?? [])].filter((one) => !open.has(one))
        const text = statements[at]?.text ?? ''
        const related = [...worked, ...toRelated(text, figure, near, rows)]
        const values = near.flatMap(valuesOf)
        const few = sumOf(toSmall(text).filter((count) => !values.includes(count)))
        if (isSum(figure, values, few) || follows(figure, [...values, ...related], counts)) open.delete(figure)
      }
  }
  for (const [at, { text }] of statements.entries()) {
    const amounts =
      open.size > MAX_OPEN ? [] : (figures[at] ?? []).filter((one) => open.has(one)).map((one) => one.text)
    for (const said of [...amounts, ...(NO_AMOUNT.test(text) ? [] : openDates(text, material))]) {
      const row = copiedRow(clauseOf(text, said), rows, material)
      if ((material.mustBeGrounded || row !== undefined) && !found.has(text)) found.set(text, { text: said, row })
    }
  }
  return found
}

/** The dates of a statement that no source has, nor a period counted from one of its dates. */
function openDates(text: string, material: Material): string[] {
  const known = material.once('dates', () => toDates(material.sourceText))
  const steps = material.once('steps', () => {
    const all = `${material.sourceText}\n${material.prose}`
    // As tokens, numbers in words are digits.
    return [...all.matchAll(PERIOD), ...toTokens(all).join(' ').matchAll(PERIOD)].map(([, before, after]) =>
      Number(before ?? after),
    )
  })
  return (known.length === 0 ? [] : toDates(text))
    .filter((date) => !known.some((other) => agree(date, other) || steps.some((step) => leadsTo(other, step, date))))
    .map((date) => date.text.trim())
}

/** What a calculator gave. */
const toResult = (text: string): number[] =>
  [Number(/=\s*(-?[\d.]+)\s*$/.exec(text.slice(-100))?.[1])].filter(Number.isFinite)

const valuesOf = ({ readings }: Figure): number[] => readings.map(({ value }) => value)

const isSmall = ({ readings, unit }: Figure): boolean => {
  const [{ value, decimals }] = readings as any
  return decimals === 0 && ((Math.abs(value) < SMALLEST && !/^[%$€£]/.test(unit)) || (value === 100 && unit === '%'))
}

/** Small numbers of a text, also in words. */
const toSmall = (text: string): number[] =>
  [...new Set(toTokens(text.slice(0, 100_000)))].map(Number).filter((count) => count > 1 && count < SMALLEST)

/** How many things the answer itself lists. */
const toListed = (text: string, statements: number): number[] => {
  const commas = (text.match(/[,;、]/g) ?? []).length
  return [statements, commas + 1, commas + 2]
}

/** Lines of what was read, and its records with the labels of their values. */
function toRows(material: Material): Row[] {
  const lines = material.done.flatMap((call) =>
    call.text
      .split('\n')
      .filter((line) => line.length < LONGEST_ROW && /\d/.test(line))
      .map((text): Row => ({ call, text, words: new Set(toTokens(text)), values: toValues(text) })),
  )
  const records = recordsOf(material).map(({ call, names, fields }): Row => {
    const text = fields.map(({ label, raw }) => `${label.join(' ')}: ${raw}`).join(', ')
    return { call, text, words: new Set([...names, ...toTokens(text)]), values: toValues(text) }
  })
  return [...lines, ...records]
    .filter(({ values }) => values.size > 0 && values.size <= MOST_NUMBERS)
    .slice(0, MAX_ROWS)
}

/** The numbers of the rows that a statement is about: that have a figure near, or words of the clause. */
function toRelated(text: string, figure: Figure, near: readonly Figure[], rows: readonly Row[]): number[] {
  const about = toAbout(clauseOf(text, figure.text))
  const words = new Set(toAbout(text))
  return rows
    .filter(
      (row) =>
        near.flatMap(valuesOf).some((value) => value >= SMALLEST && row.values.has(value)) ||
        isAbout(row, about, RELATED_FROM),
    )
    .map(({ values, words: own }) => ({ values, shared: [...own].filter((word) => words.has(word)).length }))
    .sort((a, b) => b.shared - a.shared)
    .slice(0, MOST_RELATED)
    .flatMap(({ values }) => [...values])
}

/** Whether a figure is the sum or mean of those near it; those that are said in words may count or not. */
const isSum = (figure: Figure, near: readonly number[], few: number): boolean =>
  near.length > 1 && [sumOf(near), sumOf(near) + few, sumOf(near) / near.length].some((value) => isIt(figure, value))

/** Whether a figure follows from two terms, or is a product or ratio of one with a small number. */
function follows(figure: Figure, all: readonly number[], counts: readonly number[]): boolean {
  const terms = [...new Set(all)].slice(0, MAX_OPERANDS)
  const isShare = /^(?:%|percent|prozent)/.test(figure.unit)
  const isAny = (...values: readonly number[]): boolean => values.some((value) => isIt(figure, value))
  return terms.some((a) => {
    const others = terms.filter((b) => b !== a)
    if (isShare) return others.some((b) => isAny((100 * a) / b, (100 * (a - b)) / b))
    return (
      isAny(a - 1, Math.round(a / 10) * 10, ...[...counts, ...CONSTANTS].flatMap((b) => [a * b, a / b])) ||
      others.some((b) => isAny(a + b, a - b, a * b, a / b, (a * b) / 100, a * (1 + b / 100)))
    )
  })
}

/** Whether a figure says a value, rounded where it is a share, has a fraction or is said as a round one. */
function isIt(figure: Figure, value: number): boolean {
  if (!Number.isFinite(value)) return false
  const slack = (figure.loose ? ROUGHLY : 1e-9) * Math.abs(value)
  const isRounded = figure.readings.some(({ decimals }) => decimals > 0) || figure.loose || figure.unit === '%'
  const claims = [...valuesOf(figure).map(Math.abs), ...toConverted(figure)]
  return (
    claims.some((claim) => Math.abs(claim - Math.abs(value)) <= slack) ||
    (isRounded && figure.readings.some((reading) => isNear(reading, value)))
  )
}

/** The part of a statement that holds some words of it. */
const clauseOf = (text: string, words: string): string =>
  text.split(CLAUSE).find((part) => part.includes(words)) ?? text

/** The words of a clause by which a row is about it. */
const toAbout = (clause: string): string[] =>
  [...new Set(toTokens(clause))].filter((token) => !/^\d/.test(token) && !isTelling(token))

const isAbout = ({ words }: Row, about: readonly string[], share: number): boolean =>
  about.length > 0 && about.filter((token) => words.has(token)).length >= share * about.length

/** The row of a source that most words of a clause stand in, with a number that the answer does not say. */
function copiedRow(clause: string, rows: readonly Row[], material: Material): Row | undefined {
  const own = toAbout(clause)
  const about = own.length === 0 ? toAbout(material.task.description) : own
  const said = material.once('said', () => toValues(material.prose))
  return rows.find(
    (row) => isAbout(row, about, COPIED_FROM) && [...row.values].some((value) => value >= SMALLEST && !said.has(value)),
  )
}
