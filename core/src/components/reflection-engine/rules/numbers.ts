import { excerpt } from '../../../text/index.ts'
import { contradict, type Rule } from '../check.ts'
import { type ComparedRow, comparedRowsOf, rowsOf, sumOf, toDerived } from '../evidence/rows.ts'
import { type Figure, isTelling, says, toFigures, toTokens, toValues } from '../figures/figures.ts'
import type { Material } from '../material.ts'

/** Smaller whole numbers are said of too many things. */
const SMALLEST = 13
const MAX_OPERANDS = 30
const MAX_FIGURES = 400
/** From this share of its words on a row is what a clause speaks of. */
const ABOUT_FROM = 0.25
const MOST_RELATED = 6
/** What one multiplies and divides by without saying so. */
const CONSTANTS = [2, 7, 12, 24, 60]
/** Speaks of lines, which another rule holds, or of what might be. */
const NO_AMOUNT =
  /\b(?:lines?|zeilen?|lignes?|if|or|could|would|expect|e\.g|for example|such as|wenn|falls|oder|könnten?|würden?|zum beispiel|si|ou|pourrai(?:en)?t|par exemple)\b|行|例えば|たとえば/iu
const CLAUSE = /[,;()|—–\n]\s/

/**
 * An amount that no source has and that follows from none is refused where its clause repeats what one row of a source says
 * with another number.
 */
export const numbers: Rule = ({ text, block }, material) => {
  if (block !== undefined || !/\d/.test(text)) return undefined
  const { sawOther, isWhole, evidenceText, once, mayLook } = material
  // What was seen cannot be compared, and where no source holds a number those of the answer come from elsewhere.
  if (sawOther || !isWhole || !/\d/.test(evidenceText) || NO_AMOUNT.test(text)) return undefined
  const figures = toFigures(text).slice(0, MAX_FIGURES)
  const shown = once('shown-figures', () => toValues(material.sourceText))
  const unshown = figures.filter((figure) => !isSmall(figure) && !says(figure, shown))
  // What follows is worked out only where something has to.
  if (unshown.length === 0) return undefined
  const known = once('known-figures', () => new Set([...toDerived(rowsOf(material)), ...shown]))
  const open = unshown.filter((figure) => !says(figure, known))
  if (open.length === 0 || !mayLook('numbers', open.length)) return undefined
  const rows = comparedRowsOf(material)
  const near = figures.filter((figure) => !open.includes(figure)).flatMap(valuesOf)
  const terms = [...near, ...once('said-figures', () => toSaid(material, known))]
  const said = once('said', () => toValues(material.prose))
  for (const figure of open) {
    const about = toAbout(text.split(CLAUSE).find((part) => part.includes(figure.text)) ?? text)
    const related = rows
      .filter((row) => terms.some((value) => value >= SMALLEST && row.values.has(value)) || isAbout(row, about))
      .slice(0, MOST_RELATED)
      .flatMap(({ values }) => [...values])
    if (follows(figure, near, [...terms, ...related], text)) continue
    const topic = about.length === 0 ? toAbout(material.task.description) : about
    const row = rows.find((one) => isAbout(one, topic) && [...one.values].some((value) => !said.has(value)))
    if (row === undefined && !material.mustBeGrounded) continue
    const copied = row === undefined ? '' : `; ${row.call.tool} returned "${excerpt(row.text, 160)}"`
    return contradict('figure', `${figure.text} stands nowhere and follows from nothing${copied}`, row?.call)
  }
  return undefined
}

/** The numbers of the calculator, and those that the answer says of the known ones. */
function toSaid({ done, prose }: Material, known: ReadonlySet<number>): number[] {
  const worked = done.filter(({ tool }) => tool === 'calculate').map(({ text }) => Number(text.split('=').at(-1)))
  const said = toFigures(prose)
    .slice(0, MAX_FIGURES)
    .filter((figure) => says(figure, known))
  return [...worked, ...said.slice(0, MAX_OPERANDS).flatMap(valuesOf)]
}

const valuesOf = ({ readings }: Figure): number[] => readings.map(({ value }) => value)

const isSmall = ({ readings: [first] }: Figure): boolean => first?.decimals === 0 && Math.abs(first.value) < SMALLEST

/** Whether a figure is the sum or mean of those near it, follows from two terms, or from one and a usual number. */
function follows(figure: Figure, near: readonly number[], all: readonly number[], text: string): boolean {
  const terms = [...new Set(all)].slice(0, MAX_OPERANDS)
  const isShare = /^(?:%|percent|prozent)/.test(figure.unit)
  const candidates = terms.flatMap((a) => {
    const others = terms.filter((b) => b !== a)
    if (isShare) return others.flatMap((b) => [(100 * a) / b, (100 * (a - b)) / b])
    return [
      a - 1,
      ...CONSTANTS.flatMap((b) => [a * b, a / b]),
      ...others.flatMap((b) => [a + b, a - b, a * b, a / b, (a * b) / 100, a * (1 + b / 100)]),
    ]
  })
  // Those that are said in words may count or not.
  const inWords = toTokens(text.replace(/\d+/g, ' ')).filter((token) => /^\d/.test(token))
  if (near.length > 1) candidates.push(sumOf(near), sumOf([...near, ...inWords.map(Number)]), sumOf(near) / near.length)
  return says(figure, new Set(candidates.map(Math.abs)))
}

/** The words of a clause by which a row is about it. */
const toAbout = (clause: string): string[] =>
  [...new Set(toTokens(clause))].filter((token) => !/^\d/.test(token) && !isTelling(token))

const isAbout = ({ words }: ComparedRow, about: readonly string[]): boolean =>
  about.length > 0 && about.filter((token) => words.has(token)).length >= ABOUT_FROM * about.length
