import { addUsage, type ModelAnswer, noUsage, type Usage } from '../../../../contracts/index.ts'

interface AgentTally {
  usage: Usage
  costUsd: number | null
  model: string
}

const NOTHING: Readonly<Usage> = noUsage()

/** Adds up every model answer's usage by step and by agent, so that both come to exactly what was spent. */
export class Tally {
  readonly #steps = new Map<string, Usage>()
  readonly #agents = new Map<string, AgentTally>()
  /** Model answers so far. */
  count = 0

  /** @param isOwn whether the agent's own model answered */
  add(stepId: string, agentId: string, { usage, costUsd, provider, model }: ModelAnswer, isOwn = true): void {
    this.count++
    this.#steps.set(stepId, addUsage(this.ofStep(stepId), usage))
    const before = this.#agents.get(agentId)
    const cost = before === undefined ? 0 : before.costUsd
    this.#agents.set(agentId, {
      usage: addUsage(before?.usage ?? NOTHING, usage),
      costUsd: cost === null || costUsd === null ? null : cost + costUsd,
      model: isOwn || before === undefined ? `${provider}/${model}` : before.model,
    })
  }

  ofStep(stepId: string): Usage {
    return this.#steps.get(stepId) ?? NOTHING
  }

  ofAgent(agentId: string): Usage {
    return this.#agents.get(agentId)?.usage ?? NOTHING
  }

  /** Input and output tokens of an agent. */
  tokensOf(agentId: string): number {
    const { inputTokens, outputTokens } = this.ofAgent(agentId)
    return inputTokens + outputTokens
  }

  /** US dollars of an agent; null as soon as one of its answers has no price. */
  costOf(agentId: string): number | null {
    const agent = this.#agents.get(agentId)
    return agent === undefined ? 0 : agent.costUsd
  }

  /** `provider/model` of an agent's last answer. */
  modelOf(agentId: string): string | undefined {
    return this.#agents.get(agentId)?.model
  }
}
