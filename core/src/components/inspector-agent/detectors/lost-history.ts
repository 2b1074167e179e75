import { type ContentPart, toText } from '../../../contracts/message.ts'
import { jaccard, toStems } from '../../../text/index.ts'
import type { Detector } from '../detector.ts'

const KEPT_QUESTIONS = 8
const LEAST_STEMS = 4
const TAIL_CHARS = 400

/** What was known is lost: a question that was answered is asked again, a finished step is done again. */
export const lostHistory: Detector = {
  code: 'lost-history',
  mast: '1.4',
  on: [
    'message.completed',
    'agent.message',
    'step.started',
    'step.retrying',
    'step.completed',
    'stage.started',
    'plan.revised',
  ],
  watch(facts, { sameQuestion }) {
    const asked: { stems: Set<string>; agentId: string; ref: string; isAnswered: boolean }[] = []
    const done = new Set<string>()
    return (event) => {
      const { type, agentId = '', stepId = '' } = event
      if (type === 'stage.started' || type === 'plan.revised') done.clear()
      else if (type === 'step.completed') done.add(stepId)
      else if (type === 'step.retrying') done.delete(stepId)
      else if (type === 'step.started') {
        if (!done.delete(stepId)) return undefined
        return {
          subject: stepId,
          severity: 'warn',
          message: `${stepId} is done again although it was finished`,
          fix: `Use the output of ${stepId}.`,
          action: 'nudge',
          agentId: event.agentId,
          stepId,
        }
      } else if (facts.isWork(event)) {
        for (const question of asked) if (question.agentId !== agentId) question.isAnswered = true
        const stems = type === 'message.completed' ? toQuestion(event.data.content) : undefined
        if (stems === undefined) return undefined
        const before = asked.find((other) => other.agentId === agentId && jaccard(other.stems, stems) >= sameQuestion)
        if (before === undefined) {
          asked.push({ stems, agentId, ref: facts.refOf(event), isAnswered: false })
          if (asked.length > KEPT_QUESTIONS) asked.shift()
          return undefined
        }
        if (!before.isAnswered) return undefined
        return {
          subject: `${agentId}/${stepId}`,
          severity: 'warn',
          message: `${agentId} asks again what it asked before and was answered`,
          fix: 'The answer was given: read what the others said since.',
          action: 'nudge',
          agentId: event.agentId,
          stepId: event.stepId,
          evidence: [before.ref],
        }
      }
      return undefined
    }
  },
}

/** The stems of the question that a message ends with. */
function toQuestion(content: unknown): Set<string> | undefined {
  if (!Array.isArray(content)) return undefined
  const tail = toText(content as ContentPart[])
    .trimEnd()
    .slice(-TAIL_CHARS)
  if (!tail.endsWith('?')) return undefined
  const start = Math.max(tail.lastIndexOf('. '), tail.lastIndexOf('\n'), tail.lastIndexOf('! '))
  const stems = new Set(toStems(tail.slice(start + 1)))
  return stems.size >= LEAST_STEMS ? stems : undefined
}
