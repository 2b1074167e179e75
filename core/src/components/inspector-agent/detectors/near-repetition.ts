import { jaccard } from '../../../text/index.ts'
import type { Detector } from '../detector.ts'
import { toShingles } from '../shingles.ts'

const RECENT = 12
const SHINGLE = 3
const MOST_WORDS = 200
/** A text with fewer shingles is too short to tell a habit of speech from a repetition. */
const LEAST_SHINGLES = 8

/**
 * Agents that say nearly the same again within a few messages, in other words or with small changes.
 *
 * Long runs repeat more often: compare the share `nearRepeatShare`, not the count.
 */
export const nearRepetition: Detector = {
  code: 'near-repetition',
  mast: '1.3',
  on: ['message.completed'],
  watch(facts, { nearSimilarity, nearWindow, nearRepeatsWarn }) {
    const recent: { shingles: ReadonlySet<string>; isNear: boolean; seq: number }[] = []
    let near = 0
    let all = 0
    return (event) => {
      if (!facts.isWork(event)) return undefined
      const shingles = toShingles(facts.text, SHINGLE, MOST_WORDS)
      const isNear =
        shingles.size >= LEAST_SHINGLES &&
        recent.slice(-nearWindow).some((other) => jaccard(other.shingles, shingles) > nearSimilarity)
      all++
      if (isNear) near++
      recent.push({ shingles, isNear, seq: event.seq ?? 0 })
      if (recent.length > RECENT) recent.shift()
      facts.signals.nearRepeats = near
      facts.signals.nearRepeatShare = near / all
      const repeats = recent.filter((message) => message.isNear)
      if (!isNear || repeats.length < nearRepeatsWarn) return undefined
      return {
        subject: 'run',
        severity: 'warn',
        message: `${repeats.length} of the last ${recent.length} messages nearly repeat one shortly before`,
        fix: 'Do not say it again in other words: do the next thing, or give the answer with what is known.',
        action: 'nudge',
        agentId: event.agentId,
        stepId: event.stepId,
        evidence: repeats.map(({ seq }) => seq),
      }
    }
  },
}
