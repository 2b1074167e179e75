import type { OfferedTools } from '../offered-tools.ts'
import type { Question } from '../question.ts'
import { readOrder } from '../read/order.ts'
import { notFound, type Skill } from '../skill.ts'
import { series } from '../wording.ts'

/** The tool that an order names and that is not offered. */
function findMissing({ text }: Question, tools: OfferedTools): string | undefined {
  const order = readOrder(text)
  if (!order?.isTool || tools.specs.length === 0) return undefined
  const lower = order.tool.toLowerCase()
  const isOffered = tools.specs.some(
    ({ id }) => id.toLowerCase().split(/[_.-]/).includes(lower) || id.toLowerCase() === lower,
  )
  return isOffered || /^calculator$/.test(lower) ? undefined : order.tool
}

/** An order to use a tool that is not there: says so, and which ones there are. */
export const missingTool: Skill = {
  id: 'missing-tool',
  asks: (question, tools) => findMissing(question, tools) !== undefined,
  *work(session): ReturnType<Skill['work']> {
    const offered = session.tools.specs.map(({ id }) => `\`${id}\``)
    return notFound(
      `I found no tool \`${findMissing(session.question, session.tools)}\` among those that I was offered: ${series(offered, 40)}.`,
    )
  },
}
