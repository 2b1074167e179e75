import { workOut } from '../../../text/arithmetic/work-out.ts'
import { isTelling, toTokens } from '../evidence/tokens.ts'
import { type Figure, isNear, toFigures } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { NEGATED, withoutQuotes } from '../told/language.ts'
import { contradict, type Rule, support } from './rule.ts'

/** Equations of one answer that are worked out; a power with many digits takes a millisecond. */
const MAX_EQUATIONS = 400
/** A longer expression is open. */
const LONGEST_EXPRESSION = 200
/** What no expression has. */
const WORDS = /[^\d\s.,()+*/^×·÷−–x%$€£-]|\n|[,.]\s/
/** What stands behind `=`, where the sum does not go on. */
const RIGHT =
  /^\s*([-−$€£]{0,2}\d[\d,]{0,24}(?:\.\d{1,40})?(?:\s?%)?)(?!\d|[\d.,]*e[-+]?\d|[\d.,]*\s*(?:[-+*/^×·÷−x(]\s*\d|\(?[rR](?:em|\s?\d)))/
const OPERATOR = /\d[\s)%]*[-+*/^−–×·÷x][\s(]*\d/
const ASKS = /\b(?:what(?:'s| is)|how much is|compute|calculate|evaluate|work out|solve|result of|value of)\b/i
/** No part of a longer token: `1e3 * 2` holds no `3 * 2`, `3*20%` no `3*20`. */
const ASKED = /(?<![\w.,!%*/^×·÷])[\d(][\d\s.,()+*/^×·÷−x-]{0,118}[\d)](?![\w!%]|[.,]\d)/g
/** `3-4` may be pages, `3/4` a date. */
const WORKS_OUT = /\d[\s)]*[*^×·÷+][\s(]*\d/

/** Every `a + b = c` of the answer is worked out again, and so is the expression that the task asks for. */
export const arithmetic: Rule = {
  id: 'arithmetic',
  isFirm: true,
  lesson: {
    trigger: 'a task that needs arithmetic',
    cause: '3.3',
    advice: 'Let the calculator work it out and copy its result.',
  },
  async hold({ text, block }, material) {
    const equations = block === undefined ? toEquations(withoutQuotes(text)) : []
    if (block !== undefined || !/\d/.test(text)) return undefined
    const { description } = material.task
    const worked = [description]
    for (const { expression, result } of equations) {
      const [figure] = toFigures(result)
      // "Is 2 + 2 = 5 right?" is quoted, not claimed
      const isGiven = withoutSpace(description).includes(withoutSpace(`${expression}=${result}`))
      const isOpen = figure === undefined || isGiven || !material.mayLook('equations', 1, MAX_EQUATIONS)
      const value = isOpen ? undefined : await readValue(expression)
      if (figure === undefined || value === undefined) continue
      if (isRight(figure, value)) worked.push(expression, result)
      else if (!NEGATED.test(text) && !isMended(expression, value, material) && !(await isBinary(expression, result)))
        return contradict('figure', `${expression.trim()} = ${round(value)}, the answer says ${figure.text}`)
    }
    const asked = await material.once('asked', () => toAsked(description))
    const says = (said: string): boolean => toFigures(said).some((figure) => isRight(figure, asked?.value ?? 0))
    if (asked !== undefined && toFigures(text).length > 0 && !says(material.prose))
      return contradict('figure', `${asked.expression} = ${round(asked.value)}, which the answer does not say`)
    if (asked !== undefined && says(text)) worked.push(round(asked.value))
    const known = new Set(toTokens(worked.join('\n')))
    const isHeld = worked.length > 1 && toTokens(text).every((token) => known.has(token) || isTelling(token))
    return isHeld ? support('figure', []) : undefined
  },
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

/** Whether the answer says somewhere what the same expression really is: a wrong one beside it is a quotation. */
function isMended(expression: string, value: number, { once, prose }: Material): boolean {
  const same = once('sums', () => toEquations(prose)).filter(
    (one) => withoutSpace(one.expression) === withoutSpace(expression),
  )
  return same.some(({ result }) => toFigures(result).some((figure) => isRight(figure, value)))
}

/** Whether an equation of ones and zeros is right in powers of two. */
async function isBinary(expression: string, result: string): Promise<boolean> {
  const toDecimal = (text: string): string => text.replace(/\d+/g, (digits) => String(Number.parseInt(digits, 2)))
  const whole = result.replace(/,$/, '')
  return !/[2-9.,]/.test(expression + whole) && Number(toDecimal(whole)) === (await readValue(toDecimal(expression)))
}

/** The equations of a text: what stands on both sides of each sign. */
function toEquations(text: string): { expression: string; result: string }[] {
  const sides = text.split(/[=≈]/)
  return sides.slice(1).flatMap((after, at) => {
    const before = (sides[at] ?? '').slice(-LONGEST_EXPRESSION)
    const left = before.split(WORDS).at(-1) ?? ''
    const isCut =
      left === before
        ? left.length === LONGEST_EXPRESSION
        : /^\d/.test(left) && /\p{L}$/u.test(before.slice(0, -left.length))
    const expression = left.replace(/[$€£]/g, '').replace(/^[\s)]*(?:[–-]\s)?/, '')
    const result = RIGHT.exec(after.slice(0, 60))?.[1]
    return result !== undefined && !isCut && OPERATOR.test(expression) ? [{ expression, result }] : []
  })
}

/** The one expression that a task asks for; none when there are several things that could be meant. */
async function toAsked(task: string): Promise<{ expression: string; value: number } | undefined> {
  if (task.length > 2000 || !ASKS.test(task)) return undefined
  const [expression, ...more] = (task.match(ASKED) ?? []).filter((text) => WORKS_OUT.test(text))
  const value = expression === undefined || more.length > 0 ? undefined : await readValue(expression)
  // From there on an answer is rounded, or written with powers of ten.
  return expression === undefined || value === undefined || Math.abs(value) >= 1e15 ? undefined : { expression, value }
}

/** The value of an expression as people write it; `undefined` where it has none. */
async function readValue(expression: string): Promise<number | undefined> {
  const worked = await workOut(expression.replaceAll('x', '*').replaceAll('–', '-'))
  return worked.fault === undefined ? Number(worked.text) : undefined
}

const withoutSpace = (text: string): string => text.replace(/\s/g, '')
const round = (value: number): string => String(Number(value.toPrecision(12)))
