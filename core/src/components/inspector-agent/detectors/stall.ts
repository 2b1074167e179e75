import type { ToolCallView } from '../../../contracts/run/call-view.ts'
import { canonicalJson } from '../../../support/canonical-json.ts'
import type { Detector } from '../detector.ts'
import { toShingles } from '../shingles.ts'
import { textOf } from '../tool-call.ts'

const SHINGLE = 5
const MOST_WORDS = 300
const MOST_SEEN = 20_000

/** What one agent has said and seen in a step. */
interface Progress {
  seen: Set<string>
  /** Of the turn at hand. */
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
        // Words that accompany a tool call say what the call does: the call itself counts.
        const text = facts.toolsCalled.length > 0 ? '' : facts.text
        compare(place, facts.call === undefined ? text : textOfCall(facts.call))
        return undefined
      }
      const turns = endTurn(place, thresholds.stallNewShare)
      if (turns > 0) facts.raise('staleTurns', turns)
      if (turns < thresholds.stallWarnTurns) return undefined
      const isCritical = turns >= thresholds.stallCriticalTurns
      return {
        subject: `${event.agentId}/${event.stepId ?? ''}`,
        severity: isCritical ? 'critical' : 'warn',
        message: `${turns} turns of ${event.agentId} brought nothing new`,
        fix: 'Give the answer with what is known, and say what is missing.',
        action: isCritical ? 'replan' : 'nudge',
        agentId: event.agentId,
        stepId: event.stepId,
      }
    }
  },
}

/** What is asked of a reading tool brings nothing new; what is written does. */
function textOfCall(call: ToolCallView): string {
  const text = textOf(call)
  const isRead = (call.risk === 'read' || call.risk === 'network') && text !== ''
  return isRead ? text : `${canonicalJson(call.args)} ${text}`
}

function compare(place: Progress, text: string): void {
  const shingles = toShingles(text, SHINGLE, MOST_WORDS)
  // A text of fewer words counts as a whole.
  if (shingles.size === 0 && text.trim() !== '') shingles.add(text.trim().slice(0, MOST_WORDS))
  for (const shingle of shingles) {
    place.total++
    if (place.seen.has(shingle)) continue
    place.fresh++
    if (place.seen.size >= MOST_SEEN) place.seen.clear()
    place.seen.add(shingle)
  }
}

/** @returns turns in a row without anything new */
function endTurn(place: Progress, newShare: number): number {
  if (place.total > 0) place.staleTurns = place.fresh < newShare * place.total ? place.staleTurns + 1 : 0
  place.fresh = 0
  place.total = 0
  return place.staleTurns
}
