import { CycleCounter } from '../cycle-counter.ts'
import type { Detector } from '../detector.ts'
import type { Action } from '../run-facts.ts'

/** Events named as evidence at most. */
const EVIDENCE = 8

/**
 * The same calls with the same results, over and over: cycles of one to four calls.
 *
 * Whoever polls and sees something new does not repeat. The first sighting nudges; going on all the same, after a turn
 * in which the nudge could be heeded, halts.
 */
export const repetition: Detector = {
  code: 'step-repetition',
  mast: '1.3',
  on: ['tool.completed', 'tool.failed', 'tool.denied'],
  watch(facts, thresholds) {
    const places = new Map<string, { counter: CycleCounter; nudgedAt: number | undefined }>()
    return (event) => {
      const { action } = facts
      if (action?.result === undefined || !facts.isWork(event)) return undefined
      const { agentId, stepId } = event
      const key = facts.placeOf(event)
      let place = places.get(key)
      if (place === undefined) {
        place = { counter: new CycleCounter(thresholds.cyclePeriod), nudgedAt: undefined }
        places.set(key, place)
      }
      const cycle = place.counter.push(`${action.name} ${action.result}`, facts.refOf(event))
      if (cycle === undefined) {
        place.nudgedAt = undefined
        return undefined
      }
      const { period, times } = cycle
      facts.raise('repeats', times)
      const strict = action.outcome !== 'completed' || period === 2
      const criticalFrom = strict ? thresholds.repeatsErrorCritical : thresholds.repeatsCritical
      if (times < Math.min(thresholds.repeatsWarn, criticalFrom)) return undefined
      const turn = facts.turnsSeenBy(agentId)
      place.nudgedAt ??= turn
      const ignored = times >= thresholds.repeatsCritical && turn > place.nudgedAt
      return {
        subject: `${agentId}/${stepId ?? ''}/${action.name}`,
        severity: times >= criticalFrom ? 'critical' : 'warn',
        message: describe(action, period, times),
        fix: 'Its result will not change: use what it returned, call it in another way, or give your answer now.',
        action: ignored ? 'halt' : 'nudge',
        agentId,
        stepId,
        tool: action.tool,
        evidence: place.counter.recent(Math.min(EVIDENCE, period * times)),
      }
    }
  },
}

function describe({ tool, outcome }: Action, period: number, times: number): string {
  const result = outcome === 'completed' ? 'the same result' : `the same ${outcome === 'denied' ? 'denial' : 'error'}`
  if (period === 1) return `${tool} was called ${times} times with the same arguments and gave ${result}`
  return `the same ${period} calls, ending with ${tool}, were made ${times} times with the same results`
}
