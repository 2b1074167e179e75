import { addUsage, type ModelAnswer, noUsage, type Usage } from '../../contracts/index.ts'

interface Entry {
  stepId: string
  agentId: string
  answer: ModelAnswer
}

/** Keeps every model answer's usage by step and by agent, so that both add up to exactly what was spent. */
export class Tally {
  readonly #entries: Entry[] = []

  add(stepId: string, agentId: string, answer: ModelAnswer): void {
    this.#entries.push({ stepId, agentId, answer })
  }

  /** Model answers so far. */
  get count(): number {
    return this.#entries.length
  }

  ofStep(stepId: string): Usage {
    return sum(this.#entries.filter((entry) => entry.stepId === stepId))
  }

  ofAgent(agentId: string): Usage {
    return sum(this.#entries.filter((entry) => entry.agentId === agentId))
  }

  /** Input and output tokens of an agent. */
  tokensOf(agentId: string): number {
    const { inputTokens, outputTokens } = this.ofAgent(agentId)
    return inputTokens + outputTokens
  }

  /** US dollars of an agent; null as soon as one of its answers has no price. */
  costOf(agentId: string): number | null {
    let total = 0
    for (const { answer } of this.#entries.filter((entry) => entry.agentId === agentId)) {
      if (answer.costUsd === null) return null
      total += answer.costUsd
    }
    return total
  }

  /** `provider/model` of an agent's last answer. */
  modelOf(agentId: string): string | undefined {
    const answer = this.#entries.findLast((entry) => entry.agentId === agentId)?.answer
    return answer === undefined ? undefined : `${answer.provider}/${answer.model}`
  }
}

const sum = (entries: readonly Entry[]): Usage =>
  entries.length === 0 ? noUsage() : addUsage(...entries.map(({ answer }) => answer.usage))
