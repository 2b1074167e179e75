import type { Call } from '../../../text/calls/call.ts'
import { excerpt } from '../check.ts'
import { toRecords } from '../evidence/records.ts'
import { isTelling, toTokens } from '../evidence/tokens.ts'
import { agree, leadsTo, toDates } from '../figures/dates.ts'
import { toDerived } from '../figures/derived.ts'
import { type Figure, factorsOf, isNear, says, toFigures, toValues } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { type Statement, toStatements } from '../statements/to-statements.ts'
import { evidenceOf, type Rule } from './rule.ts'

/** Smaller whole numbers are said of too many things. */
const SMALLEST = 13
const MAX_OPERANDS = 30
/** Further figures of one statement, and figures that come from nowhere of all, are not looked at. */
const MAX_FIGURES = 400
const MAX_OPEN = 200
const MAX_STATEMENTS = 2_000
const MAX_ROWS = 2_000
const LONGEST_ROW = 200
/** A row of more numbers says too little of each. */
const MOST_NUMBERS = 8
/** From this share of its words on a row is what a clause speaks of. */
const COPIED_FROM = 0.25
const RELATED_FROM = 0.3
const MOST_MATES = 4
/** What one multiplies and divides by without saying so. */
const CONSTANTS = [2, 7, 12, 24, 60]
const ROUGHLY = 0.005
/** Speaks of lines, which another rule holds, or of what might be. */
const NO_AMOUNT =
  /\blines?\b|\bzeilen?\b|\blignes?\b|行|\b(?:if|could|would|expect|e\.g|for example|such as|wenn|falls|könnten?|würden?|zum beispiel|z\.\s?b|si|pourrai(?:en)?t|serai(?:en)?t|par exemple)\b|例えば|たとえば/iu
/** A number of days, weeks, months or years. */
const PERIOD =
  /(\d{1,4})[\s-]?(?:days?|weeks?|months?|years?|tagen?|wochen?|monaten?|jahren?|jours?|semaines?|mois|ans?|日|週|か月|ヶ月|年)|(?:days?|weeks?|months?|years?)\W{1,4}(\d{1,4})/giu
const CLAUSE = /[,;()|—–\n]\s/

/**
 * An amount or date that no source has and that follows from none is refused where its clause repeats what one row of a source
 * says with another number.
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
    if (block !== undefined || !/\d/.test(text)) return undefined
    const [wrong] = material.once('unfounded', () => findUnfounded(material)).get(text) ?? []
    if (wrong === undefined) return undefined
    const shown = wrong.row === undefined ? '' : `; ${wrong.row.call.tool} returned "${excerpt(wrong.row.text, 160)}"`
    return {
      verdict: 'contradicted',
      kind: 'figure',
      evidence: wrong.row === undefined ? [] : [evidenceOf(wrong.row.call)],
      why: `${wrong.text} stands nowhere and follows from nothing${shown}`,
    }
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
  readonly row?: Row | undefined
}

function findUnfounded(material: Material): ReadonlyMap<string, readonly Unfounded[]> {
  const found = new Map<string, Unfounded[]>()
  // What was seen cannot be compared, and where no source holds a number those of the answer come from elsewhere.
  if (material.sawOther || !material.grounded || !/\d/.test(material.evidenceText)) return found
  const add = (text: string, one: Unfounded): void => {
    found.set(text, [...(found.get(text) ?? []), one])
  }
  const statements = toStatements(material)
    .filter(({ block }) => block === undefined)
    .slice(0, MAX_STATEMENTS)
  const rows = toRows(material)
  for (const [figure, at] of openFigures(statements, rows, material)) {
    const { text = '' } = statements[at] ?? {}
    const row = copiedRow(clauseOf(text, figure.text), rows, material)
    if (material.mustBeGrounded || row !== undefined) add(text, { text: figure.text, row })
  }
  for (const { text } of statements)
    if (!NO_AMOUNT.test(text))
      for (const date of openDates(text, material)) {
        const row = copiedRow(clauseOf(text, date), rows, material)
        if (material.mustBeGrounded || row !== undefined) add(text, { text: date, row })
      }
  return found
}

/** Lines of what was read, and its records with the labels of their values. */
function toRows({ calls, done }: Material): Row[] {
  const lines = done.flatMap((call) =>
    call.text
      .slice(0, 100_000)
      .split('\n')
      .filter((line) => line.length < LONGEST_ROW && /\d/.test(line))
      .map((text): Row => ({ call, text, words: new Set(toTokens(text)), values: toValues(text) })),
  )
  const records = toRecords(calls).map(({ call, names, fields }): Row => {
    const text = fields.map(({ label, raw }) => `${label.join(' ')}: ${raw}`).join(', ')
    return { call, text, words: new Set([...names, ...toTokens(text)]), values: toValues(text) }
  })
  return [...lines, ...records]
    .filter(({ values }) => values.size > 0 && values.size <= MOST_NUMBERS)
    .slice(0, MAX_ROWS)
}

