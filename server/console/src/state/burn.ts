import type { RunEvent } from '@svc/core/client'

/** Tokens that were spent by then, input and output together. */
export interface BurnPoint {
  at: number
  tokens: number
}

/** What the tokens of one agent went to over time. */
export interface AgentBurn {
  agentId: string
  /** What it was given; undefined for work outside of the plan, such as a vote. */
  share: number | undefined
  points: BurnPoint[]
}

/** Tokens spent by each agent and by the run, against shares and limits. */
export class Burn {
  readonly agents = new Map<string, AgentBurn>()
  readonly total: BurnPoint[] = []
  /** The run's soft budget; undefined until it was split. */
  soft: number | undefined
  /** The run's hard budget. */
  hard: number | undefined
  #named: { soft?: number | undefined; hard?: number | undefined } = {}

  apply(event: RunEvent): void {
    switch (event.type) {
      case 'run.created': {
        const { tokenBudget, budget } = event.data.options
        this.#named = { soft: tokenBudget, hard: budget?.maxTokens }
        this.#setLimits(tokenBudget)
        return
      }
      case 'budget.allocated':
        this.#setLimits(this.#named.soft ?? event.data.total)
        for (const { agentId, tokens } of event.data.shares) this.#agent(agentId).share = tokens
        return
      case 'model.completed':
      case 'model.failed': {
        const { usage } = event.data
        if (usage === undefined) return
        const at = Date.parse(event.time)
        const tokens = usage.inputTokens + usage.outputTokens
        const { points } = this.#agent(event.agentId ?? '')
        points.push({ at, tokens: (points.at(-1)?.tokens ?? 0) + tokens })
        this.total.push({ at, tokens: (this.total.at(-1)?.tokens ?? 0) + tokens })
        return
      }
    }
  }

  /** Twice the soft budget, unless a hard one was named. */
  #setLimits(soft: number | undefined): void {
    this.soft = soft
    this.hard = this.#named.hard ?? (soft === undefined ? undefined : soft * 2)
  }

  #agent(agentId: string): AgentBurn {
    let agent = this.agents.get(agentId)
    if (agent === undefined) {
      agent = { agentId, share: undefined, points: [] }
      this.agents.set(agentId, agent)
    }
    return agent
  }
}

/** From this part of a limit on the limit itself is in sight. */
const NEAR = 0.4

/** The top of a chart of what was spent, in tokens: above the limits that are near, and far below those that are not. */
export function ceilingOf(most: number, limits: readonly (number | undefined)[]): number {
  const known = limits.filter((limit) => limit !== undefined)
  const near = known.filter((limit) => most > limit * NEAR)
  // Limits out of sight are named at the top, above the line.
  const room = near.length < known.length ? 1.45 : 1.15
  return Math.max(most * room, ...near.map((limit) => limit * 1.1), 1)
}
