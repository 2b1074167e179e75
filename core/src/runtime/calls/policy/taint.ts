import type { EventOf, RunEvent } from '../../../contracts/log/event.ts'
import type { RunView } from '../../../contracts/run/run-view.ts'
import type { ToolAnswer } from '../../../contracts/tool/tool.ts'

/** What is known of a call that an agent has read the outcome of. */
export type ReadByCall = Pick<ToolAnswer, 'ok'> & { trust?: ToolAnswer['trust']; tainted?: boolean }

/** Whether an answer may carry instructions from outside. */
export const isUntrusted = ({ trust, tainted }: Pick<ReadByCall, 'trust' | 'tainted'>): boolean =>
  trust === 'untrusted' || tainted === true

/** Remembers, agent by agent, what untrusted content it has read and whether it has read files of the workspace. */
export class TaintLog {
  readonly #untrusted = new Map<string, Set<string>>()
  /** What came with the results of others that it was handed, each with the agent that has read it. */
  readonly #handed = new Map<string, Set<string>>()
  readonly #handedToAll = new Set<string>()
  readonly #private = new Set<string>()
  readonly #everybody: () => readonly string[]
  readonly #isPrivate: boolean

  /**
   * @param everybody what untrusted content stands in the prompts of all agents, such as recalled memories
   * @param isPrivate whether files of the workspace do
   */
  constructor(everybody: () => readonly string[] = () => [], isPrivate = false) {
    this.#everybody = everybody
    this.#isPrivate = isPrivate
  }

  /** Untrusted content that the agent itself has read, or was handed by others. */
  own(agentId: string): string[] {
    return [...this.#readBy(agentId), ...(this.#handed.get(agentId) ?? []), ...this.#handedToAll]
  }

  /** What it has read, with what reached it, or may have reached it, through the other agents of the run. */
  reaching(agentId: string): string[] {
    const others = [...this.#untrusted].filter(([id]) => id !== agentId)
    return [
      ...this.#readBy(agentId),
      ...others.flatMap(([id, sources]) => [...sources].map((source) => `${id}: ${source}`)),
    ]
  }

  /** Looks for what goes from one agent to others: results, and a plan or a verdict that any result went into. */
  follow(event: RunEvent, view: RunView): void {
    const { type, data } = event
    if (type === 'agent.handoff') {
      if (isHandedOver(event, view)) this.#handOver(data.from, data.to)
    } else if (type === 'plan.revised' || (type === 'reflection.completed' && data.retry !== undefined)) {
      for (const [id, sources] of this.#untrusted)
        for (const source of sources) this.#handedToAll.add(`${id}: ${source}`)
    }
  }

  #handOver(from: string, to: string): void {
    const handed = this.#handed.get(to) ?? new Set()
    for (const source of this.#untrusted.get(from) ?? []) handed.add(`${from}: ${source}`)
    for (const source of this.#handed.get(from) ?? []) handed.add(source)
    this.#handed.set(to, handed)
  }

  #readBy(agentId: string): string[] {
    return [...this.#everybody(), ...(this.#untrusted.get(agentId) ?? [])]
  }

  hasReadPrivate(agentId: string): boolean {
    return this.#isPrivate || this.#private.has(agentId)
  }

  readUntrusted(agentId: string, source: string): void {
    const sources = this.#untrusted.get(agentId) ?? new Set()
    sources.add(source)
    this.#untrusted.set(agentId, sources)
  }

  readPrivate(agentId: string): void {
    this.#private.add(agentId)
  }
}

/** Whether an agent is handed what another has made, and not only a step that the other did not come to. */
function isHandedOver(
  { stepId, data: { from, payloadRef } }: EventOf<'agent.handoff'>,
  { toolCalls }: RunView,
): boolean {
  return payloadRef !== stepId || toolCalls.some((call) => call.agentId === from && call.stepId === stepId)
}
