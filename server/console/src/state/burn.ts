import type { EventOf, RunEvent } from '@svc/core/client'
import { newest } from './events.ts'

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
export interface Burn {
  agents: AgentBurn[]
  total: BurnPoint[]
  /** The run's soft budget; undefined until it was split. */
  soft: number | undefined
  /** The run's hard budget: twice the soft one, unless another was named. */
  hard: number | undefined
}

export function burnOf(events: readonly RunEvent[], created: EventOf<'run.created'> | undefined): Burn {
  const { tokenBudget, budget } = created?.data.options ?? {}
  const split = newest(events, 'budget.allocated')?.data
  const soft = tokenBudget ?? split?.total
  const total: BurnPoint[] = []
  const agents = new Map<string, AgentBurn>(
    split?.shares.map(({ agentId, tokens }) => [agentId, { agentId, share: tokens, points: [] }]),
  )
  for (const event of events) {
    if ((event.type !== 'model.completed' && event.type !== 'model.failed') || event.data.usage === undefined) continue
    const { agentId = '' } = event
    const agent = agents.get(agentId) ?? { agentId, share: undefined, points: [] }
    agents.set(agentId, agent)
    const { inputTokens, outputTokens } = event.data.usage
    if (!Number.isFinite(inputTokens + outputTokens)) continue
    for (const points of [total, agent.points]) {
      const tokens = (points.at(-1)?.tokens ?? 0) + inputTokens + outputTokens
      points.push({ at: Date.parse(event.time), tokens })
    }
  }
  return { agents: [...agents.values()], total, soft, hard: budget?.maxTokens ?? (soft && soft * 2) }
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
