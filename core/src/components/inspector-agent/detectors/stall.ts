import { toWords } from '../../../text/index.ts'
import type { Detector } from '../detector.ts'
import type { Action } from '../run-facts.ts'

const SHINGLE = 5
const MAX_WORDS = 300
const MAX_SEEN = 20_000
const READS: ReadonlySet<string> = new Set(['read', 'network'])

interface Progress {
  seen: Set<string>
  fresh: number
  total: number
  staleTurns: number
}

/** Turns that bring nothing new: next to no sequence of five words that the agent did not say or see before (Broder, 1997). */
export const stall: Detector = {
  code: 'stall',
  mast: '2.3',
  on: ['model.completed', 'message.completed', 'tool.completed', 'tool.failed', 'tool.denied'],
  watch(facts, thresholds) {
    const places = new Map<string, Progress>()
    return (event) => {
      if (!facts.isWork(event)) return undefined
      const key = facts.placeOf(event)
      const place = places.get(key) ?? { seen: new Set(), fresh: 0, total: 0, staleTurns: 0 }
      places.set(key, place)
      if (event.type !== 'model.completed') {
        const { action, message = '' } = facts
        // What is asked of a reading tool brings nothing new, what is written does, and so may what nobody knows.
        take(place, action === undefined ? message : isRead(action) ? action.text : `${action.args} ${action.text}`)
        return undefined
      }
      if (place.total > 0)
        place.staleTurns = place.fresh < thresholds.stallNewShare * place.total ? place.staleTurns + 1 : 0
      place.fresh = 0
      place.total = 0
      facts.raise('staleTurns', place.staleTurns)
      if (place.staleTurns < thresholds.stallWarnTurns) return undefined
      return {
        subject: `${event.agentId}/${event.stepId ?? ''}`,
        severity: place.staleTurns >= thresholds.stallCriticalTurns ? 'critical' : 'warn',
        message: `${place.staleTurns} turns of ${event.agentId} brought nothing new`,
        fix: 'Give the answer with what is known, and say what is missing.',
        action: place.staleTurns >= thresholds.stallCriticalTurns ? 'replan' : 'nudge',
        agentId: event.agentId,
        stepId: event.stepId,
      }
    }
  },
}

const isRead = ({ risk, result, text }: Action): boolean => READS.has(risk) && result !== undefined && text !== ''

function take(place: Progress, text: string): void {
  const words = toWords(text.slice(0, MAX_WORDS * 8)).slice(0, MAX_WORDS)
  const last = Math.max(1, words.length - SHINGLE + 1)
  if (words.length === 0) return
  for (let start = 0; start < last; start++) {
    const shingle = words.slice(start, start + SHINGLE).join(' ')
    place.total++
    if (place.seen.has(shingle)) continue
    place.fresh++
    if (place.seen.size >= MAX_SEEN) place.seen.clear()
    place.seen.add(shingle)
  }
}
