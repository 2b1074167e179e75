import type { RunEvent } from '@svc/core/client'
import { describeEvent } from './describe-event.ts'

/** Types of events that are looked for together. */
export const GROUPS = {
  Run: ['run'],
  Stages: ['stage', 'analysis', 'plan', 'topology'],
  Agents: ['agent', 'step', 'message'],
  Models: ['model'],
  Tools: ['tool', 'approval'],
  Checks: ['consensus', 'reflection', 'inspect', 'plugin'],
  Budget: ['budget'],
  Memory: ['memory'],
} as const
export type Group = keyof typeof GROUPS

/** What a log is searched for. */
export interface LogQuery {
  /** Empty: all. */
  groups: readonly Group[]
  /** Found in what is shown of an event, upper and lower case alike. */
  text: string
}

const nounOf = ({ type }: RunEvent): string => type.slice(0, type.indexOf('.'))

/** Whether an event is looked for. */
function fits(event: RunEvent, nouns: ReadonlySet<string>, text: string): boolean {
  if (nouns.size > 0 && !nouns.has(nounOf(event))) return false
  if (text === '') return true
  const { type, agentId = '', stepId = '' } = event
  return `${type} ${agentId} ${stepId} ${describeEvent(event)}`.toLowerCase().includes(text)
}

/** The events that a query finds, in order. Events that come later are added; what is there is not looked at again. */
export class LogFilter {
  readonly found: RunEvent[] = []
  readonly #nouns: ReadonlySet<string>
  readonly #text: string
  #seen = 0

  constructor({ groups, text }: LogQuery) {
    this.#nouns = new Set(groups.flatMap((group) => GROUPS[group]))
    this.#text = text.trim().toLowerCase()
  }

  /** Takes in what a log has got more. */
  update(events: readonly RunEvent[]): readonly RunEvent[] {
    if (this.#nouns.size === 0 && this.#text === '') return events
    for (; this.#seen < events.length; this.#seen++) {
      const event = events[this.#seen]
      if (event !== undefined && fits(event, this.#nouns, this.#text)) this.found.push(event)
    }
    return this.found
  }
}

/** Where in events, in order, the last one up to a number is; -1: all are later. */
export function indexUpTo(events: readonly RunEvent[], seq: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.seq ?? 0) <= seq) low = middle + 1
    else high = middle
  }
  return low - 1
}
