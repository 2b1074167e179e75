import { jaccard, toStems } from '../../../text/index.ts'
import type { Detector } from '../detector.ts'

const KEPT_QUESTIONS = 8
const LEAST_STEMS = 4
const TAIL_CHARS = 400

/** A question that was answered is asked again, or a finished step is done again. */
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
    const asked: { stems: Set<string>; agentId: string; seq: number; isAnswered: boolean }[] = []
    const done = new Set<string>()
    return (event) => {
      const { agentId = '', stepId = '' } = event
      switch (event.type) {
        case 'stage.started':
        case 'plan.revised':
          done.clear()
          return undefined
        case 'step.completed':
          done.add(stepId)
          return undefined
        case 'step.retrying':
          done.delete(stepId)
          return undefined
        case 'step.started':
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
      }
      if (!facts.isWork(event)) return undefined
      for (const question of asked) if (question.agentId !== agentId) question.isAnswered = true
      const stems = toQuestion(facts.text)
      if (stems === undefined) return undefined
      const before = asked.find((other) => other.agentId === agentId && jaccard(other.stems, stems) >= sameQuestion)
      if (before === undefined) {
        asked.push({ stems, agentId, seq: event.seq ?? 0, isAnswered: false })
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
        evidence: [before.seq],
      }
    }
  },
}

/** The stems of the question that a message ends with. */
function toQuestion(text: string): Set<string> | undefined {
  const tail = text.slice(-TAIL_CHARS).trimEnd()
  if (!tail.endsWith('?')) return undefined
  const start = Math.max(tail.lastIndexOf('. '), tail.lastIndexOf('\n'), tail.lastIndexOf('! '))
  const stems = new Set(toStems(tail.slice(start + 1)))
  return stems.size >= LEAST_STEMS ? stems : undefined
}
