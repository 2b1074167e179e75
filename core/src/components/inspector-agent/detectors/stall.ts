import type { ToolCallView } from '../../../contracts/call-view.ts'
import { toWords } from '../../../text/index.ts'
import type { Detector } from '../detector.ts'
import { toCanonical } from '../digest.ts'
import { textOf } from '../tool-call.ts'

const SHINGLE = 5
const MOST_WORDS = 300
const TEXT_CHARS = 8 * MOST_WORDS
const MOST_SEEN = 20_000

/** Stands between the texts of two turns. */
const END_OF_TURN = Symbol('end of turn')
type Item = string | ToolCallView | typeof END_OF_TURN

/**
 * Turns that bring nothing new: next to no sequence of five words that the agent did not say or see before (Broder, 1997).
 *
 * Nothing is compared before there were turns enough for an issue; until then texts are only kept.
 */
export const stall: Detector = {
  code: 'stall',
  mast: '2.3',
  on: ['model.completed', 'message.completed', 'tool.completed', 'tool.failed', 'tool.denied'],
  watch(facts, thresholds) {
    const places = new Map<string, Progress>()
    return (event) => {
      if (!facts.isWork(event)) return undefined
      const key = facts.placeOf(event)
      let place = places.get(key)
      if (place === undefined) {
        place = new Progress(thresholds.stallNewShare, thresholds.stallWarnTurns)
        places.set(key, place)
      }
      if (event.type !== 'model.completed') {
        // Words that accompany a tool call say what the call does: the call itself counts.
        const text = facts.toolsCalled.length > 0 ? '' : facts.text
        place.add(facts.call ?? text)
        return undefined
      }
      const turns = place.endTurn()
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

/** What one agent has said and seen in a step. */
class Progress {
  readonly #newShare: number
  #seen: Set<string> | undefined
  #waiting: Item[] | undefined = []
  #turnsToWait: number
  #fresh = 0
  #total = 0
  #staleTurns = 0

  constructor(newShare: number, turnsToWait: number) {
    this.#newShare = newShare
    this.#turnsToWait = turnsToWait
  }

  add(item: Item): void {
    if (item === '') return
    if (this.#waiting === undefined) this.#take(item)
    else this.#waiting.push(item)
  }

  /** @returns turns in a row without anything new */
  endTurn(): number {
    this.add(END_OF_TURN)
    if (this.#waiting === undefined || --this.#turnsToWait > 0) return this.#staleTurns
    const waiting = this.#waiting
    this.#waiting = undefined
    for (const item of waiting) this.#take(item)
    return this.#staleTurns
  }

  #take(item: Item): void {
    if (item !== END_OF_TURN) {
      this.#compare(typeof item === 'string' ? item : textOfCall(item))
      return
    }
    if (this.#total > 0) this.#staleTurns = this.#fresh < this.#newShare * this.#total ? this.#staleTurns + 1 : 0
    this.#fresh = 0
    this.#total = 0
  }

  #compare(text: string): void {
    const words = toWords(text.slice(0, TEXT_CHARS)).slice(0, MOST_WORDS)
    if (words.length === 0) return
    this.#seen ??= new Set()
    const last = Math.max(1, words.length - SHINGLE + 1)
    for (let start = 0; start < last; start++) {
      const shingle = words.slice(start, start + SHINGLE).join(' ')
      this.#total++
      if (this.#seen.has(shingle)) continue
      this.#fresh++
      if (this.#seen.size >= MOST_SEEN) this.#seen.clear()
      this.#seen.add(shingle)
    }
  }
}

/** What is asked of a reading tool brings nothing new; what is written does. */
function textOfCall(call: ToolCallView): string {
  const text = textOf(call)
  const isRead = (call.risk === 'read' || call.risk === 'network') && text !== ''
  return isRead ? text : `${toCanonical(call.args)} ${text}`
}
