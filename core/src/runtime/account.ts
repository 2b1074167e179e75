import type { RunEvent } from '../contracts/event.ts'
import type { Usage, UsageTotal } from '../contracts/usage.ts'
import { addUsage, noUsage } from '../contracts/usage.ts'

/** What one model call took, read from the log. */
interface Entry {
  agentId: string
  stepId: string | undefined
  usage: Usage
  costUsd: number | null
  answered: boolean
}

/**
 * What a run, its agents and its steps took: all read from one log, so that the parts add up to the whole.
 *
 * It is kept up event by event; at any moment it holds what a new one made from the same log would hold.
 */
export class Account {
  readonly #entries: Entry[] = []
  #usage: Usage = noUsage()
  #modelCalls = 0

  constructor(events: readonly RunEvent[] = []) {
    for (const event of events) this.add(event)
  }

  add(event: RunEvent): void {
    const entry = toEntry(event)
    if (entry === undefined) return
    this.#entries.push(entry)
    this.#usage = addUsage(this.#usage, entry.usage)
    if (entry.answered) this.#modelCalls++
  }

  /** The whole run; failed calls count with what they took. */
  total(): UsageTotal {
    return { ...this.#usage, modelCalls: this.#modelCalls }
  }

  costUsd(): number | null {
    return sumCost(this.#entries)
  }

  ofStep(stepId: string): Usage {
    return addUsage(...this.#entries.filter((entry) => entry.stepId === stepId).map(({ usage }) => usage))
  }

  ofAgent(agentId: string): { usage: Usage; costUsd: number | null } {
    const entries = this.#entries.filter((entry) => entry.agentId === agentId)
    return { usage: addUsage(...entries.map(({ usage }) => usage)), costUsd: sumCost(entries) }
  }
}

function toEntry({ type, agentId = '', stepId, data }: RunEvent): Entry | undefined {
  if (type !== 'model.completed' && type !== 'model.failed') return undefined
  const { usage = noUsage(), costUsd = 0 } = data as { usage?: Usage; costUsd?: number | null }
  return { agentId, stepId, usage, costUsd, answered: type === 'model.completed' }
}

const sumCost = (entries: readonly Entry[]): number | null =>
  entries.reduce<number | null>((sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd), 0)

/** How many tool calls were asked for, failed and were refused. */
export function countToolCalls(events: readonly RunEvent[]): { total: number; failed: number; denied: number } {
  const count = (wanted: string): number => events.filter(({ type }) => type === wanted).length
  return { total: count('tool.requested'), failed: count('tool.failed'), denied: count('tool.denied') }
}
