import { at } from '../cite.ts'
import type { OfferedTools } from '../offered-tools.ts'
import { claim, heading, note } from '../question/cited-sentence.ts'
import type { Question } from '../question/question.ts'
import { quote, series, tick } from '../question/wording.ts'
import { readArguments, readOrder } from '../read/order.ts'
import { notFound, type Skill } from '../skill.ts'

const MOST_LINES = 12

/** `Use <tool> on <argument>`: calls the tool with that argument, or says that there is none of that name. */
export const useTool: Skill = {
  id: 'use-tool',
  asks: (question, tools) => findOrdered(question, tools) !== undefined,
  *work(session) {
    const { question, tools } = session
    const ordered = findOrdered(question, tools)
    if (ordered === undefined) return undefined
    if (ordered.spec === undefined) {
      const ids = tools.specs.map(({ id }) => tick(id))
      return notFound(
        `I found no tool \`${ordered.order.tool}\` among those that I was offered: ${series(ids, 20) || 'none'}.`,
      )
    }
    const { id } = ordered.spec
    const args = readArguments(ordered.order, ordered.spec)
    if (typeof args === 'string')
      return notFound(
        `I found no value for \`${args}\` of the tool \`${id}\` in the first 8000 characters of the task; put it in quotation marks.`,
      )
    const outcome = yield* session.call(id, args)
    if (!outcome.ok) {
      session.problems.clear()
      return notFound(`I got no result from the tool \`${id}\`: ${outcome.reason}`)
    }
    const lines = outcome.text.split('\n').map((text, index) => ({ text: text.trim(), line: index + 1 }))
    for (const { text, line } of lines) session.evidence.note(id, line, text)
    const shown = lines.filter(({ text }) => text !== '').slice(0, MOST_LINES)
    const facts = { answer: outcome.text.trim(), result: outcome.text.trim(), ...readObject(outcome.text) }
    if (shown.length === 0) return { parts: [note(`The tool ${tick(id)} succeeded; it printed nothing.`)], facts }
    const quotes = shown.map(({ text, line }) => claim(quote(text, 400), [at(id, line)]))
    return { parts: [heading(`${tick(id)} says`), ...quotes], facts }
  },
}

/** The tool that an order names, or the name where no tool is called so. The calculator is asked for a whole calculation. */
function findOrdered({ text }: Question, tools: OfferedTools) {
  const order = readOrder(text)
  const spec = order && tools.specs.find(({ id }) => id === order.tool)
  if (order === undefined || (spec !== undefined && spec.id === tools.get('calculate')?.id)) return undefined
  if (spec !== undefined)
    return order.argument !== '' || Object.keys(spec.parameters.properties ?? {}).length === 0
      ? { order, spec }
      : undefined
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '')
  const isOffered = tools.specs.some(({ id }) => plain(id).includes(plain(order.tool)))
  return order.isTool && !isOffered ? { order, spec } : undefined
}

function readObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
