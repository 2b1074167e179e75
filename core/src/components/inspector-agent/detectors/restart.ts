import { jaccard } from '../../../text/index.ts'
import type { Detector } from '../detector.ts'
import { LEAST_SHINGLES, SHINGLE_CHARS, toShingles } from '../shingles.ts'

interface Place {
  /** The first messages, until there are enough of them for a restart. */
  waiting: { text: string; seq: number }[]
  opening: { shingles: ReadonlySet<string>; seq: number } | undefined
  /** From the opening on. */
  messages: number
}

/** An agent that begins anew: late in its work it says again what it opened with. */
export const restart: Detector = {
  code: 'conversation-restart',
  mast: '2.1',
  on: ['message.completed'],
  watch(facts, { restartSimilarity, restartAfterMessages }) {
    const places = new Map<string, Place>()
    return (event) => {
      if (!facts.isWork(event)) return undefined
      const key = facts.placeOf(event)
      let place = places.get(key)
      if (place === undefined) {
        place = { waiting: [], opening: undefined, messages: 0 }
        places.set(key, place)
      }
      const text = facts.text.slice(0, SHINGLE_CHARS)
      place.messages++
      if (place.opening === undefined) {
        place.waiting.push({ text, seq: event.seq ?? 0 })
        if (place.waiting.length > restartAfterMessages) findOpening(place)
      }
      const { opening, messages } = place
      if (opening === undefined || messages <= restartAfterMessages) return undefined
      if (jaccard(toShingles(text), opening.shingles) < restartSimilarity) return undefined
      return {
        subject: `${event.agentId}/${event.stepId ?? ''}`,
        severity: 'warn',
        message: `${event.agentId} begins anew: message ${messages} says what its first one said`,
        fix: 'You are not at the beginning: go on from what was found since.',
        action: 'replan',
        agentId: event.agentId,
        stepId: event.stepId,
        evidence: [opening.seq],
      }
    }
  },
}

/** The first message that is long enough to be recognised. */
function findOpening(place: Place): void {
  for (const [at, { text, seq }] of place.waiting.entries()) {
    const shingles = toShingles(text)
    if (shingles.size < LEAST_SHINGLES) continue
    place.opening = { shingles, seq }
    place.messages = place.waiting.length - at
    break
  }
  place.waiting = []
}
