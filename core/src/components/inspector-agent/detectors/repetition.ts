import type { ToolCallView } from '../../../contracts/run/call-view.ts'
import { canonicalJson } from '../../../support/canonical-json.ts'
import { CycleCounter } from '../cycle-counter.ts'
import type { Detector } from '../detector.ts'
import { textOf } from '../tool-call.ts'

/** Events named as evidence at most. */
const EVIDENCE = 8

interface InspectedCall {
  counter: CycleCounter
  seqs: number[]
  nudgedAt: number | undefined
}

/**
 * The same calls with the same results, over and over: cycles of one to four calls.
 *
 * Polling that sees something new is no repetition. The first sighting nudges; if the agent repeats the call after a turn
 * in which it could have read the nudge, the run is halted.
 */
export const repetition: Detector = {
  code: 'step-repetition',
  mast: '1.3',
  on: ['tool.completed', 'tool.failed', 'tool.denied'],
  watch(facts, thresholds) {
    const places = new Map<string, InspectedCall>()
    const numbers = new Map<string, number>()
    /** Different calls of one tool are different issues. */
    const numberOf = ({ tool, args }: ToolCallView): number => {
      const name = canonicalJson([tool, args])
      const number = numbers.get(name) ?? numbers.size + 1
      numbers.set(name, number)
      return number
    }
    return (event) => {
      const { call } = facts
      if (call === undefined || !facts.isWork(event)) return undefined
      const key = facts.placeOf(event)
      const place = places.get(key) ?? {
        counter: new CycleCounter(thresholds.cyclePeriod),
        seqs: [],
        nudgedAt: undefined,
      }
      places.set(key, place)
      place.seqs = [...place.seqs, event.seq ?? 0].slice(-EVIDENCE)
      const { tool, args, status, error } = call
      const cycle = place.counter.push([tool, canonicalJson(args), status, error?.code, textOf(call)].join('\n'))
      if (cycle === undefined) {
        place.nudgedAt = undefined
        return undefined
      }
      const { agentId, stepId } = event
      const { period, times } = cycle
      facts.raise('repeats', times)
      const isStrict = call.status !== 'completed' || period === 2
      const criticalFrom = isStrict ? thresholds.repeatsErrorCritical : thresholds.repeatsCritical
      if (times < Math.min(thresholds.repeatsWarn, criticalFrom)) return undefined
      const turn = facts.turnsSeenBy(agentId)
      place.nudgedAt ??= turn
      const wasIgnored = times >= thresholds.repeatsCritical && turn > place.nudgedAt
      return {
        subject: `${agentId}/${stepId ?? ''}/${call.tool}/${numberOf(call)}`,
        severity: times >= criticalFrom ? 'critical' : 'warn',
        message: describe(call, period, times),
        fix: 'Its result will not change: use what it returned, call it in another way, or give your answer now.',
        action: wasIgnored ? 'halt' : 'nudge',
        agentId,
        stepId,
        tool: call.tool,
        evidence: place.seqs.slice(-period * times),
      }
    }
  },
}

function describe({ tool, status }: ToolCallView, period: number, times: number): string {
  const result = status === 'completed' ? 'the same result' : `the same ${status === 'denied' ? 'denial' : 'error'}`
  if (period === 1) return `${tool} was called ${times} times with the same arguments and gave ${result}`
  return `the same ${period} calls, ending with ${tool}, were made ${times} times with the same results`
}
