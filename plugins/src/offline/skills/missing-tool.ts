import type { OfferedTools } from '../offered-tools.ts'
import type { Question } from '../question.ts'
import { notFound, type Skill } from '../skill.ts'
import { series } from '../wording.ts'

const ORDER =
  /^(?:please\s+|can you\s+|could you\s+)?(?:use|call|run|invoke)\s+(the\s+)?(tool\s+)?[`"']?([A-Za-z][\w-]*)(?:\(\))?[`"']?(\s+tool\b)?/i

/** The tool that an order names and that is not offered: a name after "tool" or before it, or one with an underscore. */
function findMissing({ text }: Question, tools: OfferedTools): string | undefined {
  const match = ORDER.exec(text)
  const name = match?.[3]
  if (!match || name === undefined || tools.specs.length === 0) return undefined
  const isTool = match[2] !== undefined || match[4] !== undefined || /[a-z\d]_[a-z\d]/i.test(name)
  const lower = name.toLowerCase()
  const isOffered = tools.specs.some(
    ({ id }) => id.toLowerCase().split(/[_.-]/).includes(lower) || id.toLowerCase() === lower,
  )
  return isTool && !isOffered && !NO_NAME.has(lower) ? name : undefined
}

/** Words before "tool" that name none: "use the right tool". */
const NO_NAME: ReadonlySet<string> = new Set(
  'a an any the this that your my some right best each every which tool other'.split(' '),
)

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
