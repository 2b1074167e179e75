import { workOut } from '../../../text/arithmetic/work-out.ts'
import { isTelling, toTokens } from '../evidence/tokens.ts'
import { type Figure, isNear, toFigures } from '../figures/figures.ts'
import { contradict, type Rule, support } from './rule.ts'

const MAX_EXPRESSION = 120
/** Equations of one answer that are worked out; a power with many digits takes a millisecond. */
const MAX_EQUATIONS = 400
const OPERATOR = /\d[\s)%]*[-+*/^−–×·÷x][\s(]*\d/
const ASKS = /\b(?:what(?:'s| is)|how much is|compute|calculate|evaluate|work out|solve|result of|value of)\b/i
const WORKS_OUT = /\d[\s)]*(?:[*^×·÷+]|\s[-−/]\s)[\s(]*\d/
/** `3 - 4` may be pages, `3/4` a date: only right behind the question they are sums. */
const AMBIGUOUS = /^[^*^×·÷+]*$/
const ASKS_NEXT = /\b(?:what(?:'s| is)|how much is|compute|calculate|evaluate|work out|solve|(?:result|value) of)\s+$/i
const FRACTION = /(\d{1,9})(?:\s?\/\s?|\}\{)(\d{1,9})/g
/** From here on an answer is rounded, or written with powers of ten. */
const MOST_EXACT = 1e15
/** No part of a longer token: `1e3 * 2` holds no `3 * 2`, `3*20%` no `3*20`. */
const RUN = /(?<![\w.,!%*/^×·÷])[\d(][\d\s.,()+*/^×·÷−x-]{0,118}[\d)](?![\w!%]|[.,]\d)/g

/** Every `a + b = c` of the answer is worked out again, and so is the expression that the task asks for. */
export const arithmetic: Rule = {
  id: 'arithmetic',
  isFirm: true,
  trust: 0.95,
  lesson: {
    trigger: 'a task that needs arithmetic',
    cause: '3.3',
    advice: 'Let the calculator work it out and copy its result.',
  },
  hint: 'Correct it.',
  async hold({ text, block }, material) {
    if (block !== undefined || !/\d/.test(text)) return undefined
    const given = withoutSpace(material.task.description)
    const right: string[] = []
    for (const { expression, result } of toEquations(text)) {
      const budget = material.once('equations', () => ({ left: MAX_EQUATIONS }))
      if (budget.left-- <= 0) break
      const value = await readValue(expression)
      const [figure] = toFigures(result)
      if (value === undefined || figure === undefined) continue
      // "Is 2 + 2 = 5 right?" is quoted, not claimed
      if (given.includes(withoutSpace(`${expression}=${result}`))) continue
      const scaled = figure.unit === '%' ? [value, value * 100] : [value]
      if (!scaled.some((candidate) => isRoundedOrCut(figure, candidate)))
        return contradict('figure', `${expression.trim()} = ${round(value)}, the answer says ${figure.text}`)
      right.push(`${expression} ${result}`)
    }
    const asked = await material.once('asked', () => toAsked(material.task.description))
    const isAnswer = asked !== undefined && says(text, asked.value)
    if (asked !== undefined && !isAnswer && toFigures(text).length > 0 && !says(material.prose, asked.value))
      return contradict('figure', `${asked.expression} = ${round(asked.value)}, which the answer does not say`)
    if (right.length === 0 && !isAnswer) return undefined
    const known = new Set(toTokens(`${material.task.description}\n${right.join('\n')}`))
    const isKnown = (token: string): boolean =>
      known.has(token) || isTelling(token) || (isAnswer && Number(token) === Number(asked.value.toPrecision(12)))
    if (!toTokens(text).every(isKnown)) return undefined
    return support('figure', [])
  },
}

/** Whether a text says a value, as a figure or as a fraction. */
const says = (text: string, value: number): boolean =>
  toFigures(text.replace(/(?<=\d)[\s.'’](?=\d{3}(?!\d))/g, '')).some((figure) => isRoundedOrCut(figure, value)) ||
  toFigures(text).some((figure) => isRoundedOrCut(figure, value)) ||
  [...text.matchAll(FRACTION)].some(([, top, bottom]) => Math.abs(Number(top) / Number(bottom) - value) < 1e-9)

function* toEquations(text: string): Generator<{ expression: string; result: string }> {
  for (const { index: at } of text.matchAll(/[=≈]/g)) {
    // Looking back a bounded way from each sign keeps this linear.
    const before = text.slice(Math.max(0, at - MAX_EXPRESSION), at)
    const expression =
      /(?<![\d\s.,()+*/^×·÷−–x%$€£-])[\d\s.,()+*/^×·÷−–x%$€£-]*$/.exec(
        before.slice(before.lastIndexOf('\n') + 1),
      )?.[0] ?? ''
    const result =
      /^\s*([-−$€£]{0,2}\d[\d,]{0,24}(?:\.\d{1,40})?%?)(?!\d|[\d.,]*e[-+]?\d|[\d.,]*\s*(?:[-+*/^×·÷−x(]\s*\d|\(?[rR](?:em|\s?\d)))/.exec(
        text.slice(at + 1, at + 60),
      )?.[1]
    // What stands before a comma and a space belongs to the words before.
    const bare = (expression.split(/[,.]\s/).at(-1) ?? '').replace(/[$€£]/g, '').replace(/^[\s.,)x–-]+/, '')
    const isSuffix = /^[\d.,]/.test(expression) && /\w$/.test(before.slice(0, -expression.length))
    if (result !== undefined && !isSuffix && OPERATOR.test(bare)) yield { expression: bare, result }
  }
}

/** The one expression that a task asks for; none when there are several things that could be meant. */
async function toAsked(task: string): Promise<{ expression: string; value: number } | undefined> {
  if (task.length > 2000 || !WORKS_OUT.test(task) || !ASKS.test(task)) return undefined
  const found = (task.match(RUN) ?? []).map((text) => text.trim()).filter((text) => WORKS_OUT.test(text))
  const [expression] = found
  if (found.length !== 1 || expression === undefined) return undefined
  if (AMBIGUOUS.test(expression) && !ASKS_NEXT.test(task.slice(0, task.indexOf(expression)))) return undefined
  const value = await readValue(expression)
  return value === undefined || Math.abs(value) >= MOST_EXACT ? undefined : { expression, value }
}

/** The value of an expression as people write it; `undefined` where it has none. */
async function readValue(expression: string): Promise<number | undefined> {
  const worked = await workOut(expression.replaceAll('x', '*').replaceAll('–', '-'))
  return worked.fault === undefined ? Number(worked.text) : undefined
}

/** Whether a figure says a value at its own last digit: rounded there, or cut where it has digits after the point. */
function isRoundedOrCut(figure: Figure, value: number): boolean {
  const noise = Math.abs(value) * 1e-14
  const left = Math.abs(value) - Math.abs(figure.value)
  const isCut = figure.decimals > 0 && left > -noise && left < 10 ** -figure.decimals + noise
  return isCut || isNear(figure, value) || Math.abs(left) <= noise
}

const withoutSpace = (text: string): string => text.replace(/\s/g, '')

const round = (value: number): string => String(Number(value.toPrecision(12)))
