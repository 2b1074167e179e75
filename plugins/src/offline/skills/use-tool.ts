import { at } from '../cite.ts'
import type { OfferedTools } from '../offered-tools.ts'
import { claim, heading, note } from '../question/claim.ts'
import type { Question } from '../question/question.ts'
import { quote, series, tick } from '../question/wording.ts'
import { readArguments, readOrder } from '../read/order.ts'
import { notFound, type Skill } from '../skill.ts'

const MOST_LINES = 12

/** `Use <tool> on <argument>`: calls the tool with that argument, or says that there is none of that name. */
export const useTool: Skill = {
  id: 'use-tool',
  asks: (question, tools) => findOrdered(question, tools) !== undefined || findMissing(question, tools) !== undefined,
  *work(session) {
    const { question, tools } = session
    const missing = findMissing(question, tools)
    if (missing !== undefined) {
      const offered = series(
        tools.specs.map(({ id }) => tick(id)),
        20,
      )
      return notFound(`I found no tool \`${missing}\` among those that I was offered: ${offered || 'none'}.`)
    }
    const ordered = findOrdered(question, tools)
    if (!ordered) return undefined
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

function findOrdered({ text }: Question, tools: OfferedTools) {
  const order = readOrder(text)
  const spec = order && tools.specs.find(({ id }) => id === order.tool)
  // the calculator is asked for a whole calculation, the others get what they are given
  if (!order || !spec || id(tools) === spec.id) return undefined
  return order.argument !== '' || Object.keys(spec.parameters.properties ?? {}).length === 0
    ? { order, spec }
    : undefined
}

const id = (tools: OfferedTools): string | undefined => tools.get('calculate')?.id

/** The name of the tool that an order means, where no tool and no ability is called so. */
function findMissing({ text }: Question, tools: OfferedTools): string | undefined {
  const order = readOrder(text)
  if (!order?.isTool) return undefined
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '')
  const isOffered = tools.specs.some(({ id }) => plain(id).includes(plain(order.tool)))
  return isOffered ? undefined : order.tool
}

function readObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
