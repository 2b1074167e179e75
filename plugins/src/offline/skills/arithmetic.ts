import { note } from '../question/cited-sentence.ts'
import { isCalculating, readExpression, toPlain } from '../read/expressions.ts'
import { readProblem } from '../read/word-problems.ts'
import { notFound, type Skill } from '../skill.ts'

/** What a text asks to be calculated, in signs or told with what its numbers count. */
const readCalculation = (text: string): string | undefined => readExpression(text) ?? readProblem(text)

/** "Is 17*23 = 392?" */
const STATED =
  /^(?:is|are|does|ist|sind|est-ce que)\s(.{1,200}?)\s?(?:=|(?<!\p{L})(?:equals?(?: to)?|gleich|égale? à)(?!\p{L}))\s?(-?\d[\d.,]{0,30})\s?\??$/iu

/** A calculation and what it is said to come to, where both are understood as a whole. */
function readStated(text: string): { expression: string; stated: string } | undefined {
  const [, left = '', right = ''] = STATED.exec(text) ?? []
  const [expression, stated] = [readExpression(left), toPlain(right.replace(/[.,]$/, ''))]
  return expression === undefined || stated === undefined ? undefined : { expression, stated }
}

/** Arithmetic, as signs or as words; the calculation is shown. One that is not understood as a whole is not made. */
export const arithmetic: Skill = {
  id: 'arithmetic',
  asks: ({ text, paths, identifiers }) =>
    readCalculation(text) !== undefined || (paths.length + identifiers.length === 0 && isCalculating(text)),
  *work(session) {
    const tool = session.tools.get('calculate')
    const claimed = readStated(session.question.text)
    const expression = claimed?.expression ?? readCalculation(session.question.text)
    if (!tool) return notFound('I was offered no tool that calculates.')
    if (expression === undefined) return notFound('I do not know how to calculate this, and guess no number.')
    const outcome = yield* session.call(tool.id, { [tool.main]: expression })
    if (!outcome.ok) return notFound(`I could not work out ${expression}.`)
    const value = outcome.text.split('=').at(-1)?.trim() ?? ''
    const number = Number(value)
    const result = Number.isFinite(number) ? number : value
    const verdict = claimed === undefined ? '' : Number(claimed.stated) === number ? 'Yes: ' : 'No: '
    return {
      parts: [note(`${verdict}${expression} = ${value}`)],
      facts: { result, value: result, answer: result, total: result },
    }
  },
}
