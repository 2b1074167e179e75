import { type ContentPart, toText } from '../../../contracts/message.ts'
import { jaccard } from '../../../text/index.ts'
import type { Detector } from '../detector.ts'
import { toShingles } from '../shingles.ts'

/** Too short to tell a habit of speech from a repetition. */
const LEAST_SHINGLES = 8
const RECENT_TURNS = 12

/**
 * Agents that say nearly the same again within a few messages, in other words or with small changes.
 *
 * Long runs do so more often: compare the share `nearRepeatShare`, not the count.
 */
export const nearRepetition: Detector = {
  code: 'near-repetition',
  mast: '1.3',
  on: ['message.completed'],
  watch(facts, { nearSimilarity, nearWindow, nearRepeatsWarn }) {
    const recent: { shingles: ReadonlySet<string>; isNear: boolean; ref: string }[] = []
    let near = 0
    let all = 0
    return (event) => {
      if (!facts.isWork(event) || !Array.isArray(event.data.content)) return undefined
      const shingles = toShingles(toText(event.data.content as ContentPart[]))
      all++
      const isNear =
        shingles.size >= LEAST_SHINGLES &&
        recent.slice(-nearWindow).some((other) => jaccard(other.shingles, shingles) > nearSimilarity)
      if (isNear) near++
      recent.push({ shingles, isNear, ref: facts.refOf(event) })
      if (recent.length > RECENT_TURNS) recent.shift()
      facts.signals.nearRepeats = near
      facts.signals.nearRepeatShare = near / all
      const repeats = recent.filter((turn) => turn.isNear)
      if (!isNear || repeats.length < nearRepeatsWarn) return undefined
      return {
        subject: 'run',
        severity: 'warn',
        message: `${repeats.length} of the last ${recent.length} messages nearly repeat one shortly before`,
        fix: 'Do not say it again in other words: do the next thing, or give the answer with what is known.',
        action: 'nudge',
        agentId: event.agentId,
        stepId: event.stepId,
        evidence: repeats.map(({ ref }) => ref),
      }
    }
  },
}

/** An agent that begins anew: late in its work it says again what it opened with. */
export const restart: Detector = {
  code: 'conversation-restart',
  mast: '2.1',
  on: ['message.completed'],
  watch(facts, { restartSimilarity, restartAfterMessages }) {
    const openings = new Map<string, { shingles: ReadonlySet<string>; ref: string; messages: number }>()
    return (event) => {
      if (!facts.isWork(event) || !Array.isArray(event.data.content)) return undefined
      const key = facts.placeOf(event)
      const opening = openings.get(key)
      if (opening === undefined) {
        const shingles = toShingles(toText(event.data.content as ContentPart[]))
        if (shingles.size >= LEAST_SHINGLES) openings.set(key, { shingles, ref: facts.refOf(event), messages: 1 })
        return undefined
      }
      opening.messages++
      if (opening.messages <= restartAfterMessages) return undefined
      const shingles = toShingles(toText(event.data.content as ContentPart[]))
      if (jaccard(shingles, opening.shingles) < restartSimilarity) return undefined
      return {
        subject: `${event.agentId}/${event.stepId ?? ''}`,
        severity: 'warn',
        message: `${event.agentId} begins anew: message ${opening.messages} says what its first one said`,
        fix: 'You are not at the beginning: go on from what was found since.',
        action: 'replan',
        agentId: event.agentId,
        stepId: event.stepId,
        evidence: [opening.ref],
      }
    }
  },
}
