import { at } from '../cite.ts'
import { type Look, together } from '../look.ts'
import { lead, note, type Part } from '../question/cited-sentence.ts'
import { unique } from '../question/question.ts'
import { tick } from '../question/wording.ts'
import { isCalculating, readExpression } from '../read/expressions.ts'
import { asPattern } from '../read/terms.ts'
import { readProblem } from '../read/word-problems.ts'
import { isTestPath } from '../read/symbols.ts'
import { notFound, type Skill } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { SOURCES } from './definition.ts'

/** What a text asks to be calculated, in signs or told with what its numbers count. */
const readCalculation = (text: string): string | undefined => readExpression(text) ?? readProblem(text)

/** Arithmetic, as signs or as words; the calculation is shown. One that is not understood as a whole is not made. */
export const arithmetic: Skill = {
  id: 'arithmetic',
  asks: ({ text, paths, identifiers }) =>
    readCalculation(text) !== undefined ||
    (identifiers.length > 0 && readCalculation(replaceNames(text, identifiers, () => '2')) !== undefined) ||
    (paths.length + identifiers.length === 0 && isCalculating(text)),
  *work(session) {
    const tool = session.tools.get('calculate')
    const { text, identifiers } = session.question
    const known = readCalculation(text) === undefined ? yield* findValues(session, identifiers) : []
    if (known === undefined) return undefined
    const values = new Map(known.map(({ name, value }) => [name, value]))
    const expression = readCalculation(replaceNames(text, [...values.keys()], (name) => values.get(name) ?? name))
    if (!tool) return notFound('I was offered no tool that calculates.')
    if (expression === undefined) return notFound('I do not know how to calculate this, and guess no number.')
    const outcome = yield* session.call(tool.id, { [tool.main]: expression })
    if (!outcome.ok) return notFound(`I could not work out ${expression}.`)
    const value = outcome.text.split('=').at(-1)?.trim() ?? ''
    const number = Number(value)
    const result = Number.isFinite(number) ? number : value
    return {
      parts: [note(`${expression} = ${value}`), ...known.map(({ part }) => part)],
      facts: { result, value: result, answer: result, total: result },
    }
  },
}

/** A text with numbers in the place of names, and without what says which numbers. */
const replaceNames = (text: string, names: readonly string[], valueOf: (name: string) => string): string =>
  names
    .reduce((said, name) => said.replaceAll(name, valueOf(name)), text)
    .replace(names.length > 0 ? / (?:with|by|at) (?:the |their |its )?defaults?(?: values?)?/ : /$^/, '')

/** The one number that code sets each name to; undefined where one has none, or several. */
function* findValues(session: ToolSession, names: readonly string[]): Look<Value[] | undefined> {
  const ways = names.flatMap((name) => [`${name}:`, `${name} =`])
  const searches = yield* together(ways.map((query) => session.search(query, { pattern: SOURCES, limit: 25 })))
  const found = names.map((name, index) => {
    const set = new RegExp(`(?<![\\w$.])${asPattern(name)}['"]?\\s*[:=]\\s*(\\d[\\d_]*(?:\\.\\d+)?)\\s*(?:[,;]|$)`)
    const own = searches.slice(2 * index, 2 * index + 2)
    const hits = own.flatMap((one) => one?.hits ?? []).filter(({ path, text }) => !isTestPath(path) && set.test(text))
    const values = unique(hits.map(({ text }) => (set.exec(text)?.[1] ?? '').replaceAll('_', '')))
    const [{ path, line, text } = { path: '', line: 0, text: '' }] = hits
    const part = lead(`${tick(name)} is set here: ${tick(text)}`, [at(path, line)])
    return values.length === 1 && own.every((one) => one?.more === 0)
      ? { name, value: values[0] ?? '', part }
      : undefined
  })
  const known = found.filter((one) => one !== undefined)
  return known.length === names.length ? known : undefined
}

interface Value {
  readonly name: string
  readonly value: string
  readonly part: Part
}
