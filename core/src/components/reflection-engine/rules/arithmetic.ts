import { workOut } from '../../../text/arithmetic/work-out.ts'
import { contradict, type Rule, support } from '../check.ts'
import { type Figure, isNear, toFigures } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { NEGATED, toTelling, withoutQuotes } from '../told/language.ts'

/** A longer expression is open. */
const LONGEST_EXPRESSION = 400
const NO_EXPRESSION = /[^\d\s.,()+*/^×·÷−–x%$€£-]|\n|[,.]\s/
/** What stands behind `=`, where the sum does not go on. */
const RIGHT =
  /^\s*([-−$€£]{0,2}\d[\d,]{0,24}(?:\.\d{1,40})?(?:\s?%)?)(?!\d|[\d.,]*e[-+]?\d|[\d.,]*\s*(?:[-+*/^×·÷−x(]\s*\d|\(?[rR](?:em|\s?\d)))/
const EQUALS = /[=≈]/
const OPERATOR = /\d[\s)%]*[-+*/^−–×·÷x][\s(]*\d/
const ASKS = /\b(?:what(?:'s| is)|how much is|compute|calculate|evaluate|work out|solve|result of|value of)\b/i
/** No part of a longer token: `1e3 * 2` holds no `3 * 2`, `3*20%` no `3*20`. */
const ASKED = /(?<![\w.,!%*/^×·÷])[\d(][\d\s.,()+*/^×·÷−x%-]{0,118}[\d)](?![\w!%]|[.,]\d)/g
const JOINS_ANOTHER = /(?:\band|\bund|\bet|[,;?]|\balso)\s+(?:also |what(?:'s| is) )?$/i
/** `3-4` may be pages, `3/4` a date; `10 - 4` is none. */
const WORKS_OUT = /\d[\s)%]*[*^×·÷+][\s(]*\d|\d [-−/] \d/
const YES_OR_NO = /^\s*(?:(yes|ja|oui)|no|nein|non)\s?[:,.!–—-]\s/i

/** Every `a + b = c` of the answer is worked out again, and so is the expression that the task asks for. */
export const arithmetic: Rule = ({ text, block }, material) => {
  if (block !== undefined || !/\d/.test(text)) return undefined
  const asked = material.once('asked', () => findAsked(material.task.description))
  return asked.length === 0 && !EQUALS.test(text) ? undefined : recalculate(text, asked, material)
}

async function recalculate(text: string, expressions: readonly string[], material: Material) {
  const { task, prose, once, mayLook } = material
  const [lead = '', yes] = YES_OR_NO.exec(text) ?? []
  // What is said beside the equations that are right.
  let rest = toSums(text)
  for (const { expression, result, figure } of toEquations(withoutQuotes(text))) {
    const value = mayLook('arithmetic') ? await readValue(expression) : undefined
    if (value === undefined) continue
    const same = (name: string, where: string) =>
      once(name, () => toEquations(where)).filter((one) => squeeze(one.expression) === squeeze(expression))
    const given = same('given-sums', task.description)
    if (isRight(figure, value)) {
      rest = rest.replace(expression.trim(), '').replace(result.trim(), '')
      if (given.some((one) => isRight(one.figure, value) === (yes !== undefined))) rest = rest.replace(lead, '')
      continue
    }
    // "Is 2 + 2 = 5 right?" is quoted, not claimed, and so is a wrong sum beside the right one.
    const isQuoted = yes === undefined && given.some((one) => squeeze(one.result) === squeeze(result))
    const isMended = same('sums', prose).some((one) => isRight(one.figure, value))
    if (!isQuoted && !isMended && !NEGATED.test(text) && !(await isBinary(expression, result)))
      return contradict('figure', `${expression.trim()} = ${round(value)}, the answer says ${figure.text}`)
  }
  const asked = await once('asked-values', () => toAsked(expressions))
  for (const { expression, value } of toFigures(text).length === 0 ? [] : asked)
    if (!toFigures(prose).some((figure) => isRight(figure, value)))
      return contradict('figure', `${expression} = ${round(value)}, which the answer does not say`)
  const [sum, ...others] = asked
  if (sum !== undefined && others.length === 0) {
    rest = rest.replace(sum.expression, '')
    const [said, ...more] = toFigures(rest)
    if (said && more.length === 0 && isRight(said, sum.value)) rest = rest.replace(said.text, '')
  }
  return rest !== toSums(text) && toTelling(rest).length === 0 ? support('figure', []) : undefined
}

/** Whether a figure says a value, or as a share, at its own last digit: rounded there, or cut after the point. */
const isRight = ({ readings, unit }: Figure, value: number): boolean =>
  [value, ...(unit === '%' ? [value * 100] : [])].some((wanted) =>
    readings.some((reading) => {
      const left = Math.abs(wanted) - Math.abs(reading.value)
      const noise = Math.abs(wanted) * 1e-14
      const isCut = reading.decimals > 0 && left > -noise && left < 10 ** -reading.decimals + noise
      return isCut || isNear(reading, wanted) || Math.abs(left) <= noise
    }),
  )

/** Whether an equation of ones and zeros is right in powers of two. */
async function isBinary(expression: string, result: string): Promise<boolean> {
  const toDecimal = (text: string): string => text.replace(/\d+/g, (digits) => String(Number.parseInt(digits, 2)))
  const whole = result.replace(/,$/, '')
  return !/[2-9.,]/.test(expression + whole) && Number(toDecimal(whole)) === (await readValue(toDecimal(expression)))
}

/** The equations of a text: what stands on both sides of each sign. */
export function toEquations(text: string) {
  const sides = toSums(text).split(EQUALS)
  return sides.slice(1).flatMap((after, at) => {
    const before = (sides[at] ?? '').slice(-LONGEST_EXPRESSION)
    const left = before.split(NO_EXPRESSION).at(-1) ?? ''
    const ahead = before.slice(0, before.length - left.length)
    const isCut = ahead === '' ? left.length === LONGEST_EXPRESSION : /^\d/.test(left) && /\p{L}$/u.test(ahead)
    const expression = left.replace(/[$€£]/g, '').replace(/^[\s)]*(?:[–-]\s)?/, '')
    const result = RIGHT.exec(after.slice(0, 60))?.[1] ?? ''
    const [figure] = toFigures(result)
    return figure !== undefined && !isCut && OPERATOR.test(expression) ? [{ expression, result, figure }] : []
  })
}

/** The expressions that a task asks for: none where there are several that one could choose from. */
function findAsked(task: string): string[] {
  if (task.length > 2000 || !/\d/.test(task) || !ASKS.test(task)) return []
  const text = toSums(task)
  if (!WORKS_OUT.test(text)) return []
  const found = [...text.matchAll(ASKED)].filter(([one]) => WORKS_OUT.test(one))
  const isOne = found.every(({ index }, at) => at === 0 || JOINS_ANOTHER.test(text.slice(0, index)))
  return isOne ? found.map(([expression]) => expression) : []
}

async function toAsked(expressions: readonly string[]) {
  const sums = expressions.map(async (expression) => ({ expression, value: await readValue(expression) }))
  // From there on an answer is rounded, or written with powers of ten.
  return (await Promise.all(sums)).flatMap(({ expression, value = Number.NaN }) =>
    Math.abs(value) < 1e15 ? [{ expression, value }] : [],
  )
}

/** "20% of 50" with a sign for "of". */
const toSums = (text: string): string => text.replace(/%\s{1,3}(?:of|von|de|des)\s{1,3}(?=\d)/g, '% * ')

/** The value of an expression as people write it; `undefined` where it has none. */
export async function readValue(expression: string): Promise<number | undefined> {
  const worked = await workOut(expression.replaceAll('x', '*').replaceAll('–', '-'))
  return worked.fault === undefined ? Number(worked.text) : undefined
}

const squeeze = (text: string): string => text.replace(/\s/g, '')
const round = (value: number): string => String(Number(value.toPrecision(12)))
