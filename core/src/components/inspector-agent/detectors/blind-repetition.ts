import { CycleCounter } from '../cycle-counter.ts'
import type { Detector } from '../detector.ts'

/** The same call again and again while nobody can see what came of it. */
export const blindRepetition: Detector = {
  code: 'blind-repetition',
  mast: '1.3',
  on: ['tool.completed'],
  watch(facts, { blindRepeats, cyclePeriod }) {
    const counters = new Map<string, CycleCounter>()
    return (event) => {
      const { action } = facts
      if (action === undefined || action.result !== undefined || !facts.isWork(event)) return undefined
      const key = facts.placeOf(event)
      let counter = counters.get(key)
      if (counter === undefined) {
        counter = new CycleCounter(cyclePeriod + 1)
        counters.set(key, counter)
      }
      const cycle = counter.push(action.name, facts.refOf(event))
      if (cycle === undefined || cycle.times < blindRepeats) return undefined
      return {
        subject: `${event.agentId}/${event.stepId ?? ''}/${action.name}`,
        severity: 'warn',
        message: `${action.tool} was called ${cycle.times} times with the same arguments`,
        fix: 'Go on with what is known, or try another way.',
        action: 'nudge',
        agentId: event.agentId,
        stepId: event.stepId,
        tool: action.tool,
        evidence: counter.recent(8),
      }
    }
  },
}
