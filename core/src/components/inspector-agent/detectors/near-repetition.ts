import { jaccard } from '../../../text/index.ts'
import type { Detector } from '../detector.ts'
import { LEAST_SHINGLES, SHINGLE_CHARS, toShingles } from '../shingles.ts'

const RECENT = 12

interface Message {
  text: string
  seq: number
}

/**
 * Agents that say nearly the same again within a few messages, in other words or with small changes.
 *
 * Texts are compared once there are enough of them for an issue; until then they are only kept. Long runs repeat more
 * often: compare the share `nearRepeatShare`, not the count.
 */
export const nearRepetition: Detector = {
  code: 'near-repetition',
  mast: '1.3',
  on: ['message.completed'],
  watch(facts, { nearSimilarity, nearWindow, nearRepeatsWarn }) {
    let waiting: Message[] | undefined = []
    const recent: { shingles: ReadonlySet<string>; isNear: boolean; seq: number }[] = []
    let near = 0
    let all = 0
    const compare = ({ text, seq }: Message): boolean => {
      const shingles = toShingles(text)
      const isNear =
        shingles.size >= LEAST_SHINGLES &&
        recent.slice(-nearWindow).some((other) => jaccard(other.shingles, shingles) > nearSimilarity)
      all++
      if (isNear) near++
      recent.push({ shingles, isNear, seq })
      if (recent.length > RECENT) recent.shift()
      return isNear
    }
    return (event) => {
      if (!facts.isWork(event)) return undefined
      const message = { text: facts.text.slice(0, SHINGLE_CHARS), seq: event.seq ?? 0 }
      if (waiting !== undefined && waiting.length < nearRepeatsWarn) {
        waiting.push(message)
        return undefined
      }
      if (waiting !== undefined) for (const earlier of waiting) compare(earlier)
      waiting = undefined
      const isNear = compare(message)
      facts.signals.nearRepeats = near
      facts.signals.nearRepeatShare = near / all
      const repeats = isNear ? recent.filter((turn) => turn.isNear) : []
      if (repeats.length < nearRepeatsWarn) return undefined
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