/** The figures that no source has, with the place of their statement; those that follow from others left out. */
function openFigures(statements: readonly Statement[], rows: readonly Row[], material: Material): Map<Figure, number> {
  const known = toValues(material.sourceText)
  const derived = toDerived(material.calls, toRecords(material.calls))
  for (const count of toListed(statements)) derived.add(count)
  const worked = material.done
    .filter(({ tool }) => tool === 'calculate')
    .slice(0, 6)
    .map(({ text }) => Number(/=\s*(-?[\d.]+)\s*$/.exec(text)?.[1]))
    .filter(Number.isFinite)
  const figures = statements.map(({ text }) => (NO_AMOUNT.test(text) ? [] : toFigures(text).slice(0, MAX_FIGURES)))
  const allCounts = [...new Set(statements.slice(0, MAX_FIGURES).flatMap(({ text }) => toTokens(text)))]
    .map(Number)
    .filter((count) => count > 1 && count < SMALLEST)
  const open = new Map<Figure, number>()
  for (const [at, own] of figures.entries())
    for (const figure of own)
      if (open.size < MAX_OPEN && !isSmall(figure) && !says(figure, known) && !says(figure, derived))
        open.set(figure, at)
  // A number that follows from others may itself be what the next follows from.
  for (let before = -1; open.size > 0 && open.size !== before; ) {
    before = open.size
    for (const [figure, at] of open) {
      const founded = (some: readonly Figure[] = []): Figure[] =>
        some.filter((other) => other !== figure && !open.has(other))
      const own = founded(figures[at])
      const near =
        own.length > 1 && figure.unit !== '%' ? own : [...own, ...founded(figures[at - 1]), ...founded(figures[at + 1])]
      const { text = '' } = statements[at] ?? {}
      const counts = toTokens(text)
        .map(Number)
        .filter((count) => count > 1 && count < SMALLEST)
      const about = toAbout(clauseOf(text, figure.text))
      const words = new Set(toAbout(text))
      const mates = rows
        .filter(
          (row) =>
            near.some(({ value }) => value >= SMALLEST && row.values.has(value)) || isAbout(row, about, RELATED_FROM),
        )
        .map((row) => ({ ...row, shared: [...row.words].filter((word) => words.has(word)).length }))
        .sort((a, b) => b.shared - a.shared)
      const terms = [
        ...near.map(({ value }) => value),
        ...worked,
        ...mates.slice(0, MOST_MATES).flatMap(({ values }) => [...values]),
      ]
      if (
        follows(
          figure,
          [...new Set(terms)].slice(0, MAX_OPERANDS),
          counts,
          allCounts,
          near.map(({ value }) => value),
        )
      )
        open.delete(figure)
    }
  }
  return open
}

const isSmall = ({ value, unit, decimals }: Figure): boolean =>
  decimals === 0 && ((Math.abs(value) < SMALLEST && !/^[%$€£]/.test(unit)) || (value === 100 && unit === '%'))

/** How many things the answer itself lists. */
function toListed(statements: readonly Statement[]): number[] {
  const commas = statements.map(({ text }) => (text.match(/[,;、]\s?/g) ?? []).length)
  return [statements.length, ...commas.flatMap((count) => (count === 0 ? [] : [count + 1, count + 2]))]
}

/** Whether a figure is the sum or mean of those near, follows from two terms, or is a product or ratio with a small number. */
function follows(
  figure: Figure,
  terms: readonly number[],
  counts: readonly number[],
  all: readonly number[],
  near: readonly number[],
): boolean {
  const isRounded = figure.decimals > 0 || figure.loose || figure.unit === '%'
  const factors = [1, ...factorsOf(figure)]
  const isIt = (value: number): boolean =>
    factors.some((factor) => {
      const [claimed, known] = [Math.abs(figure.value), Math.abs(value / factor)]
      if (Math.abs(claimed - known) <= 1e-9 * known) return true
      if (figure.loose && Math.abs(claimed - known) <= ROUGHLY * known) return true
      return isRounded && isNear({ value: claimed, decimals: figure.decimals }, known)
    })
  const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
  const more = sumOf(counts.filter((count) => !near.includes(count)))
  if (near.length > 1 && [sumOf(near), sumOf(near) + more, sumOf(near) / near.length].some(isIt)) return true
  const isShare = /^(?:%|percent|prozent)/.test(figure.unit)
  return terms.some((a) => {
    if (
      !isShare &&
      (isIt(a - 1) || isIt(Math.round(a / 10) * 10) || [...all, ...CONSTANTS].some((b) => isIt(a * b) || isIt(a / b)))
    )
      return true
    return terms.some((b) =>
      a === b
        ? false
        : isShare
          ? isIt((100 * a) / b) || isIt((100 * (a - b)) / b)
          : isIt(a + b) || isIt(a - b) || isIt(a * b) || isIt(a / b) || isIt((a * b) / 100) || isIt(a * (1 + b / 100)),
    )
  })
}

/** The dates of a statement that no source has, nor days or months counted from one of its dates. */
function openDates(text: string, material: Material): string[] {
  const said = toDates(text)
  const known = said.length === 0 ? [] : material.once('dates', () => toDates(material.sourceText))
  if (known.length === 0) return []
  const steps = material.once('steps', () =>
    [
      ...toTokens(`${material.sourceText}\n${material.prose}`).join(' ').matchAll(PERIOD),
      ...material.sourceText.matchAll(PERIOD),
    ].map(([, before, after]) => Number(before ?? after)),
  )
  return said
    .filter((date) => !known.some((other) => agree(date, other) || steps.some((step) => leadsTo(other, step, date))))
    .map((date) => date.text.trim())
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
function copiedRow(clause: string, rows: readonly Row[], { task, prose }: Material): Row | undefined {
  const own = toAbout(clause)
  const about = own.length === 0 ? toAbout(task.description) : own
  const said = toValues(prose)
  return rows.find(
    (row) => isAbout(row, about, COPIED_FROM) && [...row.values].some((value) => value >= SMALLEST && !said.has(value)),
  )
}
